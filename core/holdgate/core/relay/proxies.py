"""Proxies towards vendors: the person's own word, else the system's, never for loopback."""

from __future__ import annotations

import ipaddress
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class SystemProxies:
    """What the system and the environment say: proxies by scheme, and whom they leave out."""

    by_scheme: Mapping[str, str]
    bypasses: Callable[[str], bool]


def system_proxies() -> SystemProxies:
    """Read them now."""
    return SystemProxies(
        urllib.request.getproxies(), lambda host: bool(urllib.request.proxy_bypass(host))
    )


def choose_proxy(url: str, configured: str, system: SystemProxies) -> str:
    """Give the proxy for `url`, "" for none. `configured`: an address, "direct", or "" (system)."""
    if configured == "direct":
        return ""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if configured:
        return configured
    if _is_loopback(host) or system.bypasses(host):
        return ""
    return system.by_scheme.get(parts.scheme) or system.by_scheme.get("all", "")


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
