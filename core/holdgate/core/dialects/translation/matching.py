"""Which result belongs to which call: results are taken out of their messages, by call."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import msgspec

from holdgate.core.values.neutral import (
    Call,
    Document,
    Image,
    Loss,
    Message,
    Part,
    Reasoning,
    Refusal,
    Result,
    Text,
)

Place = tuple[int, int]  # a message's number, and its part's

_MATCHED = (Call, Result)
_UNKNOWN = "[result of an unknown tool call]"
_AGAIN = "[another result of the same tool call]"


class Matched:
    """Messages without the results that have a call, and these results by their call's id.

    A result answers the latest call before it that bears its id and was not answered; where agents
    count their ids anew in each turn, a later call with the id of an earlier one gets another.
    """

    __slots__ = (
        "_answered",
        "_in_answer",
        "_open",
        "_times",
        "_turn",
        "losses",
        "messages",
        "places",
        "results",
    )

    def __init__(self, messages: tuple[Message, ...]) -> None:
        """Match all of `messages`."""
        self.results: dict[str, Result] = {}
        self.places: dict[str, Place] = {}
        self.losses: list[Loss] = []
        self._open: dict[str, tuple[int, deque[Call]]] = {}
        self._answered: set[str] = set()
        self._times: dict[str, int] = {}
        self._turn = 0
        self._in_answer = False
        self.messages = [self._message(number, message) for number, message in enumerate(messages)]

    def _message(self, number: int, message: Message) -> Message:
        if message.role in ("user", "assistant"):
            self._turn += message.role == "assistant" and not self._in_answer
            self._in_answer = message.role == "assistant"
        for part in message.parts:
            if type(part) in _MATCHED or _is_empty(part):
                break
        else:
            return message
        parts: list[Part] = []
        for n, part in enumerate(message.parts):
            parts += self._part((number, n), message.role, part)
        return Message(message.role, tuple(parts), message.name)

    def _part(self, place: Place, role: str, part: Part) -> Iterable[Part]:
        match part:
            case Call() if role == "assistant":
                return (self._call(place, part),)
            case Result():
                return self._result(place, part)
            case Text() if part.seals and not part.text and role == "assistant":
                return (Reasoning(seals=part.seals),)  # Gemini seals empty texts, too
            case _:
                return () if _is_empty(part) else (part,)

    def _call(self, place: Place, call: Call) -> Call:
        told = call
        while told.id in self.places:
            self._times[call.id] = again = self._times.get(call.id, 1) + 1
            told = msgspec.structs.replace(call, id=f"{call.id}_{again}")
        self.places[told.id] = place
        if told is not call:
            self._lose(place, "the id of an earlier call, changed")
        turn, calls = self._open.get(call.id, (0, None))
        if calls is None or turn != self._turn:
            self._answered.discard(call.id)
            self._open[call.id] = self._turn, (calls := deque())
        calls.append(told)
        return told

    def _result(self, place: Place, result: Result) -> Iterable[Part]:
        parts = tuple([part for part in result.parts if not _is_empty(part)])
        turn, calls = self._open.get(result.call_id, (0, None))
        if not calls:
            again = result.call_id in self._answered
            why = "a second result of one call" if again else "a result without a call"
            self._lose(place, f"{why}, told as text")
            return _as_texts(_AGAIN if again else _UNKNOWN, result, parts)
        call = calls.popleft()
        self._answered.add(result.call_id)
        if turn != self._turn:
            self._lose(place, "a late result, moved behind its call")
        self.results[call.id] = Result(
            call.id, parts, call.name, result.is_error, call.custom, result.cache
        )
        return ()

    def _lose(self, place: Place, why: str) -> None:
        self.losses.append(Loss(path_of(place), why))


def path_of(place: Place) -> str:
    """Give the path of a part."""
    return f"messages[{place[0]}].parts[{place[1]}]"


def _is_empty(part: Part) -> bool:
    """Tell whether a part has no words; empty thinking may still have its seals."""
    if isinstance(part, Text):
        return not part.text
    if isinstance(part, Reasoning):
        return not part.text and not part.seals
    return isinstance(part, Refusal) and not part.text


def _as_texts(
    words: str, result: Result, parts: tuple[Text | Image | Document, ...]
) -> list[Text | Image | Document]:
    """Give a result as text and what is no text beside it; its mark of the cache stays last."""
    texts = "\n".join(part.text for part in parts if isinstance(part, Text))
    told: list[Text | Image | Document] = [Text(f"{words}\n{texts}")]
    told += (part for part in parts if not isinstance(part, Text))
    if result.cache is not None:
        told[-1] = msgspec.structs.replace(told[-1], cache=result.cache)
    return told
