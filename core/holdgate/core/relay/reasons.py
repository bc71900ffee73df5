"""Reasons: why a vendor cannot be reached, in words that name the cause and what to do.

Pure: an error and how far the connection came become one sentence. It never holds the password of a
proxy.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl
from collections.abc import Mapping
from typing import Final

from holdgate.core.relay.dialing import Origin, Progress
from holdgate.core.relay.proxies import NoSuchProxy, is_loopback, parse_proxy, shown_proxy
from holdgate.core.relay.trust import CannotTrust, flaw
from holdgate.core.relay.tunnels import (
    NoSuchVendor,
    ProxyClosed,
    ProxyRefused,
    SocksMissing,
    SocksRefused,
)
from holdgate.core.values.addresses import host_and_port
from holdgate.core.values.kinds import format_duration

_REFUSED = frozenset({errno.ECONNREFUSED, 1225, 10061})
# What the system's errors mean; `at` is where it was tried. The first that fits counts, and the
# numbers without a name are Windows's (winerror.h).
_NUMBERS: Final = (
    (_REFUSED, "{at} refuses the connection; is the port right?"),
    (
        frozenset({errno.ENETUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL, 1231, 10049, 10051}),
        "no network leads to {at}; is this machine online?",
    ),
    (
        frozenset({errno.EHOSTUNREACH, errno.EHOSTDOWN, 1232, 10065}),
        "no way leads to {at}; is the address right, and the VPN up?",
    ),
    (
        frozenset({errno.ETIMEDOUT, 121, 10060}),
        "{at} does not answer; does a firewall or VPN let it through?",
    ),
    (
        frozenset({errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE, 64, 1236, 10053, 10054}),
        "{at} closed the connection at once",
    ),
    (
        frozenset({errno.EACCES, errno.EPERM, 10013}),
        "this machine forbids connections to {at}; is it a firewall of its own?",
    ),
    (frozenset({errno.EMFILE, errno.ENFILE, 10024}), "too many files are open; see ulimit -n"),
)
# asyncio joins the errors of a name's addresses into one text.
_NUMBER = re.compile(r"\[(?:Errno|WinError) (\d+)\]")

_NOT_TLS: Final = (
    "WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG",
    "UNKNOWN_PROTOCOL", "BAD_PACKET_LENGTH", "HTTPS_PROXY_REQUEST",
)  # fmt: skip
_OLD_TLS: Final = ("UNSUPPORTED_PROTOCOL", "PROTOCOL_VERSION", "NO_PROTOCOLS_AVAILABLE")
_OWN_CERTIFICATE: Final = ("CERTIFICATE_REQUIRED", "ALERT_BAD_CERTIFICATE")

# RFC 1928, section 6, and the protocol of SOCKS 4.
_SOCKS: Final[Mapping[int, str]] = {
    1: "the proxy failed (general failure)",
    2: "the proxy's rules do not allow it",
    3: "the proxy finds no network that leads there",
    4: "the proxy finds no such host",
    5: "the connection that the proxy tried was refused",
    6: "the proxy's way there is too long (TTL expired)",
    7: "the proxy does not know the command CONNECT",
    8: "the proxy does not know that kind of address; socks5h:// lets it look up the name itself",
    91: "the proxy refused or failed",
    92: "the proxy wants an identd on this machine",
    93: "the proxy wants another user (identd)",
}


def unreachable(origin: Origin, error: Exception, progress: Progress, patience: float) -> str:
    """Say what kept a connection from being made. `patience`: the time limit in seconds."""
    where = host_and_port(origin.host, origin.port)
    via = f" through the proxy {shown_proxy(origin.proxy)}" if origin.proxy else ""
    return f"cannot reach {where}{via}: {_why(origin, error, progress, patience)}"


def _why(origin: Origin, error: Exception, progress: Progress, patience: float) -> str:
    match error:
        case CannotTrust():
            return str(error)
        case ProxyRefused() | ProxyClosed() | NoSuchProxy() | SocksMissing() | SocksRefused():
            return _proxy_said(origin, error)
        case NoSuchVendor():
            return _lookup(error, "the", origin.host)
        case TimeoutError(errno=None) if progress.step == "asking":
            return f"the proxy did not answer within {_limit(patience)}"
        case TimeoutError(errno=None) if origin.proxy.startswith("socks"):
            return f"no way through within {_limit(patience)}; does the proxy run, and get there?"
    if progress.step == "TLS":
        return _tls(error, origin.host, "", progress.names, patience)
    host, port, whose = origin.host, origin.port, "the"
    if origin.proxy:
        proxy = parse_proxy(origin.proxy)
        host, port, whose = proxy.host, proxy.port, "the proxy's"
    if progress.step == "proxy TLS":
        return _tls(error, host, "the proxy: ", (), patience)
    return _connection(error, whose, host, port, patience)


def _connection(error: Exception, whose: str, host: str, port: int, patience: float) -> str:
    """Say why there is no connection to the vendor, or to its proxy."""
    match error:
        case socket.gaierror():
            return _lookup(error, whose, host)
        case UnicodeError():
            return f"{whose} name {host} is none of a host, or a login has signs outside ASCII"
        case TimeoutError(errno=None):
            return (
                f"no connection to {host_and_port(host, port)} within {_limit(patience)}; "
                "is the address right, and does a firewall or VPN let it through?"
            )
    numbers = _numbers(error)
    found = next((words for known, words in _NUMBERS if numbers & known), "")
    if numbers & _REFUSED and is_loopback(host):
        found = "nothing listens at {at} (connection refused); is it running?"
    return found.format(at=host_and_port(host, port)) or _own_words(error)


def _lookup(error: OSError, whose: str, host: str) -> str:
    if error.errno == socket.EAI_AGAIN:
        return f"no answer to {whose} name {host} (DNS); is this machine online?"
    return f"{whose} name {host} is not found (DNS); is it spelt right?"


def _tls(error: Exception, host: str, who: str, names: tuple[str, ...], patience: float) -> str:
    """Say why there is no TLS with `host`; `who` is told first."""
    match error:
        case ssl.SSLCertVerificationError():
            return who + _certificate(error, host, names)
        case TimeoutError(errno=None):
            why = f"connected, but TLS was not ready within {_limit(patience)}; "
            return f"{who}{why}does a firewall or proxy in between swallow it?"
        case ssl.SSLEOFError() | ssl.SSLZeroReturnError() | ConnectionError():
            why = "the connection was closed during the TLS handshake; "
            return f"{who}{why}by a firewall or proxy in between, or is it http://?"
        case ssl.SSLError():
            return who + _handshake(error, host)
    return who + _own_words(error)


def _certificate(error: ssl.SSLCertVerificationError, host: str, names: tuple[str, ...]) -> str:
    says = getattr(error, "verify_message", "") or str(error)
    match flaw(error):
        case "unknown":
            return (
                f"no authority that is trusted here vouches for its certificate ({says}); if it is "
                "a company's proxy or an own server, name its authority's PEM file as `ca`, or add "
                "it to the system's store"
            )
        case "expired":
            return "its certificate has expired; is this machine's clock right?"
        case "early":
            return "its certificate is not valid yet; is this machine's clock right?"
        case "name":
            other = f"for {', '.join(names)}, " if names else ""
            return f"its certificate is {other}not for {host}; is the address right?"
        case "revoked":
            return "its certificate was revoked"
    return f"its certificate is not accepted: {says}"


def _handshake(error: ssl.SSLError, host: str) -> str:
    reason = getattr(error, "reason", None) or str(error)
    if any(part in reason for part in _NOT_TLS):
        return "what answers there does not speak TLS; is it http://?"
    if any(part in reason for part in _OLD_TLS):
        return f"it speaks no version of TLS that is safe, 1.2 or newer ({reason})"
    if "UNRECOGNIZED_NAME" in reason:
        return f"what answers there does not know the name {host}; is the address right?"
    if any(part in reason for part in _OWN_CERTIFICATE):
        return f"it wants a client's certificate, which Holdgate has none of ({reason})"
    return f"TLS failed: {reason}"


def _proxy_said(origin: Origin, error: Exception) -> str:
    scheme = origin.proxy.partition(":")[0]
    match error:
        case NoSuchProxy():
            return f"that is no proxy's address: {error}"
        case SocksMissing():
            return (
                f"a proxy of the kind {scheme} needs the extra socks: "
                "pipx inject holdgate 'python-socks[asyncio]'"
            )
        case ProxyClosed():
            return f"the proxy closed the connection instead of an answer; is it {scheme}://?"
        case ProxyRefused():
            return _http_said(origin, error)
        case SocksRefused(code=int() as code):
            return _SOCKS.get(code, f"the proxy refuses, with the code {code}")
    return _socks_said(origin, str(error))


def _http_said(origin: Origin, error: ProxyRefused) -> str:
    said = f"{error.status} {error.reason}".strip()
    page = ", with a web page" if error.page else ""
    match error.status:
        case 0:
            return "what answers there is no HTTP proxy; is it socks5h://?"
        case 407:
            return f"{_login(origin)} (407)"
        case 403 | 401 | 451:
            return f"the proxy does not allow it ({said}{page})"
        case 502 | 503 | 504:
            return f"the proxy does not get there ({said}{page})"
        case status if error.page and status < 400:
            return (
                f"the proxy answers with a web page ({said}): "
                "it wants a login in the browser, or it is no proxy"
            )
    return f"the proxy refuses ({said}{page}); is it one that knows CONNECT?"


def _login(origin: Origin) -> str:
    """Say that a proxy does not take the user and password that it was given, or wants some."""
    proxy = parse_proxy(origin.proxy)
    if proxy.login is not None:
        return "the proxy does not take the user and password in its address"
    example = proxy.shown.replace("://", "://USER:PASSWORD@")
    return f"the proxy wants a user and password: {example}"


def _socks_said(origin: Origin, words: str) -> str:
    """Say what a proxy did that has no code, by python-socks's words."""
    if "authentication" in words:
        return _login(origin)
    if "version" in words or "Malformed" in words or "closed" in words:
        return "what answers there is no such SOCKS proxy; is it http://, or another version?"
    return f"the proxy refuses: {words}"


def _numbers(error: Exception) -> frozenset[int]:
    """Give the numbers of the system's errors in it: of one, or of all that asyncio joined."""
    own = (getattr(error, "winerror", None), getattr(error, "errno", None))
    found = frozenset(number for number in own if number is not None)
    return found or frozenset(int(number) for number in _NUMBER.findall(str(error)))


def _own_words(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _limit(patience: float) -> str:
    return f"{format_duration(patience)}, its connect_timeout"
