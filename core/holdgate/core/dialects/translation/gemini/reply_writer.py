"""A reply told to a Gemini agent as a stream: events, or a JSON array.

Source: Gemini API reference, streamGenerateContent. Each chunk is a whole
GenerateContentResponse; a call stands whole in one part, so it is told when it has ended; nothing
follows the chunk with the finish reason.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from holdgate.core.dialects.translation.base import Telling
from holdgate.core.dialects.translation.gemini.answer_parts import AnswerParts, Json
from holdgate.core.dialects.translation.gemini.finish import REASONS, usage_metadata
from holdgate.core.dialects.translation.json_texts import dumps, escaped
from holdgate.core.values.neutral import Seal
from holdgate.core.values.neutral_reply import (
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    RefusalDelta,
    TextDelta,
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
    Used,
)
from holdgate.core.values.usage import Usage


class _Call(msgspec.Struct):
    began: CallBegan
    pieces: list[str]
    ended: bool = False
    seals: tuple[Seal, ...] = ()


class GeminiReplyWriter:
    """See base.ReplyWriter."""

    __slots__ = ("_after", "_before", "_between", "_calls", "_ended", "_ours", "_parts", "_usage")

    def __init__(self, telling: Telling) -> None:
        """Take the id, model and framing that the agent is told."""
        self._ours: Json = {"modelVersion": telling.model, "responseId": telling.id}
        is_array = telling.framing == "array"
        # Before the first chunk and before each other one.
        self._before, self._between = (b"[", b",\r\n") if is_array else (b"data: ", b"data: ")
        tail = b'}],"role":"model"},"index":0}],' + dumps(self._ours)[1:]
        self._after = tail if is_array else tail + b"\r\n\r\n"
        self._parts = AnswerParts(telling)
        self._calls: dict[int, _Call] = {}
        self._usage: Usage | None = None
        self._ended = False

    def tell(self, events: list[Event]) -> bytes:
        """See ReplyWriter.tell."""
        told: list[bytes] = []
        for event in events:
            if self._ended:
                break
            if type(event) is TextDelta and not self._parts.is_holding:
                told += (self._lead(), _TEXT, escaped(event.text), self._after)
            else:
                told += map(self._part, self._rendered(event))
                if isinstance(event, Ended):
                    told.append(self._end(event))
        return b"".join(told)

    def _rendered(self, event: Event) -> Iterator[Json]:
        """Give the parts that an event makes."""
        match event:
            case TextDelta() | RefusalDelta():
                yield self._parts.text(event.text)
            case ThoughtDelta():
                yield from self._parts.thought(event.text)
            case ThoughtEnded():
                self._parts.hold(event.seals)
            case TextSealed():
                yield self._parts.text("", (event.seal,))
            case Used():
                self._usage = event.usage
            case _:
                yield from self._called(event)

    def _called(self, event: Event) -> Iterator[Json]:
        """Give the calls that are complete with an event."""
        match event:
            case CallBegan():
                self._calls[event.call] = _Call(event, [])
            case CallDelta():
                if event.call in self._calls:
                    self._calls[event.call].pieces.append(event.text)
            case CallEnded():
                if event.call in self._calls:
                    self._calls[event.call].ended = True
                    self._calls[event.call].seals = event.seals
                yield from self._complete()
            case Ended():
                for call in self._calls.values():
                    call.ended = True
                yield from self._complete()
            case _:
                pass

    def _complete(self) -> Iterator[Json]:
        """Give the calls that are complete, in the order in which they began."""
        for number, call in list(self._calls.items()):
            if not call.ended:
                return
            yield self._call(self._calls.pop(number))

    def _call(self, call: _Call) -> Json:
        began, arguments = call.began, "".join(call.pieces)
        return self._parts.call(began.id, began.name, arguments, began.custom, call.seals)

    def _lead(self) -> bytes:
        lead, self._before = self._before, self._between
        return lead

    def _part(self, part: Json) -> bytes:
        return self._lead() + _HEAD + dumps(part)[1:-1] + self._after

    def _end(self, event: Ended) -> bytes:
        """Give the last chunk, and the array's closing bracket."""
        self._ended = True
        content = {"parts": [self._parts.text("")], "role": "model"}
        candidate = {"content": content, "finishReason": REASONS[event.why], "index": 0}
        used = {} if self._usage is None else {"usageMetadata": usage_metadata(self._usage)}
        is_array = self._between != b"data: "
        chunk = dumps({"candidates": [candidate]} | used | self._ours)
        return self._lead() + chunk + (b"]" if is_array else b"\r\n\r\n")


_HEAD = b'{"candidates":[{"content":{"parts":[{'
_TEXT = _HEAD + b'"text":'
