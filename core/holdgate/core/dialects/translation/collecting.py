"""A whole answer out of the events of a reply, for an agent that did not ask for a stream."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from holdgate.core.values.neutral import Call, Reasoning, Refusal, Seal, Text
from holdgate.core.values.neutral_reply import (
    Answer,
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
from holdgate.core.values.usage import Usage

AnswerPart = Text | Reasoning | Refusal | Call


def collect(events: Iterable[Event]) -> Answer:
    """Give the answer that `events` tell. Raises ValueError if they do not end it."""
    collected = _Collected()
    for event in events:
        if isinstance(event, Ended):
            return collected.answer(event)
        if isinstance(event, Failed):
            raise ValueError(f"the reply failed: {event.words}")
        collected.take(event)
    raise ValueError("the reply did not end")


class _Piece:
    """A part that grows: what it is, its pieces, its seals."""

    __slots__ = ("began", "kind", "pieces", "seals")

    def __init__(
        self, kind: type[Text | Reasoning | Refusal | Call], began: CallBegan | None = None
    ) -> None:
        self.kind = kind
        self.began = began
        self.pieces: list[str] = []
        self.seals: tuple[Seal, ...] = ()

    def part(self) -> AnswerPart | None:
        """Give the part, None if there is nothing in it."""
        text = "".join(self.pieces)
        if (call := self.began) is not None:
            arguments = text if text or call.custom else "{}"
            return Call(call.id, call.name, arguments, call.custom, call.namespace, self.seals)
        if not text and not self.seals:
            return None
        if self.kind is Text:
            return Text(text, seals=self.seals)
        return Refusal(text) if self.kind is Refusal else Reasoning(text, self.seals)


class _Collected:
    """What was told so far."""

    __slots__ = ("_calls", "_id", "_model", "_parts", "_thought", "_usage")

    def __init__(self) -> None:
        self._parts: list[_Piece] = []
        self._calls: dict[int, _Piece] = {}
        self._thought: _Piece | None = None
        self._usage: Usage | None = None
        self._id = self._model = ""

    def take(self, event: Event) -> None:
        match event:
            case TextDelta(text):
                self._run(Text).pieces.append(text)
            case ThoughtDelta(text):
                self._thinking().pieces.append(text)
            case ThoughtEnded(seals):
                self._thinking().seals = seals
                self._thought = None
            case TextSealed(seal):
                self._seal(seal)
            case RefusalDelta(text):
                self._run(Refusal).pieces.append(text)
            case CallBegan() | CallDelta() | CallEnded():
                self._call(event)
            case Began(id, model):
                self._id, self._model = id, model
            case Used(usage):
                self._usage = usage
            case Lost() | Ended() | Failed():
                pass
            case _:
                assert_never(event)

    def answer(self, ended: Ended) -> Answer:
        found = (piece.part() for piece in self._parts)
        parts = tuple(part for part in found if part is not None)
        return Answer(parts, ended.why, ended.stop, self._usage, self._id, self._model)

    def _new(self, kind: type[AnswerPart], began: CallBegan | None = None) -> _Piece:
        piece = _Piece(kind, began)
        self._parts.append(piece)
        return piece

    def _run(self, kind: type[Text | Refusal]) -> _Piece:
        """Give the text that goes on, or a new one: a seal ends what it belongs to."""
        last = self._parts[-1] if self._parts else None
        if last is not None and last.kind is kind and not last.seals:
            return last
        return self._new(kind)

    def _seal(self, seal: Seal) -> None:
        last = self._parts[-1] if self._parts else None
        piece = last if last is not None and last.kind is Text else self._new(Text)
        piece.seals = (*piece.seals, seal)

    def _thinking(self) -> _Piece:
        if self._thought is None:
            self._thought = self._new(Reasoning)
        return self._thought

    def _call(self, event: CallBegan | CallDelta | CallEnded) -> None:
        if isinstance(event, CallBegan):
            self._calls[event.call] = self._new(Call, event)
        elif (piece := self._calls.get(event.call)) is not None:
            if isinstance(event, CallDelta):
                piece.pieces.append(event.text)
            else:
                piece.seals = event.seals
