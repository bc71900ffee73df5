"""Faults: each kind has one policy, and a fault says what follows from its kind."""

from __future__ import annotations

from typing import get_args

import pytest

from holdgate.core.values.errors import POLICIES, Fault, FaultKind, Policy, VendorReply, Whose

CODES = {
    None,
    "rate_limit_exceeded",
    "insufficient_quota",
    "context_length_exceeded",
    "content_filter",
    "model_not_found",
    "cancelled",
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
    assert not (policy.whose in ("agent", "person") and policy.next_candidate)


@every_kind
def test_what_is_a_vendors_doing_another_may_answer(kind: FaultKind) -> None:
    policy = POLICIES[kind]
    assert policy.whose != "vendor" or policy.next_candidate


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
        POLICIES[FaultKind.RATE] = Policy(400, None, "agent", False)  # type: ignore[index]


def test_kinds_have_words_for_people() -> None:
    assert len({str(kind) for kind in FaultKind}) == len(FaultKind)
    assert all(str(kind) == str(kind).lower() for kind in FaultKind)
