"""The scheduler: the gate with a clock, and requests that wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from holdgate.core.traffic.gate import Gate
from holdgate.core.traffic.lane import Lane, Limits
from holdgate.core.traffic.places import Place
from holdgate.core.traffic.standing import Load
from holdgate.core.traffic.ticket import LaneId, Stand, Ticket
from holdgate.core.values.clock import Clock
from holdgate.core.values.errors import FaultKind

# Seconds for which the places that keepalives tell may be old: each look costs a walk of the lines.
PLACES_FRESH = 2.0


class Scheduler:
    """Gives tickets their places as soon as the gate lets them go."""

    def __init__(self, gate: Gate, clock: Clock, loop: asyncio.AbstractEventLoop) -> None:
        """Take the gate, and the loop whose time `clock.monotonic` is."""
        self._gate, self._clock, self._loop = gate, clock, loop
        self._changed: dict[Ticket, Callable[[], None]] = {}
        self._wake: asyncio.TimerHandle | None = None
        self._places: dict[str, Place] = {}
        self._placed_at = float("-inf")

    def configure(self, limits: Mapping[LaneId, Limits]) -> None:
        """Set the limits of all lanes, and let go whoever may go by the new ones."""
        self._gate.configure(limits)
        self._advance()

    def enter(self, ticket: Ticket, changed: Callable[[], None], *, front: bool = False) -> None:
        """Stand in line. If the ticket waits then, `changed` is called once: it runs, or is turned
        away.
        """
        self._gate.enter(ticket, self._clock.monotonic(), front=front)
        if ticket.state == "waiting":
            self._changed[ticket] = changed
            self._arm()

    def let_in(self, lane: LaneId) -> Ticket:
        """Give a ticket that runs in a lane at once, whatever its limits. It has to leave, too."""
        ticket = Ticket("", (Stand(lane),))
        self._gate.let_in(ticket, lane, self._clock.monotonic())
        return ticket

    def sent(self, ticket: Ticket) -> None:
        """Note that the ticket's request left."""
        self._gate.sent(ticket, self._clock.monotonic())
        if self._changed:
            self._arm()

    def answered(self, ticket: Ticket, tokens: int | None) -> None:
        """Note that the ticket's request was answered, and the tokens that it took."""
        self._gate.answered(ticket, self._clock.monotonic(), tokens)
        if self._changed:
            self._advance()

    def leave(self, ticket: Ticket, *, aborted: bool = False, keep: float = 0.0) -> None:
        """Leave the line or the slot; saying it again changes nothing. See Gate.leave."""
        self._changed.pop(ticket, None)
        self._gate.leave(ticket, self._clock.monotonic(), aborted=aborted, keep=keep)
        self._advance()

    def first(self, ticket: Ticket) -> None:
        """Move a waiting ticket to the front of its lines."""
        self._gate.first(ticket)
        self._advance()

    def pause(self, provider: str | None, seconds: float | None) -> None:
        """Let a provider's lanes (None: all) start nothing; None: until resumed."""
        until = float("inf") if seconds is None else self._clock.monotonic() + seconds
        self._gate.pause(provider, until)
        self._advance()

    def resume(self, provider: str | None) -> None:
        """End a pause."""
        self._gate.resume(provider)
        self._advance()

    def paused_until(self, provider: str | None) -> float:
        """See Gate.paused_until."""
        return self._gate.paused_until(provider)

    def close_lane(
        self, lane: LaneId, seconds: float, why: str, kind: FaultKind = FaultKind.RATE
    ) -> None:
        """Close a lane for so many seconds; `kind` is the fault for which it rests."""
        now = self._clock.monotonic()
        self._gate.close(lane, now + seconds, why, now, kind)
        self._advance()

    def open_lane(self, lane: LaneId) -> None:
        """End a lane's rest before its time."""
        self._gate.open(lane)
        self._advance()

    def withdraw(self, lane: LaneId, why: str, kind: FaultKind) -> None:
        """Let all leave a lane's line: its key was refused."""
        self._gate.withdraw(lane, why, kind, self._clock.monotonic())
        self._advance()

    def began(self, ticket: Ticket) -> None:
        """Note that the ticket's request is being answered."""
        if self._gate.began(ticket) and self._changed:
            self._advance()

    def narrow(self, lane: LaneId) -> None:
        """A 429 without a time."""
        self._gate.narrow(lane, self._clock.monotonic())

    def place(self, ticket: Ticket) -> Place | None:
        """Give where a waiting ticket stands, as it was a moment ago."""
        now = self._clock.monotonic()
        if now - self._placed_at > PLACES_FRESH:
            self._places, self._placed_at = self._gate.places(now), now
        return self._places.get(ticket.id)

    def places(self) -> dict[str, Place]:
        """Give where each waiting ticket (by id) stands now."""
        return self._gate.places(self._clock.monotonic())

    def resting(self) -> frozenset[LaneId]:
        """Give the lanes that are closed now, or just probed."""
        now = self._clock.monotonic()
        return frozenset(
            lane.id for lane in self._gate.lanes() if lane.closed_until > now or lane.is_probed
        )

    def loads(self) -> dict[LaneId, Load]:
        """Give how busy the lanes are."""
        now = self._clock.monotonic()
        return {
            lane.id: Load(len(lane.running) + len(lane.line), lane.concurrency(now))
            for lane in self._gate.lanes()
        }

    def lanes(self) -> list[Lane]:
        """Give all lanes, to look at."""
        return self._gate.lanes()

    def close(self) -> None:
        """Let nobody start any more."""
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None

    def _advance(self) -> None:
        for ticket in self._gate.advance(self._clock.monotonic()):
            if changed := self._changed.pop(ticket, None):
                changed()
        self._arm()

    def _arm(self) -> None:
        """Come again when time alone changes something."""
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        at = self._gate.wake_at(self._clock.monotonic())
        if at is not None:
            self._wake = self._loop.call_at(at, self._advance)
