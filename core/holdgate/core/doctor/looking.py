"""Looking: a name, a connection and TLS, each for itself, so that it is known which one fails."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from holdgate.core.doctor.aside import aside
from holdgate.core.relay.dialing import Dialer, Origin, Progress, address_of
from holdgate.core.relay.http1 import Connection
from holdgate.core.relay.proxies import NoSuchProxy, parse_proxy
from holdgate.core.relay.reasons import unreachable
from holdgate.core.relay.trust import Trust

LOOKUP = 2.0  # seconds for a name
DIAL = 4.0  # and for a connection, proxy and TLS included


@dataclass(frozen=True, slots=True)
class Looked:
    """How far it was to a vendor.

    `host`: whose name was looked up, the proxy's where one is used; `addresses` that it has.
    `no_name`, `no_way`: why there are none, and why there is no connection; "" where all is well.
    `tls` is its version, "" without; `issuer` who vouches for the certificate.
    """

    url: str
    host: str
    addresses: tuple[str, ...] = ()
    no_name: str = ""
    no_way: str = ""
    tls: str = ""
    issuer: str = ""


class _Nowhere:
    """The home of a connection that serves nothing."""

    def take_back(self, connection: Connection) -> None:
        connection.abort()

    def forget(self, connection: Connection) -> None:
        pass


class _Seeing(Connection):
    """A connection of which what TLS agreed on is wanted."""

    __slots__ = ()

    @property
    def issuer(self) -> str:
        told = (self._transport and self._transport.get_extra_info("peercert")) or {}
        names = {kind: name for part in told.get("issuer", ()) for kind, name in part}
        return str(names.get("organizationName") or names.get("commonName") or "")

    @property
    def version(self) -> str:
        made = self._transport and self._transport.get_extra_info("ssl_object")
        return str(made.version()) if made else ""


async def look(url: str, proxy: str, ca: str, trust: Trust) -> Looked:
    """Look at the way to a base URL. Raises nothing."""
    origin = address_of(url, proxy, ca).origin
    try:
        reached = parse_proxy(proxy) if proxy else None
    except NoSuchProxy as error:
        return Looked(url, "", no_way=unreachable(origin, error, Progress(), DIAL))
    host, port = (reached.host, reached.port) if reached else (origin.host, origin.port)
    try:
        found = await aside(lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM), LOOKUP)
    except TimeoutError:
        why = f"no answer to the name {host} (DNS) within {LOOKUP:g}s; is this machine online?"
        return Looked(url, host, no_name=why)
    except (OSError, UnicodeError) as error:
        return Looked(url, host, no_name=unreachable(origin, error, Progress(), LOOKUP))
    addresses = tuple(dict.fromkeys(str(each[4][0]) for each in found))
    return await _dial(url, host, addresses, origin, trust)


def host_of(url: str) -> str:
    """Give the host of a URL."""
    return urlsplit(url).hostname or ""


async def _dial(
    url: str, host: str, addresses: tuple[str, ...], origin: Origin, trust: Trust
) -> Looked:
    progress, made = Progress(), _Seeing(_Nowhere())
    try:
        await Dialer(trust).dial(origin, lambda: made, progress, DIAL)
    except (OSError, ValueError) as error:
        return Looked(url, host, addresses, no_way=unreachable(origin, error, progress, DIAL))
    try:
        return Looked(url, host, addresses, tls=made.version, issuer=made.issuer)
    finally:
        made.abort()
