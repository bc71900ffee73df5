"""Trying out a vendor before anything of it is written, for `gateway provider add`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from holdgate.core.relay.diagnosis import Cause, advice, worst
from holdgate.core.relay.proxies import choose_proxy, system_proxies
from holdgate.core.relay.trial import Listed, Outcome, Told, Trial, Tried
from holdgate.core.relay.upstream import HttpUpstream
from holdgate.core.values.clock import system_clock
from holdgate.core.values.secret import Secret
from holdgate.core.values.settings import Provider

__all__ = ["Cause", "Listed", "Outcome", "Tried", "advice", "try_out", "worst"]


async def try_out(
    provider: Provider,
    key: Secret,
    url: str,
    models: tuple[str, ...],
    environ: Mapping[str, str],
    told: Told,
) -> Outcome:
    """Try the base URLs that `provider` has, or find out what the bare `url` speaks.

    `url` is "" where it is not wanted.

    `models`: those that are known, so that no list is asked for; `told` hears what is asked next.
    """
    loop = asyncio.get_running_loop()
    clock = system_clock(loop.time)
    upstream = HttpUpstream(clock, loop, environ)
    trial = Trial(upstream, clock, provider, key, _proxies(provider, environ), told)
    try:
        return await (trial.at(url, models) if url else trial.known(models or None))
    finally:
        await upstream.close()


def _proxies(provider: Provider, environ: Mapping[str, str]) -> Callable[[str], str]:
    system = system_proxies(environ)
    return lambda base: choose_proxy(base, provider.proxy, system)
