"""The look: which of the icons is shown, as a value. Nothing here draws."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """What the gateway is about; each has a shape and a colour of its own."""

    IDLE = "idle"
    WORKING = "working"
    WAITING = "waiting"
    HELD = "held"
    PAUSED = "paused"
    ERROR = "error"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Look:
    """An icon: its state and, while requests wait, how many."""

    state: State
    count: int = 0

    def __post_init__(self) -> None:
        """Only a waiting queue has a number: looks that are drawn alike are equal."""
        shown = min(max(self.count, 1), 100) if self.state is State.WAITING else 0
        object.__setattr__(self, "count", shown)

    @property
    def number(self) -> str:
        """The text that fills the icon; empty where a shape does."""
        if not self.count:
            return ""
        return "99+" if self.count > 99 else str(self.count)
