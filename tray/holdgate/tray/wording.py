"""Wording: durations and moments as people say them in a tooltip."""

from __future__ import annotations

import math
from collections.abc import Callable

# Unix seconds as a time of day, such as 14:03.
TimeOfDay = Callable[[float], str]


def about(seconds: float) -> str:
    """Say how long something will take, coarsely: nobody reads the seconds of an hour."""
    seconds = max(1, math.ceil(seconds))
    if seconds < 90:
        return f"{seconds} s"
    minutes = math.ceil(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{math.ceil(minutes / 60)} h"


def counted(count: int, one: str, many: str) -> str:
    """Say a number with its noun."""
    return f"{count} {one if count == 1 else many}"


def cut(text: str, most: int) -> str:
    """Shorten to `most` characters: Windows refuses longer ones."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
