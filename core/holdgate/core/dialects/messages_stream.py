"""Anthropic Messages: the stream of a reply."""

from __future__ import annotations

from msgspec.structs import replace

from holdgate.core.dialects import openai
from holdgate.core.dialects.base import End, Ending, Opening, Said
from holdgate.core.dialects.reading import Json, dump, load, member, number, texts
from holdgate.core.dialects.wording import type_of
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.usage import Usage
from holdgate.core.wire.sse import Event
from holdgate.core.wire.tail import Tail

_TOO_LONG = "prompt is too long"
_LEAD = frozenset({"ping", "message_start", "content_block_stop"})
# Blocks that are something by being there; text and thinking are nothing before their first delta.
_EMPTY_BLOCKS = frozenset({"text", "thinking"})


def said(event: Event) -> Said:
    """Tell what an event is: message_start, ping, empty blocks and deltas promise nothing."""
    found = load(event.data)
    if found is None:
        return Said.LEAD
    kind = texts(found.get("type")) or event.name or ("error" if found.get("error") else "")
    if kind in _LEAD:
        return Said.LEAD
    if kind == "error":
        return Said.ERROR
    if kind == "content_block_start":
        return Said.LEAD if _is_empty(member(found, "content_block")) else Said.CONTENT
    if kind == "content_block_delta":
        return Said.CONTENT if _delta_speaks(member(found, "delta")) else Said.LEAD
    if kind == "message_delta":
        stopped = member(found, "delta", "stop_reason") is not None
        return Said.CONTENT if stopped else Said.LEAD
    return Said.CONTENT if kind == "message_stop" else Said.LEAD


def _is_empty(block: object) -> bool:
    kind = texts(member(block, "type"))
    return kind in _EMPTY_BLOCKS and not member(block, kind)


def _delta_speaks(delta: object) -> bool:
    return isinstance(delta, dict) and any(v for name, v in delta.items() if name != "type")


def lead_usage(event: Event) -> Usage | None:
    """Give the usage of `message_start`."""
    if event.data is None or b'"message_start"' not in event.data:
        return None
    return usage(member(load(event.data), "message", "usage"), None)


def ending(tail: Tail, lead: Usage | None) -> Ending:
    """Whole with `message_stop`; an error event is told as one."""
    end, found = End.CUT, lead
    for event in reversed(tail.last_events()):
        data = load(event.data)
        kind = texts(member(data, "type")) or event.name
        if kind == "message_stop":
            end = End.WHOLE
        elif kind == "error":
            return Ending(End.ERROR, found, openai.error_words(event.data or b""))
        elif kind == "message_delta":
            found = usage(member(data, "usage"), found)
    return Ending(end, found)


def is_closed(tail: Tail) -> bool:
    """Whether `message_stop` has passed."""
    last = tail.last_events()[:1]
    return any((texts(member(load(e.data), "type")) or e.name) == "message_stop" for e in last)


def usage(found: object, before: Usage | None) -> Usage | None:
    """Give `usage` in one meaning; a later event's figures are totals that replace earlier ones."""
    if not isinstance(found, dict):
        return before
    told = before or Usage()
    for field, name in (
        ("input", "input_tokens"),
        ("cache_read", "cache_read_input_tokens"),
        ("cache_write", "cache_creation_input_tokens"),
        ("output", "output_tokens"),
    ):
        if count := number(found, name):
            told = replace(told, **{field: count})
    return told


def error_object(fault: Fault) -> Json:
    """Give the JSON of an error event, which is an error body less its request id."""
    return {"type": "error", "error": {"type": type_of(fault), "message": _words(fault)}}


def _words(fault: Fault) -> str:
    """Give the message; Claude Code compacts when it reads that the prompt is too long."""
    if fault.kind is not FaultKind.CONTEXT or _TOO_LONG in fault.message.lower():
        return fault.message
    who, colon, rest = fault.message.partition(": ")
    return f"{who}: {_TOO_LONG}: {rest}" if colon else f"{_TOO_LONG}: {who}"


def error(fault: Fault, opening: Opening) -> bytes:
    """Render the end of a failed stream: message_start if none was sent, the error, no stop."""
    last = b"event: error\ndata: " + dump(error_object(fault)) + b"\n\n"
    return last if opening.sent else message_start(opening) + last


def message_start(opening: Opening) -> bytes:
    """Give the event that opens a stream."""
    message: Json = {
        "id": opening.id,
        "type": "message",
        "role": "assistant",
        "model": opening.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
    data = dump({"type": "message_start", "message": message})
    return b"event: message_start\ndata: " + data + b"\n\n"
