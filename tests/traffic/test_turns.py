"""Turns: each route counts for itself, and routes that are gone are forgotten."""

from __future__ import annotations

from holdgate.core.traffic.turns import Turns


def test_each_route_counts_for_itself() -> None:
    turns = Turns()
    assert [turns.next(name) for name in ("a", "a", "b", "a", "b")] == [0, 1, 0, 2, 1]


def test_a_route_that_is_asked_for_is_not_forgotten() -> None:
    turns = Turns()
    for number in range(5000):
        assert turns.next("used") == number
        assert turns.next(f"gone {number}") == 0


def test_what_was_not_asked_for_longest_is_forgotten() -> None:
    turns = Turns()
    for number in range(1025):
        turns.next(str(number))
    assert turns.next("1024") == 1
    assert turns.next("2") == 1
    assert turns.next("0") == 0
