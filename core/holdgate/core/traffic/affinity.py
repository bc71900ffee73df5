"""Affinity: a conversation stays with the key that answered it while its prompt cache is warm."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from holdgate.core.traffic.ticket import LaneId

# How long vendors keep a prompt's cache without being asked (the shorter of their terms).
WARM = 300.0
_MOST = 10_000

Mode = Literal["auto", "conversation", "off"]


@dataclass(frozen=True, slots=True)
class Answered:
    """Who answered a conversation last, when, and whether its cache was seen to serve."""

    lane: LaneId
    at: float
    cached: bool


class Affinity:
    """The keys that conversations were answered by, the latest ones."""

    def __init__(self) -> None:
        """Start with none."""
        self._answered: OrderedDict[tuple[str, str], Answered] = OrderedDict()

    def note(self, model: str, conversation: str, answered: Answered) -> None:
        """Remember who answered."""
        key = (model, conversation)
        self._answered[key] = answered
        self._answered.move_to_end(key)
        if len(self._answered) > _MOST:
            self._answered.popitem(last=False)

    def restore(self, answers: Iterable[tuple[str, str, Answered]]) -> None:
        """Remember what an earlier process noted: (model, conversation, who), the oldest first.

        What was noted meanwhile is newer: it stays, and is the last to be forgotten.
        """
        earlier = list(answers)
        meanwhile, self._answered = self._answered, OrderedDict()
        for model, conversation, answered in earlier:
            self.note(model, conversation, answered)
        for (model, conversation), answered in meanwhile.items():
            self.note(model, conversation, answered)

    def home(self, model: str, conversation: str, mode: Mode, now: float) -> LaneId | None:
        """Give the lane that a conversation should stay with, if any."""
        found = self._answered.get((model, conversation))
        if found is None or mode == "off":
            return None
        warm = found.cached and now - found.at <= WARM
        return found.lane if mode == "conversation" or warm else None
