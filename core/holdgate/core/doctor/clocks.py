"""Clocks: this machine's against what vendors say in their Date headers (RFC 9110, 6.6.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from holdgate.core.doctor.finding import Finding, fail, note, ok, warn
from holdgate.core.values.kinds import format_duration

# Seconds. Beyond the second one TLS and logins begin to fail.
_SLIGHT, _MUCH = 60.0, 300.0
_SET_IT = "timedatectl set-ntp true (Linux), or let the system's settings keep the time"


@dataclass(frozen=True, slots=True)
class Told:
    """A vendor's time less ours, in seconds; `local`: it runs on this machine."""

    provider: str
    ahead: float
    local: bool


def told_by(provider: str, date: str, before: float, after: float, *, local: bool) -> Told | None:
    """Read a Date header of a reply that was asked for and came at these Unix seconds."""
    try:
        theirs = parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return None
    # They tell whole seconds, rounded down.
    return Told(provider, theirs + 0.5 - (before + after) / 2, local)


def examine_clock(told: Iterable[Told], doubted: Iterable[str]) -> tuple[Finding, ...]:
    """Judge this machine's clock; `doubted`: TLS errors that speak of it."""
    told = tuple(told)
    judges = [each for each in told if not each.local] or list(told)
    if not judges:
        doubts = [each for each in doubted if "clock" in each]
        if doubts:
            return (warn("clock", doubts[0], _SET_IT),)
        return (note("clock", "no vendor told the time"),)
    nearest = min(judges, key=lambda each: abs(each.ahead))
    off = abs(nearest.ahead)
    if off <= _SLIGHT:
        return (ok("clock", f"as {nearest.provider}'s"),)
    word = "slow" if nearest.ahead > 0 else "fast"
    found = f"this machine's clock is {format_duration(round(off))} {word}, by {nearest.provider}'s"
    return (fail("clock", found, _SET_IT) if off > _MUCH else warn("clock", found, _SET_IT),)
