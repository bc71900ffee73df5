"""The gate: who starts, where and when, by arithmetic."""

from __future__ import annotations

from holdgate.core.traffic.gate import Gate
from holdgate.core.traffic.lane import LINGER, Limits
from holdgate.core.traffic.ticket import Stand, Ticket
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


def named_arrivals() -> Queue:
    queue = Queue({ONE: Limits(rpm=2)})
    for moment, id in ((0, "a"), (10, "b"), (20, "c"), (20, "d"), (30, "e")):
        queue.until(moment)
        queue.enter(id)
        queue.sent(*queue.order)
    return queue


def test_arrivals_at_0_10_20_20_30_leave_at_0_10_60_70_120_and_the_margin() -> None:
    queue = named_arrivals()
    for departure in (60.25, 70.25, 120.5):
        queue.until(departure)
        queue.sent(*queue.order)
    assert [moment for moment, *_ in queue.started] == [0, 10, 60.25, 70.25, 120.5]


def test_when_the_fourth_gives_up_the_fifth_leaves_at_70() -> None:
    queue = named_arrivals()
    queue.until(40)
    queue.leave("d")
    for departure in (60.25, 70.25):
        queue.until(departure)
        queue.sent(*queue.order)
    assert queue.started[2:] == [(60.25, "c", "one"), (70.25, "e", "one")]


def test_slots_go_round_in_the_order_of_arrival() -> None:
    queue = Queue({ONE: Limits(concurrency=2)})
    for id in "abcde":
        queue.enter(id)
    assert queue.order == ["a", "b"]
    assert queue.positions("abcde") == [None, None, 1, 2, 3]
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
    assert queue.positions("abcd") == [None, None, 1, 2]
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
    assert (len(queue.lane().running), len(queue.lane().line)) == (0, 0)


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
    assert queue.positions("c") == [1]
    queue.until(5)
    queue.leave("b")
    assert queue.started[2:] == [(5, "c", "two")]
    queue.leave("a")
    assert [len(lane.line) for lane in queue.gate.lanes()] == [0, 0]


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
    first, second, third = (Ticket(id, (Stand(ONE),)) for id in "abc")
    gate.enter(first, 0)
    gate.sent(first, 0)
    gate.enter(second, 1)
    gate.enter(third, 70)
    assert [ticket.state for ticket in (first, second, third)] == ["running", "waiting", "waiting"]
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
    assert {lane.id for lane in queue.gate.lanes()} == {ONE, TWO}
    queue.leave("a")
    queue.leave("b")
    assert queue.order == ["a", "b"]
    queue.configure({TWO: Limits(1)})
    assert {lane.id for lane in queue.gate.lanes()} == {TWO}


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
    lane = queue.lane()
    assert (lane.limits, len(lane.running), len(lane.line)) == (limits, 2, 1)
    assert lane.window.used(1 - limits.span) == 2
    assert lane.window.request_at(2, limits.span, 1) == 60.25
    assert lane.window.used(61 - limits.span) == 1


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
