"""The window: what left in the last minute, or what a vendor counts by, and when there is room.

A request arrives at the vendor some moments after it was granted its place, so it counts from when
it really left, and until then as leaving now. Two requests may travel at different speed, so each
counts for the window plus a small margin.
"""

from __future__ import annotations

from bisect import bisect_right, insort

from holdgate.core.traffic.ticket import Departure

# The margin is this part of the window, but no more than so many seconds.
MARGIN_PART = 0.01
MARGIN_MOST = 0.25


def span_of(window: float) -> float:
    """Give how long a departure counts, for a vendor that counts by `window` seconds."""
    return window + min(window * MARGIN_PART, MARGIN_MOST)


class Window:
    """The departures of one lane, in order of time, and what is granted but has not left."""

    __slots__ = ("_left", "unsent", "unsent_tokens")

    def __init__(self) -> None:
        """Start with nothing sent."""
        self._left: list[Departure] = []
        self.unsent = 0
        self.unsent_tokens = 0

    @property
    def is_remembered(self) -> bool:
        """Whether anything that left may still count."""
        return bool(self._left)

    def grant(self, tokens: int) -> None:
        """A request will leave."""
        self.unsent += 1
        self.unsent_tokens += tokens

    def give_back(self, tokens: int) -> None:
        """A granted request will not leave after all."""
        self.unsent -= 1
        self.unsent_tokens -= tokens

    def leave(self, tokens: int, now: float) -> Departure:
        """A granted request left."""
        self.give_back(tokens)
        departure = Departure(now, tokens)
        insort(self._left, departure, key=_at)
        return departure

    def used(self, since: float) -> int:
        """Give how many requests count that left after `since`, and those about to leave."""
        return len(self._left) - self._first(since) + self.unsent

    def tokens(self, since: float) -> int:
        """Give how many tokens they count for."""
        return sum(d.tokens for d in self._left[self._first(since) :]) + self.unsent_tokens

    def request_at(self, most: int, span: float, now: float, ahead: int = 0) -> float | None:
        """Give when one more request may leave after `ahead` others did.

        None: not before one that was granted has left.
        """
        if most == 0:
            return now
        counted = len(self._left) + self.unsent
        # The departure with this index must be over before there is room; those who will leave
        # before us follow the ones that left, `most` of them in each further span.
        index, rounds = counted + ahead - most, 0
        if index >= counted:
            rounds = (index - counted) // most + 1
            index -= rounds * most
        if index < 0:
            return now + rounds * span
        if index < len(self._left):
            return max(now, self._left[index].at + span) + rounds * span
        return None if ahead == 0 else now + (rounds + 1) * span

    def tokens_at(self, most: int, need: int, span: float, now: float) -> float | None:
        """Give when `need` more tokens may leave; more than `most` may when nothing else counts."""
        if most == 0:
            return now
        over = self.tokens(now - span) + min(need, most) - most
        if over <= 0:
            return now
        for departure in self._left[self._first(now - span) :]:
            over -= departure.tokens
            if over <= 0:
                return max(now, departure.at + span)
        return None

    def forget(self, until: float) -> None:
        """Drop what left at `until` or before."""
        del self._left[: self._first(until)]

    def _first(self, since: float) -> int:
        return bisect_right(self._left, since, key=_at)


def _at(departure: Departure) -> float:
    return departure.at
