"""Dialing: a connection to a vendor, direct or through an HTTP proxy, with TLS where asked."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import SplitResult, unquote, urlsplit

from holdgate.core.relay.http1 import Connection

_HEAD_MOST = 64 * 1024


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a connection leads: requests of one origin share connections."""

    scheme: str
    host: str
    port: int
    proxy: str


@dataclass(frozen=True, slots=True)
class Address:
    """A URL cut into what dialing and what the request line need; `authority` is for Host."""

    origin: Origin
    authority: str
    target: str


class ProxyRefused(OSError):
    """The proxy did not let us through."""


@lru_cache(maxsize=1024)
def address_of(url: str, proxy: str) -> Address:
    """Cut a URL. Through a proxy a plain http request names the whole URL (RFC 9112, 3.2.2)."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    origin = Origin(parts.scheme, parts.hostname or "", port, proxy)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    authority = parts.netloc.rpartition("@")[2]
    if proxy and parts.scheme == "http":
        target = f"http://{authority}{target}"
    return Address(origin, authority, target)


def proxy_headers(origin: Origin) -> tuple[tuple[str, str], ...]:
    """Give the headers that a proxy wants in a request that it sees itself."""
    if not origin.proxy or origin.scheme == "https":
        return ()
    return _authorization(urlsplit(origin.proxy))


class Dialer:
    """Opens connections; the TLS context is made once, when it is first needed."""

    def __init__(self) -> None:
        """Start without a context: reading the certificates takes a while."""
        self._context: ssl.SSLContext | None = None

    async def dial(self, origin: Origin, make: Callable[[], Connection]) -> Connection:
        """Open a connection. Raises OSError (and its SSL kinds) if it cannot be had."""
        loop = asyncio.get_running_loop()
        if origin.proxy:
            return await self._through_proxy(loop, origin, make())
        tls = self._tls() if origin.scheme == "https" else None
        _, connection = await loop.create_connection(make, origin.host, origin.port, ssl=tls)
        return connection

    async def _through_proxy(
        self, loop: asyncio.AbstractEventLoop, origin: Origin, connection: Connection
    ) -> Connection:
        proxy = urlsplit(origin.proxy)
        tls = self._tls() if proxy.scheme == "https" else None
        port = proxy.port or (443 if tls else 80)
        knock = _Knock(loop.create_future())
        transport, _ = await loop.create_connection(
            lambda: knock, proxy.hostname or "", port, ssl=tls
        )
        try:
            if origin.scheme == "https":
                transport.write(_connect_request(origin, proxy))
                _check(await knock.head, origin)
                transport.set_protocol(connection)
                secured = await loop.start_tls(
                    transport, connection, self._tls(), server_hostname=origin.host
                )
                assert secured is not None
                connection.connection_made(secured)
            else:
                transport.set_protocol(connection)
                connection.connection_made(transport)
        except BaseException:
            transport.abort()
            raise
        return connection

    def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            self._context = ssl.create_default_context()
        return self._context


class _Knock(asyncio.Protocol):
    """Listens for a proxy's answer to CONNECT."""

    def __init__(self, head: asyncio.Future[bytes]) -> None:
        self.head = head
        self._said = b""

    def data_received(self, data: bytes) -> None:
        self._said += data
        if self.head.done():
            return
        if b"\r\n\r\n" in self._said:
            self.head.set_result(self._said)
        elif len(self._said) > _HEAD_MOST:
            self.head.set_exception(ProxyRefused("the proxy's answer is no HTTP"))

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.head.done():
            self.head.set_exception(ProxyRefused("the proxy closed the connection"))


def _connect_request(origin: Origin, proxy: SplitResult) -> bytes:
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    lines = [f"CONNECT {host}:{origin.port} HTTP/1.1", f"Host: {host}:{origin.port}"]
    lines += [f"{name}: {value}" for name, value in _authorization(proxy)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _authorization(proxy: SplitResult) -> tuple[tuple[str, str], ...]:
    if proxy.username is None:
        return ()
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return (("proxy-authorization", f"Basic {base64.b64encode(pair.encode()).decode()}"),)


def _check(head: bytes, origin: Origin) -> None:
    line = head.partition(b"\r\n")[0].decode("latin-1")
    _, _, said = line.partition(" ")
    if not said.startswith("2"):
        raise ProxyRefused(f"the proxy refuses {origin.host}:{origin.port}: {said}")
