"""Proxies of the environment: agents would ask them for the gateway, which they cannot reach."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from holdgate.core.agents.base import Machine

_PROXIES = ("http_proxy", "https_proxy", "all_proxy")
_BETWEEN = re.compile(r"[\s,]+")


def past_proxies(url: str, machine: Machine) -> Mapping[str, str]:
    """Give the variables that keep what is for the gateway at `url` from a proxy, if there is one.

    They are a person's own NO_PROXY and the gateway's host; nothing where no proxy is named, the
    host is written there already, or is a name: a proxy may be the way to that. The host itself is
    added even where a network of theirs has it in it, since most agents read names only.
    """
    environ = machine.environ
    if not named_proxies(machine):
        return {}
    host = urlsplit(url).hostname or ""
    if not _is_near(host):
        return {}
    also = ("127.0.0.1", "localhost") if _is_loopback(host) else ()
    # Some programs read the one, some the other. Windows does not tell them apart.
    names = ("NO_PROXY",) if machine.system == "win32" else ("NO_PROXY", "no_proxy")
    own = next((environ[name] for name in reversed(names) if environ.get(name)), "")
    found = {name: _with(environ.get(name) or own, host, also) for name in names}
    return {name: text for name, text in found.items() if text != environ.get(name)}


def named_proxies(machine: Machine) -> tuple[str, ...]:
    """Give the variables that name a proxy."""
    return tuple(n for n, text in machine.environ.items() if text and n.lower() in _PROXIES)


def _with(own: str, host: str, also: tuple[str, ...]) -> str:
    entries = [each for each in _BETWEEN.split(own) if each]
    if "*" in entries or host in entries:
        return own
    return ",".join(dict.fromkeys((*entries, host, *also)))


def _is_near(host: str) -> bool:
    """Tell whether a host is this machine, or an address of a network of one's own."""
    try:
        return _is_loopback(host) or ipaddress.ip_address(host).is_private
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
