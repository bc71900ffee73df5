"""Tunnels: how a proxy is asked for a way to a vendor, by HTTP's CONNECT or by SOCKS.

SOCKS is python-socks's, of the extra `socks`. As curl has it, `socks5` and `socks4` look up the
vendor's name here, `socks5h` and `socks4a` leave that to the proxy.
"""

from __future__ import annotations

import asyncio
import base64
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from holdgate.core.relay.proxies import Proxy
from holdgate.core.values.addresses import host_and_port

if TYPE_CHECKING:
    from python_socks.async_.asyncio import Proxy as SocksProxy

_HEAD_MOST = 64 * 1024
# The dialer's own time limit, which is the person's setting, ends it sooner.
_NO_LIMIT = 86400.0


class ProxyRefused(OSError):
    """A proxy's answer to CONNECT that is no way to the vendor.

    `status` 0: it is no HTTP. `page`: it came with a web page.
    """

    def __init__(self, status: int, reason: str, *, page: bool = False) -> None:
        """Take the status line in parts."""
        super().__init__(f"the proxy answers {status} {reason}".rstrip())
        self.status, self.reason, self.page = status, reason, page


class ProxyClosed(ConnectionError):
    """The proxy closed the connection instead of an answer."""


class SocksRefused(OSError):
    """A SOCKS proxy's answer that is no way; `code` by RFC 1928 and SOCKS 4, None for none."""

    def __init__(self, scheme: str, words: str, code: int | None) -> None:
        """Take what it was asked by, what python-socks says, and the proxy's code."""
        super().__init__(words)
        self.scheme, self.code = scheme, code


class NoSuchVendor(OSError):
    """The vendor's name, looked up here for a SOCKS proxy, is not found; errno is gaierror's."""


class SocksMissing(OSError):
    """The extra `socks` is not installed."""


MakeSocks = Callable[[Proxy], "SocksProxy"]


class Knock(asyncio.Protocol):
    """Listens for a proxy's answer to CONNECT."""

    def __init__(self) -> None:
        """Begin to listen."""
        self._head: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        # TLS with the proxy may fail, and then nobody waits for its answer.
        self._head.add_done_callback(lambda head: head.cancelled() or head.exception())
        self._said = b""

    async def answered(self) -> None:
        """Wait for an answer that opens the way. Raises ProxyRefused, ProxyClosed."""
        _check(await self._head)

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol."""
        self._said += data
        if self._head.done():
            return
        if b"\r\n\r\n" in self._said:
            self._head.set_result(self._said)
        elif not b"HTTP/".startswith(self._said[:5]) or len(self._said) > _HEAD_MOST:
            self._head.set_exception(ProxyRefused(0, ""))

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio.Protocol."""
        if not self._head.done():
            self._head.set_exception(ProxyClosed("the proxy closed the connection"))


def connect_request(host: str, port: int, proxy: Proxy) -> bytes:
    """Give the request for a way to `host` (RFC 9110, 9.3.6)."""
    where = host_and_port(host, port)
    lines = [f"CONNECT {where} HTTP/1.1", f"Host: {where}"]
    lines += [f"{name}: {value}" for name, value in authorization(proxy)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def authorization(proxy: Proxy) -> tuple[tuple[str, str], ...]:
    """Give the header with a proxy's user and password, if it has them."""
    if proxy.login is None:
        return ()
    pair = ":".join(proxy.login)
    return (("proxy-authorization", f"Basic {base64.b64encode(pair.encode()).decode()}"),)


def make_socks(proxy: Proxy) -> SocksProxy:
    """Give python-socks's client for a proxy. Raises ImportError without the extra."""
    from python_socks import ProxyType
    from python_socks.async_.asyncio import Proxy as SocksProxy

    kind = ProxyType.SOCKS5 if proxy.scheme.startswith("socks5") else ProxyType.SOCKS4
    user, password = proxy.login or (None, None)
    there = proxy.scheme in ("socks5h", "socks4a")
    loop = asyncio.get_running_loop()
    return SocksProxy(kind, proxy.host, proxy.port, user, password, rdns=there, loop=loop)


async def socks_way(proxy: Proxy, host: str, port: int, make: MakeSocks) -> socket.socket:
    """Give a socket that leads through a SOCKS proxy.

    Raises NoSuchVendor, SocksRefused, SocksMissing; an error of the connection to the proxy itself
    is raised as it was.
    """
    try:
        client = make(proxy)
    except ImportError as error:
        raise SocksMissing(error.name) from error
    from python_socks import ProxyConnectionError, ProxyError

    try:
        return await client.connect(host, port, timeout=_NO_LIMIT)
    except socket.gaierror as error:
        raise NoSuchVendor(error.errno, error.strerror) from error
    except ProxyConnectionError as error:
        raise error.__cause__ if isinstance(error.__cause__, OSError) else error from None
    except ProxyError as error:
        raise SocksRefused(proxy.scheme, str(error), error.error_code) from error


def _check(head: bytes) -> None:
    top, _, body = head.partition(b"\r\n\r\n")
    line, *headers = top.decode("latin-1").split("\r\n")
    _, _, said = line.partition(" ")
    status, _, reason = said.partition(" ")
    kind = next((h for h in headers if h.lower().startswith("content-type:")), "")
    page = "html" in kind.lower() or body.lstrip()[:1] == b"<"
    if not status.isdigit() or not status.startswith("2") or page:
        raise ProxyRefused(int(status) if status.isdigit() else 0, reason.strip(), page=page)
