"""The scheduler: the gate with a clock, and requests that wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from holdgate.core.traffic.gate import Gate, LaneView
from holdgate.core.traffic.lane import LaneId, Limits, Ticket
from holdgate.core.values.clock import Clock
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.kinds import format_duration

# Of our own queue nothing longer is said: agents ignore or give up on more (clients, 1.8).
RETRY_MOST = 60.0


class Scheduler:
    """Gives tickets their places as soon as the gate lets them go."""

    def __init__(self, gate: Gate, clock: Clock, loop: asyncio.AbstractEventLoop) -> None:
        """Take the gate, and the loop whose time `clock.monotonic` is."""
        self._gate = gate
        self._clock = clock
        self._loop = loop
        self._granted: dict[Ticket, Callable[[], None]] = {}
        self._wake: asyncio.TimerHandle | None = None

    def configure(self, limits: Mapping[LaneId, Limits]) -> None:
        """Set the limits of all lanes, and let go whoever may go by the new ones."""
        self._gate.configure(limits)
        self._advance()

    def enter(self, ticket: Ticket, granted: Callable[[], None]) -> bool:
        """Stand in line. True: it runs already; else `granted` is called once, when it does."""
        if self._gate.enter(ticket, self._clock.monotonic()):
            return True
        self._granted[ticket] = granted
        self._arm()
        return False

    def sent(self, ticket: Ticket) -> None:
        """Note that the ticket's request left."""
        self._gate.sent(ticket, self._clock.monotonic())
        if self._granted:
            self._arm()

    def leave(self, ticket: Ticket, *, aborted: bool = False) -> None:
        """Leave the line or the slot; saying it again changes nothing."""
        self._granted.pop(ticket, None)
        self._gate.leave(ticket, self._clock.monotonic(), aborted=aborted)
        self._advance()

    def turned_away(self, ticket: Ticket, waited: str) -> Fault:
        """Give the fault of a ticket that waited too long, with the limit that kept it."""
        now = self._clock.monotonic()
        view = next(view for view in self.views() if view.id == ticket.lanes[-1])
        limits = view.limits
        if limits.concurrency and view.running >= limits.concurrency:
            limit = f"{limits.concurrency} requests at once is its limit"
        else:
            limit = f"{limits.rpm} requests in {format_duration(limits.window)} is its limit"
        after = min(RETRY_MOST, view.next_at - now) if view.next_at is not None else RETRY_MOST
        return Fault(
            FaultKind.QUEUE, f"{view.id[0]}: {waited}, {limit}", retry_after=max(1.0, after)
        )

    def position(self, ticket: Ticket) -> int | None:
        """Give a waiting ticket's place, counted from 1."""
        return self._gate.position(ticket)

    def views(self) -> list[LaneView]:
        """Give what each lane shows now."""
        return self._gate.views(self._clock.monotonic())

    def close(self) -> None:
        """Let nobody start any more."""
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None

    def _advance(self) -> None:
        if not self._granted:
            return
        for ticket in self._gate.advance(self._clock.monotonic()):
            self._granted.pop(ticket)()
        self._arm()

    def _arm(self) -> None:
        """Come again when time alone lets somebody start."""
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        if not self._granted:
            return
        at = self._gate.wake_at(self._clock.monotonic())
        if at is not None:
            self._wake = self._loop.call_at(at, self._advance)
