"""Time as a value: the two clocks that everything is told by."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clock:
    """Where a part gets its time from; tests hand in their own.

    `monotonic` counts seconds from an arbitrary start and is what waits are measured by;
    `wall` gives Unix seconds and is what people are shown.
    """

    monotonic: Callable[[], float]
    wall: Callable[[], float]

    def wall_of(self, monotonic: float) -> float:
        """Give the Unix time of a moment on the monotonic clock."""
        return self.wall() - self.monotonic() + monotonic


def system_clock(monotonic: Callable[[], float] | None = None) -> Clock:
    """Give the machine's clock; an event loop hands in its own `time` as `monotonic`."""
    return Clock(monotonic or time.monotonic, time.time)  # noqa: TID251 (the home of time)
