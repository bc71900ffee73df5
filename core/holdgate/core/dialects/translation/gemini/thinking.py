"""How much the model is to think: `thinkingConfig`, both ways."""

from __future__ import annotations

from holdgate.core.dialects.translation.efforts import LEVELS, budget_of, level_of
from holdgate.core.dialects.translation.gemini.looking import (
    Members,
    Raw,
    is_true,
    members,
    text_at,
    whole_number,
)
from holdgate.core.dialects.translation.gemini.models import Abilities
from holdgate.core.values.neutral import Effort, Loss

# In Google's words: the model decides.
_DYNAMIC = -1


def read_thinking(raw: Raw, path: str) -> Effort:
    """Give the effort that an agent's thinkingConfig asks for."""
    found = members(raw, path)
    level = text_at(found, "thinkingLevel", path).lower()
    budget = _budget(found, path)
    if budget == 0 and not level:
        level = "none"
    return Effort(
        level=level if level in LEVELS else "",
        budget=max(0, budget or 0),
        adaptive=budget == _DYNAMIC,
        shown=is_true(found, "includeThoughts") if "includeThoughts" in found else None,
    )


def write_thinking(effort: Effort, able: Abilities) -> tuple[dict[str, object], tuple[Loss, ...]]:
    """Give the thinkingConfig for a model, empty where it has none to be set."""
    if not able.thinks:
        asked = level_of(effort) not in ("", "none")
        return {}, ((Loss("effort", "the model does not think"),) if asked else ())
    config: dict[str, object] = {}
    losses: tuple[Loss, ...] = ()
    if effort.level or effort.budget:
        if able.levels:
            config["thinkingLevel"], losses = _level(level_of(effort), able)
        else:
            config["thinkingBudget"], losses = _tokens(budget_of(effort), able)
    elif effort.adaptive and not able.levels:
        config["thinkingBudget"] = _DYNAMIC
    if effort.shown:
        config["includeThoughts"] = True
    return config, losses


def _budget(found: Members, path: str) -> int | None:
    if "thinkingBudget" not in found:
        return None
    return whole_number(found["thinkingBudget"], f"{path}.thinkingBudget")


def _level(level: str, able: Abilities) -> tuple[str, tuple[Loss, ...]]:
    """Give the model's level that is nearest, upwards first."""
    at = LEVELS.index(level) if level in LEVELS else LEVELS.index("high")
    found = next((own for own in able.levels if LEVELS.index(own) >= at), able.levels[-1])
    losses = (Loss("effort", "this model cannot be kept from thinking"),) if level == "none" else ()
    return found.upper(), losses


def _tokens(budget: int, able: Abilities) -> tuple[int, tuple[Loss, ...]]:
    if budget == 0 and able.may_rest:
        return 0, ()
    losses = (Loss("effort", "this model cannot be kept from thinking"),) if budget == 0 else ()
    return min(max(budget, able.least), able.most), losses
