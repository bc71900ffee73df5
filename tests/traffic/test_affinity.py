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


def test_what_an_earlier_process_noted_is_restored() -> None:
    affinity = Affinity()
    affinity.restore(
        [
            ("m", "talk", Answered(ONE, -200.0, True)),
            ("m", "cold", Answered(ONE, -100.0, False)),
            ("m", "talk", Answered(TWO, -50.0, True)),
        ]
    )
    # It ended 50 s before this process's clock began: 250 s of warmth are left.
    assert affinity.home("m", "talk", "auto", WARM - 50) == TWO
    assert affinity.home("m", "talk", "auto", WARM - 49) is None
    assert affinity.home("m", "cold", "auto", 0) is None
    assert affinity.home("m", "cold", "conversation", 0) == ONE


def test_what_was_noted_meanwhile_is_newer() -> None:
    affinity = Affinity()
    affinity.note("m", "talk", Answered(TWO, 1.0, True))
    affinity.restore([("m", "talk", Answered(ONE, -1.0, True))])
    assert affinity.home("m", "talk", "auto", 2) == TWO
    # The note's own time counts as well, not that of the restored one.
    assert affinity.home("m", "talk", "auto", 1 + WARM) == TWO


def test_restored_ones_are_forgotten_first() -> None:
    affinity = Affinity()
    affinity.note("m", "new", Answered(TWO, 1.0, True))
    affinity.note("m", "0", Answered(TWO, 1.0, True))
    affinity.restore(("m", f"{number}", Answered(ONE, -1.0, True)) for number in range(10_000))
    # 10,000 and "new" are one too many; "0" was restored first, but noted after that.
    talks = ("new", "0", "1", "2", "9999")
    assert [affinity.home("m", talk, "auto", 2) for talk in talks] == [TWO, TWO, None, ONE, ONE]
