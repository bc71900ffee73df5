"""OpenAI Chat Completions: a stream that the gateway opened itself."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from holdgate.core.dialects import chat_stream
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
from holdgate.core.values.errors import Fault
from holdgate.core.wire.sse import Event

# What every chunk of a stream repeats: alone, it says nothing.
_ENVELOPE = frozenset(
    {
        "id",
        "object",
        "created",
        "model",
        "choices",
        "obfuscation",
        "provider",
        "service_tier",
        "system_fingerprint",
    }
)
# The order in which a whole message's members are told: what was thought, what was said, calls.
_FIRST_TOLD = (
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "content",
    "refusal",
    "tool_calls",
)


class ChatOpened:
    """See base.Opened. Source: OpenAI API reference, Chat Completions, streaming."""

    __slots__ = ("_events", "_opening", "_ours", "vendor_id")

    def __init__(self, opening: Opening) -> None:
        """Take the id, model and time that the agent is told."""
        self._opening = opening
        self._ours: Members = {
            "id": raw(opening.id),
            "created": raw(opening.created),
            "model": raw(opening.model),
        }
        self._events = RawEvents(self._told)
        self.vendor_id = ""

    def open(self) -> bytes:
        """See Opened.open: the role chunk."""
        self._opening = replace(self._opening, sent=True)
        return chat_stream.role_chunk(self._opening)

    def nothing(self) -> bytes:
        """See Opened.nothing: an empty delta."""
        head = self._head({})
        return frame(head | {"choices": raw([{"index": 0, "delta": {}, "finish_reason": None}])})

    def feed(self, data: bytes) -> bytes:
        """See Opened.feed."""
        return self._events.feed(data)

    def close(self) -> bytes:
        """See Opened.close."""
        return self._events.close()

    def fail(self, fault: Fault) -> Closing:
        """See Opened.fail."""
        return Closing(chat_stream.error(fault, self._opening))

    def whole(self, body: bytes) -> bytes:
        """See Opened.whole. Usage is told whenever the reply has it."""
        found = members(body) or {}
        choices = items(found.get("choices"))
        if not choices:
            raise ValueError("no completion: it has no list of choices")
        self._take_id(found)
        usage = found.get("usage")
        head = self._head(found)
        chunks = [
            frame(head | {"choices": raw([part])})
            for index, choice in enumerate(choices)
            for part in _parts(index, choice)
        ]
        if usage is not None and not is_empty(usage):
            chunks.append(frame(head | {"choices": raw([]), "usage": usage}))
        return b"".join(chunks) + b"data: " + chat_stream.DONE + b"\n\n"

    def _told(self, event: bytes, said: Event) -> bytes:
        if (said.data or b"").strip() == chat_stream.DONE:
            return untouched(event)
        found = members(said.data)
        if found is None:
            return b""
        self._take_id(found)
        choices = bytes(found.get("choices", b""))
        if not choices.startswith(b"["):
            # An error, or something unknown: what it does not say is not put into it.
            ours = {name: value for name, value in self._ours.items() if name in found}
            return rewritten(event, found | ours) if ours else untouched(event)
        rest = _without_opening(found) if b'"role"' in choices else found
        return b"" if rest is None else rewritten(event, rest | self._ours)

    def _take_id(self, found: Members) -> None:
        self.vendor_id = self.vendor_id or text(found.get("id")) or ""

    def _head(self, found: Members) -> Members:
        """Give what all chunks of a whole reply repeat."""
        more = {name: v for name, v in found.items() if name not in ("choices", "usage")}
        return more | self._ours | {"object": raw("chat.completion.chunk")}


def _without_opening(found: Members) -> Members | None:
    """Give a chunk without the role that ours said already, None if it says nothing else."""
    choices = items(found["choices"]) or []
    if not any(map(_opens, choices)):
        return found
    choices = [_without_role(choice) if _opens(choice) else choice for choice in choices]
    if _is_envelope(found) and not any(map(_speaks, choices)):
        return None
    return found | {"choices": raw(choices)}


def _is_first(choice: Members) -> bool:
    """Tell whether a choice is the one that the gateway's role chunk opened."""
    return bytes(choice.get("index", b"0")) == b"0"


def _opens(choice: Members) -> bool:
    """Tell whether a choice says once more who speaks; some vendors do in each chunk."""
    delta = choice.get("delta")
    return delta is not None and _is_first(choice) and "role" in (members(delta) or {})


def _without_role(choice: Members) -> Members:
    delta = members(choice["delta"]) or {}
    return choice | {"delta": raw({name: v for name, v in delta.items() if name != "role"})}


def _speaks(choice: Members) -> bool:
    """Tell whether a choice says anything at all."""
    delta = members(choice.get("delta")) or {}
    said = [value for name, value in choice.items() if name not in ("index", "delta")]
    return not all(map(is_empty, [*said, *delta.values()]))


def _is_envelope(found: Members) -> bool:
    return all(is_empty(value) for name, value in found.items() if name not in _ENVELOPE)


def _parts(place: int, choice: Members) -> Iterator[Members]:
    """Give a choice of a whole reply as the choices of chunks, the finish last."""
    message = members(choice.get("message"))
    if message is None:
        raise ValueError("no completion: a choice of it has no message")
    index = choice.get("index", raw(place))
    logprobs = choice.get("logprobs", raw(None))
    finish = choice.get("finish_reason")
    if finish is None or is_empty(finish):
        finish = raw("stop" if is_empty(message.get("tool_calls")) else "tool_calls")
    closing = {name: v for name, v in choice.items() if name not in ("message", "logprobs")}
    if not _is_first({"index": index}):
        yield _part(index, {"role": raw("assistant"), "content": raw("")})
    for delta in _deltas(message):
        part = _part(index, delta)
        if "content" in delta:
            part, logprobs = part | {"logprobs": logprobs}, raw(None)
        yield part
    told = {} if is_empty(logprobs) else {"logprobs": logprobs}
    yield closing | {"index": index, "delta": raw({}), **told, "finish_reason": finish}


def _part(index: msgspec.Raw, delta: Members) -> Members:
    return {"index": index, "delta": raw(delta), "finish_reason": raw(None)}


def _deltas(message: Members) -> Iterator[Members]:
    """Give the deltas that a whole message is told in."""
    said = {name: v for name, v in message.items() if name != "role" and not is_empty(v)}
    for name in _FIRST_TOLD:
        value = said.pop(name, None)
        if value is not None:
            yield {name: _numbered(value) if name == "tool_calls" else value}
    if said:
        yield said


def _numbered(calls: msgspec.Raw) -> msgspec.Raw:
    """Give tool calls with the `index` that they have in a stream only."""
    found = items(calls)
    if found is None:
        raise ValueError("no completion: its tool calls are no list of objects")
    return raw([{"index": raw(place)} | call for place, call in enumerate(found)])
