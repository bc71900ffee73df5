"""A lane: when it opens, counted by hand."""

from __future__ import annotations

import pytest

from holdgate.core.traffic.lane import LINGER, Lane, Limits
from holdgate.core.traffic.ticket import Stand, Ticket
from holdgate.core.traffic.window import MARGIN_MOST

ID = ("deepseek", "default")


def lane(concurrency: int = 0, rpm: int = 0, window: float = 60.0) -> Lane:
    return Lane(ID, Limits(concurrency, rpm, window))


def run(lane: Lane, granted: float, sent: float | None = None) -> Ticket:
    ticket = Ticket("t", (Stand(lane.id),))
    lane.grant(ticket, granted)
    if sent is not None:
        lane.sent(ticket, sent)
    return ticket


@pytest.mark.parametrize(
    ("window", "span"), [(60, 60.25), (25, 25.25), (10, 10.1), (1, 1.01), (3600, 3600.25)]
)
def test_a_departure_counts_a_little_longer_than_the_window(window: float, span: float) -> None:
    assert Limits(window=window).span == pytest.approx(span)
    assert span - window <= MARGIN_MOST


def test_without_limits_it_is_always_open() -> None:
    free = lane()
    for moment in range(100):
        assert free.opens_at(moment) == moment
        run(free, moment, moment)
    assert free.window.used(99.5 - free.limits.span) == 60


def test_slots_are_counted() -> None:
    two = lane(concurrency=2)
    first = run(two, 0, 0)
    assert two.opens_at(0) == 0
    run(two, 0, 0)
    assert two.opens_at(5) is None
    two.release(first, 5, aborted=False)
    assert two.opens_at(5) == 5


def test_the_slot_of_a_broken_off_try_is_free_a_moment_later() -> None:
    one = lane(concurrency=1)
    one.release(run(one, 0, 1), 5, aborted=True)
    assert one.opens_at(5) == pytest.approx(5 + LINGER)
    assert one.opens_at(5 + LINGER) == 5 + LINGER


def test_what_never_left_does_not_linger() -> None:
    one = lane(concurrency=1, rpm=1)
    one.release(run(one, 0), 5, aborted=True)
    assert one.opens_at(5) == 5
    assert one.window.used(5 - one.limits.span) == 0


def test_several_lingering_slots_open_one_by_one() -> None:
    two = lane(concurrency=2)
    first, second = run(two, 0, 0), run(two, 0, 0)
    two.release(first, 1, aborted=True)
    assert two.opens_at(1) == pytest.approx(1.1)
    two.release(second, 1.05, aborted=True)
    run(two, 1.1, 1.1)
    assert two.opens_at(1.1) == pytest.approx(1.15)


def test_the_window_counts_departures() -> None:
    two = lane(rpm=2)
    run(two, 0, 0)
    run(two, 10, 10)
    assert two.opens_at(10) == 60.25
    assert two.opens_at(60.25) == 60.25
    run(two, 60.25, 60.25)
    assert two.opens_at(60.25) == 70.25
    assert two.window.used(60.25 - two.limits.span) == 2


def test_it_is_counted_from_when_it_left() -> None:
    one = lane(rpm=1)
    ticket = run(one, 0)
    assert one.window.used(1000 - one.limits.span) == 1
    assert one.opens_at(1000) is None
    one.sent(ticket, 1000)
    assert one.opens_at(1000) == 1060.25
    assert ticket.departure is not None
    assert ticket.departure.at == 1000


def test_only_the_first_departure_counts() -> None:
    one = lane(rpm=1)
    ticket = run(one, 0, 0)
    one.sent(ticket, 30)
    assert ticket.departure is not None
    assert ticket.departure.at == 0
    assert (one.window.used(30 - one.limits.span), one.opens_at(30)) == (1, 60.25)


def test_slot_and_window_must_both_be_free() -> None:
    one = lane(concurrency=1, rpm=1)
    ticket = run(one, 0, 0)
    assert one.opens_at(70) is None
    one.release(ticket, 20, aborted=True)
    assert one.opens_at(20) == 60.25
    one.release(ticket, 60.2, aborted=True)
    assert one.opens_at(60.25) == 60.25


def test_released_twice_is_released_once() -> None:
    two = lane(concurrency=2)
    first, _ = run(two, 0, 0), run(two, 0, 0)
    two.release(first, 1, aborted=False)
    two.release(first, 2, aborted=True)
    assert two.opens_at(2) == 2
    run(two, 2, 2)
    assert two.opens_at(3) is None


def test_a_lower_limit_waits_for_all_that_is_too_much() -> None:
    three = lane(concurrency=3, rpm=3)
    tickets = [run(three, moment, moment) for moment in range(3)]
    three.limits = Limits(3, 1)
    assert three.opens_at(3) is None
    for ticket in tickets:
        three.release(ticket, 4, aborted=False)
    assert three.opens_at(4) == 62.25
    three.limits = Limits(3, 2)
    assert three.opens_at(4) == 61.25


def test_what_left_before_there_was_a_limit_counts() -> None:
    free = lane()
    for moment in range(3):
        run(free, moment, moment)
    free.limits = Limits(rpm=2)
    assert free.opens_at(3) == 61.25
