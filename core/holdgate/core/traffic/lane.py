"""A lane: the line in front of one key of one provider, its slots and its minute.

Theory. A vendor counts two things: how many requests are under way at once, and how many arrived in
any rolling window. A lane counts the same two from this side and must never let the vendor see
more. Three differences between the sides are paid for in time:

- A request *arrives* some moments after it was granted its place: the window is counted from when
  it really left (`sent`), and until then it counts as leaving now.
- Two requests may travel at different speed: a departure counts for the window plus a small margin.
- A try that was broken off still runs at the vendor for the moment it takes to notice that its
  connection closed: such a slot is free only a little later.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass, field

import msgspec

LaneId = tuple[str, str]  # provider, key

# The margin is this part of the window, but no more than so many seconds.
MARGIN_PART = 0.01
MARGIN_MOST = 0.25
# How long after its connection closed an aborted try may still count at the vendor.
LINGER = 0.1


@dataclass(frozen=True, slots=True)
class Limits:
    """What a key allows: requests at once, requests in a window of so many seconds; 0: no limit."""

    concurrency: int = 0
    rpm: int = 0
    window: float = 60.0

    @property
    def span(self) -> float:
        """How long a departure counts."""
        return self.window + min(self.window * MARGIN_PART, MARGIN_MOST)


class Ticket(msgspec.Struct, eq=False):
    """A request's place: in exactly one of waiting, running, gone.

    `lanes` in order of preference. `lane` is where it runs or ran. `sent_at` is None until its
    request left.
    """

    id: str
    lanes: tuple[LaneId, ...]
    state: str = "new"
    since: float = 0.0
    lane: LaneId | None = None
    sent_at: float | None = None


@dataclass(slots=True, eq=False)
class Lane:
    """The state of one lane. All moments are seconds on one monotonic clock."""

    id: LaneId
    limits: Limits
    line: dict[Ticket, None] = field(default_factory=dict)
    running: set[Ticket] = field(default_factory=set)
    _unsent: int = 0
    _departures: list[float] = field(default_factory=list)
    _lingering: list[float] = field(default_factory=list)

    def opens_at(self, now: float) -> float | None:
        """Give the earliest moment at which time alone lets a request go.

        `now` if it may go now, None if something else has to happen first.
        """
        if self.limits.concurrency == 0 and self.limits.rpm == 0:
            return now
        slot = self._slot_at(now)
        place = self._window_at(now)
        if slot is None or place is None:
            return None
        return max(slot, place, now)

    def used(self, now: float) -> int:
        """Give how many requests count in the window that ends now."""
        gone = bisect_right(self._departures, now - self.limits.span)
        return len(self._departures) - gone + self._unsent

    def next_at(self, now: float) -> float | None:
        """Give the moment at which the window has room, None if it has or if that is open."""
        at = self._window_at(now)
        return None if at is None or at <= now else at

    def grant(self, ticket: Ticket, now: float) -> None:
        """Let a ticket run: it takes a slot, and its place in the window from now on."""
        self.running.add(ticket)
        self._unsent += 1
        self._forget(now)

    def sent(self, ticket: Ticket, now: float) -> None:
        """Note that a running ticket's request left."""
        if ticket.sent_at is None:
            ticket.sent_at = now
            self._unsent -= 1
            insort(self._departures, now)

    def release(self, ticket: Ticket, now: float, *, aborted: bool) -> None:
        """Take a running ticket's slot back; what never left is given back to the window too."""
        if ticket not in self.running:
            return
        self.running.remove(ticket)
        if ticket.sent_at is None:
            self._unsent -= 1
        elif aborted:
            insort(self._lingering, now + LINGER)

    def _slot_at(self, now: float) -> float | None:
        most = self.limits.concurrency
        if most == 0:
            return now
        lingering = self._lingering[bisect_right(self._lingering, now) :]
        taken = len(self.running) + len(lingering)
        if taken < most:
            return now
        # So many slots have to become free; those of running tries do at no known time.
        needed = taken - most
        return lingering[needed] if needed < len(lingering) else None

    def _window_at(self, now: float) -> float | None:
        most = self.limits.rpm
        if most == 0 or self.used(now) < most:
            return now
        needed = len(self._departures) + self._unsent - most
        return (
            self._departures[needed] + self.limits.span if needed < len(self._departures) else None
        )

    def _forget(self, now: float) -> None:
        del self._departures[: bisect_right(self._departures, now - self.limits.span)]
        del self._lingering[: bisect_left(self._lingering, now)]
