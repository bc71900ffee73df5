"""NO_PROXY: whom the proxies of the environment are not for.

Nobody wrote it down; people expect what curl (lib/noproxy.c, `man curl`, "NO_PROXY") and Go
(golang.org/x/net/http/httpproxy, "NoProxy") do, and this is the union of both:

- entries stand between commas or blanks, in any case; an entry `*` is everybody;
- `example.com`, `.example.com` and `*.example.com` are that name and all names below it (for Go
  the last two are not the name itself; curl and Python differ, and so do we);
- an address is itself, `10.0.0.0/8` and `fd00::/8` are networks; names are never looked up;
- `:8443` after a name or an address (IPv6 then in brackets) narrows the entry to that port.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass

Bypasses = Callable[[str, int], bool]

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_BETWEEN = re.compile(r"[\s,]+")
_WITH_PORT = re.compile(r"(\[[^\]]*\]|[^:\[\]]*):(\d+)")


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry: a network, or a name and what is below it; port 0 is any."""

    network: _Network | None
    name: str
    port: int

    def fits(self, host: str, address: _Address | None, port: int) -> bool:
        if self.port not in (0, port):
            return False
        if self.name == "*":
            return True
        if address is not None:
            return self.network is not None and address in self.network
        return bool(self.name) and (host == self.name or host.endswith(f".{self.name}"))


def read_no_proxy(text: str) -> Bypasses:
    """Give what tells whether a host and port are left out; what is no entry is passed over."""
    entries = tuple(_entry(part) for part in _BETWEEN.split(text.lower()) if part)

    def bypasses(host: str, port: int) -> bool:
        host = _bare(host.lower())
        address = _address(host)
        return any(entry.fits(host, address, port) for entry in entries)

    return bypasses


def _entry(text: str) -> _Entry:
    found = _WITH_PORT.fullmatch(text)
    where, port = (found[1], int(found[2])) if found else (text, 0)
    where = where.removeprefix("[").removesuffix("]")
    try:
        return _Entry(ipaddress.ip_network(where, strict=False), "", port)
    except ValueError:
        name = where.removeprefix("*.") if where != "*" else where
        return _Entry(None, _bare(name.removeprefix(".")), port)


def _bare(host: str) -> str:
    return host.removeprefix("[").removesuffix("]").removesuffix(".")


def _address(host: str) -> _Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
