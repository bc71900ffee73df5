"""OpenAI Chat Completions: the stream of a reply."""

from __future__ import annotations

import re

from holdgate.core.dialects import openai
from holdgate.core.dialects.base import End, Ending, Opening, Said
from holdgate.core.dialects.reading import dump, last_object, load, member, number
from holdgate.core.values.errors import Fault
from holdgate.core.values.usage import Usage
from holdgate.core.wire.sse import Event
from holdgate.core.wire.tail import Tail

DONE = b"[DONE]"
_FINISH = re.compile(rb'"finish_reason"\s*:\s*"')


def said(event: Event) -> Said:
    """Tell what an event is: role chunks and empty deltas promise nothing."""
    if event.data is None:
        return Said.LEAD
    if event.data.strip() == DONE:
        return Said.CONTENT
    chunk = load(event.data)
    if chunk is None:
        return Said.LEAD
    if chunk.get("error"):
        return Said.ERROR
    choices = chunk.get("choices")
    if not isinstance(choices, list):
        return Said.LEAD
    return Said.CONTENT if any(map(_speaks, choices)) else Said.LEAD


def _speaks(choice: object) -> bool:
    """Whether a choice of a chunk is more than an opening."""
    if member(choice, "finish_reason") is not None:
        return True
    delta = member(choice, "delta")
    return isinstance(delta, dict) and any(v for name, v in delta.items() if name != "role")


def ending(tail: Tail) -> Ending:
    """A finish reason without `[DONE]` is whole: several vendors close so."""
    whole, used = False, None
    for event in tail.last_events():
        if said(event) is Said.ERROR:
            return Ending(End.ERROR, used, openai.error_words(event.data or b""))
        whole = whole or _finishes(event)
        used = used or usage(_usage_of(event))
    return Ending(End.WHOLE if whole else End.CUT, used)


def is_closed(tail: Tail) -> bool:
    """Whether `[DONE]` has passed."""
    return any((event.data or b"").strip() == DONE for event in tail.last_events()[:1])


def _finishes(event: Event) -> bool:
    """Whether an event ends the answer."""
    data = (event.data or b"").strip()
    if event.cut:
        return _FINISH.search(data[-200:]) is not None
    choices = member(load(data), "choices")
    if not isinstance(choices, list):
        return data == DONE
    return any(member(choice, "finish_reason") is not None for choice in choices)


def _usage_of(event: Event) -> object:
    if event.cut:
        return last_object(event.data or b"", "usage")
    return usage_in(load(event.data))


def usage_in(chunk: object) -> object:
    """Give the usage that a chunk tells: its own, its choice's (Moonshot), or Groq's."""
    found = member(chunk, "usage")
    if found:
        return found
    choices = member(chunk, "choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return member(first, "usage") or member(chunk, "x_groq", "usage")


def usage(found: object) -> Usage | None:
    """Give `usage` in one meaning: prompt tokens include what the cache served and took.

    What it served is told in three places: OpenAI's, DeepSeek's and Moonshot's.
    """
    if not isinstance(found, dict):
        return None
    cached = (
        number(found, "prompt_tokens_details", "cached_tokens")
        or number(found, "prompt_cache_hit_tokens")
        or number(found, "cached_tokens")
    )
    written = number(found, "prompt_tokens_details", "cache_write_tokens")
    return Usage(
        input=max(0, number(found, "prompt_tokens") - cached - written),
        cache_read=cached,
        cache_write=written,
        output=number(found, "completion_tokens"),
        reasoning=number(found, "completion_tokens_details", "reasoning_tokens"),
    )


def error(fault: Fault, opening: Opening) -> bytes:
    """Render the end of a failed stream: the role chunk if none was sent, the error, no [DONE]."""
    last = b"data: " + dump({"error": openai.error_object(fault)}) + b"\n\n"
    return last if opening.sent else role_chunk(opening) + last


def role_chunk(opening: Opening) -> bytes:
    """Give the chunk that opens a stream."""
    chunk = {
        "id": opening.id,
        "object": "chat.completion.chunk",
        "created": opening.created,
        "model": opening.model,
        "choices": [
            {"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}
        ],
    }
    return b"data: " + dump(chunk) + b"\n\n"
