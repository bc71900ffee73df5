"""Pauses: who starts nothing, and until when."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.traffic.pauses import Pauses


def test_nobody_is_paused_at_first() -> None:
    pauses = Pauses()
    assert (pauses.until("a"), pauses.just_of("a"), pauses.just_of(None)) == (0.0, 0.0, 0.0)


def test_a_provider_is_paused_alone() -> None:
    pauses = Pauses()
    pauses.begin("a", 5.0)
    assert (pauses.until("a"), pauses.until("b")) == (5.0, 0.0)
    assert (pauses.just_of("a"), pauses.just_of(None)) == (5.0, 0.0)


def test_all_are_paused_together() -> None:
    pauses = Pauses()
    pauses.begin(None, 5.0)
    assert (pauses.until("a"), pauses.until("b")) == (5.0, 5.0)
    assert (pauses.just_of("a"), pauses.just_of(None)) == (0.0, 5.0)


def test_of_two_pauses_the_longer_counts() -> None:
    pauses = Pauses()
    pauses.begin(None, 5.0)
    pauses.begin("a", 9.0)
    pauses.begin("b", 2.0)
    assert (pauses.until("a"), pauses.until("b"), pauses.until("c")) == (9.0, 5.0, 5.0)


def test_the_latest_pause_of_a_provider_counts() -> None:
    pauses = Pauses()
    pauses.begin("a", math.inf)
    pauses.begin("a", 3.0)
    assert pauses.until("a") == 3.0


def test_a_provider_is_resumed_alone() -> None:
    pauses = Pauses()
    for provider in ("a", "b"):
        pauses.begin(provider, math.inf)
    pauses.end("a")
    pauses.end("never paused")
    assert (pauses.until("a"), pauses.until("b")) == (0.0, math.inf)


def test_a_provider_that_is_resumed_stays_paused_with_all() -> None:
    pauses = Pauses()
    pauses.begin(None, 5.0)
    pauses.begin("a", 9.0)
    pauses.end("a")
    assert pauses.until("a") == 5.0


def test_to_resume_all_ends_every_pause() -> None:
    pauses = Pauses()
    pauses.begin(None, 5.0)
    pauses.begin("a", 9.0)
    pauses.end(None)
    assert (pauses.until("a"), pauses.until("b"), pauses.just_of(None)) == (0.0, 0.0, 0.0)


WHO = st.sampled_from([None, "a", "b"])


@given(st.lists(st.tuples(WHO, st.one_of(st.none(), st.floats(0.1, 1e9), st.just(math.inf)))))
def test_until_is_the_longer_of_the_pause_of_all_and_its_own(
    orders: list[tuple[str | None, float | None]],
) -> None:
    pauses, own = Pauses(), dict[str | None, float]()
    for provider, until in orders:
        if until is not None:
            pauses.begin(provider, until)
            own[provider] = until
        else:
            pauses.end(provider)
            own = {} if provider is None else {k: v for k, v in own.items() if k != provider}
        for each in ("a", "b"):
            assert pauses.just_of(each) == own.get(each, 0.0)
            assert pauses.until(each) == max(own.get(each, 0.0), own.get(None, 0.0))
