"""One answer of a chat vendor: what its chunks, or its whole message, tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Raw

from holdgate.core.dialects import chat_stream
from holdgate.core.dialects.raw_events import Members
from holdgate.core.dialects.reading import member, texts
from holdgate.core.dialects.translation.chat.calls_heard import CallsHeard
from holdgate.core.dialects.translation.chat.finishing import FAILURES, REASONS, why
from holdgate.core.dialects.translation.chat.slots import SIGNATURE
from holdgate.core.dialects.translation.chat.thoughts_heard import ThoughtsHeard
from holdgate.core.dialects.translation.chat.tolerant_members import reply_members, reply_value
from holdgate.core.dialects.translation.chat.usage_heard import merged
from holdgate.core.dialects.translation.halves import Halves
from holdgate.core.dialects.translation.json_texts import opaque
from holdgate.core.values.neutral import Loss, Seal
from holdgate.core.values.neutral_reply import (
    Began,
    Ended,
    Event,
    Failed,
    Lost,
    RefusalDelta,
    TextDelta,
    TextSealed,
    Used,
)
from holdgate.core.values.usage import Usage

# What no agent can be told.
_LOST = ("audio", "images", "annotations")
# Parts of `content` (Mistral) that are thoughts.
_THINKING = ("thinking", "reasoning")


class AnswerHeard:
    """A feed object: members of chunks in, events out."""

    __slots__ = (
        "_calls",
        "_finish",
        "_halves",
        "_lost",
        "_origin",
        "_refusal",
        "_refused",
        "_signature",
        "_stop",
        "_thoughts",
        "_usage",
        "has_begun",
        "has_said",
    )

    def __init__(self, origin: str) -> None:
        """Take whose answer it is."""
        self._origin = origin
        self._calls = CallsHeard(origin)
        self._thoughts = ThoughtsHeard(origin)
        self._halves = Halves()
        self._refusal = Halves()
        self._refused = False
        self._signature = ""
        self._finish = ""
        self._stop = ""
        self._usage: Usage | None = None
        self._lost: set[str] = set()
        self.has_begun = False
        self.has_said = False

    @property
    def is_finished(self) -> bool:
        """Whether a finish reason came."""
        return bool(self._finish)

    @property
    def is_plain(self) -> bool:
        """Whether a text that comes now is told without more ado."""
        return self.has_begun and not self._calls.is_open

    def begin(self, id: str, model: str, made_id: str) -> Iterator[Event]:
        """Tell the beginning; `made_id` stands for the id in ids of calls that have none."""
        self.has_begun = True
        self._calls.name_reply(id or made_id)
        yield Began(id, model)

    def text(self, text: str) -> list[Event]:
        """Take a piece of text."""
        self.has_said = True
        found: list[Event] = list(self._thoughts.end()) if self._thoughts.is_open else []
        if told := self._halves.join(text):
            found.append(TextDelta(told))
        return found

    def thought(self, text: str) -> list[Event]:
        """Take a piece of thinking."""
        return list(self._thoughts.hear(text, None))

    def goes_on(self, index: int, arguments: str) -> list[Event]:
        """Take a piece of a call's arguments; nothing comes of it if there is no such call."""
        return self._calls.goes_on(index, arguments)

    def usage(self, told: Usage | None) -> Iterator[Event]:
        """Take usage, all in all so far or a piece of it."""
        if told is None or not told.tokens:
            return
        usage = merged(self._usage, told)
        if usage != self._usage:
            self._usage = usage
            yield Used(usage)

    def choice(self, found: Members) -> Iterator[Event]:
        """Take a choice of a chunk or of a whole reply."""
        delta, message = reply_members(found.get("delta")), reply_members(found.get("message"))
        if delta:
            yield from self._told(delta, whole=False)
        elif message and not self.has_said and not self._calls.begun:
            yield from self._told(message, whole=True)
        elif message and "tool_calls" in message:
            # Some repeat all of the answer in the last chunk.
            yield from self._calls.hear(message["tool_calls"], whole=True)
        finish = texts(reply_value(found.get("finish_reason")))
        # A second one says no more, unless the first only said that it stopped.
        if finish and REASONS.get(self._finish, "stop") == "stop":
            self._finish = finish
        for name in ("stop_reason", "matched_stop"):  # vLLM, SGLang
            stop = texts(reply_value(found.get(name)))
            if stop and stop.lower() not in REASONS:
                self._stop = stop

    def end(self) -> Iterator[Event]:
        """Tell the end of a whole answer."""
        if self._finish.lower() in FAILURES:
            yield Failed(f'it ended with "{self._finish}"', b"")
            return
        if not self._finish and (self._calls.is_cut or not self._has_anything):
            yield Failed("it ended without an answer", b"")
            return
        yield from self._thoughts.end()
        if rest := self._halves.close():
            yield TextDelta(rest)
        if rest := self._refusal.close():
            yield RefusalDelta(rest)
        if self._signature:
            yield TextSealed(Seal(self._origin, SIGNATURE, self._signature))
        yield from self._calls.end_all()
        yield self._ended()

    @property
    def _has_anything(self) -> bool:
        return self.has_said or self._refused or self._calls.begun > 0

    def _ended(self) -> Ended:
        found = why(self._finish, self._calls.begun > 0) or "stop"
        if found == "stop" and self._refused:
            found = "refusal"
        return Ended(found, self._stop if found == "stop" else "")

    def _told(self, delta: Members, *, whole: bool) -> Iterator[Event]:
        yield from self._thinking(delta)
        yield from self._content(reply_value(delta.get("content")))
        if refusal := texts(reply_value(delta.get("refusal"))):
            yield from self._turn_away()
            self._refused = True
            if told := self._refusal.join(refusal):
                yield RefusalDelta(told)
        calls = delta.get("tool_calls", Raw(b"null"))
        if bytes(calls).strip() not in (b"null", b"[]"):
            yield from self._thoughts.end()
            yield from self._calls.hear(calls, whole=whole)
        function = delta.get("function_call", Raw(b"null"))
        if bytes(function).strip() not in (b"null", b"{}"):
            yield from self._thoughts.end()
            yield from self._calls.function_call(function)
        signature = member(reply_value(delta.get("extra_content")), "google", "thought_signature")
        self._signature = opaque(signature) or self._signature
        for name in _LOST:
            if name in delta and name not in self._lost and reply_value(delta[name]):
                self._lost.add(name)
                yield Lost(Loss(name, "no other dialect has a place for it"))

    def _thinking(self, delta: Members) -> Iterator[Event]:
        # Some tell the same under both names.
        text = texts(reply_value(delta.get("reasoning_content")))
        text = text or texts(reply_value(delta.get("reasoning")))
        details = reply_value(delta.get("reasoning_details"))
        if text or details:
            yield from self._thoughts.hear(text, details if isinstance(details, list) else None)

    def _content(self, value: Any) -> Iterator[Event]:
        if isinstance(value, str):
            if value:
                yield from self._turn_away()
                yield from self.text(value)
            return
        for part in value if isinstance(value, list) else ():
            kind = member(part, "type")
            if isinstance(part, str):
                yield from self.text(part)
            elif kind in _THINKING:
                yield from self._thoughts.hear(_text_within(part.get(kind)), None)
            elif text := texts(member(part, "text")):
                yield from self._turn_away()
                yield from self.text(text)
            elif kind != "text" and str(kind) not in self._lost:
                self._lost.add(str(kind))
                yield Lost(Loss(f"content: {kind}", "no other dialect has a place for it"))

    def _turn_away(self) -> Iterator[Event]:
        """Something else is told: what was told before ends, where it is complete."""
        yield from self._thoughts.end()
        yield from self._calls.end_complete()


def _text_within(value: Any) -> str:
    if isinstance(value, list):
        return "".join(texts(part) or texts(member(part, "text")) for part in value)
    return texts(value)


def chunk_usage(found: Members) -> Usage | None:
    """Give the usage that a chunk or whole reply tells, wherever it stands."""
    if not any(name in found for name in ("usage", "x_groq")) and b'"usage"' not in bytes(
        found.get("choices", b"")
    ):
        return None
    loaded = {n: reply_value(v) for n, v in found.items() if n in ("usage", "x_groq", "choices")}
    return chat_stream.usage(chat_stream.usage_in(loaded))
