"""Caller profiles: how patient a caller is, and whether it goes first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from types import MappingProxyType

from holdgate.core.values.caller import Caller
from holdgate.core.values.settings import CallerProfile, Hold, Queue, Settings

# Agents that hang up before our 4m45s: their wait ends just before their own patience, and their
# place is kept for the next try (clients, 1.3).
BUILT_IN_WAITS: Mapping[str, float] = MappingProxyType({"gemini-cli": 55.0, "qwen-code": 115.0})


@dataclass(frozen=True, slots=True)
class Treatment:
    """What is in force for one caller's request."""

    hold: Hold
    queue: Queue
    background: bool


def treatment_of(settings: Settings, caller: Caller, model: str) -> Treatment:
    """Give how a caller is treated: built-in, then the file's tables, then the profiles in order.

    The person's own words in [queue] replace what is built in only where a profile says so.
    """
    hold, queue, background = settings.hold, settings.queue, False
    if (patience := BUILT_IN_WAITS.get(caller.agent)) is not None:
        queue = replace(queue, wait_whole=_shorter(queue.wait_whole, patience))
    for profile in settings.callers.values():
        if _matches(profile, caller, model):
            hold = replace(hold, **profile.hold)
            queue = replace(queue, **profile.queue)
            background = profile.priority == "background"
    return Treatment(hold, queue, background)


def _shorter(seconds: float, patience: float) -> float:
    """Give the shorter of two waits, 0 being without end."""
    return min(seconds, patience) if seconds else patience


def _matches(profile: CallerProfile, caller: Caller, model: str) -> bool:
    match = profile.match
    return (
        fnmatchcase(caller.agent, match.agent)
        and fnmatchcase(caller.key or "", match.key)
        and fnmatchcase(model, match.model)
    )
