"""Which keys a test finds well."""

from __future__ import annotations

import pytest

from holdgate.core.relay.probe import Probed, well_keys
from holdgate.core.values.errors import POLICIES, FaultKind

NO_WORD_ON_THE_KEY = [
    *(FaultKind.MODEL, FaultKind.REQUEST, FaultKind.CONTEXT, FaultKind.FILTERED),
    *(FaultKind.TOO_LARGE, FaultKind.UNREADABLE),
]
OF_THE_KEY = [
    *(FaultKind.AUTH, FaultKind.FORBIDDEN, FaultKind.CREDIT, FaultKind.WINDOW, FaultKind.RATE),
    *(FaultKind.OVERLOADED, FaultKind.SERVER, FaultKind.NETWORK, FaultKind.TIMEOUT),
]


def probed(key: str, kind: FaultKind | None = None) -> Probed:
    return Probed(key, "chat", "m", 12, 200, "" if kind is None else str(kind), kind)


@pytest.mark.parametrize("kind", NO_WORD_ON_THE_KEY)
def test_what_is_not_served_says_nothing_about_the_key(kind: FaultKind) -> None:
    assert well_keys([probed("a"), probed("a", kind)]) == ["a"]
    assert well_keys([probed("a", kind), probed("a")]) == ["a"]
    assert well_keys([probed("a", kind)]) == []


@pytest.mark.parametrize("kind", OF_THE_KEY)
def test_a_fault_that_keys_rest_for_does(kind: FaultKind) -> None:
    assert well_keys([probed("a"), probed("a", kind)]) == []
    assert well_keys([probed("a", kind), probed("b"), probed("b"), probed("a")]) == ["b"]


def test_the_two_are_told_apart_by_the_policies() -> None:
    assert {kind for kind in FaultKind if POLICIES[kind].rest is not None} == set(OF_THE_KEY)


def test_the_shape_tells_no_kind() -> None:
    assert probed("a", FaultKind.AUTH).as_json() == {
        **{"key": "a", "dialect": "chat", "model": "m", "ms": 12, "status": 200},
        "reason": "key refused",
    }
