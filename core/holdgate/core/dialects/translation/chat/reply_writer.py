"""Replies told to chat agents as a stream.

The role chunk comes first, then deltas, the finish chunk, the usage if it was asked for, `[DONE]`.
Calls are told one after the other: what another one says meanwhile waits for its turn.
"""

from __future__ import annotations

from itertools import chain
from typing import assert_never

from holdgate.core.dialects import chat_stream
from holdgate.core.dialects.raw_events import frame
from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.base import Telling
from holdgate.core.dialects.translation.chat.completion import envelope, usage_json
from holdgate.core.dialects.translation.chat.finishing import WORDS
from holdgate.core.dialects.translation.chat.slots import details_of, extra_content
from holdgate.core.dialects.translation.json_texts import dumps, escaped
from holdgate.core.values.neutral import Seal
from holdgate.core.values.neutral_reply import (
    Began,
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    Failed,
    Lost,
    RefusalDelta,
    TextDelta,
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
    Used,
)
from holdgate.core.values.seals import wrap
from holdgate.core.values.usage import Usage

_CallEvent = CallBegan | CallDelta | CallEnded
_DONE = b"data: " + chat_stream.DONE + b"\n\n"


class ChatReplyWriter:
    """See base.ReplyWriter. Source: OpenAI API reference, Chat Completions, streaming."""

    __slots__ = (
        "_current",
        "_custom",
        "_details",
        "_envelope",
        "_has_refused",
        "_head",
        "_is_open",
        "_is_over",
        "_seals",
        "_tail",
        "_text_head",
        "_thought_at",
        "_thought_head",
        "_thought_start",
        "_usage",
        "_waiting",
        "_wants_usage",
    )

    def __init__(self, telling: Telling) -> None:
        """Take the ids that the reply bears."""
        self._envelope = envelope(telling, "chat.completion.chunk")
        self._wants_usage = telling.request.include_usage
        self._head = b"data: " + dumps(self._envelope)[:-1] + b',"choices":[{"index":0,"delta":'
        usage = b',"usage":null}\n\n' if self._wants_usage else b"}\n\n"
        self._tail = b',"logprobs":null,"finish_reason":null}]' + usage
        self._text_head = self._head + b'{"content":'
        self._thought_head = self._head + b'{"reasoning_content":'
        self._is_open = self._is_over = self._has_refused = False
        self._usage: Usage | None = None
        self._thought_start = self._thought_at = self._details = 0
        self._current: int | None = None
        self._custom: set[int] = set()
        self._waiting: dict[int, list[_CallEvent]] = {}
        self._seals: dict[int, tuple[Seal, ...]] = {}

    def tell(self, events: list[Event]) -> bytes:
        """See ReplyWriter.tell."""
        if self._is_over:
            return b""
        found = []
        if events and not self._is_open:
            self._is_open = True
            found.append(self._chunk({"role": "assistant", "content": "", "refusal": None}))
        looked = False
        for event in events:
            if type(event) is TextDelta:
                found.append(b"".join((self._text_head, escaped(event.text), b"}", self._tail)))
            elif type(event) is ThoughtDelta:
                found.append(self._thought(event.text))
            elif isinstance(event, _CallEvent):
                if not looked:
                    looked = True
                    self._look_ahead(events)
                found.append(self._call(event))
            else:
                found.append(self._other(event))
        return b"".join(found)

    def _other(self, event: Event) -> bytes:
        match event:
            case ThoughtEnded(seals=seals):
                return self._thought_ended(seals)
            case TextSealed(seal=seal):
                return self._chunk({"extra_content": extra_content(wrap(seal))})
            case RefusalDelta(text=text):
                self._has_refused = True
                return self._chunk({"refusal": text})
            case Used(usage=usage):
                self._usage = usage
                return b""
            case Ended():
                return self._ended(event)
            case Failed():
                self._is_over = True  # the error is told by the dialect
                return b""
            case Began() | Lost():
                return b""
            case TextDelta() | ThoughtDelta() | CallBegan() | CallDelta() | CallEnded():
                return b""  # told already
        assert_never(event)

    def _chunk(self, delta: Json) -> bytes:
        return self._head + dumps(delta) + self._tail

    def _thought(self, text: str) -> bytes:
        self._thought_at += len(text)
        return b"".join((self._thought_head, escaped(text), b"}", self._tail))

    def _thought_ended(self, seals: tuple[Seal, ...]) -> bytes:
        start, self._thought_start = self._thought_start, self._thought_at
        if not seals:
            return b""
        details = details_of(seals, self._details, start, self._thought_at - start)
        self._details += len(details)
        return self._chunk({"reasoning_details": details})

    def _look_ahead(self, events: list[Event]) -> None:
        """Take the seals of calls that begin and end here: some agents read a first delta only."""
        begun = {event.call for event in events if type(event) is CallBegan}
        self._seals |= {
            event.call: event.seals
            for event in events
            if type(event) is CallEnded and event.seals and event.call in begun
        }

    def _call(self, event: _CallEvent) -> bytes:
        """Tell an event of a call, or keep it until the calls before have ended."""
        if self._current is None and type(event) is CallBegan:
            self._current = event.call
        if event.call != self._current:
            self._waiting.setdefault(event.call, []).append(event)
            return b""
        told = self._call_told(event)
        return told + self._next_call() if type(event) is CallEnded else told

    def _next_call(self) -> bytes:
        """Tell what the calls that waited have said, up to one that goes on."""
        found = []
        self._current = None
        while self._waiting and self._current is None:
            self._current = min(self._waiting)
            for event in self._waiting.pop(self._current):
                found.append(self._call_told(event))
                if type(event) is CallEnded:
                    self._current = None
        return b"".join(found)

    def _call_told(self, event: _CallEvent) -> bytes:
        if type(event) is CallDelta:
            if event.call in self._custom:
                inner = b'"custom":{"input":'
            else:
                inner = b'"function":{"arguments":'
            start = b'{"tool_calls":[{"index":%d,' % event.call
            return b"".join((self._head, start, inner, escaped(event.text), b"}}]}", self._tail))
        if type(event) is CallBegan:
            return self._chunk({"tool_calls": [self._call_began(event)]})
        assert isinstance(event, CallEnded)
        seals = event.seals if event.call not in self._seals else ()
        if not seals:
            return b""
        signed = {"index": event.call, "extra_content": extra_content(wrap(seals[0]))}
        return self._chunk({"tool_calls": [signed]})

    def _call_began(self, event: CallBegan) -> Json:
        kind, said = ("custom", "input") if event.custom else ("function", "arguments")
        if event.custom:
            self._custom.add(event.call)
        told = {
            "index": event.call,
            "id": event.id,
            "type": kind,
            kind: {"name": event.name, said: ""},
        }
        if seals := self._seals.get(event.call):
            told["extra_content"] = extra_content(wrap(seals[0]))
        return told

    def _ended(self, event: Ended) -> bytes:
        self._is_over = True
        rest = b"".join(map(self._call_told, chain.from_iterable(self._waiting.values())))
        word = WORDS[event.why]
        if event.why == "refusal" and self._has_refused:
            word = "stop"
        finish = b'{},"logprobs":null,"finish_reason":"' + word.encode() + b'"}]'
        usage = b',"usage":null}\n\n' if self._wants_usage else b"}\n\n"
        found = rest + self._head + finish + usage
        if self._wants_usage:
            found += frame(self._envelope | {"choices": [], "usage": usage_json(self._usage)})
        return found + _DONE
