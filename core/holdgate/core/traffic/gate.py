"""The gate: the one decision which waiting ticket starts, and where.

Theory. A ticket stands in the lines of all lanes that may serve it and consumes nothing there. It
starts in the first lane that has both a free slot and room in its window; then it leaves the other
lines. In each lane the order is that of arrival: a later ticket never starts in a lane while an
earlier one that stands there too still waits. Every call says what time it is; nothing here sleeps,
and who calls must ask `wake_at` when to come again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from holdgate.core.traffic.lane import Lane, LaneId, Limits, Ticket


@dataclass(frozen=True, slots=True)
class LaneView:
    """What a lane shows: numbers, and the moment at which its window has room (None: it has)."""

    id: LaneId
    limits: Limits
    running: int
    waiting: int
    used: int
    next_at: float | None


class Gate:
    """All lanes and the tickets in them."""

    def __init__(self) -> None:
        """Start without lanes."""
        self._lanes: dict[LaneId, Lane] = {}
        self._waiting = 0

    def configure(self, limits: Mapping[LaneId, Limits]) -> None:
        """Set the limits of all lanes; a lane that is gone stays while tickets are in it."""
        for id, limit in limits.items():
            if lane := self._lanes.get(id):
                lane.limits = limit
            else:
                self._lanes[id] = Lane(id, limit)
        for id in self._lanes.keys() - limits.keys():
            if not self._lanes[id].running and not self._lanes[id].line:
                del self._lanes[id]

    def enter(self, ticket: Ticket, now: float) -> bool:
        """Start a ticket if it may go at once; else put it at the end of its lanes' lines.

        True says that it runs. Lanes that are not known have no limits.
        """
        ticket.since = now
        lanes = [self._lane(id) for id in ticket.lanes]
        for lane in lanes:
            if not lane.line and lane.opens_at(now) == now:
                ticket.state, ticket.lane = "running", lane.id
                lane.grant(ticket, now)
                return True
        ticket.state = "waiting"
        for lane in lanes:
            lane.line[ticket] = None
        self._waiting += 1
        return False

    def advance(self, now: float) -> list[Ticket]:
        """Start all tickets that may start now; their `lane` says where."""
        started: list[Ticket] = []
        if not self._waiting:
            return started
        busy = [lane for lane in self._lanes.values() if lane.line]
        while busy:
            open_ = [lane for lane in busy if lane.line and lane.opens_at(now) == now]
            if not open_:
                break
            ticket = next(iter(open_[0].line))
            self._start(ticket, self._preferred(ticket, open_), now)
            started.append(ticket)
        return started

    def sent(self, ticket: Ticket, now: float) -> None:
        """Note that a running ticket's request left for the vendor."""
        if ticket.state == "running" and ticket.lane is not None:
            self._lanes[ticket.lane].sent(ticket, now)

    def leave(self, ticket: Ticket, now: float, *, aborted: bool = False) -> None:
        """Take a ticket out, wherever it is. Saying it again changes nothing.

        `aborted`: its connection was closed before the vendor had answered to the end.
        """
        if ticket.state == "waiting":
            self._leave_lines(ticket)
        elif ticket.state == "running" and ticket.lane is not None:
            self._lanes[ticket.lane].release(ticket, now, aborted=aborted)
        ticket.state = "gone"

    def wake_at(self, now: float) -> float | None:
        """Give the next moment at which time alone lets somebody start; None if there is none."""
        moments = [lane.opens_at(now) for lane in self._lanes.values() if lane.line]
        return min((at for at in moments if at is not None), default=None)

    def position(self, ticket: Ticket) -> int | None:
        """Give a waiting ticket's best place in its lines, counted from 1."""
        if ticket.state != "waiting":
            return None
        return min(list(self._lanes[id].line).index(ticket) + 1 for id in ticket.lanes)

    def views(self, now: float) -> list[LaneView]:
        """Give what each lane shows."""
        return [
            LaneView(
                lane.id,
                lane.limits,
                len(lane.running),
                len(lane.line),
                lane.used(now),
                lane.next_at(now),
            )
            for lane in self._lanes.values()
        ]

    def _preferred(self, ticket: Ticket, open_: list[Lane]) -> Lane:
        """Of the open lanes whose turn it is, give the one that the ticket likes best."""
        mine = {lane.id: lane for lane in open_ if next(iter(lane.line)) is ticket}
        return next(mine[id] for id in ticket.lanes if id in mine)

    def _start(self, ticket: Ticket, lane: Lane, now: float) -> None:
        self._leave_lines(ticket)
        ticket.state, ticket.lane = "running", lane.id
        lane.grant(ticket, now)

    def _lane(self, id: LaneId) -> Lane:
        lane = self._lanes.get(id)
        if lane is None:
            lane = self._lanes[id] = Lane(id, Limits())
        return lane

    def _leave_lines(self, ticket: Ticket) -> None:
        self._waiting -= 1
        for id in ticket.lanes:
            self._lanes[id].line.pop(ticket, None)
