"""Faults: each kind has one policy, and a fault says what follows from its kind."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.values.errors import (
    ALONE,
    PAUSES,
    POLICIES,
    REST_MOST,
    Fault,
    FaultKind,
    Next,
    Policy,
    Terms,
    VendorReply,
    Whose,
)

CODES = {
    None,
    "rate_limit_exceeded",
    "insufficient_quota",
    "context_length_exceeded",
    "content_filter",
    "model_not_found",
    "cancelled",
}

MINUTE = 60.0
HALF_AN_HOUR = (30 * MINUTE, 30 * MINUTE)
TO_HALF_AN_HOUR = (MINUTE, 30 * MINUTE)
TO_TEN_MINUTES = (MINUTE, 10 * MINUTE)
TEN_MINUTES = (10 * MINUTE, 10 * MINUTE)

Told = tuple[float, float] | None
# Who else may answer, how often the same is asked again, how long its key rests, whether refused.
FOLLOWS: dict[FaultKind, tuple[Next, int, Told, bool]] = {
    FaultKind.CREDIT: ("any", 0, HALF_AN_HOUR, False),
    FaultKind.WINDOW: ("any", 0, TO_HALF_AN_HOUR, False),
    FaultKind.RATE: ("any", 0, TO_HALF_AN_HOUR, False),
    FaultKind.OVERLOADED: ("any", 2, TO_TEN_MINUTES, False),
    FaultKind.SERVER: ("any", 2, TO_TEN_MINUTES, False),
    FaultKind.NETWORK: ("any", 0, TO_TEN_MINUTES, False),
    FaultKind.AUTH: ("any", 0, TEN_MINUTES, True),
    FaultKind.FORBIDDEN: ("any", 0, TEN_MINUTES, True),
    FaultKind.MODEL: ("any", 0, None, False),
    FaultKind.CONTEXT: ("larger", 0, None, False),
    FaultKind.FILTERED: ("none", 0, None, False),
    FaultKind.REQUEST: ("none", 0, None, False),
    FaultKind.TOO_LARGE: ("larger", 0, None, False),
    FaultKind.UNREADABLE: ("any", 0, None, False),
    FaultKind.CUT: ("any", 0, None, False),
    FaultKind.LOSS: ("any", 0, None, False),
    FaultKind.TIMEOUT: ("any", 0, TO_TEN_MINUTES, False),
    FaultKind.STALLED: ("any", 0, None, False),
    FaultKind.SLOW: ("any", 0, None, False),
    FaultKind.QUEUE: ("any", 0, None, False),
    FaultKind.CANCELLED: ("none", 0, None, False),
    FaultKind.READER: ("none", 0, None, False),
    FaultKind.NOT_FOUND: ("none", 0, None, False),
    FaultKind.METHOD: ("none", 0, None, False),
    FaultKind.UPGRADE: ("none", 0, None, False),
    FaultKind.MEDIA: ("none", 0, None, False),
    FaultKind.LOGIN: ("none", 0, None, False),
    FaultKind.LOCKED: ("none", 0, None, False),
    FaultKind.DENIED: ("none", 0, None, False),
    FaultKind.SHUTDOWN: ("none", 0, None, False),
    FaultKind.INTERNAL: ("none", 0, None, False),
}

every_kind = pytest.mark.parametrize("kind", FaultKind, ids=lambda kind: kind.name)


def test_every_kind_has_a_policy() -> None:
    assert set(POLICIES) == set(FaultKind)


@every_kind
def test_policies_say_only_what_there_is(kind: FaultKind) -> None:
    policy = POLICIES[kind]
    assert 400 <= policy.status <= 599
    assert policy.code in CODES
    assert policy.whose in get_args(Whose)


@every_kind
def test_a_limit_is_a_429_and_a_429_a_limit(kind: FaultKind) -> None:
    policy = POLICIES[kind]
    assert (policy.status == 429) == (policy.code == "rate_limit_exceeded")


@every_kind
def test_only_the_gateways_own_login_is_a_401(kind: FaultKind) -> None:
    assert (POLICIES[kind].status == 401) == (kind is FaultKind.LOGIN)


@every_kind
def test_what_is_the_agents_doing_goes_to_nobody_else(kind: FaultKind) -> None:
    policy = POLICIES[kind]
    assert not (policy.whose in ("agent", "person") and policy.next == "any")


@every_kind
def test_what_is_a_vendors_doing_another_may_answer(kind: FaultKind) -> None:
    policy = POLICIES[kind]
    assert policy.whose != "vendor" or policy.next == "any"


@every_kind
def test_what_follows_from_each_kind(kind: FaultKind) -> None:
    policy = POLICIES[kind]
    rest = None if policy.rest is None else (policy.rest.first, policy.rest.most)
    assert (policy.next, policy.again, rest, policy.refused) == FOLLOWS[kind]


@every_kind
def test_only_what_is_a_vendors_doing_is_asked_again_or_lets_a_key_rest(kind: FaultKind) -> None:
    policy = POLICIES[kind]
    assert policy.whose == "vendor" or (policy.again == 0 and policy.rest is None)


@every_kind
def test_who_refused_a_key_lets_it_rest_and_is_not_asked_again(kind: FaultKind) -> None:
    policy = POLICIES[kind]
    assert not policy.refused or (policy.rest is not None and policy.again == 0)


@every_kind
def test_there_is_a_pause_for_each_time(kind: FaultKind) -> None:
    assert POLICIES[kind].again in (0, len(PAUSES))


def test_the_pauses_are_one_and_two_seconds() -> None:
    assert PAUSES == (1.0, 2.0)


def test_alone_a_rest_is_two_seconds_doubling_to_a_minute() -> None:
    assert [ALONE.seconds(strikes) for strikes in range(1, 8)] == [2, 4, 8, 16, 32, 60, 60]


def test_no_rest_lasts_longer_than_the_longest_window_and_a_day() -> None:
    assert REST_MOST == 8 * 24 * 3600


@given(st.floats(0.01, 3600), st.floats(1, 1000), st.integers(1, 10**9))
def test_a_rest_doubles_up_to_its_most(first: float, times: float, strikes: int) -> None:
    terms = Terms(first, first * times)
    assert terms.seconds(1) == first
    assert first <= terms.seconds(strikes) <= terms.most
    assert terms.seconds(strikes + 1) == min(2 * terms.seconds(strikes), terms.most)


@every_kind
def test_a_fault_says_what_its_kind_does(kind: FaultKind) -> None:
    fault = Fault(kind, "relay: no")
    policy = POLICIES[kind]
    assert (fault.policy, fault.status, fault.code) == (policy, policy.status, policy.code)
    assert str(fault) == fault.message == "relay: no"
    assert (fault.retry_after, fault.reply, fault.headers) == (None, None, ())


def test_a_fault_carries_what_is_known() -> None:
    reply = VendorReply(429, (("retry-after", "7"),), b"{}")
    fault = Fault(
        FaultKind.RATE, "relay: no", retry_after=7, reply=reply, headers=(("allow", "POST"),)
    )
    assert (fault.retry_after, fault.reply) == (7, reply)
    assert fault.headers == (("allow", "POST"),)


def test_the_table_can_not_be_changed() -> None:
    with pytest.raises(TypeError):
        POLICIES[FaultKind.RATE] = Policy(400, None, "agent", "none")  # type: ignore[index]


def test_kinds_have_words_for_people() -> None:
    assert len({str(kind) for kind in FaultKind}) == len(FaultKind)
    assert all(str(kind) == str(kind).lower() for kind in FaultKind)
