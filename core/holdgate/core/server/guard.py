"""The guard: decides who may come in, before a request's body is read (contract 4).

Three questions in this order. Is it meant for this machine (Host)? Does a web page send it that
may not (Origin)? And is it from where it may come, with the key that is needed there?
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal, Protocol

import msgspec

from holdgate.core.server.hosts import (
    Authority,
    HostRule,
    OriginRule,
    forwarded_address,
    is_loopback,
    is_own_origin,
    plain_address,
    read_authority,
)
from holdgate.core.server.wrong_keys import WrongKeys
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.settings import Server

PathKind = Literal["agents", "control", "page"]
Headers = tuple[tuple[str, str], ...]

# Only somebody between a caller and this machine sends these; also every X-Forwarded-*.
FORWARDING_HEADERS = frozenset(
    {"forwarded", "via", "x-real-ip", "cf-connecting-ip", "true-client-ip", "tailscale-user-login"}
)
_FORWARDING_PREFIX = "x-forwarded-"
_MOST_KEYS = 8  # key places that one request may fill
_PREFLIGHT_SECONDS = 600
_HEADER_NAMES = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~, \t-]{1,4096}")
_EXPOSED = "X-Holdgate-Request, X-Holdgate-Provider, X-Holdgate-Model, Retry-After"
_SHOWN = 100


class NamedKey(Protocol):
    """A gateway key that was recognised."""

    @property
    def name(self) -> str:
        """What the person called it."""
        ...


class KeyChecker(Protocol):
    """Whoever knows the gateway keys."""

    def check(self, token: str) -> NamedKey | None:
        """Give the enabled key whose text `token` is."""
        ...


class Call(msgspec.Struct, frozen=True, gc=False):
    """What the guard looks at.

    `peer` and `local` are the connection's two IP addresses, `port` the local one, `headers` as
    `joined_headers` gives them (`host` among them), `query_keys` the decoded values of `?key=`,
    `kind` what the path belongs to.
    """

    peer: str
    local: str
    port: int
    scheme: str
    method: str
    headers: Mapping[str, str]
    query_keys: tuple[str, ...] = ()
    kind: PathKind = "agents"


class Admission(msgspec.Struct, frozen=True, gc=False):
    """A caller that may come in.

    `address` it came from; `key_name` of the gateway key it showed; `cors_origin` if it is a listed
    web page, and then `headers` belong on every answer to it. `preflight`: answer 204 with
    `headers` and do nothing else.
    """

    address: str
    key_name: str | None = None
    cors_origin: str | None = None
    preflight: bool = False
    headers: Headers = ()


def joined_headers(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Give headers by lower-case name; values of a repeated one are joined by ", " in order.

    Without that, a second X-Forwarded-For or Origin would go unseen.
    """
    joined: dict[str, str] = {}
    for name, value in pairs:
        name = _lower(name)
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined


@lru_cache(maxsize=1024)  # the same few names; one text for all that wait
def _lower(name: str) -> str:
    return name.lower()


def keys_of(headers: Mapping[str, str], query_keys: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Give what stands in the key places, in their order, without the empty ones."""
    scheme, _, bearer = headers.get("authorization", "").strip().partition(" ")
    places = (
        bearer.strip() if scheme.lower() == "bearer" else "",
        headers.get("x-api-key", "").strip(),
        headers.get("x-goog-api-key", "").strip(),
        *query_keys,
    )
    return tuple(key for key in places if key)[:_MOST_KEYS]


class Guard:
    """The rules of one [server] table. A changed table makes a new guard with the same attempts."""

    __slots__ = ("_attempts", "_hosts", "_keys", "_origins", "_server")

    def __init__(
        self, server: Server, names: frozenset[str], keys: KeyChecker, attempts: WrongKeys
    ) -> None:
        """Take the settings, the machine's names, who knows the keys, who counts wrong ones."""
        self._server = server
        self._hosts = HostRule(names, server.allowed_hosts)
        self._origins = OriginRule(server.cors_origins)
        self._keys = keys
        self._attempts = attempts

    def admit(self, call: Call, now: float) -> Admission:
        """Let a caller in, `now` on the monotonic clock.

        Raises Fault: DENIED, LOGIN or LOCKED.
        """
        host = self._checked_host(call)
        origin = self._checked_origin(call, host)
        cors = _cors_headers(origin) if origin else ()
        try:
            return self._admitted(call, origin, cors, now)
        except Fault as fault:
            # Else a listed page could not read what is wrong.
            fault.headers += cors
            raise

    def _checked_host(self, call: Call) -> Authority:
        written = call.headers.get("host", "")
        host = read_authority(written)
        if host is None or not self._hosts.accepts(host, plain_address(call.local)):
            raise _denied(
                f"the Host {written[:_SHOWN]!r} is not this machine's; "
                "add it to [server] allowed_hosts if it should be"
            )
        return host

    def _checked_origin(self, call: Call, host: Authority) -> str | None:
        """Give the Origin if it is a listed one, None for the gateway's own and for no page."""
        origin = call.headers.get("origin")
        if origin is not None:
            if self._origins.lists(origin):
                return origin
            if not is_own_origin(origin, call.scheme, host):
                raise _denied(
                    f"web pages of {origin[:_SHOWN]!r} may not call the gateway; "
                    "add it to [server] cors_origins if they should"
                )
        if call.headers.get("sec-fetch-site", "").strip().lower() == "cross-site":
            raise _denied("web pages of other sites may not call the gateway")
        return None

    def _admitted(self, call: Call, origin: str | None, cors: Headers, now: float) -> Admission:
        address, direct = self._from_where(call, origin)
        if call.kind != "agents":
            return Admission(address)
        if origin and call.method == "OPTIONS" and _PREFLIGHT_METHOD in call.headers:
            return Admission(address, None, origin, True, cors + _preflight_headers(call.headers))
        keys = keys_of(call.headers, call.query_keys)
        name = self._name_of(keys)
        if name is None and not direct:
            raise self._turned_away(keys, address, now)
        if name is None and origin:
            # Not counted: on plain loopback agents send dummies.
            raise _login("web pages need an enabled gateway key, on this machine too")
        return Admission(address, name, origin, headers=cors)

    def _from_where(self, call: Call, origin: str | None) -> tuple[str, bool]:
        """Give the caller's address, and whether it is on this machine with nobody in between."""
        peer = plain_address(call.peer)
        near = is_loopback(peer)
        forwarded = _is_forwarded(call.headers)
        direct = near and not forwarded
        if call.kind != "agents" and (origin or not direct):
            raise _denied("only direct callers on this machine get an answer here")
        if not direct and not self._server.lan:
            raise _denied(_FORWARDED if near else _ELSEWHERE)
        address = peer or call.peer
        if near and forwarded and self._server.trust_forwarded:
            address = forwarded_address(call.headers.get("x-forwarded-for", "")) or address
        return address, direct

    def _name_of(self, keys: tuple[str, ...]) -> str | None:
        for key in keys:
            if (entry := self._keys.check(key)) is not None:
                return entry.name
        return None

    def _turned_away(self, keys: tuple[str, ...], address: str, now: float) -> Fault:
        if not keys:
            return _login("callers from elsewhere need a gateway key; `gateway keys add` makes one")
        if wait := self._attempts.locked_for(address, now):
            return Fault(
                FaultKind.LOCKED,
                f"too many wrong gateway keys from {address[:_SHOWN]}; a right one still passes",
                retry_after=wait,
            )
        self._attempts.count(address, now)
        return _login("this gateway key is not known or was revoked")


_ELSEWHERE = (
    "callers from elsewhere are not served; to serve them set [server] lan = true and give each "
    "a gateway key"
)
_FORWARDED = (
    "forwarded requests are not served; to serve them set [server] lan = true and give each "
    "caller a gateway key"
)
_PREFLIGHT_METHOD = "access-control-request-method"


def _denied(message: str) -> Fault:
    return Fault(FaultKind.DENIED, message)


def _login(message: str) -> Fault:
    return Fault(
        FaultKind.LOGIN, message, headers=(("WWW-Authenticate", 'Bearer realm="holdgate"'),)
    )


def _is_forwarded(headers: Mapping[str, str]) -> bool:
    return not FORWARDING_HEADERS.isdisjoint(headers) or any(
        name.startswith(_FORWARDING_PREFIX) for name in headers
    )


def _cors_headers(origin: str) -> Headers:
    return (
        ("Access-Control-Allow-Origin", origin),
        ("Access-Control-Expose-Headers", _EXPOSED),
        ("Vary", "Origin"),
    )


def _preflight_headers(headers: Mapping[str, str]) -> Headers:
    """Allow what is asked for, as it is asked for. Never Access-Control-Allow-Private-Network."""
    names = headers.get("access-control-request-headers", "")
    allowed = (("Access-Control-Allow-Headers", names),) if _HEADER_NAMES.fullmatch(names) else ()
    return (
        ("Access-Control-Allow-Methods", "GET, HEAD, POST"),
        *allowed,
        ("Access-Control-Max-Age", str(_PREFLIGHT_SECONDS)),
    )
