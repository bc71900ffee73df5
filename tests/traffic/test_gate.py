"""The gate: who starts, where and when; by arithmetic, and in a storm."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from holdgate.core.traffic.gate import Gate
from holdgate.core.traffic.lane import LINGER, LaneId, Limits, Ticket
from tests.traffic.queueing import ONE, THREE, TWO, Queue


def test_arrivals_leave_as_the_minute_allows() -> None:
    queue = Queue({ONE: Limits(rpm=2)})
    arrivals = ((0, "a"), (10, "b"), (20, "c"), (20, "d"), (30, "e"), (31, "f"))
    for moment, id in arrivals:
        queue.until(moment)
        queue.enter(id)
        queue.sent(*queue.order)
    for departure in (60.25, 70.25, 120.5, 130.5):
        queue.until(departure)
        queue.sent(*queue.order)
    assert queue.started == [
        (0, "a", "one"),
        (10, "b", "one"),
        (60.25, "c", "one"),
        (70.25, "d", "one"),
        (120.5, "e", "one"),
        (130.5, "f", "one"),
    ]


def test_slots_go_round_in_the_order_of_arrival() -> None:
    queue = Queue({ONE: Limits(concurrency=2)})
    for id in "abcde":
        queue.enter(id)
    assert queue.order == ["a", "b"]
    assert [queue.gate.position(queue.tickets[id]) for id in "abcde"] == [None, None, 1, 2, 3]
    queue.leave("b")
    assert queue.order == ["a", "b", "c"]
    queue.leave("a", "c")
    assert queue.order == ["a", "b", "c", "d", "e"]
    assert queue.gate.wake_at(queue.now) is None


def test_who_gives_up_in_line_makes_room() -> None:
    queue = Queue({ONE: Limits(concurrency=1)})
    for id in "abcd":
        queue.enter(id)
    queue.leave("b")
    assert [queue.gate.position(queue.tickets[id]) for id in "abcd"] == [None, None, 1, 2]
    queue.leave("a")
    assert queue.order == ["a", "c"]


def test_leaving_twice_changes_nothing() -> None:
    queue = Queue({ONE: Limits(concurrency=1)})
    for id in "abc":
        queue.enter(id)
    queue.leave("a", "a", "a")
    assert queue.order == ["a", "b"]
    queue.leave("a", aborted=True)
    queue.leave("c", "c", "b", "b")
    assert [(view.running, view.waiting) for view in queue.gate.views(queue.now)] == [(0, 0)]


def test_granted_and_gone_in_one_call_hands_over() -> None:
    queue = Queue({ONE: Limits(concurrency=1, rpm=1)})
    for id in "abc":
        queue.enter(id)
    queue.leave("a")
    queue.leave("b")
    assert queue.started == [(0, "a", "one"), (0, "b", "one"), (0, "c", "one")]


def test_a_broken_off_slot_is_free_a_moment_later() -> None:
    queue = Queue({ONE: Limits(concurrency=1)})
    queue.enter("a")
    queue.enter("b")
    queue.sent("a")
    queue.until(5)
    queue.leave("a", aborted=True)
    assert queue.order == ["a"]
    queue.until(6)
    assert queue.started[1:] == [(5 + LINGER, "b", "one")]


def test_what_never_left_is_given_back() -> None:
    queue = Queue({ONE: Limits(concurrency=1, rpm=1)})
    queue.enter("a")
    queue.enter("b")
    queue.until(5)
    queue.leave("a", aborted=True)
    assert queue.started[1:] == [(5, "b", "one")]


def test_an_unsent_request_holds_the_window_open() -> None:
    queue = Queue({ONE: Limits(rpm=1)})
    queue.enter("a")
    queue.enter("b")
    queue.until(300)
    assert queue.order == ["a"]
    queue.sent("a")
    queue.until(400)
    assert queue.started[1:] == [(360.25, "b", "one")]


def test_a_change_of_limits_lets_go() -> None:
    queue = Queue({ONE: Limits(concurrency=1)})
    for id in "abcd":
        queue.enter(id)
    queue.configure({ONE: Limits(concurrency=3)})
    assert queue.order == ["a", "b", "c"]
    queue.configure({ONE: Limits(concurrency=1)})
    queue.leave("a", "b")
    assert queue.order == ["a", "b", "c"]
    queue.leave("c")
    assert queue.order == ["a", "b", "c", "d"]


def test_no_limits_let_everybody_go() -> None:
    queue = Queue({ONE: Limits(concurrency=1, rpm=1)})
    for id in "abcd":
        queue.enter(id)
    queue.configure({ONE: Limits()})
    assert queue.order == ["a", "b", "c", "d"]


def test_of_two_open_lanes_it_takes_the_one_it_likes_best() -> None:
    queue = Queue({ONE: Limits(1), TWO: Limits(1), THREE: Limits(1)})
    queue.enter("a", TWO, ONE)
    queue.enter("b", TWO, THREE, ONE)
    queue.enter("c", TWO, THREE, ONE)
    assert [provider for *_, provider in queue.started] == ["two", "three", "one"]


def test_of_two_closed_lanes_it_takes_the_one_that_opens_first() -> None:
    queue = Queue({ONE: Limits(1), TWO: Limits(1)})
    queue.enter("a", ONE)
    queue.enter("b", TWO)
    queue.enter("c", ONE, TWO)
    assert queue.gate.position(queue.tickets["c"]) == 1
    queue.until(5)
    queue.leave("b")
    assert queue.started[2:] == [(5, "c", "two")]
    queue.leave("a")
    assert [view.waiting for view in queue.gate.views(5)] == [0, 0]


def test_of_two_lanes_that_open_at_once_it_takes_the_one_it_likes_best() -> None:
    queue = Queue({ONE: Limits(rpm=1), TWO: Limits(rpm=1)})
    queue.enter("a", ONE)
    queue.enter("b", TWO)
    queue.sent("a", "b")
    queue.enter("c", TWO, ONE)
    queue.until(100)
    assert queue.started[2:] == [(60.25, "c", "two")]


def test_nobody_overtakes_in_a_lane() -> None:
    queue = Queue({ONE: Limits(1), TWO: Limits(1)})
    queue.enter("a", ONE)
    queue.enter("b", TWO)
    queue.enter("c", ONE, TWO)
    queue.enter("d", TWO)
    queue.leave("b")
    assert queue.order == ["a", "b", "c"]
    queue.leave("c")
    assert queue.order == ["a", "b", "c", "d"]


def test_a_newcomer_waits_behind_those_whose_time_has_just_come() -> None:
    gate = Gate()
    gate.configure({ONE: Limits(rpm=1)})
    first, second, third = (Ticket(id, (ONE,)) for id in "abc")
    assert gate.enter(first, 0)
    gate.sent(first, 0)
    assert not gate.enter(second, 1)
    assert not gate.enter(third, 70)
    assert gate.wake_at(70) == 70
    assert gate.advance(70) == [second]


def test_a_lane_that_nobody_configured_has_no_limits() -> None:
    queue = Queue({})
    for id in "abc":
        queue.enter(id, THREE)
    assert queue.order == ["a", "b", "c"]


def test_a_lane_taken_out_serves_those_who_stand_there() -> None:
    queue = Queue({ONE: Limits(1), TWO: Limits(1)})
    queue.enter("a", ONE)
    queue.enter("b", ONE)
    queue.configure({TWO: Limits(1)})
    assert {view.id for view in queue.gate.views(0)} == {ONE, TWO}
    queue.leave("a")
    queue.leave("b")
    assert queue.order == ["a", "b"]
    queue.configure({TWO: Limits(1)})
    assert {view.id for view in queue.gate.views(0)} == {TWO}


def test_a_late_word_of_a_ticket_that_is_gone_changes_nothing() -> None:
    queue = Queue({ONE: Limits(1, rpm=1)})
    queue.enter("a")
    queue.leave("a")
    queue.sent("a")
    queue.enter("b")
    assert queue.order == ["a", "b"]


def test_what_a_lane_shows() -> None:
    limits = Limits(concurrency=2, rpm=2)
    queue = Queue({ONE: limits})
    for id in "abc":
        queue.enter(id)
    queue.sent("a")
    (view,) = queue.gate.views(1)
    assert (view.id, view.limits, view.running, view.waiting) == (ONE, limits, 2, 1)
    assert (view.used, view.next_at) == (2, 60.25)
    (view,) = queue.gate.views(61)
    assert (view.used, view.next_at) == (1, None)


def test_an_hour_of_a_crowd_at_one_lane() -> None:
    queue = Queue({ONE: Limits(rpm=6)})
    for number in range(360):
        queue.enter(f"{number}")
    sent = 0
    for second in range(1, 3700):
        queue.until(second)
        queue.sent(*queue.order[sent:])
        sent = len(queue.order)
    assert queue.order == [f"{number}" for number in range(360)]


# --- the storm ---

LANES = (ONE, TWO, THREE)
NEAR = 1e-9
LIMITS = st.builds(
    Limits, concurrency=st.integers(0, 3), rpm=st.integers(0, 4), window=st.just(60.0)
)
STEPS = st.one_of(
    st.sampled_from([0.05, LINGER, 0.25, 1.0, 10.0, 59.9, 60.0, 60.25, 60.5, 300.0]),
    st.floats(min_value=0.001, max_value=100),
)


class Vendor:
    """One key at a vendor, as it would count: an account that shares nothing with the gate's."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.most = [limits.rpm]
        self.running: set[Ticket] = set()
        self.unsent: set[Ticket] = set()
        self.sent: list[float] = []
        self.lingering: list[float] = []

    def has_room(self, now: float, *, surely: bool = False) -> bool:
        """Whether one more is allowed; `surely`: not only by a rounding error."""
        slack = -NEAR if surely else NEAR
        lingering = sum(until > now + slack for until in self.lingering)
        recent = sum(moment + 60.25 > now + slack for moment in self.sent) + len(self.unsent)
        concurrency, rpm = self.limits.concurrency, self.limits.rpm
        return (concurrency == 0 or len(self.running) + lingering < concurrency) and (
            rpm == 0 or recent < rpm
        )

    def moments(self) -> Iterable[float]:
        """Give all moments at which it may have more room."""
        return [*self.lingering, *(moment + 60.25 for moment in self.sent)]


class Storm(RuleBasedStateMachine):
    """Arrivals, departures, aborts, cancellations, limits and time in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = Gate()
        self.now = 0.0
        self.vendors: dict[LaneId, Vendor] = {}
        self.waiting: list[Ticket] = []
        self.gone: list[Ticket] = []
        self.count = 0

    @property
    def running(self) -> list[Ticket]:
        tickets = [ticket for vendor in self.vendors.values() for ticket in vendor.running]
        return sorted(tickets, key=lambda ticket: int(ticket.id))

    @initialize(limits=st.tuples(LIMITS, LIMITS, LIMITS))
    def begin(self, limits: tuple[Limits, ...]) -> None:
        self.vendors = {id: Vendor(limit) for id, limit in zip(LANES, limits, strict=True)}
        self.gate.configure({id: vendor.limits for id, vendor in self.vendors.items()})

    @rule(lanes=st.permutations(LANES), most=st.integers(1, 3))
    def enter(self, lanes: list[LaneId], most: int) -> None:
        ticket = Ticket(str(self.count), tuple(lanes[:most]))
        self.count += 1
        self.waiting.append(ticket)
        if self.gate.enter(ticket, self.now):
            self.start(ticket)

    @precondition(lambda self: any(vendor.unsent for vendor in self.vendors.values()))
    @rule(data=st.data())
    def send(self, data: st.DataObject) -> None:
        ticket = data.draw(st.sampled_from([t for t in self.running if t.sent_at is None]))
        vendor = self.vendor(ticket)
        vendor.unsent.remove(ticket)
        vendor.sent.append(self.now)
        self.gate.sent(ticket, self.now)

    @precondition(lambda self: self.running)
    @rule(data=st.data(), aborted=st.booleans())
    def finish(self, data: st.DataObject, aborted: bool) -> None:
        ticket = data.draw(st.sampled_from(self.running))
        vendor = self.vendor(ticket)
        vendor.running.remove(ticket)
        if ticket in vendor.unsent:
            vendor.unsent.remove(ticket)
        elif aborted:
            vendor.lingering.append(self.now + LINGER)
        self.leave(ticket, aborted=aborted)

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def give_up(self, data: st.DataObject) -> None:
        ticket = data.draw(st.sampled_from(self.waiting))
        self.waiting.remove(ticket)
        self.leave(ticket, aborted=False)

    @precondition(lambda self: self.gone)
    @rule(data=st.data(), aborted=st.booleans())
    def say_it_again(self, data: st.DataObject, aborted: bool) -> None:
        ticket = data.draw(st.sampled_from(self.gone))
        self.gate.sent(ticket, self.now)
        self.gate.leave(ticket, self.now, aborted=aborted)
        self.advance()

    @rule(id=st.sampled_from(LANES), limits=LIMITS)
    def change(self, id: LaneId, limits: Limits) -> None:
        self.vendors[id].limits = limits
        self.vendors[id].most.append(limits.rpm)
        self.gate.configure({id: vendor.limits for id, vendor in self.vendors.items()})
        self.advance()

    @rule(seconds=STEPS)
    def wait(self, seconds: float) -> None:
        until = self.now + seconds
        while (at := self.gate.wake_at(self.now)) is not None and at <= until:
            assert at > self.now
            self.now = at
            assert self.advance(), "woken for nothing"
        self.now = until

    @rule(seconds=STEPS, lanes=st.permutations(LANES))
    def wake_late(self, seconds: float, lanes: list[LaneId]) -> None:
        """The loop was busy: somebody arrives before the timer rings."""
        self.now += seconds
        self.enter(lanes, 2)
        self.advance()

    def leave(self, ticket: Ticket, *, aborted: bool) -> None:
        self.gate.leave(ticket, self.now, aborted=aborted)
        self.gone.append(ticket)
        self.advance()

    def advance(self) -> bool:
        started = self.gate.advance(self.now)
        for ticket in started:
            self.start(ticket)
        return bool(started)

    def start(self, ticket: Ticket) -> None:
        """Take note of a start, after looking whether it was right."""
        assert ticket.lane is not None
        assert self.may_start(ticket, ticket.lane), "more than the vendor allows, or overtaking"
        better = ticket.lanes[: ticket.lanes.index(ticket.lane)]
        assert not any(self.may_start(ticket, id, surely=True) for id in better)
        self.waiting.remove(ticket)
        self.vendors[ticket.lane].running.add(ticket)
        self.vendors[ticket.lane].unsent.add(ticket)

    def may_start(self, ticket: Ticket, id: LaneId, *, surely: bool = False) -> bool:
        first = next(waiting for waiting in self.waiting if id in waiting.lanes)
        return first is ticket and self.vendors[id].has_room(self.now, surely=surely)

    def vendor(self, ticket: Ticket) -> Vendor:
        assert ticket.lane is not None
        return self.vendors[ticket.lane]

    def crowded(self) -> list[Vendor]:
        """Give the vendors that somebody waits for."""
        ids = {id for ticket in self.waiting for id in ticket.lanes}
        return [self.vendors[id] for id in LANES if id in ids]

    @invariant()
    def nobody_waits_for_what_is_free(self) -> None:
        assert not any(vendor.has_room(self.now, surely=True) for vendor in self.crowded())

    @invariant()
    def it_asks_to_be_woken_in_time(self) -> None:
        moments = [
            at
            for vendor in self.crowded()
            for at in vendor.moments()
            if at > self.now and vendor.has_room(at)
        ]
        assert self.gate.wake_at(self.now) == (
            pytest.approx(min(moments), abs=1e-6) if moments else None
        )

    @invariant()
    def a_ticket_is_in_one_state(self) -> None:
        assert all(ticket.state == "waiting" for ticket in self.waiting)
        assert all(ticket.state == "running" for ticket in self.running)
        assert all(ticket.state == "gone" for ticket in self.gone)
        assert self.count == len(self.waiting) + len(self.running) + len(self.gone)
        for view in self.gate.views(self.now):
            assert view.running == len(self.vendors[view.id].running)
            assert view.waiting == sum(view.id in ticket.lanes for ticket in self.waiting)
        for ticket in self.waiting:
            ahead = [
                sum(id in other.lanes for other in self.waiting[: self.waiting.index(ticket)])
                for id in ticket.lanes
            ]
            assert self.gate.position(ticket) == min(ahead) + 1

    @invariant()
    def no_window_holds_too_many(self) -> None:
        """The margin is for requests that travel at different speed: up to it late or early."""
        for vendor in self.vendors.values():
            most = max(vendor.most)
            if 0 not in vendor.most:
                for first, last in zip(vendor.sent, vendor.sent[most:], strict=False):
                    assert last - first >= 60.25 - NEAR

    def teardown(self) -> None:
        for ticket in [*self.waiting, *self.running]:
            self.gate.leave(ticket, self.now)
        assert self.gate.advance(self.now) == []
        assert self.gate.wake_at(self.now) is None
        for view in self.gate.views(self.now + 61):
            assert (view.running, view.waiting, view.used, view.next_at) == (0, 0, 0, None)


Storm.TestCase.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)
TestStorm = Storm.TestCase
