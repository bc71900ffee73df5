"""What is known of Gemini's models by their names: the one place where such a name is read.

Sources: Gemini API docs, "Gemini thinking", "File input methods", "Function calling" (November
2026). A model of another name is taken for one of 2.5, whose settings the later ones accept too.
"""

from __future__ import annotations

import re

import msgspec

_GENERATION = re.compile(r"gemini-(\d+)(?:\.(\d+))?(?=[-.@:]|\Z)")
_LATEST = re.compile(r"gemini-(?:pro|flash|flash-lite)-latest")
_LATEST_GENERATION = (3, 5)


class Abilities(msgspec.Struct, frozen=True):
    """What a model takes.

    `levels`: of thinking, by rising effort; none: it takes a budget, from `least` to `most` tokens
    (and 0 where `may_rest`); `thinks`: whether it takes any setting of thinking at all.
    `media_in_results`: images within a functionResponse; `fetches`: files by a public URL.
    """

    thinks: bool = True
    levels: tuple[str, ...] = ()
    least: int = 1
    most: int = 24576
    may_rest: bool = True
    media_in_results: bool = False
    fetches: bool = True


_BEFORE = Abilities(thinks=False, fetches=False)
_BUDGET = Abilities()
_BUDGET_LITE = Abilities(least=512)
_BUDGET_PRO = Abilities(least=128, most=32768, may_rest=False)
_LEVELS = Abilities(levels=("minimal", "low", "medium", "high"), media_in_results=True)
_LEVELS_PRO = Abilities(levels=("low", "medium", "high"), media_in_results=True)
_LEVELS_FIRST_PRO = Abilities(levels=("low", "high"), media_in_results=True)


def abilities_of(model: str) -> Abilities:
    """Give what a model takes, by its name with or without a folder before it."""
    match = _GENERATION.search(model)
    if match:
        generation = (int(match[1]), int(match[2] or 0))
    elif _LATEST.search(model):
        generation = _LATEST_GENERATION
    else:
        return _BUDGET
    is_pro = "-pro" in model
    if generation < (2, 5):
        return _BEFORE
    if generation >= (3, 1):
        return _LEVELS_PRO if is_pro else _LEVELS
    if generation >= (3, 0):
        return _LEVELS_FIRST_PRO if is_pro else _LEVELS
    if is_pro:
        return _BUDGET_PRO
    return _BUDGET_LITE if "-lite" in model else _BUDGET
