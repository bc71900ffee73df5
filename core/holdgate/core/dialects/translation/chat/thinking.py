"""How much a model is to think, in the ways of the vendors."""

from __future__ import annotations

from typing import Any, Final

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.efforts import budget_of, level_of
from holdgate.core.values.neutral import Effort

# The levels of those who know three, of those who know all but "max", and of one that knows more.
_THREE: Final = {"minimal": "low", "xhigh": "high", "max": "high"}
_DEEPSEEK: Final = {"minimal": "low", "medium": "high", "xhigh": "max"}


def thinking(effort: Effort | None, model: str, style: str) -> Json:
    """Give the members that say it; none if nothing was asked for."""
    if effort is None:
        return {}
    level = level_of(effort)
    asked = bool(level) or effort.adaptive
    if not asked and not (style == "openrouter" and effort.shown is not None):
        return {}
    match style:
        case "openrouter":
            return {"reasoning": _openrouter(effort, level)}
        case "deepseek" | "zai":
            return _switch(level) | _leveled(level, _DEEPSEEK)
        case "moonshot":
            # platform.kimi.ai/docs: kimi-k3 always thinks, others know the switch only.
            return _leveled(level, _DEEPSEEK) if "k3" in model else _switch(level)
        case "qwen":
            return _qwen(effort, level)
        case "openai":
            return {"reasoning_effort": level} if level else {}
        case "none":
            return {}
        case _:
            return {"reasoning_effort": _THREE.get(level, level)} if level else {}


def _switch(level: str) -> Json:
    return {"thinking": {"type": "disabled" if level == "none" else "enabled"}}


def _leveled(level: str, levels: dict[str, str]) -> Json:
    return {"reasoning_effort": levels.get(level, level)} if level not in ("", "none") else {}


def _qwen(effort: Effort, level: str) -> Json:
    found: dict[str, Any] = {"enable_thinking": level != "none"}
    if level != "none" and (budget := budget_of(effort)):
        found["thinking_budget"] = budget
    return found


def _openrouter(effort: Effort, level: str) -> Json:
    found: dict[str, Any] = {}
    if effort.budget > 0:
        found["max_tokens"] = effort.budget
    elif level:
        found["effort"] = {"max": "xhigh"}.get(level, level)
    elif effort.adaptive:
        found["enabled"] = True
    if effort.shown is False:
        found["exclude"] = True
    return found
