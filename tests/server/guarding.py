"""A guard, calls to it, and what it says: shared by the guard's tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pytest

from holdgate.core.server.guard import Call, Guard, PathKind
from holdgate.core.server.wrong_keys import WrongKeys
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.settings import Server

LAN_PEER, LAN_SELF = "192.168.1.77", "192.168.1.5"
RIGHT, WRONG = "hgk-right", "hgk-wrong"
PAGE = "https://tool.example"


@dataclass(frozen=True, slots=True)
class Named:
    name: str


class Keys:
    def check(self, token: str) -> Named | None:
        return Named("laptop") if token == RIGHT else None


def guard(names: frozenset[str] = frozenset({"mybox"}), **server: object) -> Guard:
    return Guard(Server(**server), names, Keys(), WrongKeys())  # type: ignore[arg-type]


NO_HEADERS: Mapping[str, str] = MappingProxyType({})


def call(
    headers: Mapping[str, str] = NO_HEADERS,
    peer: str = "127.0.0.1",
    method: str = "POST",
    kind: PathKind = "agents",
    query_keys: tuple[str, ...] = (),
    local: str | None = None,
) -> Call:
    own = local or {"127.0.0.1": "127.0.0.1", "::1": "::1"}.get(peer, LAN_SELF)
    host = f"[{own}]:4653" if ":" in own else f"{own}:4653"
    return Call(peer, own, 4653, "http", method, {"host": host, **headers}, query_keys, kind)


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def refused(inside: Guard, what: Call, now: float = 0.0) -> Fault:
    with pytest.raises(Fault) as caught:
        inside.admit(what, now)
    assert RIGHT not in caught.value.message
    assert WRONG not in caught.value.message
    return caught.value


def kind_of(inside: Guard, what: Call, now: float = 0.0) -> FaultKind | str | None:
    """Give the kind of the refusal, or the key's name of the admission."""
    try:
        return inside.admit(what, now).key_name
    except Fault as fault:
        return fault.kind
