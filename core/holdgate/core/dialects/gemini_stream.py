"""Gemini generateContent: the stream of a reply, as events or as a JSON array."""

from __future__ import annotations

from holdgate.core.dialects.base import End, Ending, Said
from holdgate.core.dialects.reading import last_object, load, member, number, texts
from holdgate.core.values.usage import Usage
from holdgate.core.wire.json_array import ArraySplitter
from holdgate.core.wire.sse import Event
from holdgate.core.wire.tail import Tail


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
    return any(value for part in parts for name, value in part.items() if name != "thought")


def _closes(chunk: object) -> bool:
    """Whether a chunk ends the reply: a finish reason, or a prompt that was blocked."""
    if member(chunk, "promptFeedback", "blockReason"):
        return True
    candidates = member(chunk, "candidates")
    return isinstance(candidates, list) and any(member(c, "finishReason") for c in candidates)


def ending(tail: Tail) -> Ending:
    """Whole with a chunk that has a finish reason; there is no other marker."""
    end, message = End.CUT, ""
    for chunk in map(load, _chunks(tail)):
        if _closes(chunk):
            end = End.WHOLE
        elif member(chunk, "error"):
            end, message = End.ERROR, texts(member(chunk, "error", "message"))
    return Ending(end, usage(last_object(tail.bytes, "usageMetadata")), message)


def _chunks(tail: Tail) -> list[bytes]:
    """Give the last chunks of either framing."""
    if events := tail.last_events():
        return [event.data or b"" for event in reversed(events)]
    data = tail.bytes
    # The array's end may have lost its beginning: start at the last chunk that is whole.
    start = max(data.rfind(b'{\n  "candidates"'), data.rfind(b'{"candidates"'), 0)
    return ArraySplitter().feed(data[start:])


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
