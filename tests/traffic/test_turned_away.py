"""Turned away: when a ticket stands nowhere any more, why, and what it is told."""

from __future__ import annotations

import pytest

from holdgate.core.traffic.lane import RETRY_MOST, Limits
from holdgate.core.traffic.standing import HOME_ALONE, LATER
from holdgate.core.traffic.ticket import Stand
from tests.traffic.queueing import ONE, THREE, TWO, Queue


def retry(queue: Queue, id: str) -> float:
    return min(refusal.retry_after for refusal in queue.tickets[id].refusals)


def test_a_full_line_takes_nobody_in() -> None:
    queue = Queue({ONE: Limits(concurrency=1, length=2)})
    for id in "abcd":
        queue.enter(id)
    assert queue.turned == [(0, "d")]
    assert queue.reasons("d") == ["2 requests wait for it already, its queue_length"]
    queue.leave("a")
    queue.enter("e")
    assert queue.tickets["e"].state == "waiting"


def test_the_longest_wait_is_over() -> None:
    queue = Queue({ONE: Limits(concurrency=4, wait=120)})
    for id in "abcde":
        queue.enter(id)
    assert queue.gate.wake_at(0) == 120
    queue.until(120)
    assert queue.turned == [(120, "e")]
    assert queue.reasons("e") == ["waited 2m for a place, 4 requests at once is its limit"]
    assert queue.gate.wake_at(120) is None


@pytest.mark.parametrize(("own", "lanes", "moment"), [(30, 120, 30), (None, 120, 120), (50, 0, 50)])
def test_its_own_longest_wait_comes_before_the_lanes(
    own: float | None, lanes: float, moment: float
) -> None:
    queue = Queue({ONE: Limits(concurrency=1, wait=lanes)})
    queue.enter("a")
    queue.enter("b", wait=own)
    queue.until(1000)
    assert queue.turned == [(moment, "b")]


@pytest.mark.parametrize(("own", "lanes"), [(0, 120), (None, 0)])
def test_a_wait_of_0_has_no_end(own: float | None, lanes: float) -> None:
    queue = Queue({ONE: Limits(concurrency=1, wait=lanes)})
    queue.enter("a")
    queue.enter("b", wait=own)
    queue.until(100_000)
    assert queue.tickets["b"].state == "waiting"


def test_who_cannot_start_in_time_is_told_at_once() -> None:
    queue = Queue({ONE: Limits(rpm=2, wait=70)})
    for id in "abcde":
        queue.enter(id)
        queue.sent(*queue.order)
    assert queue.turned == [(0, "e")]
    (reason,) = queue.reasons("e")
    assert reason == (
        "its next place is 2m1s away, 2 requests in 1m is its limit; 1m10s is the longest wait"
    )
    assert retry(queue, "e") == RETRY_MOST


def test_the_retry_is_when_it_could_go() -> None:
    queue = Queue({ONE: Limits(rpm=1, wait=10)})
    queue.enter("a")
    queue.sent("a")
    queue.until(20)
    queue.enter("b")
    assert queue.turned == [(20, "b")]
    assert retry(queue, "b") == 40.25


def test_the_retry_is_a_second_at_least() -> None:
    queue = Queue({ONE: Limits(concurrency=1, length=1)})
    for id in "abc":
        queue.enter(id)
    assert retry(queue, "c") == 1


def test_a_closed_lane_turns_away_who_cannot_wait_so_long() -> None:
    queue = Queue({ONE: Limits(concurrency=1, wait=30)})
    for id in "abc":
        queue.enter(id)
    queue.until(5)
    queue.close(ONE, 40, "the vendor said 35s")
    assert queue.turned == [(5, "b"), (5, "c")]
    assert queue.reasons("b") == [
        "its next place is 35s away, it rests: the vendor said 35s; 30s is the longest wait"
    ]
    queue.enter("d", wait=40)
    assert queue.tickets["d"].state == "waiting"


def test_a_closed_lane_says_so_to_the_gates_timer() -> None:
    queue = Queue({ONE: Limits(concurrency=1, wait=30)})
    queue.enter("a")
    queue.enter("b")
    queue.gate.close(ONE, 40, "it rests", 5)
    assert queue.gate.wake_at(5) == 5
    assert [ticket.id for ticket in queue.gate.advance(5)] == ["b"]
    assert queue.tickets["b"].state == "turned"


def test_it_leaves_one_line_and_waits_in_the_other() -> None:
    queue = Queue({ONE: Limits(1, wait=10), TWO: Limits(1, wait=30)})
    queue.enter("a", ONE)
    queue.enter("b", TWO)
    queue.enter("c", ONE, TWO)
    queue.until(10)
    assert queue.turned == []
    queue.leave("a")
    assert queue.tickets["c"].state == "waiting"
    queue.leave("b")
    assert queue.started[2:] == [(10, "c", "two")]


def test_the_last_lanes_reason_and_the_smallest_retry() -> None:
    limits = {
        ONE: Limits(rpm=1, wait=20),
        TWO: Limits(concurrency=3, length=1),
        THREE: Limits(concurrency=2, wait=25),
    }
    queue = Queue(limits)
    queue.enter("a", ONE)
    queue.sent("a")
    for id in "bcde":
        queue.enter(id, TWO)
    for id in "fg":
        queue.enter(id, THREE)
    queue.until(5)
    queue.enter("x", ONE, TWO, THREE)
    assert queue.turned == []
    queue.until(40)
    assert queue.turned == [(30, "x")]
    assert [refusal.lane for refusal in queue.tickets["x"].refusals] == [ONE, TWO, THREE]
    assert queue.reasons("x")[-1] == "waited 25s for a place, 2 requests at once is its limit"
    assert queue.tickets["x"].refusals[0].retry_after == 55.25
    assert retry(queue, "x") == 1


def test_a_later_lane_joins_after_two_seconds() -> None:
    queue = Queue({ONE: Limits(1), TWO: Limits(1)})
    queue.enter("a", ONE)
    queue.enter("b", ONE, Stand(TWO, LATER))
    queue.until(1.9)
    assert queue.order == ["a"]
    queue.until(2)
    assert queue.started[1:] == [(2, "b", "two")]


def test_who_started_meanwhile_joins_no_other_lane() -> None:
    queue = Queue({ONE: Limits(1), TWO: Limits(1)})
    queue.enter("a", ONE)
    queue.enter("b", ONE, Stand(TWO, LATER))
    queue.until(1)
    queue.leave("a")
    assert queue.started[1:] == [(1, "b", "one")]
    assert queue.gate.wake_at(1) is None
    queue.until(10)
    assert queue.lane(TWO).line.is_empty


def test_a_later_lane_is_joined_once_by_who_comes_again() -> None:
    queue = Queue({ONE: Limits(1), TWO: Limits(1)})
    queue.enter("a", ONE)
    queue.enter("z", TWO)
    queue.enter("y", TWO, wait=1.9)
    queue.enter("b", ONE, Stand(TWO, LATER))
    queue.until(0.5)
    queue.leave("a")
    queue.until(1)
    queue.leave("b")
    queue.enter("c", ONE)
    queue.again("b")
    queue.until(2.5)
    assert len(queue.lane(TWO).line) == 0
    queue.until(20)
    assert [len(lane.line) for lane in queue.gate.lanes()] == [1, 1]
    queue.leave("z")
    assert queue.started[-1:] == [(20, "b", "two")]
    queue.leave("b", "c")
    assert queue.order.count("b") == 2
    assert all(lane.line.is_empty for lane in queue.gate.lanes())


def test_a_full_first_lane_is_no_end_while_others_are_to_come() -> None:
    queue = Queue({ONE: Limits(1, length=1), TWO: Limits(1, length=1)})
    for id in "ab":
        queue.enter(id, ONE)
        queue.enter(id + id, TWO)
    queue.enter("c", ONE, Stand(TWO, LATER))
    assert queue.turned == []
    queue.until(5)
    assert queue.turned == [(2, "c")]
    assert [refusal.lane for refusal in queue.tickets["c"].refusals] == [ONE, TWO]


def test_a_warm_conversation_stands_at_home_alone_for_fifteen_seconds() -> None:
    queue = Queue({ONE: Limits(1), TWO: Limits(1)})
    queue.enter("a", ONE)
    queue.enter("b", ONE, Stand(TWO, HOME_ALONE))
    queue.until(14.9)
    assert queue.order == ["a"]
    queue.until(15)
    assert queue.started[1:] == [(15, "b", "two")]


def test_a_longer_wait_holds_from_when_it_is_set() -> None:
    queue = Queue({ONE: Limits(1, wait=10)})
    queue.enter("a")
    queue.enter("b")
    queue.until(5)
    queue.configure({ONE: Limits(1, wait=60)})
    queue.until(59)
    assert queue.turned == []
    queue.until(70)
    assert queue.turned == [(60, "b")]
