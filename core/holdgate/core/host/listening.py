"""Listening: the sockets of a gateway, on every address that its settings mean."""

from __future__ import annotations

import errno

from aiohttp import web

_BACKLOG = 2048
# Others' sockets, and ports that Windows keeps to itself (WinError 10013).
_TAKEN = frozenset({errno.EADDRINUSE, 10048, 10013})


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


async def listen(runner: web.ServerRunner, host: str, port: int) -> int:
    """Listen and give the port. Raises PortInUse, or OSError for an address that is none here."""
    first, *others = hosts_of(host)
    try:
        await web.TCPSite(runner, first, port, backlog=_BACKLOG).start()
    except OSError as error:
        if error.errno in _TAKEN:
            raise PortInUse(first, port) from error
        raise
    bound = int(runner.addresses[0][1])
    for other in others:
        try:
            await web.TCPSite(runner, other, bound, backlog=_BACKLOG).start()
        except OSError:
            continue  # no IPv6 here, or somebody has that port there
    return bound


def shown_host(host: str) -> str:
    """Give the host that a person on this machine writes into an address."""
    if host in ("0.0.0.0", "::", "*", "localhost"):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
