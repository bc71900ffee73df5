"""A conversation in the order that every dialect takes: each call's result right behind it.

Agents leave calls without results (the person pressed Escape), results without calls (a cut
history), and put messages in between; vendors refuse all of that. What comes out:

- each call is answered in the very next message, a user's, in which the results come first, in the
  order of the calls; a call without a result gets one that says so (none in the last message);
- a result without a call, and a second result, became text, its images beside it;
- ids of calls are unique; a result has its tool's name and kind;
- there is no empty text (a seal of one is Reasoning), no message without parts, and neither two
  user's messages nor two assistant's in a row.

A longer conversation does not change how the earlier messages come out, except the last of the
shorter one. Only a result that comes after its call was passed over changes more, since it moves.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from holdgate.core.dialects.translation.matching import Matched, path_of
from holdgate.core.values.neutral import Call, Loss, Message, Part, Result, Role, Text

_NO_RESULT = (Text("no result"),)


def settle(messages: tuple[Message, ...]) -> tuple[tuple[Message, ...], tuple[Loss, ...]]:
    """Give the messages in order, and what had to be changed for it."""
    matched = Matched(messages)
    settled = _Settled(matched)
    for message in matched.messages:
        settled.take(message)
    settled.finish()
    return settled.messages(), (*matched.losses, *settled.losses)


class _Settled:
    """The messages as they come out."""

    def __init__(self, matched: Matched) -> None:
        self.losses: list[Loss] = []
        self._matched = matched
        self._turns: list[tuple[Message, list[Part]]] = []
        self._calls: list[Call] = []

    def take(self, message: Message) -> None:
        if message.role == "user":
            # Even if nothing is left of it: its results have gone to their calls.
            self._answer_calls()
        if not message.parts:
            return
        if message.role in ("system", "developer"):
            self._answer_calls()
        self._add(message.role, message.name, message.parts)
        if message.role == "assistant":
            self._calls += [part for part in message.parts if isinstance(part, Call)]

    def finish(self) -> None:
        """The last message's calls are still to be answered, unless their results are here."""
        if any(call.id in self._matched.results for call in self._calls):
            self._answer_calls()

    def messages(self) -> tuple[Message, ...]:
        return tuple(
            message
            if len(parts) == len(message.parts)
            else msgspec.structs.replace(message, parts=tuple(parts))
            for message, parts in self._turns
        )

    def _add(self, role: Role, name: str, parts: tuple[Part, ...]) -> None:
        last = self._turns[-1] if self._turns else None
        if last is None or last[0].role != role or role in ("system", "developer"):
            self._turns.append((Message(role, parts, name), list(parts)))
            return
        last[1].extend(parts)
        if name and not last[0].name:
            self._turns[-1] = (msgspec.structs.replace(last[0], name=name), last[1])

    def _answer_calls(self) -> None:
        if self._calls:
            self._add("user", "", tuple(self._results()))
            self._calls = []

    def _results(self) -> Iterator[Result]:
        for call in self._calls:
            result = self._matched.results.get(call.id)
            if result is None:
                path = path_of(self._matched.places[call.id])
                self.losses.append(Loss(path, "a call without a result, answered as an error"))
                result = Result(call.id, _NO_RESULT, call.name, True, call.custom)
            yield result
