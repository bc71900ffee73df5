"""Anthropic Messages: a stream that the gateway opened itself."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from holdgate.core.dialects import messages_stream
from holdgate.core.dialects.base import Closing, Opening
from holdgate.core.dialects.raw_events import (
    Members,
    RawEvents,
    frame,
    is_empty,
    items,
    members,
    raw,
    rewritten,
    text,
    untouched,
)
from holdgate.core.dialects.reading import Json
from holdgate.core.values.errors import Fault
from holdgate.core.wire.sse import Event

_NO_USAGE = {
    "input_tokens": 0,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
    "output_tokens": 0,
}
_EMPTY_TEXT = msgspec.Raw(b'""')
# Members of a whole message that the closing `message_delta` does not bear in its `delta`.
_NOT_IN_DELTA = frozenset({"id", "type", "role", "model", "content", "usage", "context_management"})


class MessagesOpened:
    """See base.Opened. Source: Anthropic API reference, streaming messages."""

    __slots__ = ("_events", "_opening", "_usage", "vendor_id")

    def __init__(self, opening: Opening) -> None:
        """Take the id and model that the agent is told."""
        self._opening = opening
        self._events = RawEvents(self._told)
        self._usage: Members = {}
        self.vendor_id = ""

    def open(self) -> bytes:
        """See Opened.open: `message_start`."""
        opening = self._opening = replace(self._opening, sent=True)
        message: Json = {
            "id": opening.id,
            "type": "message",
            "role": "assistant",
            "model": opening.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": _NO_USAGE,
        }
        return _event("message_start", message=message)

    def nothing(self) -> bytes:
        """See Opened.nothing: Claude Code counts this event, but not `ping` (clients, 1.1)."""
        delta = {"stop_reason": None, "stop_sequence": None}
        return _event("message_delta", delta=delta, usage={"output_tokens": 0})

    def feed(self, data: bytes) -> bytes:
        """See Opened.feed."""
        return self._events.feed(data)

    def close(self) -> bytes:
        """See Opened.close."""
        return self._events.close()

    def fail(self, fault: Fault) -> Closing:
        """See Opened.fail."""
        return Closing(messages_stream.error(fault, self._opening))

    def whole(self, body: bytes) -> bytes:
        """See Opened.whole."""
        message = members(body) or {}
        blocks = items(message.get("content"))
        if blocks is None:
            raise ValueError("no message: it has no list of content")
        self._take_id(message)
        told = [_block(index, block) for index, block in enumerate(blocks)]
        return b"".join((*told, _ending(message, blocks), _event("message_stop")))

    def _told(self, event: bytes, said: Event) -> bytes:
        found = members(said.data)
        if found is None:
            return b""
        kind = text(found.get("type")) or said.name
        if kind == "message_start":
            self._keep(found)
            return b""
        if kind != "message_delta":
            return untouched(event)
        usage = members(found.get("usage")) or {}
        return rewritten(event, found | {"usage": raw(_complete(usage, self._usage))})

    def _keep(self, start: Members) -> None:
        """Keep of the vendor's opening what only it tells."""
        message = members(start.get("message")) or {}
        self._usage = members(message.get("usage")) or {}
        self._take_id(message)

    def _take_id(self, message: Members) -> None:
        self.vendor_id = text(message.get("id")) or ""


def _complete(told: Members, start: Members) -> Members:
    """Give the final usage: what `message_delta` leaves out was told by `message_start`."""
    missing = {
        name: value
        for name, value in start.items()
        if name not in told or bytes(told[name]) == b"null"
    }
    return told | missing or {"output_tokens": raw(0)}


def _event(kind: str, **data: object) -> bytes:
    return frame({"type": kind, **data}, kind)


def _block(index: int, block: Members) -> bytes:
    """Tell a block of a whole message: its start, its deltas, its stop."""
    kind = text(block.get("type"))
    if kind is None:
        raise ValueError("no message: a block of its content has no type")
    start, deltas = dict(block), list[Json]()
    if kind == "text":
        deltas = list(_text_deltas(start))
    elif kind == "thinking":
        deltas = list(_thinking_deltas(start))
    elif kind.endswith("tool_use") and members(block.get("input")) is not None:
        # Clients put the input together from deltas alone.
        deltas = [{"type": "input_json_delta", "partial_json": _json_text(block["input"])}]
        start["input"] = raw({})
    return b"".join(
        (
            _event("content_block_start", index=index, content_block=start),
            *(_event("content_block_delta", index=index, delta=delta) for delta in deltas),
            _event("content_block_stop", index=index),
        )
    )


def _text_deltas(start: Members) -> Iterator[Json]:
    """Give a text block's deltas, and take out of `start` what they tell."""
    citations = items(start.get("citations"))
    if citations:
        start["citations"] = raw([])
    for citation in citations or ():
        yield {"type": "citations_delta", "citation": citation}
    said = start.get("text")
    start["text"] = _EMPTY_TEXT
    if not is_empty(said):
        yield {"type": "text_delta", "text": said}


def _thinking_deltas(start: Members) -> Iterator[Json]:
    """Give a thinking block's deltas, and take out of `start` what they tell."""
    for name in ("thinking", "signature"):
        said = start.get(name)
        start[name] = _EMPTY_TEXT
        if not is_empty(said):
            yield {"type": f"{name}_delta", name: said}


def _json_text(value: msgspec.Raw) -> str:
    return bytes(value).decode()


def _ending(message: Members, blocks: list[Members]) -> bytes:
    """Give the closing `message_delta` of a whole message."""
    delta = {name: value for name, value in message.items() if name not in _NOT_IN_DELTA}
    delta.setdefault("stop_sequence", raw(None))
    if is_empty(delta.get("stop_reason")):
        calls = any(text(block.get("type")) == "tool_use" for block in blocks)
        delta["stop_reason"] = raw("tool_use" if calls else "end_turn")
    usage = members(message.get("usage")) or {}
    more = {name: message[name] for name in ("context_management",) if name in message}
    return _event("message_delta", delta=delta, usage=_complete(usage, {}), **more)
