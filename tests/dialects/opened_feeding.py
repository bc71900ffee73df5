"""Feeding a stream that the gateway opened, for tests that ask what comes out."""

from __future__ import annotations

import json
from typing import Any

from holdgate.core.dialects.base import Opened, Opening
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.values.inbound import Framing
from holdgate.core.values.names import DialectName
from tests.dialects.opened_rules import events, exact

Json = dict[str, Any]


def opened(dialect: DialectName, framing: Framing = "sse") -> Opened:
    ours = DIALECTS[dialect].opened(Opening(False, "ours-1", "model-asked-for", 1234, framing))
    ours.open()
    return ours


def bodies(stream: bytes) -> list[Json]:
    return [exact(data) for _, data in events(stream) if data != b"[DONE]"]


def fed(dialect: DialectName, *stream: bytes) -> list[Json]:
    ours = opened(dialect)
    return bodies(b"".join(map(ours.feed, stream)) + ours.close())


def whole(dialect: DialectName, body: object) -> list[Json]:
    return bodies(opened(dialect).whole(json.dumps(body).encode()))
