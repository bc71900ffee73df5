from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.dialects.translation import efforts
from holdgate.core.dialects.translation.efforts import BUDGETS, LEVELS, budget_of, level_of
from holdgate.core.values.neutral import Effort

TOKENS = st.integers(1, 1_000_000)


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_survives_its_budget(level: str) -> None:
    budget = budget_of(Effort(level))
    if level != "none":
        assert level_of(Effort(budget=budget)) == level
    assert level_of(Effort(level)) == level


@given(TOKENS, TOKENS)
def test_more_budget_is_no_lower_level(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert rank(low) <= rank(high)


def test_budgets_rise_with_the_levels() -> None:
    budgets = [budget for _, budget in BUDGETS]
    assert budgets == sorted(set(budgets))


def test_the_table_is_the_documented_one() -> None:
    assert efforts.__doc__ is not None
    for level, budget in BUDGETS:
        assert f"| {level} | {budget} |" in efforts.__doc__
    for budget, level in ((724, "minimal"), (2896, "low"), (14188, "medium"), (34755, "high")):
        assert f"{budget} {level}" in efforts.__doc__
        assert rank(budget) == LEVELS.index(level)
        assert rank(budget + 1) == LEVELS.index(level) + 1


@pytest.mark.parametrize(
    ("effort", "level", "budget"),
    [
        (Effort(), "", 0),
        (Effort(adaptive=True), "", 0),
        (Effort("none", 5000), "none", 0),
        (Effort("low", 5000), "low", 5000),
        (Effort("of a vendor's own"), "of a vendor's own", 0),
        (Effort(budget=1024), "low", 1024),
        (Effort(budget=4000), "medium", 4000),
        (Effort(budget=10000), "medium", 10000),
        (Effort(budget=31999), "high", 31999),
        (Effort(budget=200_000), "max", 200_000),
    ],
)
def test_what_is_said_goes_first(effort: Effort, level: str, budget: int) -> None:
    assert (level_of(effort), budget_of(effort)) == (level, budget)


def rank(budget: int) -> int:
    return LEVELS.index(level_of(Effort(budget=budget)))
