"""Sharing: lanes of one route at a real gate, and who gets how much of the work."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.traffic.lane import Limits
from holdgate.core.traffic.standing import Load, Loads, in_turn, stands_of
from holdgate.core.traffic.ticket import LaneId, Ticket
from holdgate.core.traffic.turns import Turns
from holdgate.core.values.inbound import Candidate
from tests.traffic.queueing import ONE, THREE, TWO, Queue

HOME: LaneId = ("one", "home")
WORK: LaneId = ("one", "work")


class Road:
    """A route whose requests enter a gate as the exchange lets them in."""

    def __init__(self, order: str, limits: dict[LaneId, Limits]) -> None:
        self.order = order
        self.queue = Queue(limits)
        self.turns = Turns()
        self.candidates = tuple(Candidate(*lane, "m", "m", "chat") for lane in limits)
        self.resting: frozenset[LaneId] = frozenset()
        self.count = 0

    def enter(self) -> Ticket:
        self.count += 1
        stands = stands_of(
            in_turn(self.candidates, self.turns.next("road") if self.order == "rotate" else 0),
            self.order,
            resting=self.resting,
            loads=self.loads(),
        )
        return self.queue.enter(str(self.count), *stands)

    def loads(self) -> Loads:
        return {
            lane.id: Load(len(lane.running) + len(lane.line), lane.concurrency(self.queue.now))
            for lane in self.queue.gate.lanes()
        }

    def rest(self, lane: LaneId) -> None:
        self.queue.close(lane, self.queue.now + 100.0)
        self.resting |= {lane}

    def shares(self) -> dict[LaneId, int]:
        return {lane.id: len(lane.running) for lane in self.queue.gate.lanes()}


@pytest.mark.parametrize("order", ["given", "rotate", "least-busy"])
def test_two_keys_share_a_hundred_requests(order: str) -> None:
    road = Road(order, {HOME: Limits(), WORK: Limits()})
    for number in range(1, 101):
        assert road.enter().state == "running"
        shares = road.shares()
        assert abs(shares[HOME] - shares[WORK]) <= 1, number
    assert road.shares() == {HOME: 50, WORK: 50}


@given(st.lists(st.none() | st.integers(0, 1000), max_size=60))
def test_a_request_goes_to_the_key_with_fewer_whatever_ended_when(steps: list[int | None]) -> None:
    road = Road("given", {HOME: Limits(), WORK: Limits()})
    running: list[Ticket] = []
    for step in steps:
        if step is None or not running:
            before = road.shares()
            running.append(ticket := road.enter())
            assert ticket.lane is not None
            assert before[ticket.lane] == min(before.values())
        else:
            road.queue.leave(running.pop(step % len(running)).id)


def test_a_key_that_is_full_leaves_the_rest_to_its_mate() -> None:
    road = Road("given", {HOME: Limits(concurrency=2), WORK: Limits()})
    assert {road.enter().state for _ in range(10)} == {"running"}
    assert road.shares() == {HOME: 2, WORK: 8}


def test_a_later_candidate_gets_nothing_while_the_first_has_room() -> None:
    road = Road("given", {HOME: Limits(), WORK: Limits(), TWO: Limits()})
    for _ in range(20):
        road.enter()
    assert road.shares() == {HOME: 10, WORK: 10, TWO: 0}


def test_those_who_rotate_share_alike() -> None:
    road = Road("rotate", {ONE: Limits(), TWO: Limits(), THREE: Limits()})
    assert [road.enter().lane for _ in range(6)] == [ONE, TWO, THREE] * 2


def test_in_rotation_a_full_one_gives_way_at_once() -> None:
    road = Road("rotate", {ONE: Limits(concurrency=1), TWO: Limits(), THREE: Limits()})
    tickets = [road.enter() for _ in range(9)]
    assert [ticket.lane for ticket in tickets] == [ONE, TWO, THREE] + [TWO, TWO, THREE] * 2
    assert {moment for moment, *_ in road.queue.started} == {0.0}
    road.queue.leave(tickets[0].id)
    assert road.enter().lane == ONE


def test_in_rotation_a_resting_one_gives_way_at_once() -> None:
    road = Road("rotate", {ONE: Limits(), TWO: Limits(), THREE: Limits()})
    road.rest(TWO)
    assert Counter(road.enter().lane for _ in range(9)) == {ONE: 3, THREE: 6}


def test_the_least_busy_are_filled_according_to_their_slots() -> None:
    limits = {ONE: Limits(concurrency=2), TWO: Limits(concurrency=8), THREE: Limits(concurrency=4)}
    road = Road("least-busy", limits)
    for _ in range(7):
        road.enter()
    assert road.shares() == {ONE: 1, TWO: 4, THREE: 2}
    assert {road.enter().state for _ in range(7)} == {"running"}
    assert road.shares() == {ONE: 2, TWO: 8, THREE: 4}
    assert road.enter().state == "waiting"


def test_when_all_rest_a_request_waits_in_all_lanes() -> None:
    road = Road("least-busy", {ONE: Limits(), TWO: Limits()})
    road.rest(ONE)
    road.rest(TWO)
    ticket = road.enter()
    assert (ticket.state, ticket.standing) == ("waiting", [ONE, TWO])
    assert road.loads()[ONE] == Load(1, 0)
