"""Places: where waiting tickets stand best, counted by hand."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.traffic.lane import Lane, Limits
from holdgate.core.traffic.places import Place, places_in
from holdgate.core.traffic.ticket import LaneId, Ticket
from tests.traffic.queueing import ONE, THREE, TWO, ticket_of

NOW = 100.0


def lane_of(id: LaneId, *waiting: Ticket, opens: float = 0.0, busy: bool = False) -> Lane:
    """Give a lane that opens at a moment, or of which nobody knows when: it is `busy`."""
    lane = Lane(id, Limits(concurrency=1))
    if busy:
        lane.grant(ticket_of("running", id), NOW)
    if opens:
        lane.close(opens, "it rests")
    for number, ticket in enumerate(waiting):
        ticket.rank = (number, number)
        lane.line.add(ticket)
    return lane


def test_where_nobody_waits_there_are_no_places() -> None:
    assert places_in([], NOW) == {}
    assert places_in([lane_of(ONE, busy=True)], NOW) == {}


def test_places_are_counted_from_one() -> None:
    tickets = [ticket_of(id) for id in "abc"]
    places = places_in([lane_of(ONE, *tickets, busy=True)], NOW)
    assert places == {id: Place(ONE, n, None) for n, id in enumerate("abc", 1)}


def test_who_is_absent_has_no_place() -> None:
    away, there = ticket_of("away"), ticket_of("there")
    away.present = False
    assert places_in([lane_of(ONE, away, there, busy=True)], NOW) == {"there": Place(ONE, 1, None)}


def test_the_earlier_moment_is_better_than_the_smaller_number() -> None:
    ticket, first, second = (ticket_of(id) for id in ("both", "first", "second"))
    late, soon = lane_of(ONE, ticket, opens=NOW + 60), lane_of(TWO, opens=NOW + 5)
    for id in range(4):
        lane_time(soon, f"earlier {id}", lasted=1.0)
    for waiting in (first, second, ticket):
        soon.line.add(waiting)
    for lanes in ([late, soon], [soon, late]):
        place = places_in(lanes, NOW)["both"]
        assert (place.lane, place.position) == (TWO, 3)
        assert place.eta is not None
        assert NOW + 5 <= place.eta < NOW + 60


def lane_time(lane: Lane, id: str, *, lasted: float) -> None:
    """Let a lane learn how long a request takes."""
    ticket = ticket_of(id, lane.id)
    ticket.granted_at = NOW - lasted
    lane.grant(ticket, NOW - lasted)
    lane.answered(ticket, NOW, None)
    lane.release(ticket, NOW, aborted=False)


def test_a_known_moment_is_better_than_none() -> None:
    ticket = ticket_of("both")
    unknown, known = lane_of(ONE, ticket, busy=True), lane_of(TWO, ticket, opens=NOW + 600)
    for lanes in ([unknown, known], [known, unknown]):
        assert places_in(lanes, NOW) == {"both": Place(TWO, 1, NOW + 600)}


def test_where_no_moment_is_known_the_smaller_number_is_better() -> None:
    ticket, before = ticket_of("both"), ticket_of("before")
    long, short = lane_of(ONE, before, ticket, busy=True), lane_of(TWO, ticket, busy=True)
    for lanes in ([long, short], [short, long]):
        assert places_in(lanes, NOW)["both"] == Place(TWO, 1, None)


def test_of_equal_places_the_first_counts() -> None:
    ticket = ticket_of("both")
    busy = [lane_of(id, ticket, busy=True) for id in (ONE, TWO)]
    assert places_in(busy, NOW)["both"].lane == ONE
    open_at_once = [lane_of(id, ticket, opens=NOW + 5) for id in (ONE, TWO)]
    assert places_in(open_at_once, NOW)["both"].lane == ONE


def test_until_it_is_resumed_no_moment_is_known() -> None:
    lane = lane_of(ONE, ticket_of("a"))
    lane.paused_until = math.inf
    assert places_in([lane], NOW) == {"a": Place(ONE, 1, None)}


@given(st.data())
def test_no_lane_has_a_better_place_than_the_one_that_is_given(data: st.DataObject) -> None:
    tickets = [ticket_of(id) for id in "abcd"]
    lanes = [
        lane_of(
            id,
            *data.draw(st.lists(st.sampled_from(tickets), unique_by=id_of)),
            opens=data.draw(st.sampled_from([0.0, NOW + 1, NOW + 50])),
            busy=data.draw(st.booleans()),
        )
        for id in (ONE, TWO, THREE)
    ]
    best = places_in(lanes, NOW)
    each_alone = [places_in([lane], NOW) for lane in lanes]
    assert set(best) == {id for places in each_alone for id in places}
    for id, place in best.items():
        there = [places[id] for places in each_alone if id in places]
        assert place in there
        etas = [other.eta for other in there if other.eta is not None]
        assert place.eta == min(etas, default=None)
        assert etas or place.position == min(other.position for other in there)


def id_of(ticket: Ticket) -> str:
    return ticket.id
