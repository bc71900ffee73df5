"""Hosts and origins: reads addresses, Host headers and Origins, and says which are accepted.

What cannot be read strictly is refused: `127.1`, `0x7f000001` and their like are names here, and
names are accepted only from the lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final

LOCALHOST: Final = "localhost"
# What nearly all requests say, looked up before anything is read.
_PLAIN_LOOPBACK = frozenset({"127.0.0.1", "::1"})
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+(?:%[\w.~-]+)?\]|[\w.-]+)(?::([0-9]{1,5}))?", re.ASCII)
_WEB_ORIGIN = re.compile(r"(https?)://([^/?#@\s]+)", re.ASCII)
_DESKTOP_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(?://)?", re.ASCII)
_DEFAULT_PORTS: Final = (("http", 80), ("https", 443))


@dataclass(frozen=True, slots=True)
class Authority:
    """A host and a port as they stand in a Host header or an Origin.

    `host` is lower case: an address in its shortest form, without brackets and zone (an IPv4-mapped
    one as IPv4), or a name without a dot at its end. `port` is None if none was written.
    """

    host: str
    port: int | None


def plain_address(text: str) -> str | None:
    """Give an IP address in its shortest form, without zone, IPv4-mapped as IPv4; None if none."""
    if text in _PLAIN_LOOPBACK:
        return text
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)


def is_loopback(address: str | None) -> bool:
    """Tell whether an address that `plain_address` gave is a loopback one."""
    return address is not None and (address in _PLAIN_LOOPBACK or ip_address(address).is_loopback)


@lru_cache(maxsize=256)  # an agent writes the same Host each time
def read_authority(text: str) -> Authority | None:
    """Read `host`, `host:port`, `[v6]:port`; None for anything else."""
    match = _AUTHORITY.fullmatch(text)
    if match is None:
        return None
    port = int(match[2]) if match[2] else None
    if port is not None and port > 65535:
        return None
    if match[1].startswith("["):
        address = plain_address(match[1][1:-1])
        return Authority(address, port) if address else None
    name = match[1].lower().removesuffix(".")
    return Authority(plain_address(name) or name, port) if name else None


def forwarded_address(header: str) -> str | None:
    """Give the last address of X-Forwarded-For: the one that the nearest proxy saw."""
    last = header.rpartition(",")[2].strip()
    if (address := plain_address(last)) is not None:
        return address
    authority = read_authority(last)
    return plain_address(authority.host) if authority else None


class HostRule:
    """Which Host headers are accepted (against DNS rebinding)."""

    __slots__ = ("_any_port", "_with_port")

    def __init__(self, names: Iterable[str], allowed_hosts: Iterable[str]) -> None:
        """Take this machine's own names (or addresses), and the listed hosts, perhaps with a port.

        A machine's name also counts with `.local` behind it.
        """
        any_port, with_port = {LOCALHOST}, set()
        for name in names:
            any_port |= {_host(name), _host(name) + ".local"}
        for entry in allowed_hosts:
            authority = read_authority(entry.strip())
            if authority is None or authority.port is None:
                any_port.add(_host(entry))
            else:
                with_port.add(authority)
        self._any_port = frozenset(any_port - {""})
        self._with_port = frozenset(with_port)

    def accepts(self, authority: Authority, local: str | None) -> bool:
        """Tell whether a Host is accepted on a connection to this machine's address `local`."""
        host = authority.host
        if host in self._any_port or host == local or authority in self._with_port:
            return True
        return is_loopback(plain_address(host))


class OriginRule:
    """Which Origins are listed, and which one is the gateway's own."""

    __slots__ = ("_origins", "_schemes")

    def __init__(self, cors_origins: Iterable[str]) -> None:
        """Take the listed origins.

        A desktop scheme may be listed alone (`vscode-webview:`), since its hosts are drawn anew.
        """
        origins, schemes = set(), set()
        for entry in cors_origins:
            text = entry.strip().lower().rstrip("/")
            match = _DESKTOP_SCHEME.fullmatch(text)
            if match is None:
                origins.add(_comparable(text))
            elif match[1] not in ("http", "https"):
                schemes.add(match[1])
        # "null" is every sandboxed page, "*" every page at all: neither is ever listed.
        self._origins = frozenset(origins - {"null", "*", ""})
        self._schemes = frozenset(schemes)

    def lists(self, origin: str) -> bool:
        """Tell whether an Origin header is one of the listed."""
        text = _comparable(origin.lower())
        if text in self._origins:
            return True
        scheme, colon, rest = text.partition(":")
        return bool(colon) and scheme in self._schemes and "," not in rest


def is_own_origin(origin: str, scheme: str, host: Authority) -> bool:
    """Tell whether an Origin is `scheme` and the host and port of the request's own Host header."""
    match = _WEB_ORIGIN.fullmatch(origin.lower())
    if match is None or match[1] != scheme:
        return False
    authority = read_authority(match[2])
    return authority is not None and _with_default(scheme, authority) == _with_default(scheme, host)


def _with_default(scheme: str, authority: Authority) -> Authority:
    if authority.port is not None:
        return authority
    return Authority(authority.host, dict(_DEFAULT_PORTS).get(scheme))


def _comparable(origin: str) -> str:
    """Give a web origin without its default port, and anything else as it is."""
    match = _WEB_ORIGIN.fullmatch(origin)
    authority = read_authority(match[2]) if match else None
    if match is None or authority is None:
        return origin
    port = authority.port
    written = "" if port is None or (match[1], port) in _DEFAULT_PORTS else f":{port}"
    return f"{match[1]}://{authority.host}{written}"


def _host(text: str) -> str:
    text = text.strip()
    authority = read_authority(text)
    return authority.host if authority else plain_address(text) or text.lower().removesuffix(".")
