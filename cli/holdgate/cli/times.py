"""Times: moments and durations as people write them."""

from __future__ import annotations

from datetime import datetime


def clock(moment: float, now: float) -> str:
    """Give a moment (Unix seconds) by the clock, with its day where that is another than today."""
    at = datetime.fromtimestamp(moment)
    today = datetime.fromtimestamp(now).date()
    return f"{at:%H:%M:%S}" if at.date() == today else f"{at:%Y-%m-%d %H:%M}"


def until(moment: float | None, now: float) -> str:
    """Say until when something lasts; None: until a person ends it."""
    return "until resumed" if moment is None else f"until {clock(moment, now)}"


def in_seconds(seconds: float) -> str:
    """Give a duration in whole seconds, as people write it; `0s` for less than one."""
    from holdgate.core.values.kinds import format_duration

    return format_duration(round(seconds)) if seconds >= 1 else "0s"


def in_moments(seconds: float) -> str:
    """Give a duration that may be short: `120ms`, `4.2s`, `2m`."""
    from holdgate.core.values.kinds import format_duration

    return format_duration(round(max(0.0, seconds), 3 if seconds < 1 else 1))
