"""Standing: in which lanes a request stands, and from when on."""

from __future__ import annotations

import pytest

from holdgate.core.traffic.standing import HOME_ALONE, LATER, stands_of
from holdgate.core.traffic.ticket import Stand
from holdgate.core.values.inbound import Candidate


def candidate(provider: str, key: str = "k", model: str = "m") -> Candidate:
    return Candidate(provider, key, model, model, "chat")


HOME, WORK, OTHER = candidate("a", "home"), candidate("a", "work"), candidate("b")
ALL = (HOME, WORK, OTHER)
NONE: frozenset[tuple[str, str]] = frozenset()


def test_the_keys_of_the_preferred_candidate_count_alike() -> None:
    assert stands_of(ALL, "given", None, "auto") == (
        Stand(HOME.lane),
        Stand(WORK.lane),
        Stand(OTHER.lane, LATER),
    )


@pytest.mark.parametrize("order", ["rotate", "least-busy"])
def test_in_another_order_all_count_alike(order: str) -> None:
    assert stands_of(ALL, order, None, "auto") == tuple(Stand(each.lane) for each in ALL)


def test_another_model_of_the_same_provider_comes_later() -> None:
    small = candidate("a", "spare", "small")
    assert stands_of((HOME, small), "given", None, "auto")[1] == Stand(small.lane, LATER)


def test_a_lane_is_stood_in_once() -> None:
    again = candidate("a", "home", "small")
    assert stands_of((HOME, OTHER, again), "given", None, "auto") == (
        Stand(HOME.lane),
        Stand(OTHER.lane, LATER),
    )


@pytest.mark.parametrize("order", ["given", "rotate"])
def test_a_warm_conversation_stands_at_home_alone_at_first(order: str) -> None:
    assert stands_of(ALL, order, OTHER.lane, "auto") == (
        Stand(OTHER.lane),
        Stand(HOME.lane, HOME_ALONE),
        Stand(WORK.lane, HOME_ALONE),
    )


def test_a_bound_conversation_stands_at_home_only() -> None:
    assert stands_of(ALL, "given", WORK.lane, "conversation") == (Stand(WORK.lane),)


def test_a_home_that_is_no_candidate_counts_nothing() -> None:
    plain = stands_of(ALL, "given", None, "auto")
    assert stands_of(ALL, "given", ("gone", "k"), "conversation") == plain


def test_a_resting_lane_lets_nobody_wait_for_the_next() -> None:
    resting = frozenset({HOME.lane, WORK.lane})
    stands = stands_of(ALL, "given", None, "auto", resting)
    assert stands == tuple(Stand(each.lane) for each in ALL)


def test_a_resting_home_is_not_waited_for() -> None:
    stands = stands_of(ALL, "given", HOME.lane, "auto", frozenset({HOME.lane}))
    assert stands == (Stand(HOME.lane), Stand(WORK.lane), Stand(OTHER.lane, LATER))


def test_when_all_rest_all_count_alike() -> None:
    stands = stands_of(ALL, "given", None, "auto", frozenset(each.lane for each in ALL))
    assert stands == tuple(Stand(each.lane) for each in ALL)
    assert stands_of((HOME,), "given", None, "auto", NONE) == (Stand(HOME.lane),)
