"""The conversation that an agent's items make: parts in turns, seals in their places."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from holdgate.core.dialects.translation.responses.carriers import Carried, carried
from holdgate.core.values.neutral import (
    Call,
    Message,
    Part,
    Reasoning,
    Result,
    Role,
    Seal,
    Text,
)


class Conversation:
    """Grows by one item after the other."""

    __slots__ = ("_coming", "_turns")

    def __init__(self) -> None:
        """Start empty."""
        self._turns: list[tuple[Role, list[Part], str]] = []
        self._coming: dict[str, tuple[Seal, ...]] = {}  # seals that came before their calls

    @property
    def messages(self) -> tuple[Message, ...]:
        """All that was said, in turns."""
        return tuple(Message(role, tuple(parts), name) for role, parts, name in self._turns)

    def say(self, role: Role, parts: tuple[Part, ...], name: str = "") -> None:
        """Add a message: items of the assistant in a row are one turn."""
        if role == "assistant":
            self._assistant.extend(parts)
        else:
            self._turns.append((role, list(parts), name))

    def call(self, call: Call) -> None:
        """Add a call, with the seals that came before it."""
        self._assistant.append(replace(call, seals=self._coming.pop(call.id, ())))

    def result(self, result: Result) -> None:
        """Add a call's result: those in a row are one turn."""
        role, parts, _ = self._turns[-1] if self._turns else ("", [], "")
        if role == "user" and isinstance(parts[-1] if parts else None, Result):
            parts.append(result)
        else:
            self._turns.append(("user", [result], ""))

    def reason(self, text: str, encrypted: str, id: str) -> None:
        """Add a reasoning item: a thought, or seals of a call or text."""
        found = carried(encrypted, id) if encrypted else Carried()
        if found.place == "call":
            self._seal_call(found.call_id, found.seals)
        elif found.place == "text":
            self._seal_text(found.seals)
        thought = found.seals if found.place == "thought" else ()
        if text or thought:
            self._assistant.append(Reasoning(text, thought))

    def _seal_call(self, call_id: str, seals: tuple[Seal, ...]) -> None:
        """Put seals on a call, which comes after them or came just before."""
        for parts, at, part in self._latest():
            if isinstance(part, Call) and part.id == call_id:
                parts[at] = replace(part, seals=seals)
                return
        self._coming[call_id] = seals

    def _seal_text(self, seals: tuple[Seal, ...]) -> None:
        for parts, at, part in self._latest():
            if isinstance(part, Text):
                parts[at] = replace(part, seals=part.seals + seals)
                return

    def _latest(self) -> Iterator[tuple[list[Part], int, Part]]:
        """Give the parts of the assistant's last turn, from its end."""
        for role, parts, _ in reversed(self._turns[-2:]):
            if role == "assistant":
                for at in range(len(parts) - 1, -1, -1):
                    yield parts, at, parts[at]
                return

    @property
    def _assistant(self) -> list[Part]:
        if not self._turns or self._turns[-1][0] != "assistant":
            self._turns.append(("assistant", [], ""))
        return self._turns[-1][1]
