"""Attempts: who is asked next, when it is enough, and what is told in the end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.traffic.attempts import (
    UNSAID_PAUSES,
    Absorb,
    Failed,
    Try,
    absorbed,
    attempts,
    telling,
)
from holdgate.core.values.errors import POLICIES, Fault, FaultKind, VendorReply
from holdgate.core.values.inbound import Candidate

A, B, C = (Candidate(name, "default", "m", "m", "chat") for name in "abc")
OTHERS_MAY = [kind for kind in FaultKind if POLICIES[kind].next_candidate]
FINAL = [kind for kind in FaultKind if not POLICIES[kind].next_candidate]


def fault(kind: FaultKind, message: str = "no") -> Fault:
    return Fault(kind, message)


def too_many(retry_after: float | None = None) -> Fault:
    return Fault(FaultKind.RATE, "no", retry_after=retry_after, reply=VendorReply(429, (), b""))


def tried(step: Try | Absorb) -> Try:
    assert isinstance(step, Try)
    return step


def told(candidates: tuple[Candidate, ...], *failed: Failed) -> tuple[list[Try], Fault | None]:
    """Give the tries, and the fault that is told once all of `failed` happened."""
    steps = attempts(candidates)
    tries = [tried(next(steps))]
    for each in failed:
        try:
            tries.append(tried(steps.send(each)))
        except StopIteration as end:
            assert each is failed[-1]
            assert isinstance(end.value, Fault)
            return tries, end.value
    steps.close()
    return tries, None


def test_all_are_offered_at_once() -> None:
    assert told((A, B, C)) == ([Try((A, B, C))], None)


@pytest.mark.parametrize("kind", OTHERS_MAY)
def test_who_failed_is_not_asked_again(kind: FaultKind) -> None:
    first, second = fault(kind), fault(kind)
    tries, end = told((A, B), Failed(B, first), Failed(A, second))
    assert tries == [Try((A, B)), Try((A,), front=True)]
    assert end is (first if kind is FaultKind.MODEL else second)


@pytest.mark.parametrize("kind", FINAL)
def test_a_fault_that_is_the_same_everywhere_ends_it(kind: FaultKind) -> None:
    final = fault(kind)
    tries, end = told((A, B), Failed(A, final))
    assert (tries, end) == ([Try((A, B))], final)
    tries, end = told((A, B, C), Failed(A, fault(FaultKind.SERVER)), Failed(B, final))
    assert (len(tries), end) == (2, final)


def test_a_lost_connection_is_tried_again_on_a_fresh_one() -> None:
    gone = fault(FaultKind.NETWORK)
    tries, end = told((A, B), Failed(A, gone, lost=True))
    assert tries == [Try((A, B)), Try((A, B), frozenset({A}), front=True)]
    assert end is None


def test_lost_twice_is_a_fault() -> None:
    first, second = fault(FaultKind.NETWORK), fault(FaultKind.NETWORK)
    tries, end = told((A,), Failed(A, first, lost=True), Failed(A, second, lost=True))
    assert (tries[1:], end) == ([Try((A,), frozenset({A}), front=True)], second)


def test_each_may_lose_a_connection_once() -> None:
    gone = fault(FaultKind.NETWORK)
    tries, end = told(
        (A, B),
        Failed(A, gone, lost=True),
        Failed(B, gone, lost=True),
        Failed(A, gone, lost=True),
        Failed(B, gone),
    )
    assert [each.candidates for each in tries] == [(A, B), (A, B), (A, B), (B,)]
    assert [each.fresh for each in tries][:3] == [frozenset(), {A}, {A, B}]
    assert B in tries[3].fresh
    assert end is gone


SERVER, RATE, CREDIT = FaultKind.SERVER, FaultKind.RATE, FaultKind.CREDIT
MODEL, NETWORK, WINDOW = FaultKind.MODEL, FaultKind.NETWORK, FaultKind.WINDOW


@pytest.mark.parametrize(
    ("kinds", "place"),
    [
        ([SERVER], 0),
        ([SERVER, NETWORK], 1),
        ([SERVER, RATE], 0),
        ([RATE, SERVER, CREDIT], 1),
        ([MODEL, SERVER, MODEL], 1),
        ([RATE, CREDIT], 1),
        ([WINDOW, MODEL], 0),
        ([MODEL, RATE, MODEL], 1),
        ([MODEL], 0),
        ([MODEL, MODEL], 0),
    ],
)
def test_what_is_told(kinds: list[FaultKind], place: int) -> None:
    faults = [fault(kind, str(number)) for number, kind in enumerate(kinds)]
    assert telling(faults) is faults[place]


def test_a_429_with_a_time_is_absorbed_each_time() -> None:
    steps = attempts((A, B))
    assert next(steps) == Try((A, B))
    for _ in range(10):
        assert steps.send(Failed(A, too_many(7))) == Absorb(A, 7, narrow=False)
        assert next(steps) == Try((A, B), front=True)


def test_a_429_without_a_time_is_absorbed_three_times_in_a_row() -> None:
    steps = attempts((A,))
    next(steps)
    for seconds in UNSAID_PAUSES:
        assert steps.send(Failed(A, too_many())) == Absorb(A, seconds, narrow=True)
        next(steps)
    last = too_many()
    with pytest.raises(StopIteration) as end:
        steps.send(Failed(A, last))
    assert end.value.value is last


def test_a_time_said_begins_the_row_anew() -> None:
    steps = attempts((A,))
    next(steps)
    for seconds in (2.0, 5.0):
        assert steps.send(Failed(A, too_many())) == Absorb(A, seconds, narrow=True)
        next(steps)
    steps.send(Failed(A, too_many(1)))
    next(steps)
    assert steps.send(Failed(A, too_many())) == Absorb(A, 2.0, narrow=True)


@pytest.mark.parametrize("kind", FaultKind)
def test_only_a_429_as_a_status_is_absorbed(kind: FaultKind) -> None:
    assert absorbed(Failed(A, Fault(kind, "no", retry_after=3)), 0) is None
    replied = Fault(kind, "no", retry_after=3, reply=VendorReply(429, (), b""))
    assert (absorbed(Failed(A, replied), 0) is not None) is (kind is FaultKind.RATE)


def test_the_last_has_no_other() -> None:
    assert Try((A,)).last
    assert not Try((A, B)).last


@given(st.data())
def test_it_comes_to_an_end(data: st.DataObject) -> None:
    candidates = data.draw(st.permutations([A, B, C]))
    steps = attempts(tuple(candidates))
    step = next(steps)
    # Each is lost once, absorbed three times without a time, and fails.
    for _ in range(2 * len(candidates) + len(UNSAID_PAUSES)):
        assert isinstance(step, Try)
        assert step.candidates
        assert step.fresh <= set(candidates)
        candidate = data.draw(st.sampled_from(step.candidates))
        why = data.draw(st.one_of(st.sampled_from(FaultKind).map(fault), st.builds(too_many)))
        try:
            step = steps.send(Failed(candidate, why, data.draw(st.booleans())))
            if isinstance(step, Absorb):
                assert step.candidate == candidate
                step = next(steps)
            assert isinstance(step, Try)
            assert step.front
        except StopIteration as end:
            assert isinstance(end.value, Fault)
            return
    pytest.fail("asked more often than it may be")
