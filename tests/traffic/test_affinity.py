"""Affinity: with whom a conversation stays, and for how long."""

from __future__ import annotations

import pytest

from holdgate.core.traffic.affinity import WARM, Affinity, Answered, Mode
from tests.traffic.queueing import ONE, TWO


@pytest.mark.parametrize(
    ("mode", "cached", "age", "stays"),
    [
        ("auto", True, 0, True),
        ("auto", True, WARM, True),
        ("auto", True, WARM + 1, False),
        ("auto", False, 0, False),
        ("conversation", False, 100_000, True),
        ("conversation", True, 0, True),
        ("off", True, 0, False),
    ],
)
def test_when_it_stays(mode: Mode, cached: bool, age: float, stays: bool) -> None:
    affinity = Affinity()
    affinity.note("m", "talk", Answered(ONE, 10, cached))
    assert affinity.home("m", "talk", mode, 10 + age) == (ONE if stays else None)


def test_the_last_answer_counts() -> None:
    affinity = Affinity()
    affinity.note("m", "talk", Answered(ONE, 0, True))
    affinity.note("m", "talk", Answered(TWO, 1, True))
    assert affinity.home("m", "talk", "auto", 2) == TWO
    affinity.note("m", "talk", Answered(TWO, 3, False))
    assert affinity.home("m", "talk", "auto", 4) is None


def test_conversations_and_models_are_told_apart() -> None:
    affinity = Affinity()
    affinity.note("m", "talk", Answered(ONE, 0, True))
    assert affinity.home("m", "other", "conversation", 0) is None
    assert affinity.home("n", "talk", "conversation", 0) is None


def test_of_very_many_the_latest_are_remembered() -> None:
    affinity = Affinity()
    for number in range(10_000):
        affinity.note("m", f"{number}", Answered(ONE, 0, True))
    affinity.note("m", "0", Answered(ONE, 1, True))
    affinity.note("m", "new", Answered(ONE, 1, True))
    remembered = [affinity.home("m", talk, "auto", 2) for talk in ("0", "1", "2", "new")]
    assert remembered == [ONE, None, ONE, ONE]
