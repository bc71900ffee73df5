"""Addresses: how a host and a port are written."""

from __future__ import annotations

# All of them are this machine to those who are on it.
_HERE = ("", "0.0.0.0", "::", "*", "localhost")


def bracketed(host: str) -> str:
    """Give a host as it stands in a URL: an IPv6 address in brackets, also one that has them."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def host_and_port(host: str, port: int) -> str:
    """Give both, as in a URL."""
    return f"{bracketed(host)}:{port}"


def shown_host(host: str) -> str:
    """Give the host of a URL at this machine by the host that is listened on."""
    return "127.0.0.1" if host in _HERE else bracketed(host)
