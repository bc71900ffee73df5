"""A gate driven as the scheduler drives it, but over numbers instead of a clock."""

from __future__ import annotations

from collections.abc import Mapping

from holdgate.core.traffic.gate import Gate
from holdgate.core.traffic.lane import LaneId, Limits, Ticket

ONE: LaneId = ("one", "default")
TWO: LaneId = ("two", "default")
THREE: LaneId = ("three", "default")


class Queue:
    """Tells when each ticket started: `started` holds (moment, ticket's id, provider)."""

    def __init__(self, limits: Mapping[LaneId, Limits], now: float = 0.0) -> None:
        self.gate = Gate()
        self.now = now
        self.started: list[tuple[float, str, str]] = []
        self.tickets: dict[str, Ticket] = {}
        self.configure(limits)

    def configure(self, limits: Mapping[LaneId, Limits]) -> None:
        self.gate.configure(limits)
        self._advance()

    def enter(self, id: str, *lanes: LaneId) -> Ticket:
        ticket = self.tickets[id] = Ticket(id, lanes or (ONE,))
        if self.gate.enter(ticket, self.now):
            self._note(ticket)
        return ticket

    def sent(self, *ids: str) -> None:
        for id in ids:
            self.gate.sent(self.tickets[id], self.now)

    def leave(self, *ids: str, aborted: bool = False) -> None:
        for id in ids:
            self.gate.leave(self.tickets[id], self.now, aborted=aborted)
            self._advance()

    def until(self, moment: float) -> None:
        """Let time pass, and come again whenever the gate asked for it."""
        while (at := self.gate.wake_at(self.now)) is not None and at <= moment:
            assert at >= self.now
            self.now = at
            assert self._advance(), f"woken for nothing at {at}"
        self.now = moment

    @property
    def order(self) -> list[str]:
        return [id for _, id, _ in self.started]

    def _advance(self) -> bool:
        started = self.gate.advance(self.now)
        for ticket in started:
            self._note(ticket)
        return bool(started)

    def _note(self, ticket: Ticket) -> None:
        assert ticket.state == "running"
        assert ticket.lane is not None
        self.started.append((self.now, ticket.id, ticket.lane[0]))
