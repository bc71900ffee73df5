"""Standing in any route's lanes, whoever is busy or rests: what each order always keeps to."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.traffic.standing import HOME_ALONE, LATER, Load, in_turn, stands_of
from holdgate.core.traffic.ticket import LaneId
from holdgate.core.values.inbound import Candidate

Route = tuple[Candidate, ...]

ORDERS = st.sampled_from(["given", "rotate", "least-busy"])
LANES = st.tuples(st.sampled_from("abc"), st.sampled_from("kl"))
RESTING = st.frozensets(LANES)
LOADS = st.dictionaries(LANES, st.builds(Load, st.integers(0, 9), st.integers(0, 4)))
TURNS = st.integers(0, 1000)


def candidate(lane: LaneId, model: str) -> Candidate:
    return Candidate(*lane, model, model, "chat")


def routes_of(models: str) -> st.SearchStrategy[Route]:
    """Give routes, also such that name a candidate twice."""
    candidates = st.builds(candidate, LANES, st.sampled_from(models))
    return st.lists(candidates, min_size=1, max_size=8).map(tuple)


# Also with keys that serve several models.
ROUTES = routes_of("mn")
# Each key serves one model.
APART = routes_of("m")


def groups_of(route: Route) -> list[set[LaneId]]:
    names = dict.fromkeys((c.provider, c.model) for c in route)
    return [{c.lane for c in route if (c.provider, c.model) == name} for name in names]


def place_of(route: Route, lane: LaneId) -> int:
    return next(place for place, group in enumerate(groups_of(route)) if lane in group)


@given(ROUTES, ORDERS, st.none() | LANES, RESTING, LOADS, TURNS)
def test_each_lane_is_stood_in_once_and_the_resting_are_last(
    route: Route,
    order: str,
    home: LaneId | None,
    resting: frozenset[LaneId],
    loads: dict[LaneId, Load],
    turn: int,
) -> None:
    stands = stands_of(in_turn(route, turn), order, home, "auto", resting, loads)
    lanes = [stand.lane for stand in stands]
    assert Counter(lanes) == Counter({candidate.lane for candidate in route})
    rests = [lane in resting for lane in lanes]
    assert rests == sorted(rests)
    assert stands[0].after == 0


@given(ROUTES, ORDERS, LANES, RESTING, LOADS, TURNS)
def test_a_home_that_does_not_rest_is_first_and_alone(
    route: Route,
    order: str,
    home: LaneId,
    resting: frozenset[LaneId],
    loads: dict[LaneId, Load],
    turn: int,
) -> None:
    stands = stands_of(in_turn(route, turn), order, home, "auto", resting, loads)
    only = stands_of(in_turn(route, turn), order, home, "conversation", resting, loads)
    if home in resting or home not in {candidate.lane for candidate in route}:
        assert (
            stands == only == stands_of(in_turn(route, turn), order, None, "auto", resting, loads)
        )
    else:
        assert only == stands[:1]
        assert stands[0].lane == home
        assert {stand.after for stand in stands[1:]} <= {HOME_ALONE}


@given(ROUTES, RESTING, LOADS)
def test_given_keeps_the_order_of_the_candidates(
    route: Route, resting: frozenset[LaneId], loads: dict[LaneId, Load]
) -> None:
    stands = stands_of(route, "given", resting=resting, loads=loads)
    awake = [stand for stand in stands if stand.lane not in resting]
    ranks = [(place_of(route, s.lane), loads.get(s.lane, Load()).busy) for s in awake]
    assert ranks == sorted(ranks)
    assert all(stand.after == 0 for stand in stands if stand.lane in resting)
    if awake:
        first = groups_of(route)[ranks[0][0]]
        assert [s.after for s in awake] == [0.0 if s.lane in first else LATER for s in awake]


@given(APART, st.integers(1, 4), LOADS, TURNS)
def test_rotate_gives_each_candidate_the_first_place_equally_often(
    route: Route, times: int, loads: dict[LaneId, Load], turn: int
) -> None:
    groups = groups_of(route)
    count = times * len(groups)
    tickets = [stands_of(in_turn(route, turn + n), "rotate", loads=loads) for n in range(count)]
    firsts = Counter(place_of(route, stands[0].lane) for stands in tickets)
    assert firsts == dict.fromkeys(range(len(groups)), times)


@given(ROUTES, RESTING, LOADS, TURNS)
def test_rotate_goes_on_in_a_circle_and_lets_nobody_wait(
    route: Route, resting: frozenset[LaneId], loads: dict[LaneId, Load], turn: int
) -> None:
    stands = stands_of(in_turn(route, turn), "rotate", None, "off", resting, loads)
    groups = groups_of(route)
    start = turn % len(groups)
    circle = groups[start:] + groups[:start]
    places = [
        next(place for place, group in enumerate(circle) if stand.lane in group)
        for stand in stands
        if stand.lane not in resting
    ]
    assert places == sorted(places)
    assert {stand.after for stand in stands} == {0.0}


@given(ROUTES, RESTING, LOADS)
def test_least_busy_puts_nobody_before_a_less_busy_one(
    route: Route, resting: frozenset[LaneId], loads: dict[LaneId, Load]
) -> None:
    stands = stands_of(route, "least-busy", resting=resting, loads=loads)
    awake = [stand.lane for stand in stands if stand.lane not in resting]
    ranks = [(loads.get(lane, Load()).share, place_of(route, lane)) for lane in awake]
    assert ranks == sorted(ranks)
    assert {stand.after for stand in stands} == {0.0}
