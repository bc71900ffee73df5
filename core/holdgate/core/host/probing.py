"""Probing a provider without a running gateway, for `gateway provider test`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping

from holdgate.core.host.assembly import read_roster
from holdgate.core.host.errand import errand
from holdgate.core.relay.probe import Probed, Prober, well_keys
from holdgate.core.relay.scheduler import Scheduler
from holdgate.core.traffic.gate import Gate
from holdgate.core.values.settings import Settings

__all__ = ["Probed", "probe_provider", "well_keys"]


async def probe_provider(
    settings: Settings, environ: Mapping[str, str], name: str, model: str | None
) -> AsyncIterator[Probed]:
    """Probe each key that is on in each dialect, as they come. See Prober.probe."""
    async with errand(environ) as on:
        scheduler = Scheduler(Gate(), on.clock, asyncio.get_running_loop())
        prober = Prober(read_roster(settings, environ), on.upstream, on.clock, scheduler)
        async for each in prober.probe(name, model):
            yield each
