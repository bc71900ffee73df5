"""Proxies towards vendors: the person's own word, else the system's, never for loopback."""

from __future__ import annotations

import ipaddress
import urllib.request
from urllib.parse import urlsplit


def choose_proxy(url: str, configured: str) -> str:
    """Give the proxy for `url`, "" for none. `configured`: an address, "direct", or "" (system)."""
    if configured == "direct":
        return ""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if configured:
        return configured
    if _is_loopback(host) or urllib.request.proxy_bypass(host):
        return ""
    proxies = urllib.request.getproxies()
    return proxies.get(parts.scheme) or proxies.get("all", "")


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
