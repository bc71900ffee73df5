"""Attempts: who is asked next, when it is enough, and what is told in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.traffic.attempts import (
    JITTER,
    UNSAID_PAUSES,
    Failed,
    Pause,
    RestKey,
    Step,
    Try,
    attempts,
    give_up,
    telling,
)
from holdgate.core.values.errors import PAUSES, POLICIES, Fault, FaultKind, VendorReply
from holdgate.core.values.inbound import Candidate

A, B, C = (Candidate(name, "default", "m", "m", "chat") for name in "abc")
SERVER, OVERLOADED, NETWORK = FaultKind.SERVER, FaultKind.OVERLOADED, FaultKind.NETWORK
RATE, CREDIT, WINDOW = FaultKind.RATE, FaultKind.CREDIT, FaultKind.WINDOW
MODEL, CONTEXT, QUEUE = FaultKind.MODEL, FaultKind.CONTEXT, FaultKind.QUEUE
FINAL = [kind for kind in FaultKind if POLICIES[kind].next == "none"]
OTHERS_MAY = [kind for kind in FaultKind if POLICIES[kind].next == "any"]
AGENTS = [kind for kind in FaultKind if POLICIES[kind].whose == "agent"]
BUSY = [SERVER, OVERLOADED]
NEVER_AGAIN = [kind for kind in FaultKind if kind not in BUSY]
LARGER = [CONTEXT, FaultKind.TOO_LARGE]
# More steps than any request can take in these tests.
ENDLESS = 200


def fault(kind: FaultKind, message: str = "no", retry_after: float | None = None) -> Fault:
    return Fault(kind, message, retry_after=retry_after)


def too_many(retry_after: float | None = None) -> Fault:
    return Fault(RATE, "no", retry_after=retry_after, reply=VendorReply(429, (), b""))


def sized(name: str, context: int) -> Candidate:
    return Candidate(name, "default", "m", "m", "chat", context)


class Run:
    """A request under way: `step` is what it waits for, `told` what it was told in the end."""

    def __init__(
        self,
        *candidates: Candidate,
        ready: Callable[[Candidate], bool] = lambda _: True,
        jitter: float = 0.0,
        alone: bool | None = None,
    ) -> None:
        is_alone = len(candidates) == 1 if alone is None else alone
        self.steps = attempts(candidates, ready, lambda: jitter, alone=is_alone)
        self.step: Step | None = next(self.steps)
        self.told: Fault | None = None
        self.asked: Counter[Candidate] = Counter()

    @property
    def asks(self) -> Try:
        assert isinstance(self.step, Try)
        return self.step

    def fails(
        self,
        candidate: Candidate,
        why: Fault | FaultKind,
        *,
        lost: bool = False,
        probe: bool = False,
    ) -> list[Step]:
        """Let a try fail; give what happens until somebody is asked again or it is over."""
        assert candidate in self.asks.candidates
        self.asked[candidate] += 1
        said = why if isinstance(why, Fault) else fault(why)
        between: list[Step] = []
        try:
            self.step = self.steps.send(Failed(candidate, said, lost, probe))
            while not isinstance(self.step, Try):
                between.append(self.step)
                self.step = next(self.steps)
        except StopIteration as end:
            self.step, self.told = None, end.value
        return between

    def turned_away(self, why: Fault) -> None:
        self.step, self.told = None, give_up(self.steps, why)


def nobody(_: Candidate) -> bool:
    return False


# Who is offered


def test_all_are_offered_at_once() -> None:
    assert Run(A, B, C).step == Try((A, B, C))


def test_the_last_has_no_other() -> None:
    assert Try((A,)).last
    assert not Try((A, B)).last


def test_an_answer_is_the_end() -> None:
    steps = attempts((A, B), lambda _: True, lambda: 0.0, alone=False)
    next(steps)
    steps.close()
    with pytest.raises(StopIteration):
        next(steps)


@pytest.mark.parametrize("kind", OTHERS_MAY)
def test_who_failed_rests_and_others_are_asked_at_once(kind: FaultKind) -> None:
    run, why = Run(A, B), fault(kind)
    assert run.fails(B, why) == [RestKey(B, why)]
    assert run.step == Try((A,), front=True)


def test_those_left_are_asked_in_their_order() -> None:
    run = Run(A, B, C)
    run.fails(B, SERVER)
    assert run.asks.candidates == (A, C)
    run.fails(A, CREDIT)
    assert run.step == Try((C,), front=True)


# A connection lost before any byte of a reply


def test_a_lost_connection_is_tried_again_at_once_on_a_new_one() -> None:
    run = Run(A, B)
    assert run.fails(A, NETWORK, lost=True) == []
    assert run.step == Try((A, B), frozenset({A}), front=True)


def test_lost_twice_is_a_fault() -> None:
    run, second = Run(A), fault(NETWORK)
    run.fails(A, NETWORK, lost=True)
    assert run.fails(A, second, lost=True) == [RestKey(A, second)]
    assert run.told is second


def test_each_may_lose_a_connection_once() -> None:
    run, last = Run(A, B), fault(NETWORK)
    run.fails(A, NETWORK, lost=True)
    run.fails(B, NETWORK, lost=True)
    assert run.step == Try((A, B), frozenset({A, B}), front=True)
    run.fails(A, NETWORK, lost=True)
    assert run.step == Try((B,), frozenset({A, B}), front=True)
    run.fails(B, last, lost=True)
    assert run.told is last


def test_no_connection_at_all_is_not_tried_again() -> None:
    run, why = Run(A), fault(NETWORK)
    assert run.fails(A, why) == [RestKey(A, why)]
    assert run.told is why


# 5xx, 408, 529


@pytest.mark.parametrize("kind", BUSY)
def test_a_lone_candidate_is_asked_twice_more(kind: FaultKind) -> None:
    run, last = Run(A), fault(kind)
    assert run.fails(A, kind) == [Pause(A, 1.0)]
    assert run.step == Try((A,), front=True)
    assert run.fails(A, kind) == [Pause(A, 2.0)]
    assert run.fails(A, last) == [RestKey(A, last)]
    assert run.told is last


@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
def test_pauses_are_longer_by_chance(chance: float) -> None:
    run = Run(A, jitter=chance)
    for seconds in PAUSES:
        assert run.fails(A, SERVER) == [Pause(A, seconds * (1 + JITTER * chance))]


@pytest.mark.parametrize("kind", BUSY)
def test_where_another_is_ready_nobody_is_asked_twice(kind: FaultKind) -> None:
    run = Run(A, B)
    assert [type(step) for step in run.fails(A, kind)] == [RestKey]
    assert run.asks.candidates == (B,)


def test_the_last_that_is_left_is_asked_twice_more() -> None:
    run = Run(A, B)
    run.fails(A, SERVER)
    assert [run.fails(B, SERVER) for _ in range(2)] == [[Pause(B, 1.0)], [Pause(B, 2.0)]]
    run.fails(B, SERVER)
    assert run.told is not None


def test_where_all_others_rest_the_same_is_asked_twice_more() -> None:
    run = Run(A, B, ready=lambda each: each == A)
    assert run.fails(A, SERVER) == [Pause(A, 1.0)]
    assert run.asks.candidates == (A, B)
    assert run.fails(A, SERVER) == [Pause(A, 2.0)]
    assert [type(step) for step in run.fails(A, SERVER)] == [RestKey]
    assert run.step == Try((B,), front=True)


def test_who_is_ready_again_takes_over() -> None:
    ready = {A}
    run = Run(A, B, ready=lambda each: each in ready)
    assert run.fails(A, SERVER) == [Pause(A, 1.0)]
    ready.add(B)
    assert [type(step) for step in run.fails(A, SERVER)] == [RestKey]
    assert run.asks.candidates == (B,)


def test_pauses_are_counted_for_each_candidate() -> None:
    run = Run(A, B, ready=nobody)
    assert run.fails(B, SERVER) == [Pause(B, 1.0)]
    assert run.fails(A, SERVER) == [Pause(A, 1.0)]
    assert run.fails(B, SERVER) == [Pause(B, 2.0)]
    run.fails(B, SERVER)
    assert run.asks.candidates == (A,)
    assert run.fails(A, SERVER) == [Pause(A, 2.0)]
    run.fails(A, SERVER)
    assert run.told is not None
    assert run.asked == {A: 3, B: 3}


def test_a_vendors_own_time_is_a_rest_instead_of_a_pause() -> None:
    run, why = Run(A), fault(OVERLOADED, retry_after=9)
    for _ in PAUSES:
        assert run.fails(A, why) == [RestKey(A, why)]
        assert run.step == Try((A,), front=True)
    assert run.fails(A, why) == [RestKey(A, why)]
    assert run.told is why


def test_a_probe_is_not_asked_again_by_pauses() -> None:
    run, why = Run(A), fault(SERVER)
    assert run.fails(A, why, probe=True) == [RestKey(A, why)]
    assert run.told is why


def test_a_probe_is_asked_again_at_the_vendors_own_time() -> None:
    run, why = Run(A), fault(SERVER, retry_after=3)
    assert run.fails(A, why, probe=True) == [RestKey(A, why)]
    assert run.step == Try((A,), front=True)


@pytest.mark.parametrize("kind", NEVER_AGAIN)
def test_no_other_fault_is_asked_again(kind: FaultKind) -> None:
    run, why = Run(A), fault(kind)
    assert run.fails(A, why) == [RestKey(A, why)]
    assert run.told is why


# 429


def test_a_429_gives_the_turn_but_not_the_chance() -> None:
    run, why = Run(A, B), too_many(7)
    assert run.fails(A, why) == [RestKey(A, why)]
    assert run.step == Try((A, B), front=True)


def test_a_429_with_a_time_is_waited_for_each_time() -> None:
    run, why = Run(A), too_many(7)
    for _ in range(10):
        assert run.fails(A, why) == [RestKey(A, why)]
        assert run.step == Try((A,), front=True)


def test_alone_a_429_without_a_time_is_waited_for_2_5_and_15_seconds_then_told() -> None:
    run, why = Run(A), too_many()
    for seconds in (2.0, 5.0, 15.0):
        assert run.fails(A, why) == [RestKey(A, why, seconds)]
        assert run.step == Try((A,), front=True)
    assert run.fails(A, why) == [RestKey(A, why)]
    assert run.told is why


def test_with_others_a_429_without_a_time_rests_as_long_as_its_kind() -> None:
    run, why = Run(A, B), too_many()
    assert run.fails(A, why) == [RestKey(A, why)]
    assert run.step == Try((A, B), front=True)


def test_three_in_a_row_count_for_the_request_whoever_said_them() -> None:
    run = Run(A, B)
    for each in (A, B, A):
        run.fails(each, too_many())
        assert run.asks.candidates == (A, B)
    run.fails(B, too_many())
    assert run.asks.candidates == (A,)
    last = too_many()
    run.fails(A, last)
    assert run.told is last


def test_who_is_left_over_is_not_alone() -> None:
    run, why = Run(A, B), too_many()
    run.fails(B, SERVER)
    assert run.fails(A, why) == [RestKey(A, why)]


def test_a_time_said_begins_the_row_anew() -> None:
    run, why = Run(A), too_many()
    run.fails(A, why)
    run.fails(A, why)
    run.fails(A, too_many(1))
    assert run.fails(A, why) == [RestKey(A, why, UNSAID_PAUSES[0])]


@pytest.mark.parametrize("kind", FaultKind)
def test_only_a_429_as_a_status_is_waited_for(kind: FaultKind) -> None:
    run = Run(A, B)
    run.fails(A, fault(kind, retry_after=3))
    assert run.step is None or A not in run.step.candidates  # type: ignore[union-attr]
    run = Run(A, B)
    run.fails(A, Fault(kind, "no", retry_after=3, reply=VendorReply(429, (), b"")))
    assert (run.step == Try((A, B), front=True)) is (kind is RATE)


# Faults of the agent's own making


@pytest.mark.parametrize("kind", FINAL)
def test_a_fault_that_is_the_same_everywhere_ends_it(kind: FaultKind) -> None:
    run, final = Run(A, B), fault(kind)
    run.fails(A, final)
    assert run.told is final
    run = Run(A, B, C)
    run.fails(A, SERVER)
    run.fails(B, final)
    assert run.told is final


@pytest.mark.parametrize("kind", AGENTS)
def test_what_the_agent_did_is_never_asked_again(kind: FaultKind) -> None:
    run, why = Run(A, ready=nobody), fault(kind)
    assert run.fails(A, why) == [RestKey(A, why)]
    assert run.told is why


def test_a_content_filter_is_told_and_nobody_else_asked() -> None:
    run, why = Run(A, B, C), fault(FaultKind.FILTERED)
    run.fails(B, why)
    assert (run.step, run.told) == (None, why)


@pytest.mark.parametrize("kind", LARGER)
def test_what_is_too_long_goes_only_where_more_fits(kind: FaultKind) -> None:
    small, same, middle = sized("small", 8), sized("same", 100), sized("middle", 100)
    large, unknown = sized("large", 200), sized("unknown", 0)
    run = Run(small, same, middle, unknown, large)
    run.fails(middle, kind)
    assert run.step == Try((large,), front=True)


@pytest.mark.parametrize("kind", LARGER)
def test_what_is_too_long_everywhere_is_told(kind: FaultKind) -> None:
    run, why = Run(sized("one", 100), sized("two", 100), sized("unknown", 0)), fault(kind)
    run.fails(sized("one", 100), why)
    assert (run.step, run.told) == (None, why)


@pytest.mark.parametrize("kind", LARGER)
def test_what_is_too_long_is_not_hidden_by_a_larger_ones_fault(kind: FaultKind) -> None:
    one, two = sized("one", 100), sized("two", 200)
    run, why = Run(one, two), fault(kind)
    run.fails(one, why)
    while run.step is not None:
        run.fails(two, SERVER)
    assert run.told is why


# What is told


def test_an_unknown_model_goes_to_the_next_else_the_first_is_told() -> None:
    run, first = Run(A, B), fault(MODEL)
    run.fails(A, first)
    assert run.asks.candidates == (B,)
    run.fails(B, MODEL)
    assert run.told is first


@pytest.mark.parametrize(
    ("kinds", "place"),
    [
        ([SERVER], 0),
        ([SERVER, NETWORK], 1),
        ([SERVER, RATE], 0),
        ([SERVER, QUEUE], 0),
        ([RATE, SERVER, CREDIT], 1),
        ([MODEL, SERVER, MODEL], 1),
        ([RATE, CREDIT], 1),
        ([WINDOW, MODEL], 1),
        ([CREDIT, MODEL], 1),
        ([MODEL, RATE, MODEL], 0),
        ([MODEL], 0),
        ([MODEL, MODEL], 0),
        ([CONTEXT, SERVER], 0),
        ([CONTEXT, FaultKind.TOO_LARGE, RATE], 1),
        ([SERVER, FaultKind.REQUEST], 1),
        ([FaultKind.AUTH, WINDOW], 0),
    ],
)
def test_what_is_told(kinds: list[FaultKind], place: int) -> None:
    faults = [fault(kind, str(number)) for number, kind in enumerate(kinds)]
    assert telling(faults) is faults[place]


def test_to_be_turned_away_is_told_where_nothing_else_was_said() -> None:
    run, away = Run(A, B), fault(QUEUE)
    run.fails(A, too_many(3))
    run.turned_away(away)
    assert run.told is away


def test_to_be_turned_away_hides_nothing_that_was_said_before() -> None:
    run, why = Run(A, B), fault(SERVER)
    run.fails(A, why)
    run.turned_away(fault(QUEUE))
    assert run.told is why


@pytest.mark.parametrize("retry_after", [None, 3.0])
def test_to_be_turned_away_does_not_hide_why_it_was_asked_again(retry_after: float | None) -> None:
    run, why = Run(A), fault(SERVER, retry_after=retry_after)
    run.fails(A, why)
    run.turned_away(fault(QUEUE))
    assert run.told is why


def test_a_quota_of_the_same_candidate_does_not_mask_why_it_was_asked_again() -> None:
    run, why = Run(A), fault(SERVER)
    run.fails(A, why)
    run.fails(A, CREDIT)
    assert run.told is why


@given(st.lists(st.sampled_from(FaultKind).map(fault), min_size=1, max_size=8))
def test_telling_never_hides_what_the_agent_did(faults: list[Fault]) -> None:
    told = telling(faults)
    assert told in faults
    agents = [each for each in faults if each.policy.whose == "agent"]
    assert not agents or told is agents[-1]


@given(st.lists(st.sampled_from(FaultKind).map(fault), min_size=1, max_size=8))
def test_a_quota_is_told_only_where_there_is_nothing_else(faults: list[Fault]) -> None:
    quotas = {CREDIT, WINDOW, RATE, QUEUE}
    if telling(faults).kind in quotas:
        assert {each.kind for each in faults} <= quotas


# Whatever happens


def faults_of_any_kind() -> st.SearchStrategy[Fault]:
    said = st.sampled_from([None, 0.0, 3.0])
    kinds = st.sampled_from([kind for kind in FaultKind if kind is not RATE])
    return st.one_of(
        st.builds(lambda kind, after: fault(kind, retry_after=after), kinds, said),
        st.just(RATE).map(fault),
        st.builds(too_many),
    )


def drawn_run(data: st.DataObject) -> Run:
    contexts = data.draw(st.lists(st.sampled_from([0, 8, 100]), min_size=1, max_size=4))
    candidates = [sized(str(number), context) for number, context in enumerate(contexts)]
    ready = data.draw(st.lists(st.booleans(), min_size=1, max_size=7))
    turn = iter(range(10_000))
    return Run(
        *candidates,
        ready=lambda _: ready[next(turn) % len(ready)],
        jitter=data.draw(st.floats(0, 1)),
    )


@given(st.data())
def test_it_comes_to_an_end(data: st.DataObject) -> None:
    run = drawn_run(data)
    first = set(run.asks.candidates)
    # Each is lost once, asked twice more and fails; three 429s of all are waited for.
    most = 4 * len(first) + len(UNSAID_PAUSES)
    while run.step is not None:
        before = run.asks
        assert before.candidates
        assert set(before.candidates) | before.fresh <= first
        candidate = data.draw(st.sampled_from(before.candidates))
        between = run.fails(
            candidate,
            data.draw(faults_of_any_kind()),
            lost=data.draw(st.booleans()),
            probe=data.draw(st.booleans()),
        )
        assert len(between) <= 1
        assert all(step.candidate == candidate for step in between if not isinstance(step, Try))
        if run.step is not None:
            assert run.asks.front
            assert set(run.asks.candidates) <= set(before.candidates)
        assert run.asked.total() <= most
    assert isinstance(run.told, Fault)


@given(st.data())
def test_of_candidates_that_all_fail_with_5xx_each_sees_at_most_three(data: st.DataObject) -> None:
    run = drawn_run(data)
    lost: set[Candidate] = set()
    while run.step is not None:
        candidate = data.draw(st.sampled_from(run.asks.candidates))
        is_lost = candidate not in lost and data.draw(st.booleans())
        if is_lost:
            lost.add(candidate)
        said = data.draw(st.sampled_from([None, 3.0]))
        why = fault(NETWORK) if is_lost else fault(data.draw(st.sampled_from(BUSY)), "", said)
        run.fails(candidate, why, lost=is_lost, probe=data.draw(st.booleans()))
        assert run.asked[candidate] <= (4 if candidate in lost else 3)
    assert run.told is not None
    assert run.told.kind in BUSY


@given(st.data())
def test_what_the_agent_did_is_told_whatever_else_happens(data: st.DataObject) -> None:
    run = drawn_run(data)
    agents: list[Fault] = []
    while run.step is not None:
        if data.draw(st.integers(0, 9)) == 0:
            run.turned_away(fault(QUEUE))
            continue
        why = data.draw(faults_of_any_kind())
        if why.policy.whose == "agent":
            agents.append(why)
        run.fails(data.draw(st.sampled_from(run.asks.candidates)), why)
    assert not agents or run.told is agents[-1]


@given(st.data())
def test_429s_with_a_time_end_only_by_being_turned_away(data: st.DataObject) -> None:
    run = drawn_run(data)
    everybody, away = run.asks.candidates, fault(QUEUE)
    for _ in range(data.draw(st.integers(0, ENDLESS))):
        run.fails(everybody[0], too_many(1.0))
        assert run.asks.candidates == everybody
    run.turned_away(away)
    assert run.told is away
