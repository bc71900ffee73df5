"""The history: of each ten seconds the most, for an hour."""

from __future__ import annotations

from holdgate.core.server.history import EVERY, KEPT, History


def samples(history: History) -> list[list[float]]:
    found: list[list[float]] = history.as_json()["samples"]
    return found


def test_of_ten_seconds_the_most_counts() -> None:
    history = History()
    for at, waiting, running in ((100, 0, 1), (104, 5, 0), (109.9, 1, 2), (110, 0, 0)):
        history.look(at, waiting, running)
    assert samples(history) == [[100, 5, 2], [110, 0, 0]]


def test_a_gap_stays_a_gap() -> None:
    history = History()
    history.look(100, 1, 1)
    history.look(500, 2, 2)
    assert samples(history) == [[100, 1, 1], [500, 2, 2]]


def test_a_clock_that_is_set_back_takes_nothing_away() -> None:
    history = History()
    history.look(100, 1, 1)
    history.look(40, 3, 0)
    history.look(110, 0, 0)
    assert samples(history) == [[100, 3, 1], [110, 0, 0]]


def test_an_hour_is_kept() -> None:
    history = History()
    for number in range(KEPT + 50):
        history.look(number * EVERY, 1, 0)
    found = samples(history)
    assert len(found) * EVERY == 3600
    assert found[0][0] == 50 * EVERY
