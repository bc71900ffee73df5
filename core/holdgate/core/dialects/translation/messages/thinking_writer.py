"""Writes how much a model is to think, in the way that this model takes it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.efforts import LEVELS, budget_of, level_of
from holdgate.core.dialects.translation.messages.claude_models import Traits
from holdgate.core.dialects.translation.messages.conversation_writer import Conversation
from holdgate.core.values.neutral import Effort, Loss

# The smallest budget that the reference allows.
_LEAST = 1024


class Thought(msgspec.Struct, frozen=True):
    """What is told: `thinking`, the effort, the whole reply's limit; `on`: whether it thinks."""

    thinking: Json | None
    effort: str
    max_tokens: int
    on: bool


def write_thinking(
    effort: Effort | None,
    traits: Traits,
    told: Conversation,
    max_tokens: int,
    *,
    most: int,
    losses: list[Loss],
) -> Thought:
    """Give how much is to be thought. `most`: what `max_tokens` may be raised to."""
    if effort is None:
        return Thought(None, "", max_tokens, traits.thinks)
    if level_of(effort) == "none":
        return _off(traits, max_tokens, losses)
    if traits.efforts:
        return _adaptive(effort, traits, max_tokens)
    budget = budget_of(effort)
    if effort.adaptive and not budget:
        budget = budget_of(Effort("medium"))
    if not budget:
        return Thought(None, "", max_tokens, False)
    if traits.signed and told.loops and not told.thinks:
        words = "no thinking until the calls are done: the turn did not begin with a signed thought"
        losses.append(Loss("effort", words))
        return Thought(None, "", max_tokens, False)
    return _budgeted(max(budget, _LEAST), max_tokens, most, losses)


def _off(traits: Traits, max_tokens: int, losses: list[Loss]) -> Thought:
    if traits.off == "never":
        losses.append(Loss("effort", "this model always thinks: the lowest effort is asked for"))
        return Thought(None, traits.efforts[0], max_tokens, True)
    thinking = None if traits.off == "absent" else {"type": traits.off}
    return Thought(thinking, "", max_tokens, False)


def _adaptive(effort: Effort, traits: Traits, max_tokens: int) -> Thought:
    level = level_of(effort)
    # Some models keep their thoughts to themselves unless they are asked.
    display = "omitted" if effort.shown is False else "summarized"
    thinking = {"type": "adaptive", "display": display}
    return Thought(thinking, _nearest(level, traits.efforts), max_tokens, True)


def _nearest(level: str, levels: Sequence[str]) -> str:
    """Give the level itself, else the next lower one, else the lowest."""
    if level not in LEVELS:
        return ""
    at = LEVELS.index(level)
    lower = [name for name in levels if LEVELS.index(name) <= at]
    return lower[-1] if lower else levels[0]


def _budgeted(budget: int, max_tokens: int, most: int, losses: list[Loss]) -> Thought:
    """The budget is part of `max_tokens`: that is raised as far as it may be, then halved."""
    max_tokens = max(max_tokens, min(budget + max_tokens, most))
    if max_tokens <= _LEAST:
        losses.append(Loss("effort", "no thinking: the reply's limit leaves no room for it"))
        return Thought(None, "", max_tokens, False)
    if budget >= max_tokens:
        budget = max(_LEAST, max_tokens // 2)
    thinking = {"type": "enabled", "budget_tokens": budget}
    return Thought(thinking, "", max_tokens, True)
