"""Caller profiles: what is in force for whom."""

from __future__ import annotations

import pytest

from holdgate.core.traffic.profiles import BUILT_IN_WAITS, treatment_of
from holdgate.core.values.caller import Caller
from holdgate.core.values.settings import CallerProfile, Hold, Match, Queue, Settings


def known(*profiles: CallerProfile, queue: Queue | None = None) -> Settings:
    return Settings(
        hold=Hold(after=9), queue=queue or Queue(), callers={each.name: each for each in profiles}
    )


def test_without_a_profile_the_tables_count() -> None:
    treated = treatment_of(known(queue=Queue(wait=7)), Caller("aider"), "m")
    assert (treated.hold, treated.queue) == (Hold(after=9), Queue(wait=7))
    assert not treated.background


@pytest.mark.parametrize(("agent", "seconds"), [("gemini-cli", 55), ("qwen-code", 115)])
def test_impatient_agents_wait_less(agent: str, seconds: float) -> None:
    assert BUILT_IN_WAITS[agent] == seconds
    assert treatment_of(known(), Caller(agent), "m").queue.wait_whole == seconds


@pytest.mark.parametrize(("table", "seconds"), [(0, 55), (30, 30), (285, 55)])
def test_of_two_waits_the_shorter(table: float, seconds: float) -> None:
    told = known(queue=Queue(wait_whole=table))
    assert treatment_of(told, Caller("gemini-cli"), "m").queue.wait_whole == seconds


def test_a_profile_replaces_what_is_built_in() -> None:
    patient = CallerProfile("patient", Match(agent="gemini-cli"), queue={"wait_whole": 600.0})
    assert treatment_of(known(patient), Caller("gemini-cli"), "m").queue.wait_whole == 600


@pytest.mark.parametrize(
    ("match", "does"),
    [
        (Match(), True),
        (Match(agent="claude*"), True),
        (Match(agent="Claude*"), False),
        (Match(key="ci"), True),
        (Match(key="ci-?"), False),
        (Match(model="relay/*"), True),
        (Match(agent="claude*", model="other/*"), False),
    ],
)
def test_who_is_matched(match: Match, does: bool) -> None:
    profile = CallerProfile("p", match, "background", hold={"every": 3.0})
    treated = treatment_of(known(profile), Caller("claude-code", key="ci"), "relay/opus")
    assert (treated.background, treated.hold.every == 3) == (does, does)
    assert treated.hold.after == 9


def test_a_caller_without_a_key_matches_no_keys_name() -> None:
    profile = CallerProfile("p", Match(key="?*"), "background")
    assert not treatment_of(known(profile), Caller("any"), "m").background


def test_later_profiles_go_over_earlier_ones() -> None:
    first = CallerProfile("a", priority="background", hold={"after": 1.0, "every": 2.0})
    second = CallerProfile("b", Match(agent="x"), hold={"after": 5.0}, queue={"wait": 4.0})
    treated = treatment_of(known(first, second), Caller("x"), "m")
    assert (treated.hold.after, treated.hold.every, treated.queue.wait) == (5, 2, 4)
    assert not treated.background
    assert treatment_of(known(first, second), Caller("y"), "m").background
