"""Probing a provider without a running gateway, for `gateway provider test`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping

from holdgate.core.host.assembly import read_roster
from holdgate.core.relay.probe import Probed, Prober, well_keys
from holdgate.core.relay.scheduler import Scheduler
from holdgate.core.relay.upstream import HttpUpstream
from holdgate.core.traffic.gate import Gate
from holdgate.core.values.clock import system_clock
from holdgate.core.values.settings import Settings

__all__ = ["Probed", "probe_provider", "well_keys"]


async def probe_provider(
    settings: Settings, environ: Mapping[str, str], name: str, model: str | None
) -> AsyncIterator[Probed]:
    """Probe each key that is on in each dialect, as they come. See Prober.probe."""
    loop = asyncio.get_running_loop()
    clock = system_clock(loop.time)
    upstream = HttpUpstream(clock, loop, environ)
    try:
        roster = read_roster(settings, environ)
        prober = Prober(roster, upstream, clock, Scheduler(Gate(), clock, loop))
        async for each in prober.probe(name, model):
            yield each
    finally:
        await upstream.close()
