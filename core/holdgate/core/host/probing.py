"""Probing a provider without a running gateway, for `gateway provider test`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping

from holdgate.core.host.assembly import read_roster
from holdgate.core.relay.model_lists import fetch_models
from holdgate.core.relay.probe import Probed, probe
from holdgate.core.relay.roster import Current, Roster
from holdgate.core.relay.upstream import HttpUpstream
from holdgate.core.traffic.routing import spoken
from holdgate.core.values.clock import system_clock
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.settings import Model, Provider, Settings

__all__ = ["Probed", "probe_provider"]


async def probe_provider(
    settings: Settings, environ: Mapping[str, str], name: str, model: str | None
) -> AsyncIterator[Probed]:
    """Probe each key that is on in each dialect, one after the other, as they come.

    `model`: which to ask for; the provider's first if None. Raises Fault if there is none to ask.
    """
    loop = asyncio.get_running_loop()
    clock = system_clock(loop.time)
    upstream = HttpUpstream(clock, loop)
    try:
        roster = read_roster(settings, environ)
        provider = settings.providers[name]
        chosen = provider.model(model) if model else await _first_model(provider, roster, upstream)
        for key in (key for key in provider.keys if key.on):
            for dialect in spoken(provider, chosen):
                yield await probe(upstream, clock, roster, (name, key.name), dialect, chosen)
    finally:
        await upstream.close()


async def _first_model(provider: Provider, roster: Roster, upstream: HttpUpstream) -> Model:
    models = provider.models
    if models is None:
        models = await fetch_models(Current(roster), upstream, provider)
    if not models:
        raise Fault(
            FaultKind.MODEL, f"{provider.name}: lists no model; name one with --model MODEL"
        )
    return models[0]
