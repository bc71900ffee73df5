"""What vendors say of their limits, and what it does to their lanes."""

from __future__ import annotations

from collections.abc import Callable

from holdgate.core.relay.ports import Head
from holdgate.core.relay.scheduler import Scheduler
from holdgate.core.traffic.attempts import Absorb
from holdgate.core.traffic.rate_headers import exhausted
from holdgate.core.traffic.ticket import LaneId
from holdgate.core.values.kinds import format_duration


def absorb(scheduler: Scheduler, step: Absorb) -> None:
    """The vendor is at its limit: its lane closes, and the request waits for it."""
    lane = step.candidate.lane
    why = f"HTTP 429 from {lane[0]}, again in {format_duration(round(step.seconds, 1))}"
    if step.narrow:
        scheduler.narrow(lane)
    scheduler.close_lane(lane, step.seconds, why)


def heard(scheduler: Scheduler, lane: LaneId, head: Head, wall: Callable[[], float]) -> None:
    """A good reply may say that its window is used up: then nobody needs to run into that."""
    seconds = exhausted(head.headers, wall())
    if seconds:
        soon = format_duration(round(seconds, 1))
        scheduler.close_lane(lane, seconds, f"{lane[0]} says that its window is used up for {soon}")
