"""Parts of an answer for a Gemini agent, streamed and whole alike.

The seals of thinking are held until the next part that is no thought (see slots).
"""

from __future__ import annotations

import msgspec

from holdgate.core.dialects.translation.base import Telling
from holdgate.core.dialects.translation.custom_tools import as_arguments
from holdgate.core.dialects.translation.gemini.arguments import as_object
from holdgate.core.dialects.translation.gemini.slots import packed
from holdgate.core.values.neutral import Reasoning, Seal

Json = dict[str, object]


class AnswerParts:
    """Makes one answer's parts, in their order."""

    __slots__ = ("_calls", "_held", "_id", "_words", "shows_thoughts")

    def __init__(self, telling: Telling) -> None:
        """Take which answer it is."""
        effort = telling.request.effort
        # Only who says that they are not wanted is kept from them.
        self.shows_thoughts = effort is None or effort.shown is not False
        self._id = telling.id
        self._held: tuple[Reasoning, ...] = ()
        self._words: list[str] = []
        self._calls = 0

    @property
    def is_holding(self) -> bool:
        """Whether the next part must bear a seal."""
        return bool(self._held)

    def hold(self, seals: tuple[Seal, ...]) -> None:
        """A piece of thinking ended with `seals`."""
        if seals:
            self._held += (Reasoning("".join(self._words), seals),)
        self._words.clear()

    def thought(self, text: str) -> list[Json]:
        """Give a piece of thinking."""
        self._words.append(text)
        if not text or not self.shows_thoughts:
            return []
        told: Json = {"text": text, "thought": True}
        if not self._held:
            return [told]
        # Another piece begins: the one before is closed, so that they stay apart.
        return [{"text": "", "thought": True} | self._signature(()), told]

    def text(self, text: str, seals: tuple[Seal, ...] = ()) -> Json:
        """Give a piece of text."""
        return {"text": text} | self._signature(seals)

    def call(
        self, id: str, name: str, arguments: str, custom: bool, seals: tuple[Seal, ...]
    ) -> Json:
        """Give a call."""
        self._calls += 1
        text = as_arguments(arguments) if custom else arguments
        told = {
            "id": id or f"call_{self._id}_{self._calls}",
            "name": name,
            "args": msgspec.Raw(as_object(text)[0]),
        }
        return {"functionCall": told} | self._signature(seals)

    def _signature(self, own: tuple[Seal, ...]) -> Json:
        held, self._held = self._held, ()
        return {"thoughtSignature": packed(own, held)} if own or held else {}
