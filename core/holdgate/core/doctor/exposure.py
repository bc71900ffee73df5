"""Exposure: who can reach the gateway from elsewhere, and what keeps them out."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path

from holdgate.core.doctor.finding import Finding, fail, note, ok, warn
from holdgate.core.store.callers import GatewayKeys, KeysFileBroken
from holdgate.core.values.addresses import host_and_port
from holdgate.core.values.settings import Server

_WILDCARDS = ("0.0.0.0", "::", "*")
# Nothing is sent there: connecting a datagram socket only asks for the way (RFC 5737, RFC 3849).
_FAR = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))


def examine_exposure(server: Server, state: Path, port: int = 0) -> tuple[Finding, ...]:
    """Look at who can reach a gateway of these settings, or the one that runs at `port`."""
    try:
        keys = sum(key.enabled for key in GatewayKeys(state, lambda: 0.0).list())
    except KeysFileBroken as error:
        return (fail("gateway keys", str(error), "callers from elsewhere are refused until then"),)
    if port and not server.lan and (found := answering(own_addresses(), port)):
        return exposure(server, keys, found, served_at=port)
    return exposure(server, keys, own_addresses() if server.host in _WILDCARDS else (server.host,))


def exposure(
    server: Server, keys: int, addresses: Iterable[str], *, served_at: int = 0
) -> tuple[Finding, ...]:
    """Judge who can reach the gateway; `keys`: how many gateway keys are enabled.

    `served_at`: the port at which one answers there though the settings do not say so.
    """
    return (_reach(server, keys, tuple(addresses), served_at), *_forwarded(server, keys))


def own_addresses() -> tuple[str, ...]:
    """Give the addresses by which this machine is reached on its usual network."""
    found = []
    for family, far in _FAR:
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as sock:
            sock.connect((far, 9))
            found.append(str(sock.getsockname()[0]))
    return tuple(each for each in found if not ip_address(each.partition("%")[0]).is_loopback)


def answering(addresses: Iterable[str], port: int, patience: float = 0.5) -> tuple[str, ...]:
    """Give those of this machine's addresses at which something listens at that port."""
    found = []
    for each in addresses:
        with contextlib.suppress(OSError), socket.create_connection((each, port), patience):
            found.append(each)
    return tuple(found)


def _reach(server: Server, keys: int, addresses: tuple[str, ...], served_at: int) -> Finding:
    if not server.lan and not served_at:
        return ok("reach", "this machine alone (lan = false)")
    where = ", ".join(
        f"http://{host_and_port(each, served_at or server.port)}" for each in addresses
    )
    by = "started by gateway serve --lan" if served_at else "lan = true"
    found = f"other machines may ask ({by}): {where or 'no network is up now'}"
    if not keys:
        undo = "serve without --lan" if served_at else "lan = false"
        todo = f"gateway keys add NAME for each of them; or {undo}"
        return warn("reach", f"{found}; without a gateway key all of them are refused", todo)
    todo = "whether a firewall lets them through is not known: try it from there"
    return note("reach", f"{found}; {keys} gateway keys are good", todo)


def _forwarded(server: Server, keys: int) -> tuple[Finding, ...]:
    if not server.trust_forwarded:
        return ()
    found = "X-Forwarded-For of a reverse proxy here is believed (trust_forwarded = true)"
    if keys:
        return (note("reverse proxy", found, "have it end TLS, and set that header itself"),)
    return (
        warn("reverse proxy", f"{found}, and there is no gateway key", "gateway keys add NAME"),
    )
