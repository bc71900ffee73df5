"""The context of the relay: what every exchange works with."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass

from holdgate.core.relay.keepsakes import Keepsakes
from holdgate.core.relay.live import LiveRequests
from holdgate.core.relay.planner import Planner
from holdgate.core.relay.ports import Upstream
from holdgate.core.relay.resting import Resting
from holdgate.core.relay.roster import Current
from holdgate.core.relay.scheduler import Scheduler
from holdgate.core.relay.wheel import Wheel
from holdgate.core.traffic.affinity import Affinity
from holdgate.core.traffic.refused_members import RefusedMembers
from holdgate.core.traffic.repeats import Repeats
from holdgate.core.traffic.turns import Turns
from holdgate.core.values.clock import Clock


@dataclass(frozen=True, slots=True)
class Relay:
    """What every exchange works with; built once, in one place."""

    current: Current
    planner: Planner
    scheduler: Scheduler
    resting: Resting
    affinity: Affinity
    turns: Turns
    repeats: Repeats
    refused: RefusedMembers
    keepsakes: Keepsakes
    upstream: Upstream
    live: LiveRequests
    wheel: Wheel
    clock: Clock
    loop: asyncio.AbstractEventLoop
    dice: random.Random
