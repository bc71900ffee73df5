"""The upstream: requests to vendors over kept connections.

Written for this project since each request through a general client costs about twice the CPU, and
since the relay must know exactly when a request left and whether its connection was a kept one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import MappingProxyType

from holdgate.core.relay.dialing import (
    Address,
    Dialer,
    Origin,
    Progress,
    address_of,
    proxy_headers,
)
from holdgate.core.relay.http1 import Connection
from holdgate.core.relay.plain_proxy import PlainFeed, is_plain
from holdgate.core.relay.ports import Call, Feed, Outgoing
from holdgate.core.relay.reasons import unreachable
from holdgate.core.relay.tasks import Tasks
from holdgate.core.relay.trust import Trust
from holdgate.core.values.clock import Clock
from holdgate.core.values.errors import Fault, FaultKind

# Seconds that an idle connection is kept: below the usual 60 of servers, which close without a
# word, and short enough that few are left to be found dead after sleep.
KEEP = 15.0
_IDLE_MOST = 64  # idle connections to one origin


class Pool:
    """The idle connections to one origin, the freshest first."""

    def __init__(self, clock: Clock) -> None:
        """Start empty."""
        self._clock = clock
        self._idle: list[Connection] = []

    def take(self) -> Connection | None:
        """Give a connection that is alive, if there is one."""
        while self._idle:
            connection = self._idle.pop()
            if connection.alive and self._clock.monotonic() - connection.idle_since < KEEP:
                return connection
            connection.abort()
        return None

    def take_back(self, connection: Connection) -> None:
        """See http1.Home."""
        connection.idle_since = self._clock.monotonic()
        self._idle.append(connection)
        if len(self._idle) > _IDLE_MOST:
            self._idle.pop(0).abort()

    def forget(self, connection: Connection) -> None:
        """See http1.Home."""
        if connection in self._idle:
            self._idle.remove(connection)

    def clear(self) -> None:
        """Close all idle connections: one was found dead, so the others are suspect."""
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.abort()

    def sweep(self) -> bool:
        """Close what was idle for too long; tell whether any is left."""
        now = self._clock.monotonic()
        old = [c for c in self._idle if now - c.idle_since >= KEEP]
        self._idle = [c for c in self._idle if now - c.idle_since < KEEP]
        for connection in old:
            connection.abort()
        return bool(self._idle)


class HttpCall:
    """A request under way, from before it has a connection to its end."""

    __slots__ = ("_connection", "_dialing", "_feed", "_gone")

    def __init__(self, feed: Feed) -> None:
        """Take who hears of it."""
        self._feed = feed
        self._connection: Connection | None = None
        self._dialing: asyncio.Task[None] | None = None
        self._gone = False

    def pause(self) -> None:
        """See ports.Call."""
        if self._connection is not None:
            self._connection.pause()

    def resume(self) -> None:
        """See ports.Call."""
        if self._connection is not None:
            self._connection.resume()

    def abort(self) -> None:
        """See ports.Call. A connection whose reply has ended is another's by now."""
        self._gone = True
        connection, self._connection = self._connection, None
        if connection is not None and connection.serves(self._feed):
            connection.abort()
        if self._dialing is not None:
            self._dialing.cancel()

    def dial(self, task: asyncio.Task[None]) -> None:
        """Take the task that opens its connection."""
        self._dialing = task

    def go(self, connection: Connection, head: bytes, body: bytes) -> None:
        """Send it on a connection."""
        self._dialing, self._connection = None, connection
        connection.send(head, body, self._feed)

    def fail(self, fault: Fault) -> None:
        """No connection could be had."""
        self._dialing = None
        if not self._gone:
            self._gone = True
            self._feed.on_fault(fault, lost=False)


class HttpUpstream:
    """See ports.Upstream."""

    def __init__(
        self,
        clock: Clock,
        loop: asyncio.AbstractEventLoop,
        environ: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Take the clock that idle times are measured by, which is the loop's.

        `environ` may name authorities to trust besides the system's, see relay/trust.py.
        """
        self._clock, self._loop = clock, loop
        self._dialer = Dialer(Trust(environ))
        self._pools: dict[Origin, Pool] = {}
        self._tasks = Tasks()
        self._sweep: asyncio.TimerHandle | None = None

    def send(self, outgoing: Outgoing, feed: Feed) -> Call:
        """See ports.Upstream."""
        address = address_of(outgoing.url, outgoing.proxy, outgoing.ca)
        pool = self._pools.get(address.origin)
        if pool is None:
            pool = self._pools[address.origin] = Pool(self._clock)
        call = HttpCall(PlainFeed(feed, address.origin) if is_plain(address.origin) else feed)
        if outgoing.fresh:
            pool.clear()
        connection = pool.take()
        if connection is not None:
            call.go(connection, request_head(outgoing, address), outgoing.body)
        else:
            work = self._dial(call, outgoing, address, pool)
            call.dial(self._tasks.start(work, f"connection to {address.origin.host}"))
        if self._sweep is None:
            self._sweep = self._loop.call_later(KEEP, self._sweep_all)
        return call

    async def close(self) -> None:
        """See ports.Upstream."""
        if self._sweep is not None:
            self._sweep.cancel()
        await self._tasks.close()
        for pool in self._pools.values():
            pool.clear()

    async def _dial(self, call: HttpCall, outgoing: Outgoing, address: Address, pool: Pool) -> None:
        origin, progress, patience = address.origin, Progress(), outgoing.connect_timeout
        try:
            made = self._dialer.dial(origin, lambda: Connection(pool), progress, patience)
            connection = await made
        except (OSError, ValueError) as error:
            call.fail(Fault(FaultKind.NETWORK, unreachable(origin, error, progress, patience)))
            return
        except Exception:
            call.fail(Fault(FaultKind.INTERNAL, "internal error; the log file says more"))
            raise
        call.go(connection, request_head(outgoing, address), outgoing.body)

    def _sweep_all(self) -> None:
        left = [pool.sweep() for pool in list(self._pools.values())]
        self._sweep = self._loop.call_later(KEEP, self._sweep_all) if any(left) else None


def request_head(outgoing: Outgoing, address: Address) -> bytes:
    """Give the request line and headers as bytes."""
    lines = [f"{outgoing.method} {address.target} HTTP/1.1", f"host: {address.authority}"]
    lines += [f"{name}: {value}" for name, value in outgoing.headers]
    lines += [f"{name}: {value}" for name, value in proxy_headers(address.origin)]
    if outgoing.body or outgoing.method == "POST":
        lines.append(f"content-length: {len(outgoing.body)}")
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape")
