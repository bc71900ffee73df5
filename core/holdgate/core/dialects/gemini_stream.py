"""Gemini generateContent: the stream of a reply, as events or as a JSON array."""

from __future__ import annotations

import re

from holdgate.core.dialects.base import End, Ending, Said
from holdgate.core.dialects.reading import last_object, load, member, number, texts
from holdgate.core.values.usage import Usage
from holdgate.core.wire.json_array import ArraySplitter
from holdgate.core.wire.sse import Event
from holdgate.core.wire.tail import Tail

_FINISH = re.compile(rb'"finishReason"\s*:\s*"')


def said(event: Event) -> Said:
    """Tell what a chunk is: empty text parts promise nothing."""
    chunk = load(event.data)
    if chunk is None:
        return Said.LEAD
    if chunk.get("error"):
        return Said.ERROR
    if _closes(chunk):
        return Said.CONTENT
    candidates = chunk.get("candidates")
    if not isinstance(candidates, list):
        return Said.LEAD
    return Said.CONTENT if any(map(_speaks, candidates)) else Said.LEAD


def _speaks(candidate: object) -> bool:
    parts = member(candidate, "content", "parts")
    if not isinstance(parts, list):
        return False
    return any(
        value
        for part in parts
        if isinstance(part, dict)
        for name, value in part.items()
        if name != "thought"
    )


def _closes(chunk: object) -> bool:
    """Whether a chunk ends the reply: a finish reason, or a prompt that was blocked."""
    if member(chunk, "promptFeedback", "blockReason"):
        return True
    candidates = member(chunk, "candidates")
    return isinstance(candidates, list) and any(member(c, "finishReason") for c in candidates)


def ending(tail: Tail) -> Ending:
    """Whole with a chunk that has a finish reason; there is no other marker."""
    whole, used = False, None
    for event in _last_chunks(tail):
        chunk = load(event.data)
        if member(chunk, "error"):
            return Ending(End.ERROR, used, texts(member(chunk, "error", "message")))
        whole = whole or _closes(chunk) or (event.cut and _finishes(event.data))
        found = member(chunk, "usageMetadata")
        used = used or usage(
            last_object(event.data or b"", "usageMetadata") if event.cut else found
        )
    return Ending(End.WHOLE if whole else End.CUT, used)


def _finishes(data: bytes | None) -> bool:
    """Whether what is left of a long chunk has a finish reason."""
    return _FINISH.search((data or b"")[-2000:]) is not None


def _last_chunks(tail: Tail) -> list[Event]:
    """Give the last chunks of either framing, the newest first."""
    if events := tail.last_events():
        return events
    # The array's end may have lost its beginning: start at a chunk that is whole.
    data = tail.bytes
    start = max(data.rfind(b'{\n  "candidates"'), data.rfind(b'{"candidates"'), 0)
    chunks = ArraySplitter().feed(data[start:])
    if chunks:
        return [Event("", chunk) for chunk in reversed(chunks)]
    return [Event("", data, cut=True)] if data.rstrip().endswith(b"]") else []


def usage(found: object) -> Usage | None:
    """Give `usageMetadata` in one meaning: thoughts are outside the candidates' tokens."""
    if not isinstance(found, dict):
        return None
    cached = number(found, "cachedContentTokenCount")
    thoughts = number(found, "thoughtsTokenCount")
    prompt = number(found, "promptTokenCount") + number(found, "toolUsePromptTokenCount")
    return Usage(
        input=max(0, prompt - cached),
        cache_read=cached,
        output=number(found, "candidatesTokenCount") + thoughts,
        reasoning=thoughts,
    )
