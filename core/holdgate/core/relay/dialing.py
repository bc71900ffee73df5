"""Dialing: a connection to a vendor, direct or through a proxy, with TLS where asked.

Theory. Each connection is made in the same steps: a socket to the vendor or its proxy, the proxy's
consent, TLS with the vendor. What goes wrong is raised as it is, and a `Progress` tells in which
step it did: the words for people (relay/reasons.py) need both.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal
from urllib.parse import quote, urlsplit

from holdgate.core.relay.http1 import Connection
from holdgate.core.relay.proxies import Proxy, parse_proxy
from holdgate.core.relay.trust import Trust, flaw
from holdgate.core.relay.tunnels import (
    Knock,
    MakeSocks,
    authorization,
    connect_request,
    make_socks,
    socks_way,
)

# "first": to the vendor, or to its proxy; "proxy TLS": with an https:// proxy; "asking": the proxy.
Step = Literal["trust", "first", "proxy TLS", "asking", "TLS"]

_SAFE = "/%:@!$&'()*+,;=-._~?"  # of a path and a query, what stays as it is


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a connection leads: requests of one origin share connections."""

    scheme: str
    host: str
    port: int
    proxy: str
    ca: str = ""


@dataclass(frozen=True, slots=True)
class Address:
    """A URL cut into what dialing and what the request line need; `authority` is for Host."""

    origin: Origin
    authority: str
    target: str


@dataclass(slots=True)
class Progress:
    """How far a connection came. `names`: those of a certificate that is another host's."""

    step: Step = "first"
    names: tuple[str, ...] = ()


@lru_cache(maxsize=1024)
def address_of(url: str, proxy: str, ca: str = "") -> Address:
    """Cut a URL. Through a proxy a plain http request names the whole URL (RFC 9112, 3.2.2).

    Signs outside ASCII are written as requests take them: a name by IDNA, a path in percents.
    """
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    host = _ascii(parts.hostname or "")
    origin = Origin(parts.scheme, host, port, proxy, ca)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    target = target if target.isascii() else quote(target, safe=_SAFE)
    authority = parts.netloc.rpartition("@")[2]
    if not authority.isascii():
        authority = host if parts.port is None else f"{host}:{parts.port}"
    if parts.scheme == "http" and proxy.startswith("http"):
        target = f"http://{authority}{target}"
    return Address(origin, authority, target)


def _ascii(host: str) -> str:
    """Give a host's name as DNS, TLS and `Host` have it; one that has no such form as it is."""
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def proxy_headers(origin: Origin) -> tuple[tuple[str, str], ...]:
    """Give the headers that a proxy wants in a request that it sees itself."""
    if not origin.proxy.startswith("http") or origin.scheme == "https":
        return ()
    return authorization(parse_proxy(origin.proxy))


class Dialer:
    """Opens connections."""

    def __init__(self, trust: Trust, socks: MakeSocks = make_socks) -> None:
        """Take the TLS contexts, and what makes a client of a SOCKS proxy."""
        self._trust, self._socks = trust, socks

    async def dial(
        self, origin: Origin, make: Callable[[], Connection], progress: Progress, patience: float
    ) -> Connection:
        """Open a connection. Raises OSError (TLS's errors are some), ValueError for bad addresses.

        `progress` is kept up to date, so that it tells more of an error. `patience` (seconds, 0 for
        no limit) is for the network; what this machine needs to read its certificates is its own.
        """
        connection = make()
        context = None
        if origin.scheme == "https" or origin.proxy.startswith("https"):
            progress.step = "trust"
            context = await self._trust.context(origin.ca)
        try:
            async with asyncio.timeout(patience or None):
                await self._open(origin, connection, context, progress)
        except ssl.SSLCertVerificationError as error:
            if progress.step == "TLS" and flaw(error) == "name":
                progress.names = await self._names(origin, patience)
            raise
        return connection

    async def _open(
        self,
        origin: Origin,
        protocol: asyncio.Protocol,
        context: ssl.SSLContext | None,
        progress: Progress,
    ) -> asyncio.Transport:
        progress.step = "first"
        transport = await self._reach(origin, context, progress)
        try:
            transport.set_protocol(protocol)
            if origin.scheme == "https":
                assert context is not None
                progress.step = "TLS"
                transport = await _secure(transport, protocol, context, origin.host)
            _check_open(transport)
            protocol.connection_made(transport)
        except BaseException:
            transport.abort()
            raise
        return transport

    async def _reach(
        self, origin: Origin, context: ssl.SSLContext | None, progress: Progress
    ) -> asyncio.Transport:
        """Give a way to the vendor: bytes go through as they are."""
        loop = asyncio.get_running_loop()
        if not origin.proxy:
            return await _connect(asyncio.Protocol(), origin.host, origin.port)
        proxy = parse_proxy(origin.proxy)
        if proxy.scheme.startswith("socks"):
            sock = await socks_way(proxy, origin.host, origin.port, self._socks)
            made, _ = await loop.create_connection(asyncio.Protocol, sock=sock)
            return made
        return await _through_http(origin, proxy, context, progress)

    async def _names(self, origin: Origin, patience: float) -> tuple[str, ...]:
        """Give the names in the certificate of a vendor, which is good but for them.

        A second connection tells, over which nothing is sent: a handshake that failed keeps them.
        """
        try:
            context = await self._trust.nameless(origin.ca)
            async with asyncio.timeout(patience or None):
                transport = await self._open(origin, asyncio.Protocol(), context, Progress())
        except (OSError, ValueError):
            return ()
        told = transport.get_extra_info("peercert") or {}
        transport.abort()
        return tuple(str(name) for _, name in told.get("subjectAltName", ()))


async def _through_http(
    origin: Origin, proxy: Proxy, context: ssl.SSLContext | None, progress: Progress
) -> asyncio.Transport:
    knock = Knock()
    transport = await _connect(knock, proxy.host, proxy.port)
    try:
        if proxy.scheme == "https":
            assert context is not None
            progress.step = "proxy TLS"
            transport = await _secure(transport, knock, context, proxy.host)
        if origin.scheme == "https":
            progress.step = "asking"
            transport.write(connect_request(origin.host, origin.port, proxy))
            await knock.answered()
    except BaseException:
        transport.abort()
        raise
    return transport


async def _connect(protocol: asyncio.Protocol, host: str, port: int) -> asyncio.Transport:
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_connection(lambda: protocol, host, port)
    return transport


async def _secure(
    transport: asyncio.Transport, protocol: asyncio.Protocol, context: ssl.SSLContext, host: str
) -> asyncio.Transport:
    loop = asyncio.get_running_loop()
    _check_open(transport)
    secured = await loop.start_tls(transport, protocol, context, server_hostname=host)
    assert secured is not None
    return secured


def _check_open(transport: asyncio.Transport) -> None:
    """Raises ConnectionResetError: who heard of the end was another protocol, so nobody would."""
    if transport.is_closing():
        raise ConnectionResetError("the connection was closed at once")
