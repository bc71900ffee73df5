"""Listening: the sockets of a gateway, on every address that its settings mean."""

from __future__ import annotations

import errno
import logging

from aiohttp import web

from holdgate.core.server.app import Handler
from holdgate.core.server.context import App

# Seconds that the last handlers have at the end; aiohttp counts it twice, and 0 is for ever.
_LAST_WORDS = 0.5
_BACKLOG = 2048
# Others' sockets, and ports that Windows keeps to itself (WinError 10013).
TAKEN = frozenset({errno.EADDRINUSE, 10048, 10013})


class PortInUse(Exception):
    """The port is taken; `port` says which."""

    def __init__(self, host: str, port: int) -> None:
        """Take where it was tried."""
        super().__init__(f"port {port} on {host} is in use")
        self.host, self.port = host, port


def hosts_of(host: str) -> tuple[str, ...]:
    """Give the addresses to listen on: the first must bind, the others where they can.

    Agents say "localhost", which is ::1 first on many systems.
    """
    if host in ("127.0.0.1", "localhost"):
        return ("127.0.0.1", "::1")
    if host in ("0.0.0.0", "*"):
        return ("0.0.0.0", "::")
    return (host,)


class Listener:
    """The listening sockets of one gateway."""

    def __init__(self, app: App) -> None:
        """Take what serves the requests."""
        # The handler is cancelled when its agent hangs up; else it would keep its place.
        # aiohttp logs each request that is no HTTP with a trace, and what was sent, in its log.
        server = web.Server(
            Handler(app),
            handler_cancellation=True,
            access_log=None,
            auto_decompress=False,
            logger=logging.Logger("unheard", logging.CRITICAL + 1),
        )
        self._runner = web.ServerRunner(server, handle_signals=False, shutdown_timeout=_LAST_WORDS)

    async def start(self, host: str, port: int) -> int:
        """Listen and give the port. Raises PortInUse, or OSError for an address that is none."""
        await self._runner.setup()
        first, *others = hosts_of(host)
        try:
            await web.TCPSite(self._runner, first, port, backlog=_BACKLOG).start()
        except OSError as error:
            if error.errno in TAKEN:
                raise PortInUse(first, port) from error
            raise
        bound = int(self._runner.addresses[0][1])
        for other in others:
            try:
                await web.TCPSite(self._runner, other, bound, backlog=_BACKLOG).start()
            except OSError:
                continue  # no IPv6 here, or somebody has that port there
        return bound

    async def stop_accepting(self) -> None:
        """Close the listening sockets; connections that stand go on."""
        for site in list(self._runner.sites):
            await site.stop()

    async def close(self) -> None:
        """End everything; saying it again changes nothing."""
        await self._runner.cleanup()
