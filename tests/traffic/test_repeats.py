"""Repeats: how often agents that retry at once reach a vendor, by arithmetic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.traffic.repeats import AFTER_FAULTS, AFTER_HANGUPS, REPEATED_WITHIN, Repeats

TALK = ("key", "talk")
BODY = "body"
# What the most eager agent does (clients, 1.7), and how many of it may reach the vendor.
STORM, STORM_LASTS, REACH_MOST = 30, 25.0, 10


def pause(repeats: Repeats, now: float, talk: tuple[str, str] = TALK, body: str = BODY) -> float:
    return repeats.pause(talk, lambda: body, now)


def fails(repeats: Repeats, now: float, *, asked: bool = True, hung_up: bool = False) -> None:
    repeats.failed(TALK, BODY, now, began=now, asked=asked, hung_up=hung_up)


def no_body() -> str:
    raise AssertionError("a body is told only where it is needed")


def asked_at(
    repeats: Repeats,
    until: float,
    *,
    takes: float,
    patience: float = float("inf"),
    between: float = 0.0,
) -> tuple[list[float], int]:
    """Play an agent that asks again and again; give when the vendor was asked, and its requests.

    The vendor takes so long to fail; the agent hangs up after its patience.
    """
    now, moments, requests = 0.0, list[float](), 0
    while now < until:
        requests += 1
        pauses = pause(repeats, now)
        if pauses < patience:
            moments.append(now + pauses)
        ends = min(pauses + takes, patience)
        now += ends
        fails(repeats, now, asked=pauses < patience, hung_up=ends == patience)
        now += between
    return [moment for moment in moments if moment < until], requests


def test_what_is_asked_first_goes_at_once() -> None:
    assert Repeats().pause(TALK, no_body, 0.0) == 0.0


def test_after_a_good_end_no_body_is_looked_at() -> None:
    repeats = Repeats()
    repeats.answered(TALK)
    fails(repeats, 0.0)
    repeats.answered(TALK)
    assert repeats.pause(TALK, no_body, 0.1) == 0.0


def test_the_same_again_waits() -> None:
    repeats = Repeats()
    fails(repeats, 10.0)
    assert pause(repeats, 10.0) == 1.0
    assert pause(repeats, 10.75) == 0.25
    assert pause(repeats, 11.0) == 0.0
    assert pause(repeats, 20.0) == 0.0


@pytest.mark.parametrize(
    ("talk", "body"),
    [(("other", "talk"), BODY), (("key", "other"), BODY), (TALK, "other")],
    ids=["caller", "conversation", "body"],
)
def test_another_caller_conversation_or_body_does_not_wait(
    talk: tuple[str, str], body: str
) -> None:
    repeats = Repeats()
    fails(repeats, 0.0)
    assert pause(repeats, 0.0, talk, body) == 0.0


def test_each_fault_in_a_row_waits_longer() -> None:
    repeats, now, pauses = Repeats(), 0.0, list[float]()
    for _ in range(7):
        fails(repeats, now)
        pauses.append(pause(repeats, now))
        now += pauses[-1]
    assert pauses == [*AFTER_FAULTS, 16.0, 16.0] == [1.0, 2.0, 4.0, 8.0, 16.0, 16.0, 16.0]


def test_the_first_retries_after_a_hang_up_are_a_persons_own() -> None:
    repeats, now, pauses = Repeats(), 0.0, list[float]()
    for _ in range(8):
        fails(repeats, now, hung_up=True)
        pauses.append(pause(repeats, now))
        now += pauses[-1]
    assert pauses == [*AFTER_HANGUPS, 16.0, 16.0] == [0.0, 0.0, 2.0, 4.0, 8.0, 16.0, 16.0, 16.0]


def test_hang_ups_and_faults_are_counted_together() -> None:
    repeats = Repeats()
    fails(repeats, 0.0, hung_up=True)
    fails(repeats, 1.0, hung_up=True)
    fails(repeats, 2.0)
    assert pause(repeats, 2.0) == AFTER_FAULTS[2]


def test_hanging_up_in_the_pause_neither_shortens_nor_lengthens_it() -> None:
    repeats = Repeats()
    fails(repeats, 0.0)
    fails(repeats, 0.25, asked=False, hung_up=True)
    assert pause(repeats, 0.25) == 0.75
    fails(repeats, 0.5, asked=False, hung_up=True)
    assert pause(repeats, 0.5) == 0.5
    fails(repeats, 1.0)
    assert pause(repeats, 1.0) == AFTER_FAULTS[1]


def test_who_hangs_up_in_line_before_anybody_is_asked_does_not_wait() -> None:
    repeats = Repeats()
    fails(repeats, 0.0, asked=False, hung_up=True)
    assert pause(repeats, 0.0) == 0.0


def test_half_a_minute_later_it_is_no_repeat() -> None:
    repeats, now = Repeats(), 0.0
    for _ in range(9):
        fails(repeats, now)
    assert pause(repeats, now + 15.0) == 1.0
    assert pause(repeats, now + REPEATED_WITHIN + 0.01) == 0.0
    fails(repeats, now + REPEATED_WITHIN + 0.01)
    assert pause(repeats, now + REPEATED_WITHIN + 0.01) == AFTER_FAULTS[0]


def test_a_pause_never_outlasts_what_counts_as_a_repeat() -> None:
    assert max(*AFTER_FAULTS, *AFTER_HANGUPS) < REPEATED_WITHIN


def test_conversations_that_ended_badly_long_ago_are_forgotten() -> None:
    repeats = Repeats()
    talks = [("key", str(number)) for number in range(4097)]
    for talk in talks[:-1]:
        repeats.failed(talk, BODY, 0.0, began=0.0, asked=True)
    repeats.failed(talks[0], BODY, 0.0, began=0.0, asked=True)
    repeats.failed(talks[-1], BODY, 0.0, began=0.0, asked=True)
    assert pause(repeats, 0.0, talks[1]) == 0.0
    assert pause(repeats, 0.0, talks[0]) == AFTER_FAULTS[1]
    assert pause(repeats, 0.0, talks[2]) == pause(repeats, 0.0, talks[-1]) == AFTER_FAULTS[0]


# Storms


def test_who_asks_at_once_after_each_error_reaches_the_vendor_five_times() -> None:
    moments, _ = asked_at(Repeats(), STORM_LASTS, takes=0.0)
    assert moments == [0.0, 1.0, 3.0, 7.0, 15.0]


def test_who_hangs_up_after_half_a_second_reaches_the_vendor_six_times() -> None:
    moments, requests = asked_at(Repeats(), STORM_LASTS, takes=60.0, patience=0.5)
    # Asked, hung up half a second later, and then nothing, nothing, 2, 4 and 8 s.
    assert moments == [0.0, 0.5, 1.0, 3.5, 8.0, 16.5]
    assert requests >= STORM


def test_thirty_retries_that_do_not_wait_for_the_pause_reach_the_vendor_a_few_times() -> None:
    """Thirty times in 25 s, evenly: each is dropped if it would have to wait."""
    repeats, asked = Repeats(), 0
    for number in range(STORM):
        now = number * STORM_LASTS / STORM
        is_asked = pause(repeats, now) == 0.0
        asked += is_asked
        fails(repeats, now, asked=is_asked, hung_up=not is_asked)
    assert asked <= REACH_MOST


@given(
    takes=st.floats(0, 30),
    patience=st.one_of(st.floats(0.05, 30), st.just(float("inf"))),
    between=st.floats(0.001, 5),
)
def test_of_any_storm_at_most_ten_reach_the_vendor(
    takes: float, patience: float, between: float
) -> None:
    moments, _ = asked_at(Repeats(), STORM_LASTS, takes=takes, patience=patience, between=between)
    assert len(moments) <= REACH_MOST


# Binary fractions, so that sums are exact.
QUARTERS = st.integers(0, 160).map(lambda quarters: quarters / 4)


@given(
    st.lists(
        st.tuples(QUARTERS, st.booleans(), st.booleans(), st.sampled_from("ab")),
        max_size=40,
    )
)
def test_no_pause_is_longer_than_sixteen_seconds_or_negative(
    events: list[tuple[float, bool, bool, str]],
) -> None:
    repeats, now = Repeats(), 0.0
    for passed, asked, hung_up, body in events:
        now += passed
        assert 0.0 <= pause(repeats, now, body=body) <= 16.0
        repeats.failed(TALK, body, now, began=now, asked=asked, hung_up=hung_up)
        assert 0.0 <= pause(repeats, now, body=body) <= 16.0
    repeats.answered(TALK)
    assert pause(repeats, now) == 0.0


def test_of_requests_side_by_side_one_counts() -> None:
    repeats = Repeats()
    for end in range(16):
        repeats.failed(TALK, BODY, 10 + end / 100, began=5.0, asked=True, hung_up=True)
    assert repeats.pause(TALK, lambda: BODY, 10.5) == 0.0
    repeats.failed(TALK, BODY, 11.0, began=10.6, asked=True, hung_up=True)
    repeats.failed(TALK, BODY, 11.5, began=11.1, asked=True, hung_up=True)
    assert repeats.pause(TALK, lambda: BODY, 11.5) == 2.0
