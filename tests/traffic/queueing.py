"""A gate driven as the scheduler drives it, but over numbers instead of a clock."""

from __future__ import annotations

from collections.abc import Mapping

from holdgate.core.traffic.gate import Gate
from holdgate.core.traffic.lane import Lane, Limits
from holdgate.core.traffic.ticket import LaneId, Stand, Ticket

ONE: LaneId = ("one", "default")
TWO: LaneId = ("two", "default")
THREE: LaneId = ("three", "default")


def ticket_of(
    id: str,
    *stands: LaneId | Stand,
    caller: str = "",
    conversation: str = "",
    body: str = "",
    background: bool = False,
    tokens: int = 0,
    wait: float | None = None,
) -> Ticket:
    """Give a ticket; without stands it is for lane ONE."""
    return Ticket(
        id,
        tuple(s if isinstance(s, Stand) else Stand(s) for s in stands or (ONE,)),
        caller,
        conversation or id,
        (lambda: body) if body else None,
        background,
        tokens,
        wait,
    )


class Queue:
    """Tells when each ticket started: `started` holds (moment, ticket's id, provider)."""

    def __init__(self, limits: Mapping[LaneId, Limits], now: float = 0.0) -> None:
        self.gate = Gate()
        self.now = now
        self.started: list[tuple[float, str, str]] = []
        self.turned: list[tuple[float, str]] = []
        self.tickets: dict[str, Ticket] = {}
        self.configure(limits)

    def configure(self, limits: Mapping[LaneId, Limits]) -> None:
        self.gate.configure(limits)
        self.advance()

    def enter(
        self,
        id: str,
        *stands: LaneId | Stand,
        caller: str = "",
        conversation: str = "",
        body: str = "",
        background: bool = False,
        tokens: int = 0,
        wait: float | None = None,
    ) -> Ticket:
        ticket = ticket_of(
            id,
            *stands,
            caller=caller,
            conversation=conversation,
            body=body,
            background=background,
            tokens=tokens,
            wait=wait,
        )
        self.tickets[id] = ticket
        self._enter(ticket, front=False)
        return ticket

    def again(self, id: str) -> None:
        """Let a ticket that was served in vain stand at the front."""
        self._enter(self.tickets[id], front=True)

    def sent(self, *ids: str) -> None:
        for id in ids:
            self.gate.sent(self.tickets[id], self.now)

    def answered(self, id: str, tokens: int | None = None) -> None:
        self.gate.answered(self.tickets[id], self.now, tokens)
        self.advance()

    def leave(self, *ids: str, aborted: bool = False, keep: float = 0.0) -> None:
        for id in ids:
            self.gate.leave(self.tickets[id], self.now, aborted=aborted, keep=keep)
            self.advance()

    def close(self, id: LaneId, until: float, why: str = "it is resting") -> None:
        self.gate.close(id, until, why, self.now)
        self.advance()

    def until(self, moment: float) -> None:
        """Let time pass, and come again whenever the gate asked for it."""
        while (at := self.gate.wake_at(self.now)) is not None and at <= moment:
            assert at >= self.now
            self.now = at
            self.advance()
            after = self.gate.wake_at(self.now)
            assert after is None or after > at, f"woken for nothing at {at}"
        self.now = moment

    def advance(self) -> None:
        for ticket in self.gate.advance(self.now):
            self._note(ticket)

    def lane(self, id: LaneId = ONE) -> Lane:
        return next(lane for lane in self.gate.lanes() if lane.id == id)

    def positions(self, ids: str) -> list[int | None]:
        places = self.gate.places(self.now)
        return [places[id].position if id in places else None for id in ids]

    def reasons(self, id: str) -> list[str]:
        return [refusal.why for refusal in self.tickets[id].refusals]

    @property
    def order(self) -> list[str]:
        return [id for _, id, _ in self.started]

    def _enter(self, ticket: Ticket, *, front: bool) -> None:
        self.gate.enter(ticket, self.now, front=front)
        if ticket.state != "waiting":
            self._note(ticket)

    def _note(self, ticket: Ticket) -> None:
        if ticket.state == "turned":
            assert ticket.refusals
            self.turned.append((self.now, ticket.id))
            return
        assert ticket.state == "running"
        assert ticket.lane is not None
        self.started.append((self.now, ticket.id, ticket.lane[0]))
