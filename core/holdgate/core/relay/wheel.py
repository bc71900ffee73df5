"""The timer wheel: coarse timers for thousands of streams, one timer of the loop for them all.

A timer of the loop each would cost more than the rest of a waiting stream. A moment is rounded up
to the next turn, so a timer is late by a turn at most and never early.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

TURN = 0.25  # seconds


class Timer:
    """A moment at which `ring` is called, unless cancelled before."""

    __slots__ = ("_bucket", "ring")

    def __init__(self, ring: Callable[[], None], bucket: set[Timer]) -> None:
        """Take what to call, and the bucket that it lies in."""
        self.ring = ring
        self._bucket = bucket
        bucket.add(self)

    def cancel(self) -> None:
        """Forget it; saying it again changes nothing."""
        self._bucket.discard(self)


class Wheel:
    """Timers in buckets of one turn each, on the running loop's clock."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take the loop whose time counts."""
        self._loop = loop
        self._buckets: dict[int, set[Timer]] = {}
        self._ringing: set[Timer] = set()
        self._next: asyncio.TimerHandle | None = None
        self._next_turn = 0

    def after(self, seconds: float, ring: Callable[[], None]) -> Timer:
        """Call `ring` when `seconds` have passed."""
        turn = math.ceil((self._loop.time() + seconds) / TURN)
        bucket = self._buckets.get(turn)
        if bucket is None:
            bucket = self._buckets[turn] = set()
        if self._next is None or turn < self._next_turn:
            self._arm(turn)
        return Timer(ring, bucket)

    def close(self) -> None:
        """Forget all timers."""
        self._ringing.clear()
        self._buckets.clear()
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def _arm(self, turn: int) -> None:
        if self._next is not None:
            self._next.cancel()
        self._next_turn = turn
        self._next = self._loop.call_at(turn * TURN, self._turn)

    def _turn(self) -> None:
        self._next = None
        now = self._loop.time()
        for turn in sorted(turn for turn in self._buckets if turn * TURN <= now + 1e-6):
            self._ringing = self._buckets.pop(turn, set())
            while self._ringing:  # one that rings may cancel others, or close the wheel
                self._ring(self._ringing.pop())
        # Armed or not: one that rang may have set a timer, though others are due before it.
        if self._buckets:
            self._arm(min(self._buckets))

    def _ring(self, timer: Timer) -> None:
        """Ring; what goes wrong in one must not silence the others."""
        try:
            timer.ring()
        except Exception as error:
            self._loop.call_exception_handler({"message": "a timer failed", "exception": error})
