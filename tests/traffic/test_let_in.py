"""A ticket that is let in: it runs whatever the limits are, and counts in all of them."""

from __future__ import annotations

from holdgate.core.traffic.lane import LINGER, Limits
from tests.traffic.queueing import ONE, Queue, ticket_of


def test_it_runs_over_the_limits_and_counts_in_them() -> None:
    queue = Queue({ONE: Limits(concurrency=1, rpm=2, window=60)})
    gate = queue.gate
    first = queue.enter("first")
    gate.sent(first, 0)
    extra = ticket_of("extra")
    gate.let_in(extra, ONE, 1)
    assert (extra.state, extra.lane) == ("running", ONE)
    gate.sent(extra, 1)
    (lane,) = gate.lanes()
    assert (len(lane.running), lane.window.used(0)) == (2, 1)
    assert lane.window.used(-1) == 2
    gate.leave(first, 2)
    assert lane.opens_at(2) is None  # the one place is taken
    gate.leave(extra, 3)
    assert lane.opens_at(3) == lane.limits.span  # the minute is full until the first one is over
    assert not lane.running


def test_it_starts_in_a_lane_that_is_paused_or_closed() -> None:
    queue = Queue({ONE: Limits(concurrency=1)})
    queue.gate.pause(None, float("inf"))
    queue.gate.close(ONE, 100, "why", 0)
    extra = ticket_of("extra")
    queue.gate.let_in(extra, ONE, 0)
    assert extra.state == "running"
    queue.gate.leave(extra, 1, aborted=True)
    (lane,) = queue.gate.lanes()
    assert not lane.running
    assert lane.opens_at(1) is None


def test_it_takes_the_place_of_no_probe() -> None:
    queue = Queue({ONE: Limits()})
    gate = queue.gate
    gate.close(ONE, 10, "why", 0)
    probe = ticket_of("probe")
    gate.enter(probe, 20)
    assert probe.state == "running"
    extra = ticket_of("extra")
    gate.let_in(extra, ONE, 21)
    gate.leave(extra, 22)
    (lane,) = gate.lanes()
    assert lane.is_probed and lane.opens_at(22) is None
    gate.leave(probe, 23)
    assert not lane.is_probed


def test_what_never_left_is_given_back() -> None:
    queue = Queue({ONE: Limits(concurrency=1, rpm=1)})
    extra = ticket_of("extra", tokens=7)
    queue.gate.let_in(extra, ONE, 0)
    queue.gate.leave(extra, 1, aborted=True)
    (lane,) = queue.gate.lanes()
    assert lane.window.used(-1) == 0
    assert lane.opens_at(1 + LINGER) == 1 + LINGER
