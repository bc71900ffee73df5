"""Replies of chat vendors, understood as they really come.

A finish reason without `[DONE]` is whole, and `[DONE]` without a finish reason if something was
said. What follows a finish reason still counts, for usage comes after it, but ends at `[DONE]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, Literal

import msgspec

from holdgate.core.dialects import chat_stream, openai
from holdgate.core.dialects.raw_events import Members
from holdgate.core.dialects.reading import dump, number, texts
from holdgate.core.dialects.translation.base import Target
from holdgate.core.dialects.translation.chat.answer_heard import AnswerHeard, chunk_usage
from holdgate.core.dialects.translation.chat.tolerant_members import (
    reply_items,
    reply_members,
    reply_value,
)
from holdgate.core.values.neutral import Loss
from holdgate.core.values.neutral_reply import Ended, Event, Failed, Lost
from holdgate.core.wire.sse import Splitter, parse_event

_BOM = b"\xef\xbb\xbf"
_ONE_LINE = b"data: "
_BLANK_LINE = b"\n\n"


class _Function(msgspec.Struct, gc=False):
    arguments: str | None = None
    name: str | None = None


class _Call(msgspec.Struct, gc=False):
    index: int
    function: _Function | None = None
    id: str | None = None
    custom: Any = None
    extra_content: Any = None


class _Delta(msgspec.Struct, gc=False):
    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[_Call] | None = None
    # Whatever else a delta says takes the full road: it is no null, nor any of these.
    reasoning: None = None
    reasoning_details: None = None
    function_call: None = None
    refusal: None = None
    extra_content: None = None
    audio: None = None
    images: None = None
    annotations: None = None


class _Choice(msgspec.Struct, gc=False):
    delta: _Delta
    index: Literal[0] = 0
    finish_reason: Literal["", None] = None
    message: None = None
    usage: None = None
    error: None = None
    stop_reason: None = None
    matched_stop: None = None


class _Chunk(msgspec.Struct, gc=False):
    choices: tuple[_Choice]
    usage: None = None
    error: None = None
    x_groq: None = None


_chunk = msgspec.json.Decoder(_Chunk)


class ChatReplyReader:
    """See base.ReplyReader. Source: OpenAI API reference, Chat Completions, streaming."""

    __slots__ = ("_answer", "_is_between", "_is_over", "_lead", "_others", "_split", "_whole")

    def __init__(self, target: Target) -> None:
        """Take whose reply it is."""
        self._answer = AnswerHeard(target.origin)
        self._split = Splitter()
        self._lead: bytes | None = b""  # while nothing has come but white space
        self._whole: bytearray | None = None  # a whole JSON reply where a stream was expected
        self._is_over = False
        self._is_between = False  # the splitter holds no beginning of an event
        self._others = False

    @property
    def is_complete(self) -> bool:
        """With a finish reason; a usage or `[DONE]` may follow, or never come."""
        return self._answer.is_finished

    def feed(self, data: bytes) -> list[Event]:
        """See ReplyReader.feed."""
        if self._is_over:
            return []
        if self._lead is not None:
            data = self._begin(data)
        if self._whole is not None:
            self._whole += data
            return []
        found: list[Event] = []
        for raw in self._events_in(data):
            found += self._event(raw)
            if found and isinstance(found[-1], Ended | Failed):
                break
        return found

    def close(self) -> list[Event]:
        """See ReplyReader.close."""
        if self._is_over:
            return []
        if self._whole is not None:
            try:
                return self.whole(bytes(self._whole))
            except ValueError as error:
                raise EOFError("the reply is no stream and no whole JSON") from error
        found: list[Event] = []
        if rest := self._split.close():
            found += self._event(rest)
        if not self._is_over:
            if not self._answer.is_finished:
                raise EOFError("the stream ended before a finish reason")
            found += self._end()
        return found

    def whole(self, body: bytes) -> list[Event]:
        """See ReplyReader.whole."""
        found = reply_members(body.removeprefix(_BOM))
        if found is None:
            raise ValueError("no completion: it is no JSON object")
        events = list(self._chunk(found, body))
        if self._is_over:
            return events
        if not isinstance(reply_value(found.get("choices")), list):
            raise ValueError("no completion: it has no list of choices")
        return events + self._end()

    def _begin(self, data: bytes) -> bytes:
        """Take the first bytes: a brace begins a whole reply, all else a stream."""
        lead = (self._lead or b"") + data
        bare = lead.removeprefix(_BOM).lstrip()
        if not bare or _BOM.startswith(lead):
            self._lead = lead
            return b""
        self._lead = None
        if bare.startswith(b"{"):
            self._whole = bytearray()
        return lead

    def _events_in(self, data: bytes) -> Iterable[bytes]:
        """Give the events that `data` completes; writes of whole events need no search."""
        is_whole = data.endswith(_BLANK_LINE)
        if self._is_between and is_whole and b"\r" not in data:
            return data.split(_BLANK_LINE)
        self._is_between = is_whole
        return self._split.each(data)

    def _event(self, raw: bytes) -> list[Event]:
        """Take an event. One line of data is the rule, and text in it is told by the fast road."""
        raw = raw.rstrip(b"\r\n")
        if raw.startswith(_ONE_LINE) and b"\n" not in raw and b"\r" not in raw:
            data: bytes | None = raw[len(_ONE_LINE) :]
        else:
            data = parse_event(raw).data
        if not data:
            return []
        if self._answer.has_begun and (found := self._fast(data)):
            return found
        if data.strip() == chat_stream.DONE:
            return self._end()
        members = reply_members(data)
        if members is None:
            return [Lost(Loss("event", "it is no JSON object"))]
        return list(self._chunk(members, data))

    def _fast(self, data: bytes) -> list[Event]:
        """Give the events of a chunk that goes on and says nothing else, [] for any other."""
        try:
            delta = _chunk.decode(data).choices[0].delta
        except (msgspec.DecodeError, RecursionError):
            return []
        text, thought, calls = delta.content, delta.reasoning_content, delta.tool_calls
        if calls:
            call = calls[0]
            function = call.function
            if text or thought or len(calls) > 1 or call.id or call.custom or call.extra_content:
                return []
            if function is None or function.name or not function.arguments:
                return []
            return self._answer.goes_on(call.index, function.arguments)
        if text:
            return [] if thought or not self._answer.is_plain else self._answer.text(text)
        return self._answer.thought(thought) if thought and self._answer.is_plain else []

    def _chunk(self, found: Members, data: bytes) -> Iterator[Event]:
        """Take a chunk, or a whole reply."""
        if words := _error_in(found):
            self._is_over = True
            yield Failed(words, data)
            return
        if not self._answer.has_begun:
            id = texts(reply_value(found.get("id")))
            made = "" if id else sha256(data).hexdigest()
            yield from self._answer.begin(id, texts(reply_value(found.get("model"))), made)
        for choice in reply_items(found.get("choices")):
            if number({"index": reply_value(choice.get("index"))}, "index") != 0:
                if not self._others:
                    self._others = True
                    yield Lost(Loss("choices", "there is one answer to a request"))
                continue
            if words := _error_in(choice):
                self._is_over = True
                yield Failed(words, data)
                return
            yield from self._answer.choice(choice)
        yield from self._answer.usage(chunk_usage(found))

    def _end(self) -> list[Event]:
        self._is_over = True
        return list(self._answer.end())


def _error_in(found: Members) -> str:
    """Give the words of an error that a chunk or choice tells, "" if it tells none."""
    error = reply_value(found.get("error"))
    if error:
        told = dump({"error": error}) if not isinstance(error, str) else b""
        return openai.error_words(told) or str(error)
    if texts(reply_value(found.get("object"))) == "error":  # vLLM
        return texts(reply_value(found.get("message"))) or "an error"
    return ""
