"""The window: when one more may leave, counted by simulation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.traffic.window import Window, span_of

MOMENTS = st.lists(st.integers(0, 100), max_size=8)


def window_of(moments: list[int], unsent: int = 0, tokens: int = 0) -> Window:
    window = Window()
    for moment in moments:
        window.grant(tokens)
        window.leave(tokens, moment)
    for _ in range(unsent):
        window.grant(tokens)
    return window


def simulated(moments: list[int], most: int, span: int, now: int, ahead: int) -> int:
    """Let `ahead` others and then one more leave, each as soon as it may."""
    left = sorted(moments)
    at = now
    for _ in range(ahead + 1):
        while sum(moment + span > at for moment in left) >= most:
            at += 1
        left.append(at)
    return at


@given(MOMENTS, st.integers(1, 5), st.integers(5, 70), st.integers(100, 150), st.integers(0, 12))
def test_others_ahead_leave_as_soon_as_they_may(
    moments: list[int], most: int, span: int, now: int, ahead: int
) -> None:
    told = window_of(moments).request_at(most, span, now, ahead)
    assert told == simulated(moments, most, span, now, ahead)


@given(MOMENTS, st.integers(1, 3), st.integers(1, 5), st.integers(1, 12))
def test_who_is_about_to_leave_counts_as_leaving_now(
    moments: list[int], unsent: int, most: int, ahead: int
) -> None:
    told = window_of(moments, unsent).request_at(most, 60, 100, ahead)
    assert told == simulated(moments + [100] * unsent, most, 60, 100, ahead)


@given(MOMENTS, st.integers(0, 3), st.integers(1, 5))
def test_next_it_may_leave_once_there_is_room(moments: list[int], unsent: int, most: int) -> None:
    window = window_of(moments, unsent)
    at = window.request_at(most, 60, 100)
    if at is None:
        assert unsent >= most
    else:
        assert window.used(at - 60) < most
        assert at == 100 or window.used(at - 60 - 1e-6) >= most


def test_without_a_limit_it_may_leave_now() -> None:
    window = window_of([1, 2, 3], 4, 1000)
    assert window.request_at(0, 60, 5, 9) == 5
    assert window.tokens_at(0, 10**9, 60, 5) == 5


def test_the_margin_is_small() -> None:
    assert [span_of(window) for window in (1, 10, 60, 3600)] == [1.01, 10.1, 60.25, 3600.25]


def test_departures_are_kept_in_order_of_time() -> None:
    window = window_of([30, 10, 20])
    assert [window.used(since) for since in (0, 10, 20, 30)] == [3, 2, 1, 0]
    assert window.request_at(3, 60, 35) == 70
    window.forget(20)
    assert (window.used(0), window.is_remembered) == (1, True)
    window.forget(30)
    assert not window.is_remembered


def test_tokens_are_counted_by_departure() -> None:
    window = window_of([0, 10, 20], tokens=40)
    assert window.tokens(5) == 80
    assert window.tokens_at(100, 20, 60, 30) == 60
    assert window.tokens_at(100, 60, 60, 30) == 70
    assert window.tokens_at(120, 1, 60, 30) == 60
    assert window.tokens_at(121, 1, 60, 30) == 30


def test_tokens_about_to_leave_hold_it_open() -> None:
    window = window_of([0], 1, tokens=60)
    assert window.tokens(0) == 60
    assert window.tokens_at(100, 50, 60, 30) is None
    window.give_back(60)
    assert window.tokens_at(100, 50, 60, 30) == 60


def test_more_than_the_limit_may_leave_alone() -> None:
    assert Window().tokens_at(100, 500, 60, 7) == 7
    assert window_of([0], tokens=1).tokens_at(100, 500, 60, 7) == 60


def test_a_correction_counts_from_then_on() -> None:
    window = Window()
    window.grant(90)
    departure = window.leave(90, 0)
    assert window.tokens_at(100, 20, 60, 5) == 60
    departure.tokens = 30
    assert window.tokens_at(100, 20, 60, 5) == 5


@given(
    st.lists(st.tuples(st.integers(0, 100), st.integers(1, 60)), max_size=8),
    st.integers(1, 100),
    st.integers(1, 150),
)
def test_so_many_tokens_may_leave_once_there_is_room(
    left: list[tuple[int, int]], most: int, need: int
) -> None:
    window = Window()
    for moment, tokens in left:
        window.grant(tokens)
        window.leave(tokens, moment)
    at = window.tokens_at(most, need, 60, 100)
    assert at is not None
    assert window.tokens(at - 60) + min(need, most) <= most
    if at > 100:
        assert window.tokens(at - 60 - 1e-6) + min(need, most) > most
    assert at == pytest.approx(round(at))
