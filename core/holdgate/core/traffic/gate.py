"""The gate: the one decision which waiting ticket starts, where and when.

Theory. A ticket stands in the lines of all lanes that may serve it and consumes nothing there. It
starts in the first lane that has a free slot and room in its window when its turn has come; then it
leaves the other lines. It leaves a line unserved by that lane's own limits, and is turned away when
it stands in none. Every call says what time it is; nothing here sleeps, and who calls must ask
`wake_at` when to come again.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping

from holdgate.core.traffic.kept import KeptPlaces
from holdgate.core.traffic.lane import RETRY_MOST, Lane, Limits
from holdgate.core.traffic.pauses import Pauses
from holdgate.core.traffic.places import Place, places_in
from holdgate.core.traffic.ticket import LaneId, Refusal, Ticket
from holdgate.core.values.errors import FaultKind
from holdgate.core.values.kinds import format_duration


class Gate:
    """All lanes and the tickets in them."""

    def __init__(self) -> None:
        """Start without lanes."""
        self._lanes: dict[LaneId, Lane] = {}
        # What time brings: (when, number, what, ticket, lane); what is useless by then is skipped.
        self._agenda: list[tuple[float, int, str, Ticket, LaneId]] = []
        self._kept = KeptPlaces()
        self._pauses = Pauses()
        self._number = 0

    def configure(self, limits: Mapping[LaneId, Limits]) -> None:
        """Set the limits of all lanes; a lane that is gone stays while tickets are in it."""
        for id, limit in limits.items():
            self._lane(id).limits = limit
        for id in self._lanes.keys() - limits.keys():
            if self._lanes[id].is_unused:
                del self._lanes[id]

    def enter(self, ticket: Ticket, now: float, *, front: bool = False) -> None:
        """Start a ticket if it may go at once; else let it stand in line, or turn it away.

        Its `state` says which: running, waiting or turned. `front`: it was served already, in vain.
        """
        if not front:
            self._number += 1
            ticket.since, ticket.rank = now, (now, self._number)
        if self._starts_at_once(ticket, now):
            return
        ticket.refusals = []
        old = self._kept.claim(ticket) if self._kept and not front else None
        if old is not None:
            ticket.rank = old.rank
        ticket.state = "waiting"
        for stand in ticket.stands:
            if stand.after == 0:
                self._join(ticket, self._lane(stand.lane), now, front=front)
            else:
                ticket.to_come[stand.lane] = now + stand.after
                self._plan(now + stand.after, "join", ticket, stand.lane)
        if old is not None:
            self._drop(old)
        self._start_head(ticket, now)
        if ticket.state == "waiting" and ticket.stands_nowhere:
            ticket.state = "turned"

    def _starts_at_once(self, ticket: Ticket, now: float) -> bool:
        """Start a ticket in a lane that is open and where nobody stands: the usual case."""
        if self._kept:
            return False
        for stand in ticket.stands:
            lane = self._lane(stand.lane)
            if stand.after == 0 and lane.is_free(now, ticket.tokens):
                lane.grant(ticket, now)
                return True
        return False

    def let_in(self, ticket: Ticket, id: LaneId, now: float) -> None:
        """Start a ticket in a lane whatever its limits: a person asked for just that."""
        self._lane(id).grant(ticket, now)

    def advance(self, now: float) -> list[Ticket]:
        """Do what time has brought; give the tickets that run now, and those turned away."""
        changed = self._do_due(now)
        while started := self._start_next(now):
            changed.append(started)
        return changed

    def sent(self, ticket: Ticket, now: float) -> None:
        """Note that a running ticket's request left for the vendor."""
        if ticket.state == "running" and ticket.lane is not None:
            self._lanes[ticket.lane].sent(ticket, now)

    def leave(
        self, ticket: Ticket, now: float, *, aborted: bool = False, keep: float = 0.0
    ) -> None:
        """Take a ticket out, wherever it is. Saying it again changes nothing.

        `aborted`: its connection was closed before the vendor had answered to the end. `keep`: for
        so many seconds the place of one that waited, or was turned away, is kept.
        """
        if ticket.state == "running" and ticket.lane is not None:
            self._lanes[ticket.lane].release(ticket, now, aborted=aborted)
            ticket.state = "gone"
        elif ticket.state in ("waiting", "turned") and keep > 0:
            self._make_absent(ticket, now + keep)
        elif ticket.state == "waiting":
            self._leave_lines(ticket)
            ticket.state = "gone"

    def first(self, ticket: Ticket) -> None:
        """Move a waiting ticket to the front of its lines."""
        for id in ticket.standing:
            self._lanes[id].line.to_front(ticket)

    def pause(self, provider: str | None, until: float) -> None:
        """Let a provider's lanes (None: all) start nothing until then; inf: until resumed."""
        self._pauses.begin(provider, until)
        self._apply_pauses()

    def resume(self, provider: str | None) -> None:
        """End a pause; None ends all of them."""
        self._pauses.end(provider)
        self._apply_pauses()

    def paused_until(self, provider: str | None) -> float:
        """Give until when a pause of just this provider (None: of all) lasts; 0: there is none."""
        return self._pauses.just_of(provider)

    def close(
        self, id: LaneId, until: float, why: str, now: float, kind: FaultKind = FaultKind.QUEUE
    ) -> None:
        """Close a lane while its key rests; who cannot go in time by then leaves its line."""
        lane = self._lane(id)
        lane.close(until, why, kind)
        for ticket in list(lane.line.order()):
            if self._leave_if_hopeless(ticket, lane, now):
                self._plan(now, "leave", ticket, id)

    def open(self, id: LaneId) -> None:
        """End a lane's rest before its time."""
        self._lane(id).open()

    def withdraw(self, id: LaneId, why: str, kind: FaultKind, now: float) -> None:
        """Let all leave a lane's line: its key was refused."""
        lane = self._lane(id)
        for ticket in list(lane.line.order()):
            _step_out(ticket, lane)
            ticket.refusals.append(Refusal(id, why, RETRY_MOST, kind))
            self._plan(now, "leave", ticket, id)

    def narrow(self, id: LaneId, now: float) -> None:
        """A 429 without a time: fewer at once, where the person named no number."""
        self._lane(id).narrow(now)

    def began(self, ticket: Ticket) -> bool:
        """Note that a running ticket's request is being answered; say whether it was a probe."""
        lane = self._lanes.get(ticket.lane) if ticket.lane is not None else None
        return lane is not None and lane.began(ticket)

    def answered(self, ticket: Ticket, now: float, tokens: int | None) -> None:
        """Note that a running ticket's request was answered, and the tokens that it took."""
        if ticket.lane is not None and ticket.lane in self._lanes:
            self._lanes[ticket.lane].answered(ticket, now, tokens)

    def wake_at(self, now: float) -> float | None:
        """Give the next moment at which time alone changes something; None if there is none."""
        moments = [self._next_point()]
        for lane in self._lanes.values():
            head = lane.line.head()
            if head is not None and (opens := lane.opens_at(now, head.tokens)) is not None:
                moments.append(opens)
        return None if (at := min(moments)) == math.inf else at

    def lanes(self) -> list[Lane]:
        """Give all lanes, to look at."""
        return list(self._lanes.values())

    def places(self, now: float) -> dict[str, Place]:
        """Give where each waiting ticket (by id) stands best."""
        return places_in(self._lanes.values(), now)

    def _join(self, ticket: Ticket, lane: Lane, now: float, *, front: bool = False) -> None:
        """Stand in a lane's line, unless that lane's limits forbid it."""
        most = lane.limits.length
        if most and not front and len(lane.line) >= most:
            why = f"{most} requests wait for it already, its queue_length"
            ticket.refusals.append(lane.refusal(now, why))
            return
        if front:
            lane.line.put_first(ticket)
        else:
            lane.line.add(ticket)
        ticket.standing.append(lane.id)
        if self._leave_if_hopeless(ticket, lane, now):
            return
        if wait := self._wait_of(ticket, lane):
            self._plan(ticket.since + wait, "leave", ticket, lane.id)

    def _leave_if_hopeless(self, ticket: Ticket, lane: Lane, now: float) -> bool:
        """Leave a line in which the ticket cannot start in time: better told now than later."""
        wait = self._wait_of(ticket, lane)
        deadline = ticket.since + wait
        if (rest := lane.long_rest(now)) is not None:
            _step_out(ticket, lane)
            ticket.refusals.append(rest)
            return True
        if not wait or lane.earliest(now, len(lane.line) - 1) <= deadline:
            return False
        ahead = next((n for n, t in enumerate(lane.line.order()) if t is ticket), 0)
        earliest = lane.earliest(now, ahead)
        if earliest <= deadline:
            return False
        _step_out(ticket, lane)
        soon = format_duration(math.ceil(earliest - now))
        why = f"its next place is {soon} away, {lane.limit_words(now)}; "
        ticket.refusals.append(
            lane.refusal(now, why + f"{format_duration(wait)} is the longest wait")
        )
        return True

    @staticmethod
    def _wait_of(ticket: Ticket, lane: Lane) -> float:
        return lane.limits.wait if ticket.wait is None else ticket.wait

    def _do_due(self, now: float) -> list[Ticket]:
        """Do what is due; give the tickets that were turned away by it."""
        turned: list[Ticket] = []
        while self._next_point() <= now:
            _, _, what, ticket, id = heapq.heappop(self._agenda)
            if what == "expire":
                self._drop(ticket)
            elif what == "join":
                del ticket.to_come[id]
                self._join(ticket, self._lane(id), now)
            elif id in ticket.standing:
                self._give_up(ticket, self._lanes[id], now)
            if ticket.state == "waiting" and ticket.stands_nowhere:
                ticket.state = "turned"
                turned.append(ticket)
        return turned

    def _give_up(self, ticket: Ticket, lane: Lane, now: float) -> None:
        """The longest wait in a lane's line is over, unless it was made longer meanwhile."""
        wait = self._wait_of(ticket, lane)
        if wait == 0 or ticket.since + wait > now:
            if wait:
                self._plan(ticket.since + wait, "leave", ticket, lane.id)
            return
        why = f"waited {format_duration(wait)} for a place, {lane.limit_words(now)}"
        _step_out(ticket, lane)
        ticket.refusals.append(lane.refusal(now, why))

    def _start_next(self, now: float) -> Ticket | None:
        """Start one ticket that may start, in the lane that it likes best of those open to it."""
        for lane in self._lanes.values():
            head = lane.line.head()
            if head is not None and lane.opens_at(now, head.tokens) == now:
                self._start(head, self._best_lane(head, now) or lane, now)
                return head
        return None

    def _start_head(self, ticket: Ticket, now: float) -> None:
        """Start a ticket that has just come, if it is its turn somewhere."""
        if (lane := self._best_lane(ticket, now)) is not None:
            self._start(ticket, lane, now)

    def _best_lane(self, ticket: Ticket, now: float) -> Lane | None:
        for stand in ticket.stands:
            if stand.lane in ticket.standing:
                lane = self._lanes[stand.lane]
                if lane.line.head() is ticket and lane.opens_at(now, ticket.tokens) == now:
                    return lane
        return None

    def _start(self, ticket: Ticket, lane: Lane, now: float) -> None:
        lane.line.take(ticket)
        ticket.standing.remove(lane.id)
        self._leave_lines(ticket)
        lane.grant(ticket, now)

    def _leave_lines(self, ticket: Ticket) -> None:
        for id in ticket.standing:
            self._lanes[id].line.remove(ticket)
        ticket.standing, ticket.to_come = [], {}

    def _make_absent(self, ticket: Ticket, until: float) -> None:
        """Keep a place: the ticket stays in its lines, is passed over and counts in no limit."""
        ticket.state, ticket.present, ticket.to_come = "absent", False, {}
        for id in ticket.standing:
            self._lanes[id].line.miss(ticket)
        for stand in () if ticket.standing else ticket.stands:
            self._lane(stand.lane).line.add(ticket)
            ticket.standing.append(stand.lane)
        self._kept.keep(ticket)
        self._plan(until, "expire", ticket, ("", ""))

    def _drop(self, ticket: Ticket) -> None:
        """End a kept place."""
        self._kept.forget(ticket)
        self._leave_lines(ticket)
        ticket.state = "gone"

    def _plan(self, at: float, what: str, ticket: Ticket, lane: LaneId) -> None:
        self._number += 1
        heapq.heappush(self._agenda, (at, self._number, what, ticket, lane))

    def _next_point(self) -> float:
        """Give the next moment of the agenda, inf if it is empty; what is useless is dropped."""
        while self._agenda and not _matters(*self._agenda[0]):
            heapq.heappop(self._agenda)
        return self._agenda[0][0] if self._agenda else math.inf

    def _apply_pauses(self) -> None:
        for lane in self._lanes.values():
            lane.paused_until = self._pauses.until(lane.id[0])

    def _lane(self, id: LaneId) -> Lane:
        lane = self._lanes.get(id)
        if lane is None:
            lane = self._lanes[id] = Lane(id, Limits())
            lane.paused_until = self._pauses.until(id[0])
        return lane


def _step_out(ticket: Ticket, lane: Lane) -> None:
    """Leave one lane's line, unserved."""
    lane.line.remove(ticket)
    ticket.standing.remove(lane.id)


def _matters(at: float, _: int, what: str, ticket: Ticket, id: LaneId) -> bool:
    """Whether a point of the agenda still says something about its ticket."""
    if what == "expire" or ticket.state != "waiting":
        return what == "expire" and ticket.state == "absent"
    if what == "join":
        return ticket.to_come.get(id) == at
    return id in ticket.standing or ticket.stands_nowhere
