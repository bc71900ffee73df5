"""OpenAI Responses: the stream of a reply."""

from __future__ import annotations

import re

from holdgate.core.dialects import openai
from holdgate.core.dialects.base import End, Ending, Opening, Said
from holdgate.core.dialects.reading import Json, dump, last_object, load, member, number, texts
from holdgate.core.dialects.wording import retry_after
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.usage import Usage
from holdgate.core.wire.sse import Event
from holdgate.core.wire.tail import Tail

_LEAD = frozenset(
    {
        "response.created",
        "response.in_progress",
        "response.queued",
        "response.content_part.added",
        "response.reasoning_summary_part.added",
        "keepalive",
    }
)
_WHOLE = frozenset({"response.completed", "response.incomplete"})
_FAILED = frozenset({"response.failed", "error"})
_CLOSING = re.compile(rb'"type"\s*:\s*"(response\.(?:completed|incomplete|failed))"')


def type_of(event: Event) -> str:
    """Give an event's type: by its name, its data, or what is left of its data."""
    if event.name:
        return event.name
    if event.cut:
        match = _CLOSING.search(event.data or b"")
        return match[1].decode() if match else ""
    found = load(event.data)
    return texts(member(found, "type")) or ("error" if member(found, "error") else "")


def said(event: Event) -> Said:
    """Tell what an event is: created, in_progress, queued and empty items promise nothing."""
    kind = type_of(event)
    if event.data is None or not kind or kind in _LEAD:
        return Said.LEAD
    if kind in _FAILED:
        return Said.ERROR
    found = load(event.data)
    if found is None:
        return Said.LEAD
    if kind == "response.output_item.added":
        return (
            Said.LEAD if member(found, "item", "type") in ("message", "reasoning") else Said.CONTENT
        )
    if kind.endswith(".delta"):
        return Said.CONTENT if found.get("delta") else Said.LEAD
    return Said.CONTENT


def ending(tail: Tail) -> Ending:
    """Whole with `response.completed` or `response.incomplete`; failed is told as an error."""
    for event in tail.last_events():
        kind = type_of(event)
        if kind in _WHOLE:
            return Ending(End.WHOLE, usage(_usage_of(event)))
        if kind in _FAILED:
            return Ending(End.ERROR, None, openai.error_words(event.data or b""))
    return Ending(End.CUT, None)


def is_closed(tail: Tail) -> bool:
    """Whether the event that bears the whole response has passed."""
    return any(type_of(event) in _WHOLE | _FAILED for event in tail.last_events()[:1])


def _usage_of(event: Event) -> object:
    if event.cut:
        return last_object(event.data or b"", "usage")
    return member(load(event.data), "response", "usage")


def next_sequence(tail: Tail) -> int:
    """Give the number that follows those of the last events."""
    numbers = [number(load(event.data), "sequence_number") for event in tail.last_events()]
    return max(numbers, default=-1) + 1


def usage(found: object) -> Usage | None:
    """Give `usage` in one meaning: input tokens include what the cache served."""
    if not isinstance(found, dict):
        return None
    cached = number(found, "input_tokens_details", "cached_tokens")
    return Usage(
        input=max(0, number(found, "input_tokens") - cached),
        cache_read=cached,
        output=number(found, "output_tokens"),
        reasoning=number(found, "output_tokens_details", "reasoning_tokens"),
    )


def error(fault: Fault, opening: Opening) -> bytes:
    """Render the end of a failed stream: created and in_progress if not sent, then failed.

    The openai libraries' stream helpers raise when anything else comes first, or when the id
    changes (clients, 1.9).
    """
    frames, sequence = b"", opening.sequence
    if not opening.sent:
        for kind in ("response.created", "response.in_progress"):
            frames += _frame(kind, sequence, response(opening, "in_progress", None))
            sequence += 1
    told = {"code": fault.code or "server_error", "message": words(fault)}
    return frames + _frame("response.failed", sequence, response(opening, "failed", told))


def words(fault: Fault) -> str:
    """Give the message; Codex reads the wait out of it (clients, 1.16)."""
    seconds = retry_after(fault)
    if fault.code != "rate_limit_exceeded" or seconds is None or fault.kind is FaultKind.WINDOW:
        return fault.message
    return f"{fault.message.rstrip('.')}. Please try again in {seconds}s."


def response(opening: Opening, status: str, told: Json | None) -> Json:
    """Give the response object of the gateway's own events, with all that libraries look for."""
    return {
        "id": opening.id,
        "object": "response",
        "created_at": opening.created,
        "status": status,
        "background": False,
        "error": told,
        "incomplete_details": None,
        "instructions": None,
        "max_output_tokens": None,
        "metadata": {},
        "model": opening.model,
        "output": [],
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "store": False,
        "temperature": None,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "truncation": "disabled",
        "usage": None,
    }


def _frame(kind: str, sequence: int, response: Json) -> bytes:
    data = dump({"type": kind, "sequence_number": sequence, "response": response})
    return b"event: " + texts(kind).encode() + b"\ndata: " + data + b"\n\n"
