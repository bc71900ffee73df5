"""References: items of earlier replies that an agent names by their ids instead of sending them.

Agents for whom OpenAI would store their replies do so, with `store` left out: the AI SDK does for
thoughts and texts. Items are kept and put back as the JSON text that the agent was told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from holdgate.core.dialects.raw_events import members
from holdgate.core.dialects.reading import dump
from holdgate.core.values.neutral import Request

_DONE = b"response.output_item.done"


class _Item(msgspec.Struct):
    id: str = ""
    type: str = ""


class _Told(msgspec.Struct):
    """An item's last event, or a whole reply."""

    item: msgspec.Raw = msgspec.Raw(b"")
    output: list[msgspec.Raw] = []


_item = msgspec.json.Decoder(_Item)
_told = msgspec.json.Decoder(_Told)
_list = msgspec.json.Decoder(list[msgspec.Raw])


def may_refer(request: Request) -> bool:
    """Tell whether the agent may take the reply to `request` for stored."""
    return request.dialect == "responses" and request.echo.get("store") != b"false"


def told_items(said: bytes) -> Iterator[tuple[str, bytes]]:
    """Give the items that end in what the gateway told, by id: events, or a whole reply."""
    if said.startswith(b"{"):
        texts = [said]
    elif _DONE in said:
        texts = [line[6:] for line in said.split(b"\n") if line.startswith(b"data: ")]
        texts = [text for text in texts if text.startswith(b'{"type":"%b"' % _DONE)]
    else:
        return
    for text in texts:
        told = _told.decode(text)
        for item in [told.item] if bytes(told.item) else told.output:
            yield _item.decode(item).id, bytes(item)


def with_items(body: bytes, find: Callable[[str], bytes | None]) -> bytes:
    """Give a request with the items that it names, as far as `find` knows them."""
    if b'"item_reference"' not in body:
        return body
    found = members(body)
    if found is None:
        return body
    try:
        items = [_found(item, find) for item in _list.decode(found.get("input", b""))]
    except (msgspec.DecodeError, RecursionError):
        return body  # The reader says what is wrong with it.
    return dump(found | {"input": items})


def _found(item: msgspec.Raw, find: Callable[[str], bytes | None]) -> msgspec.Raw:
    try:
        named = _item.decode(item)
    except msgspec.DecodeError:
        return item
    told = find(named.id) if named.type == "item_reference" else None
    return item if told is None else msgspec.Raw(told)
