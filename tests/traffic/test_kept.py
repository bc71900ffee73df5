"""Kept places: an agent that hung up, or was turned away, finds its old place again."""

from __future__ import annotations

import pytest

from holdgate.core.traffic.kept import KeptPlaces
from holdgate.core.traffic.lane import Limits
from holdgate.core.traffic.ticket import Stand
from tests.traffic.queueing import ONE, TWO, Queue, ticket_of

KEEP = 90.0


def kept_of(*bodies: str) -> KeptPlaces:
    """Keep tickets of one conversation, the first one the oldest."""
    kept = KeptPlaces()
    for number, body in enumerate(bodies):
        ticket = ticket_of(body, caller="a", conversation="x", body=body)
        ticket.rank = (number, number)
        kept.keep(ticket)
    return kept


@pytest.mark.parametrize(
    ("caller", "conversation", "body", "found"),
    [
        ("a", "x", "second", "second"),
        ("a", "other", "second", "second"),
        ("a", "x", "unheard", "first"),
        ("a", "other", "unheard", None),
        ("b", "x", "second", None),
    ],
)
def test_who_finds_which(caller: str, conversation: str, body: str, found: str | None) -> None:
    coming = ticket_of("new", caller=caller, conversation=conversation, body=body)
    place = kept_of("first", "second").claim(coming)
    assert (place and place.id) == found


def test_what_is_forgotten_is_not_found() -> None:
    kept = kept_of("first", "second")
    coming = ticket_of("new", caller="a", conversation="x", body="new")
    for id in ("first", "second"):
        place = kept.claim(coming)
        assert place is not None
        assert place.id == id
        assert kept
        kept.forget(place)
        kept.forget(place)
    assert kept.claim(coming) is None
    assert not kept


def queue_of_three() -> Queue:
    """Let `a` run, and `b`, `c`, `d` of as many callers wait."""
    queue = Queue({ONE: Limits(concurrency=1)})
    queue.enter("a")
    for id in "bcd":
        queue.enter(id, caller=id, body=f"body of {id}")
    return queue


def test_the_same_body_has_its_old_place() -> None:
    queue = queue_of_three()
    queue.leave("b", keep=KEEP)
    assert queue.tickets["b"].state == "absent"
    assert queue.positions("bcd") == [None, 1, 2]
    queue.until(50)
    queue.enter("again", caller="b", body="body of b")
    assert [*queue.positions("cd"), queue.gate.places(50)["again"].position] == [2, 3, 1]
    assert queue.tickets["b"].state == "gone"
    queue.leave("a")
    assert queue.order == ["a", "again"]


def test_the_absent_are_passed_over_at_their_turn_and_still_come_next() -> None:
    queue = queue_of_three()
    queue.leave("b", keep=KEEP)
    queue.leave("a")
    assert queue.order == ["a", "c"]
    queue.enter("again", caller="b", body="body of b")
    queue.leave("c")
    assert queue.order == ["a", "c", "again"]


def test_of_a_conversation_the_oldest_place() -> None:
    queue = Queue({ONE: Limits(concurrency=1)})
    queue.enter("a")
    for id in "bcd":
        queue.enter(id, caller="k", conversation="talk", body=f"body of {id}")
    queue.leave("c", "b", keep=KEEP)
    queue.enter("e", caller="k", conversation="talk", body="with a new date")
    assert queue.positions("bcde") == [None, None, 2, 1]
    assert queue.tickets["e"].rank == queue.tickets["b"].rank
    assert queue.tickets["c"].state == "absent"


def test_absent_ones_start_nothing_and_count_in_no_limit() -> None:
    queue = Queue({ONE: Limits(concurrency=1, length=1)})
    queue.enter("a")
    queue.enter("b", caller="b")
    queue.leave("b", keep=KEEP)
    assert len(queue.lane().line) == 0
    queue.enter("c", caller="c")
    assert queue.tickets["c"].state == "waiting"
    queue.leave("c", "a")
    assert queue.order == ["a"]
    assert queue.tickets["b"].state == "absent"
    queue.enter("d", caller="d")
    assert queue.order == ["a", "d"]


def test_a_kept_place_expires() -> None:
    queue = queue_of_three()
    queue.until(10)
    queue.leave("b", keep=KEEP)
    assert queue.gate.wake_at(10) == 10 + KEEP
    queue.until(99)
    assert queue.tickets["b"].state == "absent"
    queue.until(100)
    assert queue.tickets["b"].state == "gone"
    queue.enter("again", caller="b", body="body of b")
    assert queue.gate.places(100)["again"].position == 3


def test_an_expired_place_leaves_nothing_behind() -> None:
    queue = Queue({ONE: Limits(concurrency=1)})
    queue.enter("a")
    queue.enter("b")
    queue.leave("b", keep=KEEP)
    queue.leave("a")
    queue.until(KEEP)
    assert queue.lane().is_unused
    assert queue.gate.wake_at(KEEP) is None


def test_who_was_turned_away_has_its_place_too() -> None:
    queue = Queue({ONE: Limits(concurrency=1, wait=20)})
    queue.enter("a")
    queue.enter("b", caller="k", conversation="talk", body="same")
    queue.until(15)
    queue.enter("c", caller="k", conversation="talk")
    queue.until(20)
    assert queue.turned == [(20, "b")]
    queue.leave("b", keep=KEEP)
    assert queue.tickets["b"].state == "absent"
    queue.until(25)
    queue.enter("again", caller="k", conversation="elsewhere", body="same")
    assert queue.tickets["again"].rank == queue.tickets["b"].rank
    queue.leave("again", keep=KEEP)
    queue.enter("more", caller="k", conversation="talk", body="same")
    queue.leave("a")
    assert queue.order == ["a", "more"]


def test_who_comes_back_may_wait_as_long_again() -> None:
    queue = Queue({ONE: Limits(concurrency=1, wait=20)})
    queue.enter("a")
    queue.enter("b", caller="b", body="same")
    queue.until(10)
    queue.leave("b", keep=KEEP)
    queue.enter("again", caller="b", body="same")
    queue.until(40)
    assert queue.turned == [(30, "again")]


def test_who_comes_back_to_a_free_lane_starts() -> None:
    queue = queue_of_three()
    queue.leave("b", keep=KEEP)
    queue.leave("c", "d", "a")
    queue.enter("again", caller="b", body="body of b")
    assert queue.order == ["a", "again"]
    assert queue.tickets["b"].state == "gone"


def test_hanging_up_keeps_the_callers_turn() -> None:
    queue = queue_of_three()
    queue.enter("x", caller="b", conversation="other")
    queue.leave("b", keep=KEEP)
    assert queue.positions("xcd") == [1, 2, 3]


def test_a_conversation_keeps_its_turn() -> None:
    queue = Queue({ONE: Limits(concurrency=1)})
    queue.enter("a")
    queue.enter("b", conversation="first", body="b")
    queue.enter("c", conversation="second")
    queue.leave("b", keep=KEEP)
    queue.enter("again", conversation="first", body="b")
    queue.leave("a")
    assert queue.order == ["a", "again"]


def test_nothing_is_kept_of_what_ran() -> None:
    queue = Queue({ONE: Limits(concurrency=1)})
    queue.enter("a", caller="a", body="same")
    queue.leave("a", keep=KEEP)
    assert queue.tickets["a"].state == "gone"
    assert queue.gate.wake_at(0) is None


def test_a_place_is_kept_in_all_its_lanes() -> None:
    queue = Queue({ONE: Limits(1), TWO: Limits(1)})
    queue.enter("a", ONE)
    queue.enter("b", TWO)
    queue.enter("c", ONE, TWO, caller="c", body="c")
    queue.enter("d", TWO, caller="d")
    queue.leave("c", keep=KEEP)
    assert queue.positions("d") == [1]
    queue.enter("again", ONE, TWO, caller="c", body="c")
    queue.leave("b")
    assert queue.started[2:] == [(0, "again", "two")]


def test_hanging_up_before_a_later_lane_joins() -> None:
    queue = Queue({ONE: Limits(1), TWO: Limits(1)})
    queue.enter("a", ONE)
    queue.enter("b", ONE, Stand(TWO, 2.0), caller="b")
    queue.leave("b", keep=KEEP)
    queue.until(50)
    assert queue.order == ["a"]
    queue.until(KEEP)
    assert queue.tickets["b"].state == "gone"
