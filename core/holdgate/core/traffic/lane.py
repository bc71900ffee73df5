"""A lane: the line in front of one key of one provider, its slots and its window.

Theory. A vendor counts how many requests are under way at once and how many arrived in any rolling
window; a lane counts the same from this side and must never let the vendor see more. Besides it may
be closed: by the person (a pause), or by the vendor's own word (a 429 with a time), after which one
request probes before the line follows. Where the person names no number of requests at once, a 429
without a time finds one: half of what was under way, then one more after as many answers.
"""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections import deque
from dataclasses import dataclass, field
from statistics import median

from holdgate.core.traffic.line import Line
from holdgate.core.traffic.ticket import LaneId, Refusal, Ticket
from holdgate.core.traffic.window import Window, span_of
from holdgate.core.values.errors import FaultKind
from holdgate.core.values.kinds import format_duration

# Of our own queue nothing longer is said: agents ignore or give up on more (clients, 1.8).
RETRY_MOST = 60.0
# A rest that lasts longer (seconds) is told at once: a day's or a week's window, spent credit.
REST_WAITED_FOR = 15 * 60.0
# How long after its connection closed an aborted try may still count at the vendor.
LINGER = 0.1
# A found number of requests at once is forgotten after so many seconds without a 429.
ADAPTED_FOR = 600.0
_TIMES_KEPT = 31


@dataclass(frozen=True, slots=True)
class Limits:
    """What a key allows; 0 is no limit everywhere.

    `concurrency` at once; `rpm` requests and `tpm` tokens in any `window` seconds; `length`
    requests in its line, `wait` seconds there at most.
    """

    concurrency: int = 0
    rpm: int = 0
    window: float = 60.0
    tpm: int = 0
    length: int = 0
    wait: float = 0.0

    @property
    def span(self) -> float:
        """How long a departure counts."""
        return span_of(self.window)


@dataclass(slots=True, eq=False)
class Lane:
    """The state of one lane. All moments are seconds on one monotonic clock."""

    id: LaneId
    limits: Limits
    line: Line = field(default_factory=Line)
    running: set[Ticket] = field(default_factory=set)
    window: Window = field(default_factory=Window)
    paused_until: float = 0.0  # inf: until resumed
    closed_until: float = 0.0
    closed_why: str = ""
    closed_kind: FaultKind = FaultKind.QUEUE
    allowed: int | None = None  # requests at once as found by 429s
    _probation: bool = False
    _probe: Ticket | None = None
    _answers: int = 0
    _adapted_at: float = 0.0
    _lingering: list[float] = field(default_factory=list)
    _times: deque[float] = field(default_factory=lambda: deque(maxlen=_TIMES_KEPT))

    def is_free(self, now: float, tokens: int) -> bool:
        """Whether nobody stands in its line and a request may go now."""
        return self.line.is_empty and self.opens_at(now, tokens) == now

    @property
    def is_unused(self) -> bool:
        """Whether it may be forgotten: what left a moment ago still counts at the vendor."""
        return self.line.is_empty and not self.running and not self.window.is_remembered

    def opens_at(self, now: float, tokens: int = 0) -> float | None:
        """Give the earliest moment at which time alone lets a request of so many tokens go.

        `now` if it may go now, None if something else has to happen first.
        """
        if self.paused_until == math.inf or (self._probation and self._probe is not None):
            return None
        limits = self.limits
        if limits.concurrency == limits.rpm == limits.tpm == 0 and self.allowed is None:
            return max(now, self.paused_until, self.closed_until)
        moments = (
            self.slot_at(now),
            self.window.request_at(limits.rpm, limits.span, now),
            self.window.tokens_at(limits.tpm, tokens, limits.span, now),
        )
        if None in moments:
            return None
        return max(
            now, self.paused_until, self.closed_until, *(m for m in moments if m is not None)
        )

    def earliest(self, now: float, ahead: int) -> float:
        """Give the earliest moment for a ticket with so many before it, if all else goes well."""
        at = self.window.request_at(self.limits.rpm, self.limits.span, now, ahead)
        paused = 0.0 if self.paused_until == math.inf else self.paused_until
        return max(now, paused, self.closed_until, at if at is not None else now)

    def eta(self, now: float, ahead: int) -> float | None:
        """Give the likely moment for a ticket with so many before it; None if nothing tells."""
        if self.paused_until == math.inf:
            return None
        at = self.earliest(now, ahead)
        most = self.concurrency(now)
        behind = ahead + 1 - max(0, most - len(self.running))
        if most == 0 or behind <= 0:
            return at
        if not self._times:
            return None
        return max(at, now + median(self._times) * behind / most)

    def concurrency(self, now: float) -> int:
        """Give how many may run at once: as configured, else as found; 0: no limit."""
        if self.limits.concurrency or self.allowed is None:
            return self.limits.concurrency
        if now >= self._adapted_at + ADAPTED_FOR:
            self.allowed = None
            return 0
        return self.allowed

    def limit_words(self, now: float) -> str:
        """Say which limit keeps its line waiting, with its number."""
        limits = self.limits
        if self.paused_until > now:
            return "it is paused"
        if self.closed_until > now:
            return f"it rests: {self.closed_why}"
        if self.slot_at(now) != now:
            return f"{self.concurrency(now)} requests at once is its limit"
        if limits.rpm:
            return f"{limits.rpm} requests in {format_duration(limits.window)} is its limit"
        return f"{limits.tpm} tokens in {format_duration(limits.window)} is its limit"

    def refusal(self, now: float, why: str) -> Refusal:
        """Give what a ticket is told that leaves the line unserved."""
        after = self.earliest(now, len(self.line)) - now
        return Refusal(self.id, why, min(max(after, 1.0), RETRY_MOST))

    def long_rest(self, now: float) -> Refusal | None:
        """Give what a ticket is told if the lane is closed for longer than anybody waits."""
        rest = self.closed_until - now
        if rest <= REST_WAITED_FOR:
            return None
        why = f"it rests for {format_duration(math.ceil(rest))}: {self.closed_why}"
        return Refusal(self.id, why, rest, self.closed_kind)

    def slot_at(self, now: float) -> float | None:
        """Give when a slot is free by time alone."""
        most = self.concurrency(now)
        if most == 0:
            return now
        lingering = self._lingering[bisect_right(self._lingering, now) :]
        # So many slots have to become free; those of running tries do at no known time.
        needed = len(self.running) + len(lingering) - most
        if needed < 0:
            return now
        moments = lingering[needed : needed + 1]
        if self.limits.concurrency == 0:
            moments.append(self._adapted_at + ADAPTED_FOR)
        return min(moments, default=None)

    def grant(self, ticket: Ticket, now: float) -> None:
        """Let a ticket run: it takes a slot, and its place in the window from now on."""
        ticket.state, ticket.lane, ticket.granted_at = "running", self.id, now
        ticket.departure = None
        self.running.add(ticket)
        self.window.grant(ticket.tokens)
        if self._probation and self._probe is None:
            self._probe = ticket
        self.window.forget(now - self.limits.span)
        del self._lingering[: bisect_right(self._lingering, now)]

    def sent(self, ticket: Ticket, now: float) -> None:
        """Note that a running ticket's request left."""
        if ticket.departure is None:
            ticket.departure = self.window.leave(ticket.tokens, now)

    def release(self, ticket: Ticket, now: float, *, aborted: bool) -> None:
        """Take a running ticket's slot back; what never left is given back to the window too."""
        if ticket not in self.running:
            return
        self.running.remove(ticket)
        if self._probe is ticket:
            self._probe = None
        if ticket.departure is None:
            self.window.give_back(ticket.tokens)
        elif aborted:
            insort(self._lingering, now + LINGER)

    def began(self, ticket: Ticket) -> bool:
        """Note that a ticket's request is being answered; say whether that ends a probation.

        A probe need not end to have passed.
        """
        if not self._probation or ticket.granted_at < self.closed_until:
            return False
        self._probation, self._probe = False, None
        return True

    def answered(self, ticket: Ticket, now: float, tokens: int | None) -> None:
        """Note that a ticket's request was answered, and how many tokens it really took."""
        self._times.append(now - ticket.granted_at)
        self.began(ticket)
        if tokens is not None and ticket.departure is not None:
            ticket.departure.tokens = tokens
        if self.allowed is not None:
            self._answers += 1
            if self._answers >= self.allowed:
                self.allowed, self._answers = self.allowed + 1, 0

    @property
    def is_probed(self) -> bool:
        """Whether one request is finding out now whether the lane is open again."""
        return self._probation and self._probe is not None

    def close(self, until: float, why: str, kind: FaultKind = FaultKind.QUEUE) -> None:
        """Close the lane while its key rests; one request probes after it."""
        if until > self.closed_until:
            self.closed_until, self.closed_why, self.closed_kind = until, why, kind
        self._probation = True

    def open(self) -> None:
        """End the rest before its time."""
        self.closed_until, self._probation, self._probe = 0.0, False, None

    def narrow(self, now: float) -> None:
        """A 429 without a time: half of what is under way may be, at least one."""
        if self.limits.concurrency == 0:
            self.allowed = max(1, len(self.running) // 2)
            self._answers, self._adapted_at = 0, now
