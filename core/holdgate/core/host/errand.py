"""An errand: what a command asks of vendors by itself, without a running gateway."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass

from holdgate.core.relay.proxies import choose_proxy, system_proxies
from holdgate.core.relay.upstream import HttpUpstream
from holdgate.core.values.clock import Clock, system_clock


@dataclass(frozen=True, slots=True)
class Errand:
    """What it takes: connections, the event loop's clock, and the environment of the person."""

    upstream: HttpUpstream
    clock: Clock
    environ: Mapping[str, str]

    def proxies(self, wish: str = "") -> Callable[[str], str]:
        """Give what chooses the proxy of a URL, "" for none; `wish` is a provider's setting."""
        system = system_proxies(self.environ)
        return lambda url: choose_proxy(url, wish, system)


@contextlib.asynccontextmanager
async def errand(environ: Mapping[str, str]) -> AsyncIterator[Errand]:
    """Begin an errand; at its end its connections are closed."""
    loop = asyncio.get_running_loop()
    clock = system_clock(loop.time)
    upstream = HttpUpstream(clock, loop, environ)
    try:
        yield Errand(upstream, clock, environ)
    finally:
        await upstream.close()
