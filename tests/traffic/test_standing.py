"""Standing: in which lanes a request stands, and from when on."""

from __future__ import annotations

import pytest

from holdgate.core.traffic.standing import HOME_ALONE, LATER, Load, in_turn, stands_of
from holdgate.core.traffic.ticket import LaneId, Stand
from holdgate.core.values.inbound import Candidate


def candidate(provider: str, key: str = "k", model: str = "m") -> Candidate:
    return Candidate(provider, key, model, model, "chat")


HOME, WORK, OTHER = candidate("a", "home"), candidate("a", "work"), candidate("b")
ALL = (HOME, WORK, OTHER)
NONE: frozenset[LaneId] = frozenset()


def test_the_keys_of_the_preferred_candidate_count_alike() -> None:
    assert stands_of(ALL, "given", None, "auto") == (
        Stand(HOME.lane),
        Stand(WORK.lane),
        Stand(OTHER.lane, LATER),
    )


@pytest.mark.parametrize("order", ["rotate", "least-busy", "any"])
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
    assert stands_of(ALL, "given", None, "auto", resting) == (
        Stand(OTHER.lane),
        Stand(HOME.lane),
        Stand(WORK.lane),
    )


def test_a_resting_home_is_not_waited_for() -> None:
    expected = (Stand(WORK.lane), Stand(OTHER.lane, LATER), Stand(HOME.lane))
    resting = frozenset({HOME.lane})
    assert stands_of(ALL, "given", HOME.lane, "auto", resting) == expected
    assert stands_of(ALL, "given", HOME.lane, "conversation", resting) == expected


def test_when_all_rest_all_count_alike() -> None:
    stands = stands_of(ALL, "given", None, "auto", frozenset(each.lane for each in ALL))
    assert stands == tuple(Stand(each.lane) for each in ALL)
    assert stands_of((HOME,), "given", None, "auto", NONE) == (Stand(HOME.lane),)


@pytest.mark.parametrize("order", ["given", "rotate", "any"])
def test_of_mates_the_one_with_fewer_requests_is_preferred(order: str) -> None:
    loads = {HOME.lane: Load(2, 8), WORK.lane: Load(1, 1), OTHER.lane: Load(0)}
    stands = stands_of(ALL, order, loads=loads)
    assert [stand.lane for stand in stands] == [WORK.lane, HOME.lane, OTHER.lane]


def test_equally_busy_mates_keep_the_order_of_the_file() -> None:
    loads = {HOME.lane: Load(3), WORK.lane: Load(3)}
    assert stands_of(ALL, "given", loads=loads) == stands_of(ALL, "given")


def test_of_those_that_are_no_home_the_less_busy_is_preferred() -> None:
    stands = stands_of(ALL, "least-busy", OTHER.lane, "auto", loads={HOME.lane: Load(1)})
    assert [stand.lane for stand in stands] == [OTHER.lane, WORK.lane, HOME.lane]


def test_each_request_begins_with_another_candidate_and_goes_on_in_a_circle() -> None:
    spare = candidate("c")
    circles = [
        "".join(stand.lane[0] for stand in stands_of(in_turn((HOME, OTHER, spare), turn), "rotate"))
        for turn in range(4)
    ]
    assert circles == ["abc", "bca", "cab", "abc"]


def test_mates_rotate_together() -> None:
    stands = stands_of(in_turn(ALL, 1), "rotate")
    assert stands == (Stand(OTHER.lane), Stand(HOME.lane), Stand(WORK.lane))


@pytest.mark.parametrize(
    ("less", "more"),
    [
        (Load(), Load(1, 100)),
        (Load(2, 4), Load(2, 2)),
        (Load(3, 4), Load(1)),
        (Load(1), Load(3, 2)),
        (Load(4), Load(5)),
    ],
)
def test_which_lane_is_less_busy(less: Load, more: Load) -> None:
    stands = stands_of((HOME, OTHER), "least-busy", loads={HOME.lane: more, OTHER.lane: less})
    assert stands == (Stand(OTHER.lane), Stand(HOME.lane))


def test_equally_busy_lanes_keep_the_order_of_the_route() -> None:
    loads = {HOME.lane: Load(2, 4), WORK.lane: Load(1, 2), OTHER.lane: Load(3, 6)}
    stands = stands_of(ALL, "least-busy", loads=loads)
    assert stands == tuple(Stand(each.lane) for each in ALL)
