"""Events and whole streams of a dialect, for tests that ask what one means."""

from __future__ import annotations

import json

from holdgate.core.dialects.base import Ending
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.values.names import DialectName
from holdgate.core.values.usage import Usage
from holdgate.core.wire.sse import Event
from holdgate.core.wire.tail import Tail


def event(data: object, name: str = "") -> Event:
    """Give an event; a `bytes` is its data as it stands."""
    return Event(name, data if isinstance(data, bytes) else json.dumps(data).encode())


def sse(data: object, name: str = "") -> bytes:
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    return (f"event: {name}\n" if name else "").encode() + b"data: " + text + b"\n\n"


def typed(type: str, **more: object) -> bytes:
    """Give an event of the dialects that name theirs."""
    return sse({"type": type, **more}, type)


def ending(dialect: DialectName, *chunks: bytes, lead: Usage | None = None) -> Ending:
    tail = Tail()
    for chunk in chunks:
        tail.add(chunk)
    return DIALECTS[dialect].ending(tail, lead)
