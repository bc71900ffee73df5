"""A vendor's reply in the dialect `responses`, streamed or whole, understood.

Source: OpenAI API reference, Responses, streaming events.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from holdgate.core.dialects import openai, responses_stream
from holdgate.core.dialects.reading import Json, member, texts
from holdgate.core.dialects.translation.json_texts import loads
from holdgate.core.dialects.translation.responses.reply_item import Said
from holdgate.core.dialects.translation.responses.reply_items import Items
from holdgate.core.values.neutral import Loss
from holdgate.core.values.neutral_reply import Began, Ended, Event, Failed, Lost, Used, Why
from holdgate.core.wire.sse import Splitter, parse_event

_TEXT = "response.output_text.delta"
_HEAD = b"event: response.output_text.delta\ndata: "
_DELTAS: Mapping[str, Said] = MappingProxyType(
    {
        _TEXT: "text",
        "response.refusal.delta": "refusal",
        "response.reasoning_summary_text.delta": "summary",
        "response.reasoning_summary.delta": "summary",
        "response.reasoning_text.delta": "thought",
        "response.reasoning.delta": "thought",
        "response.function_call_arguments.delta": "arguments",
        "response.custom_tool_call_input.delta": "input",
    }
)
# Events that say a part's whole text once more, and the member that holds it.
_DONES: Mapping[str, tuple[Said, str]] = MappingProxyType(
    {
        "response.output_text.done": ("text", "text"),
        "response.refusal.done": ("refusal", "refusal"),
        "response.reasoning_summary_text.done": ("summary", "text"),
        "response.reasoning_text.done": ("thought", "text"),
        "response.reasoning.done": ("thought", "text"),
        "response.function_call_arguments.done": ("arguments", "arguments"),
        "response.custom_tool_call_input.done": ("input", "input"),
    }
)
_CLOSINGS = frozenset(
    {
        "response.completed",
        "response.done",
        "response.incomplete",
        "response.failed",
        "response.cancelled",
    }
)
_FAILED = frozenset({"failed", "cancelled"})
# They say nothing that other events do not say.
_SILENT = frozenset(
    {
        "response.created",
        "response.in_progress",
        "response.queued",
        "response.content_part.added",
        "response.content_part.done",
        "response.reasoning_summary_part.added",
        "response.reasoning_summary_part.done",
        "keepalive",
        "ping",
    }
)
_WHYS: Mapping[str, Why] = MappingProxyType(
    {"max_output_tokens": "length", "content_filter": "filter"}
)


_BEFORE_TEXT = b"\xef\xbb\xbf \t\r\n"


class _Delta(msgspec.Struct, gc=False):
    """A piece of something, with all that a fast look needs."""

    type: str
    delta: str
    item_id: str = ""
    output_index: int = -1
    content_index: int = 0


_delta = msgspec.json.Decoder(_Delta)


class ResponsesReplyReader:
    """See base.ReplyReader."""

    __slots__ = ("_began", "_body", "_ended", "_items", "_split")

    def __init__(self, origin: str) -> None:
        """Understand a reply of `origin`, whose seals it may bear."""
        self._split = Splitter()
        self._body: bytearray | None = bytearray()  # what came while it may be bare JSON
        self._items = Items(origin)
        self._began = self._ended = False

    @property
    def is_complete(self) -> bool:
        """Never before its end: the event with the whole response ends it at once."""
        return False

    def feed(self, data: bytes) -> list[Event]:
        """See ReplyReader.feed."""
        if self._body is not None:
            if not self._body:
                data = data.lstrip(_BEFORE_TEXT)
            self._body += data
            if not self._body or self._body[:1] == b"{":
                return []
            self._body = None
        events: list[Event] = []
        for raw in self._split.each(data):
            if self._ended:
                break
            if not self._is_text(raw, events):
                self._take(raw, events)
        return events

    def close(self) -> list[Event]:
        """See ReplyReader.close."""
        if self._body is not None:
            body, self._body = bytes(self._body), None
            try:
                return self.whole(body)
            except ValueError as error:
                raise EOFError("the stream ended before its first event") from error
        events: list[Event] = []
        if not self._ended:
            self._take(self._split.close(), events)
        if not self._ended:
            raise EOFError("the stream ended before the response was complete")
        return events

    def whole(self, body: bytes) -> list[Event]:
        """See ReplyReader.whole."""
        found = loads(body)
        if member(found, "error") and not member(found, "output"):
            return [_failed(body, found)]
        if not isinstance(member(found, "output"), list):
            raise ValueError("no response with a list of output")
        if texts(found.get("status")) in ("queued", "in_progress"):
            raise ValueError("the response is not complete")
        events: list[Event] = []
        self._begin(found, events)
        self._end(found, body, events)
        return events

    def _is_text(self, raw: bytes, events: list[Event]) -> bool:
        """Take the fast road if it is the next piece of a text that has begun."""
        if not raw.startswith(_HEAD):
            return False
        try:
            found = _delta.decode(raw[len(_HEAD) :])
        except (msgspec.DecodeError, UnicodeDecodeError):
            return False
        item = self._items.open_at(found.output_index)
        if (
            item is None
            or item.id != found.item_id
            or item.kind != "message"
            or item.ended
            or found.type != _TEXT
        ):
            return False
        events += item.piece("text", found.content_index, found.delta)
        return True

    def _take(self, raw: bytes, events: list[Event]) -> None:
        """Take the full road."""
        event = parse_event(raw)
        if event.data is None or event.data.strip() in (b"", b"[DONE]"):
            return
        try:
            found = loads(event.data)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            events.append(Lost(Loss("event", "no JSON object")))
            return
        try:
            self._said(texts(found.get("type")) or event.name, found, event.data, events)
        except (TypeError, RecursionError):
            events.append(Lost(Loss("event", "not as the reference has it")))

    def _said(self, kind: str, found: Json, data: bytes, events: list[Event]) -> None:
        if kind == "error" or (found.get("error") and "response" not in found):
            self._ended = True
            events.append(_failed(data, found))
            return
        if kind not in _CLOSINGS and found.get("object") == "response":
            # A whole reply inside of a stream.
            kind, found = "response.completed", {"response": found}
        response = found.get("response")
        self._begin(response if isinstance(response, dict) else {}, events)
        if kind in _CLOSINGS:
            self._end(response if isinstance(response, dict) else {}, data, events, kind)
        elif kind in _DELTAS or kind in _DONES:
            self._spoken(kind, found, events)
        elif kind in ("response.output_item.added", "response.output_item.done"):
            item = found.get("item")
            if isinstance(item, dict):
                take = self._items.added if kind.endswith("added") else self._items.done
                events += take(_index(found), item)
        elif kind not in _SILENT:
            # All events of one kind of item (`response.web_search_call.searching`) are one loss.
            events += self._items.lose(kind.removeprefix("response.").partition(".")[0])

    def _spoken(self, kind: str, found: Json, events: list[Event]) -> None:
        index, id = _index(found), texts(found.get("item_id"))
        part = found.get("content_index", found.get("summary_index"))
        part = part if isinstance(part, int) else 0
        if kind in _DELTAS:
            delta = found.get("delta")
            text = texts(delta) or texts(member(delta, "text"))
            events += self._items.piece(_DELTAS[kind], index, id, part, text)
        else:
            said, name = _DONES[kind]
            events += self._items.part(said, index, id, part, texts(found.get(name)))

    def _begin(self, response: Json, events: list[Event]) -> None:
        if self._began:
            return
        self._began = True
        self._items.reply_id = texts(response.get("id"))
        events.append(Began(self._items.reply_id, texts(response.get("model"))))

    def _end(self, response: Json, data: bytes, events: list[Event], kind: str = "") -> None:
        status = texts(response.get("status")) or kind.removeprefix("response.")
        self._ended = True
        if status in _FAILED:
            events.append(_failed(data, response))
            return
        output = response.get("output")
        events += self._items.complete(output if isinstance(output, list) else [])
        if usage := responses_stream.usage(response.get("usage")):
            events.append(Used(usage))
        events.append(Ended(self._why(response, status)))

    def _why(self, response: Json, status: str) -> Why:
        reason = texts(member(response, "incomplete_details", "reason"))
        if status == "incomplete" or reason:
            return _WHYS.get(reason, "stop" if reason else "length")
        if self._items.called:
            return "tool"
        return "refusal" if self._items.refused else "stop"


def _index(found: Json) -> int | None:
    index = found.get("output_index")
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def _failed(data: bytes, found: Json) -> Failed:
    words = openai.error_words(data) or texts(member(found, "error", "code"))
    return Failed(words or "the vendor told an error without words", data)
