"""What vendors say of their limits in good replies, and what it does to their lanes."""

from __future__ import annotations

from collections.abc import Callable

from holdgate.core.relay.ports import Head
from holdgate.core.relay.scheduler import Scheduler
from holdgate.core.traffic.rate_headers import exhausted
from holdgate.core.traffic.ticket import LaneId
from holdgate.core.values.kinds import format_duration


def heard(scheduler: Scheduler, lane: LaneId, head: Head, wall: Callable[[], float]) -> None:
    """A good reply may say that its window is used up: then nobody needs to run into that."""
    seconds = exhausted(head.headers, wall())
    if seconds:
        soon = format_duration(round(seconds, 1))
        scheduler.close_lane(lane, seconds, f"{lane[0]} says that its window is used up for {soon}")
