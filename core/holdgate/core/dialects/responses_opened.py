"""OpenAI Responses: a stream that the gateway opened itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from holdgate.core.dialects import responses_stream
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

_OPENING = frozenset({"response.created", "response.in_progress", "response.queued"})
# The last event of a response by its status; one that is still being worked on is no answer.
_CLOSINGS: Mapping[str, str] = MappingProxyType(
    {
        "completed": "response.completed",
        "incomplete": "response.incomplete",
        "failed": "response.failed",
        "cancelled": "response.failed",
    }
)
_CALL = "response.function_call_arguments"
# Items whose one text comes in deltas: the member that holds it, and the name of its events.
_SPOKEN: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "function_call": ("arguments", _CALL),
        "custom_tool_call": ("input", "response.custom_tool_call_input"),
        "mcp_call": ("arguments", "response.mcp_call_arguments"),
        "code_interpreter_call": ("code", "response.code_interpreter_call_code"),
    }
)
# The same of parts of an item.
_PARTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "output_text": ("text", "response.output_text"),
        "refusal": ("refusal", "response.refusal"),
        "reasoning_text": ("text", "response.reasoning_text"),
        "summary_text": ("text", "response.reasoning_summary_text"),
    }
)
# Members of an item that hold parts: the name of the parts' events, and of their index.
_HOLDERS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "summary": ("response.reasoning_summary_part", "summary_index"),
        "content": ("response.content_part", "content_index"),
    }
)


class ResponsesOpened:
    """See base.Opened. Source: OpenAI API reference, Responses, streaming events."""

    __slots__ = ("_events", "_opening", "_sequence", "vendor_id")

    def __init__(self, opening: Opening) -> None:
        """Take the id and model that the agent is told, and the first sequence number."""
        self._opening = opening
        self._sequence = opening.sequence
        self._events = RawEvents(self._told)
        self.vendor_id = ""

    def open(self) -> bytes:
        """See Opened.open: `response.created`, `response.in_progress`."""
        created = self._begun("response.created")
        self._opening = replace(self._opening, sent=True)
        return created + self.nothing()

    def nothing(self) -> bytes:
        """See Opened.nothing: `response.in_progress`."""
        return self._begun("response.in_progress")

    def feed(self, data: bytes) -> bytes:
        """See Opened.feed."""
        return self._events.feed(data)

    def close(self) -> bytes:
        """See Opened.close."""
        return self._events.close()

    def fail(self, fault: Fault) -> Closing:
        """See Opened.fail."""
        opening = replace(self._opening, sequence=self._sequence)
        return Closing(responses_stream.error(fault, opening))

    def whole(self, body: bytes) -> bytes:
        """See Opened.whole."""
        response = members(body) or {}
        self.vendor_id = text(response.get("id")) or ""
        told = list(_telling(self._ours(response)))
        return b"".join(map(self._numbered, told))

    def _told(self, event: bytes, said: Event) -> bytes:
        found = members(said.data)
        if found is None:
            return b""
        kind = text(found.get("type")) or said.name
        response = members(found.get("response"))
        if response is not None:
            self.vendor_id = self.vendor_id or text(response.get("id")) or ""
            found["response"] = raw(self._ours(response))
        if kind in _OPENING:
            return b""
        if not _counts(kind) and "sequence_number" not in found:
            return untouched(event)
        found["sequence_number"] = raw(self._next())
        return rewritten(event, found)

    def _ours(self, response: Members) -> Members:
        return response | {"id": raw(self._opening.id), "model": raw(self._opening.model)}

    def _numbered(self, event: Json) -> bytes:
        kind = event["type"]
        return frame({"type": kind, "sequence_number": self._next()} | event, kind)

    def _begun(self, kind: str) -> bytes:
        response = responses_stream.response(self._opening, "in_progress", None)
        return self._numbered({"type": kind, "response": response})

    def _next(self) -> int:
        """Give the next event's number."""
        self._sequence += 1
        return self._sequence - 1


def _counts(kind: str) -> bool:
    """Tell whether events of this kind bear a number by the reference."""
    return kind == "error" or kind.startswith("response.")


def _telling(response: Members) -> Iterator[Json]:
    """Give the events of a whole response after its opening, without their numbers.

    Raises ValueError if it is none, or not ended.
    """
    output = items(response.get("output"))
    closing = _CLOSINGS.get(text(response.get("status")) or "completed")
    if output is None or closing is None:
        raise ValueError("no ended response with a list of output")
    output = [_named(index, item, response["id"]) for index, item in enumerate(output)]
    for index, item in enumerate(output):
        yield from _item(index, item)
    yield {"type": closing, "response": response | {"output": raw(output)}}


def _named(index: int, item: Members, response_id: msgspec.Raw) -> Members:
    """Give an item with an id, which its events need and calls may come without."""
    if text(item.get("type")) is None:
        raise ValueError("no response: an item of its output has no type")
    if not is_empty(item.get("id")):
        return item
    return item | {"id": raw(f"item_{text(response_id)}_{index}")}


def _item(index: int, item: Members) -> Iterator[Json]:
    """Give the events of one item: added, what it says, done."""
    kind = text(item["type"]) or ""
    at: Json = {"item_id": item["id"], "output_index": index}
    begun, said = dict(item), list[Json]()
    if "status" in item:
        begun["status"] = raw("in_progress")
    if kind in _SPOKEN:
        member, name = _SPOKEN[kind]
        said = list(_spoken(at, member, name, item))
        begun |= {member: raw("")} if said else {}
    elif kind in ("message", "reasoning"):
        for holder in _HOLDERS:
            said += _parts(at, holder, item)
            begun |= {holder: raw([])} if items(item.get(holder)) else {}
    yield {"type": "response.output_item.added", "output_index": index, "item": begun}
    yield from said
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _parts(at: Json, holder: str, item: Members) -> Iterator[Json]:
    """Give the events of the parts in a member of an item."""
    name, index = _HOLDERS[holder]
    for number, part in enumerate(items(item.get(holder)) or ()):
        here = {**at, index: number}
        member, spoken = _PARTS.get(text(part.get("type")) or "", ("", ""))
        said = list(_spoken(here, member, spoken, part)) if member else []
        begun = part | {member: raw("")} if said else dict(part)
        begun |= {name: raw([]) for name in ("annotations", "logprobs") if name in part}
        yield {"type": f"{name}.added", **here, "part": begun}
        yield from said
        yield {"type": f"{name}.done", **here, "part": part}


def _spoken(at: Json, member: str, name: str, holder: Members) -> Iterator[Json]:
    """Give the delta and the done of a text, if there is a text at all."""
    if text(holder.get(member)) is None:
        return
    said = holder[member]
    more: Json = {}
    if name == "response.output_text":
        more = {"logprobs": raw(items(holder.get("logprobs")) or [])}
    if not is_empty(said):
        yield {"type": f"{name}.delta", **at, "delta": said, **more}
    for number, note in enumerate(items(holder.get("annotations")) or ()):
        noted = {"annotation_index": number, "annotation": note}
        yield {"type": "response.output_text.annotation.added", **at, **noted}
    called = {"name": holder["name"]} if name == _CALL and "name" in holder else {}
    yield {"type": f"{name}.done", **at, member: said, **called, **more}
