"""Proxies towards vendors: the person's own word, else the environment's, else the system's.

Never one for loopback that nobody asked for. Read at the start and whenever the configuration is
read again; a request only looks up what was chosen.
"""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

from holdgate.core.relay.no_proxy import Bypasses, read_no_proxy
from holdgate.core.values.addresses import host_and_port
from holdgate.core.values.kinds import PROXY_SCHEMES

_PORTS = {"http": 80, "https": 443}
_SOCKS_PORT = 1080
_SCHEMES = ("http", "https", "all")


@dataclass(frozen=True, slots=True)
class SystemProxies:
    """What the environment or the system says: proxies by scheme, and whom they leave out."""

    by_scheme: Mapping[str, str]
    bypasses: Bypasses


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy's address cut into its parts. `login`: user and password, None for none."""

    scheme: str
    host: str
    port: int
    login: tuple[str, str] | None

    @property
    def shown(self) -> str:
        """The address without user and password."""
        return f"{self.scheme}://{host_and_port(self.host, self.port)}"


class NoSuchProxy(ValueError):
    """A text that is no proxy's address; `str()` says why, without the text: it has a password."""


def parse_proxy(text: str) -> Proxy:
    """Cut a proxy's address. Raises NoSuchProxy."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        why = "it is no address; signs such as / and # in a password are written as %2F and %23"
        raise NoSuchProxy(why) from None
    if parts.scheme not in PROXY_SCHEMES:
        raise NoSuchProxy(f"it begins with none of {', '.join(f'{s}://' for s in PROXY_SCHEMES)}")
    if not parts.hostname:
        raise NoSuchProxy("it names no host")
    port = port or _PORTS.get(parts.scheme, _SOCKS_PORT)
    return Proxy(parts.scheme, parts.hostname, port, _login(parts))


def shown_proxy(text: str) -> str:
    """Give a proxy's address as people may see it, without user and password."""
    scheme, mark, rest = text.partition("://") if "://" in text else ("", "", text)
    return f"{scheme}{mark}{rest.rpartition('@')[2]}"


def passwords(proxies: Iterable[str]) -> set[str]:
    """Give the passwords in proxies' addresses, as written there and as they are meant."""
    logins = (text.partition("://")[2].rpartition("@")[0] for text in proxies)
    written = {login.partition(":")[2] for login in logins} - {""}
    return written | {unquote(password) for password in written}


def environment_proxies(environ: Mapping[str, str]) -> SystemProxies:
    """Read HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY.

    Lower case wins, as in curl and Python: an empty `http_proxy` switches HTTP_PROXY off.
    HTTP_PROXY in capitals does not count for a CGI program (REQUEST_METHOD is set), where a caller
    could set it by a header `Proxy` (https://httpoxy.org).
    """
    by_scheme = {}
    for scheme in _SCHEMES:
        if proxy := _value(environ, f"{scheme}_proxy"):
            by_scheme[scheme] = _whole(proxy)
    return SystemProxies(by_scheme, read_no_proxy(_value(environ, "no_proxy")))


def system_proxies(
    environ: Mapping[str, str], of_machine: Callable[[], SystemProxies] | None = None
) -> SystemProxies:
    """Give those of the environment; the machine's where the environment names no proxy.

    NO_PROXY counts for both. `of_machine`: how to read the machine's settings, `machine_proxies`.
    """
    own = environment_proxies(environ)
    if own.by_scheme:
        return own
    machine = (of_machine or machine_proxies)()

    def bypasses(host: str, port: int) -> bool:
        return own.bypasses(host, port) or machine.bypasses(host, port)

    return SystemProxies(machine.by_scheme, bypasses)


def machine_proxies() -> SystemProxies:
    """Read the settings of Windows and macOS; other systems have none but the environment."""
    if sys.platform == "win32":
        from urllib.request import getproxies_registry, proxy_bypass_registry

        return from_machine(
            getproxies_registry(), lambda host, port: bool(proxy_bypass_registry(host))
        )
    if sys.platform == "darwin":
        from urllib.request import getproxies_macosx_sysconf, proxy_bypass_macosx_sysconf

        return from_machine(
            getproxies_macosx_sysconf(), lambda host, port: bool(proxy_bypass_macosx_sysconf(host))
        )
    return SystemProxies({}, lambda host, port: False)


def from_machine(told: Mapping[str, str], bypasses: Bypasses) -> SystemProxies:
    """Give what urllib tells of a machine's settings in the form of the environment's.

    It tells a SOCKS proxy under `socks`, on macOS as if it were an http:// one.
    """
    by_scheme = {s: _whole(told[s]) for s in ("http", "https") if told.get(s)}
    if socks := told.get("socks"):
        by_scheme["all"] = f"socks5h://{socks.rpartition('://')[2]}"
    return SystemProxies(by_scheme, bypasses)


def choose_proxy(url: str, configured: str, system: SystemProxies) -> str:
    """Give the proxy for `url`, "" for none. `configured`: an address, "direct", or "" (system)."""
    if configured:
        return "" if configured == "direct" else configured
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = parts.port or _PORTS.get(parts.scheme, 0)
    if is_loopback(host) or system.bypasses(host, port):
        return ""
    return system.by_scheme.get(parts.scheme) or system.by_scheme.get("all", "")


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine: localhost, names below it, 127.0.0.0/8 or ::1."""
    host = host.removesuffix(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _login(parts: SplitResult) -> tuple[str, str] | None:
    if parts.username is None:
        return None
    return unquote(parts.username), unquote(parts.password or "")


def _value(environ: Mapping[str, str], name: str) -> str:
    capitals = name.upper()
    lower = environ.get(name)
    # On Windows both are one variable, which has no case.
    if lower is None and not (capitals == "HTTP_PROXY" and environ.get("REQUEST_METHOD")):
        lower = environ.get(capitals)
    return (lower or "").strip()


def _whole(proxy: str) -> str:
    """Give an address its scheme: none is http, and `socks` is what desktops write for SOCKS 5."""
    proxy = proxy.rstrip("/")
    scheme, found, rest = proxy.partition("://")
    if not found:
        return f"http://{proxy}"
    scheme = scheme.lower()
    return f"{'socks5h' if scheme == 'socks' else scheme}://{rest}"
