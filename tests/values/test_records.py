"""Records: what the control API is shown of a request and its tries."""

from __future__ import annotations

from holdgate.core.values.errors import FaultKind
from holdgate.core.values.records import TryRecord
from holdgate.core.values.rests import Rest

REST = Rest("one", "home", FaultKind.RATE, "rate limited", 1_790_000_060.12345)


def test_a_try_without_a_rest() -> None:
    tried = TryRecord("one", "home", "m", "chat", 1_790_000_000.0)
    assert tried.as_json() == {
        "provider": "one",
        "key": "home",
        "model": "m",
        "dialect": "chat",
        "started": 1_790_000_000.0,
        "first_byte": None,
        "ended": None,
        "status": None,
        "fault": None,
        "rest": None,
    }


def test_a_try_tells_the_rest_that_followed() -> None:
    tried = TryRecord("one", "home", "m", "chat", 0.0, fault=FaultKind.RATE, rest=REST)
    shown = tried.as_json()
    assert shown["rest"] == {"until": 1_790_000_060.123, "why": "rate limited"}
    assert shown["fault"] == "rate limited"
