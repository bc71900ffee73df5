"""Rests: which keys rest and until when, counted by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.traffic.rests import Rests
from holdgate.core.values.errors import ALONE, POLICIES, REST_MOST, Fault, FaultKind
from holdgate.core.values.inbound import Candidate
from holdgate.core.values.rests import Rest

NOW = 1_800_000_000.0
MINUTE, DAY = 60.0, 86400.0
A = Candidate("a", "default", "m", "vendor-m", "chat")
OTHER_MODEL = Candidate("a", "default", "n", "vendor-n", "chat")
OTHER_KEY = Candidate("a", "second", "m", "vendor-m", "chat")

CREDIT, WINDOW, RATE = FaultKind.CREDIT, FaultKind.WINDOW, FaultKind.RATE
SERVER, OVERLOADED, NETWORK = FaultKind.SERVER, FaultKind.OVERLOADED, FaultKind.NETWORK
AUTH, FORBIDDEN = FaultKind.AUTH, FaultKind.FORBIDDEN
RESTING = [kind for kind in FaultKind if POLICIES[kind].rest is not None]
HEALTH = [SERVER, OVERLOADED, NETWORK]
LIMITS = [CREDIT, WINDOW, RATE]
REFUSALS = [AUTH, FORBIDDEN]


def fails(
    rests: Rests,
    kind: FaultKind,
    now: float = NOW,
    *,
    said: float | None = None,
    alone: bool = False,
    candidate: Candidate = A,
    seconds: float | None = None,
    seal: str = "",
    message: str = "a: no",
) -> Rest | None:
    fault = Fault(kind, message, retry_after=said)
    return rests.failed(candidate, fault, now, alone=alone, seconds=seconds, seal=seal)


def length(
    rests: Rests,
    kind: FaultKind,
    now: float = NOW,
    *,
    said: float | None = None,
    alone: bool = False,
    seconds: float | None = None,
) -> float:
    """Give how long a key rests from now on after a fault."""
    rest = fails(rests, kind, now, said=said, alone=alone, seconds=seconds)
    assert rest is not None
    return rest.until - now


def in_a_row(kind: FaultKind, times: int, *, alone: bool = False) -> list[float]:
    """Give how long the rests are of which each begins at the end of the one before."""
    rests, now, lengths = Rests(), NOW, list[float]()
    for _ in range(times):
        lengths.append(length(rests, kind, now, alone=alone))
        now += lengths[-1]
    return lengths


# How long


def test_out_of_credit_rests_half_an_hour_each_time() -> None:
    assert in_a_row(CREDIT, 3) == [30 * MINUTE] * 3


def test_out_of_credit_no_word_of_the_vendor_counts() -> None:
    assert length(Rests(), CREDIT, said=1.0) == 30 * MINUTE


def test_a_spent_window_rests_until_its_reset() -> None:
    assert length(Rests(), WINDOW, said=5 * 3600.0) == 5 * 3600.0
    assert length(Rests(), WINDOW, said=7 * DAY) == 7 * DAY


@pytest.mark.parametrize("said", [9 * DAY, 1e12, math.inf])
def test_no_rest_is_longer_than_eight_days(said: float) -> None:
    assert length(Rests(), WINDOW, said=said) == REST_MOST == 8 * DAY


@pytest.mark.parametrize("kind", [RATE, WINDOW])
def test_a_limit_without_a_time_rests_a_minute_doubling_to_thirty(kind: FaultKind) -> None:
    assert in_a_row(kind, 7) == [MINUTE * n for n in (1, 2, 4, 8, 16, 30, 30)]


@pytest.mark.parametrize("kind", [RATE, WINDOW, SERVER, OVERLOADED, NETWORK])
@pytest.mark.parametrize("alone", [True, False])
def test_the_vendors_word_counts_also_alone(kind: FaultKind, alone: bool) -> None:
    assert length(Rests(), kind, said=17.0, alone=alone) == 17.0


@pytest.mark.parametrize("kind", HEALTH)
def test_a_sick_vendor_rests_a_minute_doubling_to_ten(kind: FaultKind) -> None:
    assert in_a_row(kind, 6) == [MINUTE * n for n in (1, 2, 4, 8, 10, 10)]


@pytest.mark.parametrize("kind", [*HEALTH, *LIMITS])
def test_alone_a_key_rests_two_seconds_doubling_to_sixty(kind: FaultKind) -> None:
    assert in_a_row(kind, 7, alone=True) == [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]


def test_a_length_that_is_decided_counts() -> None:
    assert length(Rests(), RATE, seconds=5.0, alone=True) == 5.0


@pytest.mark.parametrize("kind", [kind for kind in FaultKind if kind not in RESTING])
def test_other_kinds_let_no_key_rest(kind: FaultKind) -> None:
    rests = Rests()
    assert fails(rests, kind, said=60.0) is None
    assert not rests


def test_at_once_said_again_and_again_is_asked_less_and_less_often() -> None:
    rests, now, lengths = Rests(), NOW, list[float]()
    for _ in range(14):
        rest = fails(rests, RATE, now, said=0.0)
        assert rest is not None
        lengths.append(rest.until - now)
        now = rest.until
    assert lengths[:3] == pytest.approx([0.05, 0.1, 0.2], abs=1e-5)
    assert lengths == sorted(lengths)
    assert lengths[-1] == pytest.approx(ALONE.most)


# What a rest says


def test_a_rest_says_why() -> None:
    rests = Rests()
    assert fails(rests, SERVER, said=5.0, message="a: it burns") == Rest(
        "a", "default", SERVER, "server error (it burns)", NOW + 5, said=True
    )
    assert fails(Rests(), SERVER, message="b: " + "x" * 999) == Rest(
        "a", "default", SERVER, f"server error (b: {'x' * 197})", NOW + 60
    )


def test_a_rest_is_of_one_key() -> None:
    rests = Rests()
    rest = fails(rests, SERVER)
    assert rests
    assert rests.of(A.lane, NOW) == rest
    assert rests.of(OTHER_KEY.lane, NOW) is None
    assert rests.all() == [rest]


def test_what_is_over_is_not_shown_but_remembered() -> None:
    rests = Rests()
    rest = fails(rests, SERVER)
    assert rests.of(A.lane, NOW + 60) is None
    assert rests.all() == [rest]


# Faults in a row


@pytest.mark.parametrize("kind", [*HEALTH, WINDOW, RATE])
def test_a_fault_while_it_rests_already_adds_nothing(kind: FaultKind) -> None:
    rests = Rests()
    first = fails(rests, kind)
    for after in (0.0, 1.0, 59.9):
        assert fails(rests, kind, NOW + after) == first
    assert length(rests, kind, NOW + 60) == 120.0


def test_a_sicker_fault_of_another_kind_adds_nothing_either() -> None:
    rests = Rests()
    first = fails(rests, SERVER)
    assert fails(rests, NETWORK, NOW + 30) == first


@pytest.mark.parametrize("kind", [*HEALTH, *LIMITS])
def test_alone_a_fault_while_it_rests_adds_nothing(kind: FaultKind) -> None:
    rests = Rests()
    first = fails(rests, kind, alone=True)
    assert fails(rests, kind, NOW + 1, alone=True) == first


def test_a_word_of_the_vendor_makes_a_rest_longer_but_no_strike() -> None:
    rests = Rests()
    fails(rests, RATE)
    rest = fails(rests, RATE, NOW + 1, said=600.0)
    assert rest is not None
    assert (rest.until, rest.strikes, rest.said) == (NOW + 601, 1, True)


def test_a_word_of_the_vendor_makes_no_rest_shorter() -> None:
    rests = Rests()
    first = fails(rests, RATE, said=600.0)
    assert fails(rests, RATE, NOW + 1, said=3.0) == first


def test_a_worse_fault_makes_a_rest_longer() -> None:
    rests = Rests()
    fails(rests, SERVER)
    rest = fails(rests, CREDIT, NOW + 1)
    assert rest is not None
    assert (rest.kind, rest.until, rest.strikes) == (CREDIT, NOW + 1801, 1)


@pytest.mark.parametrize("kind", [*HEALTH, RATE, WINDOW])
def test_a_fault_after_the_rest_doubles_it(kind: FaultKind) -> None:
    rests = Rests()
    assert length(rests, kind) == 60.0
    assert length(rests, kind, NOW + 60) == 120.0
    assert length(rests, kind, NOW + 200) == 240.0


@pytest.mark.parametrize("kind", [*HEALTH, RATE, WINDOW])
def test_a_fault_long_after_the_rest_is_the_first(kind: FaultKind) -> None:
    terms = POLICIES[kind].rest
    assert terms is not None
    rests = Rests()
    fails(rests, kind)
    assert length(rests, kind, NOW + 60 + terms.most + 1) == 60.0
    assert length(rests, kind, NOW + 60 + terms.most + 61) == 120.0


# Answers


@pytest.mark.parametrize("kind", RESTING)
def test_an_answer_after_the_rest_ends_it(kind: FaultKind) -> None:
    rests = Rests()
    rest = fails(rests, kind)
    assert rest is not None
    assert rests.answered(A, rest.until) == [rest]
    assert not rests
    assert length(rests, kind, rest.until) == rest.until - NOW


@pytest.mark.parametrize("kind", HEALTH)
def test_an_answer_that_was_under_way_shows_that_a_vendor_is_well(kind: FaultKind) -> None:
    rests = Rests()
    rest = fails(rests, kind)
    assert rests.answered(A, NOW + 1) == [rest]
    assert not rests


@pytest.mark.parametrize("kind", HEALTH)
def test_an_answer_that_was_under_way_does_not_count_against_the_vendors_word(
    kind: FaultKind,
) -> None:
    rests = Rests()
    fails(rests, kind, said=30.0)
    assert rests.answered(A, NOW + 29) == []
    assert rests


@pytest.mark.parametrize("kind", LIMITS)
def test_an_answer_that_was_under_way_does_not_end_a_limit(kind: FaultKind) -> None:
    rests = Rests()
    fails(rests, kind)
    assert rests.answered(A, NOW + 1) == []
    assert rests


def test_an_answer_of_another_key_ends_nothing() -> None:
    rests = Rests()
    assert rests.answered(A, NOW) == []
    fails(rests, SERVER)
    assert rests.answered(OTHER_KEY, NOW + 600) == []
    assert rests


# Refused keys


def test_a_refused_key_is_asked_by_one_request_in_ten_minutes() -> None:
    rests = Rests()
    rest = fails(rests, AUTH, seal="s")
    assert rest == Rest("a", "default", AUTH, "key refused (no)", NOW + 600, refused=True, seal="s")
    for candidate in (A, OTHER_MODEL):
        assert rests.refusal(candidate, NOW + 599) == rest
        assert rests.refusal(candidate, NOW + 600) is None
    assert rests.refusal(OTHER_KEY, NOW) is None
    rests.probe(A, NOW + 600)
    refusal = rests.refusal(A, NOW + 600)
    assert refusal is not None
    assert (refusal.until, refusal.seal) == (NOW + 1200, "s")


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("kind", REFUSALS)
def test_a_refusal_lasts_ten_minutes_whatever_the_vendor_says(kind: FaultKind, alone: bool) -> None:
    assert length(Rests(), kind, said=3.0, alone=alone) == 600.0


def test_a_probe_that_fails_waits_another_ten_minutes() -> None:
    rests = Rests()
    fails(rests, AUTH)
    rests.probe(A, NOW + 700)
    fails(rests, AUTH, NOW + 705)
    assert rests.refusal(A, NOW + 1299) is not None
    assert rests.refusal(A, NOW + 1300) is None


@pytest.mark.parametrize("kind", [SERVER, NETWORK, OVERLOADED, RATE])
def test_a_probe_that_shows_nothing_changes_nothing(kind: FaultKind) -> None:
    rests = Rests()
    fails(rests, AUTH)
    rests.probe(A, NOW + 600)
    rest = fails(rests, kind, NOW + 601)
    assert rest is not None
    assert (rest.kind, rest.until) == (AUTH, NOW + 1200)


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_probe_that_passes_ends_a_refusal(kind: FaultKind) -> None:
    rests = Rests()
    fails(rests, kind)
    rests.probe(A, NOW + 600)
    assert [rest.kind for rest in rests.answered(A, NOW + 601)] == [kind]
    assert rests.refusal(A, NOW + 601) is None


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_refusal_that_comes_late_does_not_put_off_the_probe(kind: FaultKind) -> None:
    rests = Rests()
    first = fails(rests, kind)
    assert fails(rests, kind, NOW + 30) == first
    assert rests.refusal(A, NOW + 600) is None


@pytest.mark.parametrize("kind", [*HEALTH, RATE, WINDOW])
def test_a_fault_that_comes_late_does_not_end_a_refusal(kind: FaultKind) -> None:
    rests = Rests()
    first = fails(rests, AUTH)
    assert fails(rests, kind, NOW + 590) == first
    assert rests.refusal(A, NOW + 599) == first


@pytest.mark.parametrize("kind", [*HEALTH, *LIMITS])
@pytest.mark.parametrize("said", [None, 7 * DAY])
def test_a_refusal_counts_also_while_a_key_rests(kind: FaultKind, said: float | None) -> None:
    rests = Rests()
    fails(rests, kind, said=said)
    rest = fails(rests, AUTH, NOW + 1)
    assert rest is not None
    assert rest.refused
    assert rests.refusal(A, NOW + 2) == rest


def test_asking_a_key_that_is_not_refused_is_no_probe() -> None:
    rests = Rests()
    rest = fails(rests, SERVER)
    rests.probe(A, NOW + 700)
    assert rests.all() == [rest]


def test_asking_before_it_is_due_is_no_probe() -> None:
    rests = Rests()
    rest = fails(rests, AUTH)
    rests.probe(A, NOW + 599)
    assert rests.all() == [rest]


def test_forbidden_is_of_the_key_with_that_model() -> None:
    rests = Rests()
    rest = fails(rests, FORBIDDEN)
    assert rest is not None
    assert rest.model == "m"
    assert rests.refusal(A, NOW) == rest
    assert rests.refusal(OTHER_MODEL, NOW) is None
    assert rests.answered(OTHER_MODEL, NOW + 700) == []
    assert not rests.is_probed(A.lane)


def test_an_answer_ends_the_rest_of_the_key_and_that_with_the_model() -> None:
    rests = Rests()
    whole, with_model = fails(rests, SERVER), fails(rests, FORBIDDEN)
    assert rests.answered(A, NOW + 600) == [whole, with_model]


def test_the_rest_of_the_whole_key_is_shown_before_that_with_a_model() -> None:
    rests = Rests()
    with_model = fails(rests, FORBIDDEN)
    assert rests.of(A.lane, NOW) == with_model
    whole = fails(rests, SERVER)
    assert rests.of(A.lane, NOW) == whole
    assert rests.of(A.lane, NOW + 60) == with_model


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_refusal_is_shown_also_when_it_may_be_probed(kind: FaultKind) -> None:
    rests = Rests()
    assert rests.of(A.lane, NOW + 1e6) is None
    rest = fails(rests, kind)
    assert rests.of(A.lane, NOW + 1e6) == rest


def test_a_key_that_failed_is_probed_until_it_answers() -> None:
    rests = Rests()
    assert not rests.is_probed(A.lane)
    fails(rests, SERVER)
    assert rests.is_probed(A.lane)
    assert not rests.is_probed(OTHER_KEY.lane)
    rests.answered(A, NOW + 100)
    assert not rests.is_probed(A.lane)


# Lifted, configured, restarted


def test_all_rests_of_a_key_are_lifted() -> None:
    rests = Rests()
    whole, with_model = fails(rests, CREDIT), fails(rests, FORBIDDEN)
    other = fails(rests, SERVER, candidate=OTHER_KEY)
    assert rests.lift(A.lane) == [whole, with_model]
    assert rests.all() == [other]
    assert rests.lift(A.lane) == []


def test_rests_of_keys_that_are_gone_are_forgotten() -> None:
    rests = Rests()
    kept, gone = fails(rests, WINDOW), fails(rests, WINDOW, candidate=OTHER_KEY)
    assert rests.reconcile([A.lane], float("inf")) == [gone]
    assert rests.all() == [kept]


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_change_of_the_configuration_ends_refusals(kind: FaultKind) -> None:
    rests = Rests()
    kept, refused = fails(rests, RATE, candidate=OTHER_KEY), fails(rests, kind, seal="s")
    assert rests.reconcile([A.lane, OTHER_KEY.lane], 0) == [refused]
    assert rests.all() == [kept]


@pytest.mark.parametrize("kind", REFUSALS)
def test_over_a_restart_a_refusal_stays_while_the_secret_is_the_same(kind: FaultKind) -> None:
    earlier, later = Rests(), Rests()
    fails(earlier, kind, seal="old")
    fails(earlier, CREDIT, candidate=OTHER_KEY)
    later.restore(earlier.all())
    lanes = [A.lane, OTHER_KEY.lane]
    assert later.reconcile(lanes, 0, lambda _: "old") == []
    assert later.all() == earlier.all()
    assert later.refusal(A, NOW + 1) is not None
    assert [rest.kind for rest in later.reconcile(lanes, 0, lambda _: "new")] == [kind]
    assert [rest.kind for rest in later.all()] == [CREDIT]


def test_only_a_refusal_has_a_seal() -> None:
    rests = Rests()
    rest = fails(rests, SERVER, seal="s")
    assert rest is not None
    assert rest.seal == ""


def test_over_a_restart_strikes_go_on() -> None:
    earlier, later = Rests(), Rests()
    fails(earlier, SERVER)
    later.restore(earlier.all())
    assert length(later, SERVER, NOW + 60) == 120.0


def test_a_rest_has_a_lane_and_a_shape_of_the_control_api() -> None:
    rest = Rest("a", "default", SERVER, "server error (no)", NOW + 0.12345)
    assert rest.lane == A.lane
    assert rest.as_json() == {"until": NOW + 0.123, "why": "server error (no)"}


# Whatever happens

SAID = st.one_of(st.none(), st.floats(0, 1e9))
KINDS = st.sampled_from(FaultKind)
STEPS = st.sampled_from([0.0, 0.01, 1.0, 30.0, 60.0, 599.0, 601.0, 3600.0, 9 * DAY])
CANDIDATES = st.sampled_from([A, OTHER_MODEL, OTHER_KEY])


def rest_of(rests: Rests, candidate: Candidate, kind: FaultKind) -> Rest | None:
    model = candidate.model if kind is FORBIDDEN else ""
    return next((r for r in rests.all() if (r.lane, r.model) == (candidate.lane, model)), None)


@given(st.lists(st.tuples(STEPS, KINDS, SAID, CANDIDATES, st.booleans(), st.booleans())))
def test_rests_are_never_longer_than_eight_days_and_strikes_grow_only_after_them(
    events: list[tuple[float, FaultKind, float | None, Candidate, bool, bool]],
) -> None:
    rests, now = Rests(), NOW
    for passed, kind, said, candidate, alone, is_answer in events:
        now += passed
        if is_answer:
            rests.answered(candidate, now)
            continue
        earlier = rest_of(rests, candidate, kind)
        rest = fails(rests, kind, now, said=said, alone=alone, candidate=candidate)
        assert (rest is None) is (POLICIES[kind].rest is None)
        if rest is None:
            continue
        assert rest == rest_of(rests, candidate, kind)
        assert now < rest.until <= now + REST_MOST
        strikes = 0 if earlier is None else earlier.strikes
        if earlier is not None and now < earlier.until:
            assert rest.strikes == strikes
            assert rest.refused or rest.until >= earlier.until
        else:
            assert rest.strikes in (1, strikes + 1)


@given(
    st.lists(st.tuples(STEPS, CANDIDATES, st.booleans()), max_size=60), st.sampled_from(REFUSALS)
)
def test_a_refused_candidate_is_let_through_at_most_once_in_ten_minutes(
    requests: list[tuple[float, Candidate, bool]], kind: FaultKind
) -> None:
    rests, now = Rests(), NOW
    through: dict[tuple[object, str], float] = {}
    for passed, candidate, is_refused in requests:
        now += passed
        if rests.refusal(candidate, now) is not None:
            continue
        rests.probe(candidate, now)
        refused = (candidate.lane, candidate.model if kind is FORBIDDEN else "")
        assert now - through.get(refused, -math.inf) >= 600
        through[refused] = now
        # Each that is let through is refused, or ends in a way that shows nothing.
        first = rest_of(rests, candidate, kind) is None
        fails(rests, kind if is_refused or first else NETWORK, now, candidate=candidate)


@given(st.lists(st.tuples(STEPS, st.sampled_from(RESTING), SAID)), CANDIDATES)
def test_an_answer_after_all_rests_leaves_none_of_that_candidate(
    events: list[tuple[float, FaultKind, float | None]], candidate: Candidate
) -> None:
    rests, now = Rests(), NOW
    for passed, kind, said in events:
        now += passed
        fails(rests, kind, now, said=said, candidate=candidate)
    ended = rests.answered(candidate, now + REST_MOST)
    assert len(ended) <= 2
    assert not rests
    assert rests.refusal(candidate, now) is None
