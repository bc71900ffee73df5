"""The history: how many requests waited and ran in the last hour, for whoever looks later.

Of every ten seconds it keeps the most that were seen at once, so that a short queue is seen, too.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from holdgate.core.relay.context import Relay

EVERY = 10.0  # seconds that one sample stands for
KEPT = 360  # samples: an hour
# Seconds between two looks.
LOOK = 2.0


class History:
    """The samples of the last hour."""

    def __init__(self) -> None:
        """Start with none."""
        self._samples: deque[tuple[float, int, int]] = deque(maxlen=KEPT)

    def look(self, now: float, waiting: int, running: int) -> None:
        """Note what is so at `now`, in Unix seconds."""
        slot = now - now % EVERY
        if self._samples and self._samples[-1][0] >= slot:  # also when the clock was set back
            slot, most_waiting, most_running = self._samples.pop()
            waiting, running = max(waiting, most_waiting), max(running, most_running)
        self._samples.append((slot, waiting, running))

    def as_json(self) -> dict[str, Any]:
        """Give the shape of the control API's `GET /api/history`."""
        return {"every": EVERY, "samples": [list(sample) for sample in self._samples]}


async def keep_history(history: History, relay: Relay) -> None:
    """Look every two seconds, until cancelled."""
    while True:
        waiting, running = at_once(relay)
        history.look(relay.clock.wall(), waiting, running)
        await asyncio.sleep(LOOK)


def at_once(relay: Relay) -> tuple[int, int]:
    """Give how many requests wait and how many run now: those that have a place in a lane."""
    running = min(len(relay.live), sum(len(lane.running) for lane in relay.scheduler.lanes()))
    return len(relay.live) - running, running
