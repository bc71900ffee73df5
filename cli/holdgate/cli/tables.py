"""Tables: aligned columns and short times, for people and for pipes."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Give aligned columns under a head; nothing for no rows."""
    if not rows:
        return []
    lines = [[printable(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in lines
    ]


def printable(text: str) -> str:
    """Give a text that changes nothing in a terminal: agents and vendors wrote some of it."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def in_seconds(seconds: float) -> str:
    """Give a duration in whole seconds, as people write it; `0s` for less than one."""
    from holdgate.core.values.kinds import format_duration

    return format_duration(round(seconds)) if seconds >= 1 else "0s"


def in_moments(seconds: float) -> str:
    """Give a duration that may be short: `120ms`, `4.2s`, `2m`."""
    from holdgate.core.values.kinds import format_duration

    return format_duration(round(max(0.0, seconds), 3 if seconds < 1 else 1))
