"""Efforts and budgets: the one table that maps how much a model is to think, both ways.

| level | budget | |
| --- | --- | --- |
| none | 0 | Google: 0 turns thinking off |
| minimal | 512 | LiteLLM's minimal; Anthropic takes no less than 1024: its writer lifts it |
| low | 1024 | Google's OpenAI endpoint (`reasoning_effort`) for Gemini 2.5; LiteLLM |
| medium | 8192 | Google's OpenAI endpoint |
| high | 24576 | Google's OpenAI endpoint; the longest of Gemini 2.5 Flash |
| xhigh | 49152 | twice as much; above Claude Code's 31999, since few vendors know the level |
| max | 98304 | twice as much |

A budget becomes the level whose own is nearest by ratio: up to 724 minimal, 2896 low, 14188 medium,
34755 high, 69511 xhigh, else max. Targets cut what is more than the model can do.
"""

from __future__ import annotations

from itertools import pairwise

from holdgate.core.values.neutral import Effort

BUDGETS = (
    ("none", 0),
    ("minimal", 512),
    ("low", 1024),
    ("medium", 8192),
    ("high", 24576),
    ("xhigh", 49152),
    ("max", 98304),
)
LEVELS = tuple(level for level, _ in BUDGETS)


def level_of(effort: Effort) -> str:
    """Give the level that is said, else the one nearest to the budget; "" where neither is said."""
    if effort.level or effort.budget <= 0:
        return effort.level
    for (level, budget), (_, above) in pairwise(BUDGETS[1:]):
        if effort.budget**2 <= budget * above:
            return level
    return LEVELS[-1]


def budget_of(effort: Effort) -> int:
    """Give the budget that is said, else the level's; 0 for "none" and where neither is said."""
    if effort.level == "none":
        return 0
    return effort.budget if effort.budget > 0 else dict(BUDGETS).get(effort.level, 0)
