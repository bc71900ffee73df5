"""The guard: every cell of its table, where keys stand, and who guesses too often."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.server.guard import FORWARDING_HEADERS, Call, PathKind, joined_headers, keys_of
from holdgate.core.server.hosts import forwarded_address, plain_address
from holdgate.core.server.wrong_keys import WrongKeys
from holdgate.core.values.errors import FaultKind
from tests.server.guarding import (
    LAN_PEER,
    LAN_SELF,
    NO_HEADERS,
    RIGHT,
    WRONG,
    bearer,
    call,
    guard,
    kind_of,
    refused,
)

FORWARDING = (
    "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
    "x-forwarded-anything", "x-real-ip", "cf-connecting-ip", "true-client-ip",
    "tailscale-user-login",
)  # fmt: skip


# The table of contract 4.


@pytest.mark.parametrize("lan", [False, True])
@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_loopback_is_served_and_a_key_attributed(peer: str, lan: bool) -> None:
    inside = guard(lan=lan)
    local = plain_address(peer)
    assert kind_of(inside, call(peer=peer, local=local)) is None
    assert kind_of(inside, call(bearer(RIGHT), peer, local=local)) == "laptop"
    for key in (WRONG, "holdgate-codex", "sk-dummy"):
        for _ in range(30):
            assert kind_of(inside, call(bearer(key), peer, local=local)) is None
    assert inside.admit(call(peer=peer, local=local), 0).address == local


@pytest.mark.parametrize(
    "peer",
    [LAN_PEER, LAN_SELF, "8.8.8.8", "fe80::1%eth0", "2001:db8::7", "::ffff:192.168.1.77", "", "?"],
)
def test_elsewhere(peer: str) -> None:
    for headers in (NO_HEADERS, bearer(RIGHT), bearer(WRONG)):
        assert kind_of(guard(), call(headers, peer)) is FaultKind.DENIED
    assert kind_of(guard(lan=True), call(peer=peer)) is FaultKind.LOGIN
    assert kind_of(guard(lan=True), call(bearer(WRONG), peer)) is FaultKind.LOGIN
    assert kind_of(guard(lan=True), call(bearer(RIGHT), peer)) == "laptop"


@pytest.mark.parametrize("value", ["", "10.0.0.1"])
@pytest.mark.parametrize("name", FORWARDING)
@pytest.mark.parametrize("peer", ["127.0.0.1", "::1"])
def test_forwarded_to_loopback(peer: str, name: str, value: str) -> None:
    sent = {name: value}
    for trust in (False, True):
        shut, lan = guard(trust_forwarded=trust), guard(lan=True, trust_forwarded=trust)
        for headers in (sent, sent | bearer(RIGHT)):
            assert kind_of(shut, call(headers, peer)) is FaultKind.DENIED
        assert kind_of(lan, call(sent, peer)) is FaultKind.LOGIN
        assert kind_of(lan, call(sent | bearer(WRONG), peer)) is FaultKind.LOGIN
        assert kind_of(lan, call(sent | bearer(RIGHT), peer)) == "laptop"


def test_no_forwarding_header_is_left_out() -> None:
    assert {name for name in FORWARDING if not name.startswith("x-forwarded")} == FORWARDING_HEADERS


def test_the_refusals_say_what_to_do() -> None:
    login = refused(guard(lan=True), call(peer=LAN_PEER))
    assert (login.status, login.headers[0][0]) == (401, "WWW-Authenticate")
    assert "gateway keys add" in login.message
    assert "lan = true" in refused(guard(), call(peer=LAN_PEER)).message
    assert "lan = true" in refused(guard(), call({"via": "1.1 p"})).message


# Where keys stand.


@pytest.mark.parametrize(
    ("headers", "query"),
    [
        (bearer(RIGHT), ()),
        ({"authorization": f"bearer  {RIGHT} "}, ()),
        ({"x-api-key": RIGHT}, ()),
        ({"x-goog-api-key": RIGHT}, ()),
        ({}, (RIGHT,)),
        ({**bearer(WRONG), "x-api-key": RIGHT}, ()),
        ({**bearer(WRONG), "x-api-key": WRONG, "x-goog-api-key": WRONG}, (WRONG, RIGHT)),
        ({"authorization": "Basic abc", "x-goog-api-key": RIGHT}, ()),
    ],
)
def test_any_place_may_hold_the_right_key(headers: dict[str, str], query: tuple[str, ...]) -> None:
    inside = guard(lan=True)
    assert kind_of(inside, call(headers, LAN_PEER, query_keys=query)) == "laptop"
    assert kind_of(inside, call(headers, query_keys=query)) == "laptop"


def test_the_key_places_in_their_order() -> None:
    headers = {"x-goog-api-key": "3", "x-api-key": "2", "authorization": "Bearer 1"}
    assert keys_of(headers, ("4", "", "5")) == ("1", "2", "3", "4", "5")
    assert keys_of({"authorization": "Bearer"}) == ()
    assert keys_of({"authorization": RIGHT}) == ()
    assert len(keys_of({}, ("x",) * 1000)) == 8


# Wrong keys.


def test_ten_wrong_keys_a_minute_and_then_429() -> None:
    inside = guard(lan=True)
    wrong = call(bearer(WRONG), LAN_PEER)
    for second in range(10):
        assert kind_of(inside, wrong, 100.0 + second) is FaultKind.LOGIN
    locked = refused(inside, wrong, 110.0)
    assert (locked.kind, locked.status, locked.retry_after) == (FaultKind.LOCKED, 429, 50.0)
    assert kind_of(inside, call(bearer(RIGHT), LAN_PEER), 110.0) == "laptop"
    assert kind_of(inside, call(peer=LAN_PEER), 110.0) is FaultKind.LOGIN
    assert kind_of(inside, call(bearer(WRONG), "192.168.1.78"), 110.0) is FaultKind.LOGIN
    assert kind_of(inside, wrong, 159.9) is FaultKind.LOCKED
    assert kind_of(inside, wrong, 160.0) is FaultKind.LOGIN
    assert kind_of(inside, wrong, 160.5) is FaultKind.LOCKED


def test_a_missing_key_is_no_wrong_key() -> None:
    inside = guard(lan=True)
    for _ in range(50):
        assert kind_of(inside, call(peer=LAN_PEER)) is FaultKind.LOGIN
        assert kind_of(inside, call({"authorization": "Bearer "}, LAN_PEER)) is FaultKind.LOGIN
    assert kind_of(inside, call(bearer(WRONG), LAN_PEER)) is FaultKind.LOGIN


def test_one_address_in_two_spellings_is_one() -> None:
    inside = guard(lan=True)
    for _ in range(5):
        refused(inside, call(bearer(WRONG), LAN_PEER))
        refused(inside, call(bearer(WRONG), f"::ffff:{LAN_PEER}"))
    assert kind_of(inside, call(bearer(WRONG), LAN_PEER)) is FaultKind.LOCKED


def test_the_forwarded_address_counts_only_when_trusted() -> None:
    def wrong(last: str) -> Call:
        return call({**bearer(WRONG), "x-forwarded-for": f"1.1.1.1, {last}"})

    trusting, plain = guard(lan=True, trust_forwarded=True), guard(lan=True)
    for _ in range(10):
        assert kind_of(trusting, wrong("9.9.9.9")) is FaultKind.LOGIN
        assert kind_of(plain, wrong("9.9.9.9")) is FaultKind.LOGIN
    assert kind_of(trusting, wrong("9.9.9.9")) is FaultKind.LOCKED
    assert kind_of(trusting, wrong("8.8.8.8")) is FaultKind.LOGIN
    assert kind_of(plain, wrong("8.8.8.8")) is FaultKind.LOCKED
    assert kind_of(plain, call(bearer(WRONG))) is None, "plain loopback is never locked"


def test_only_loopback_is_believed_about_addresses() -> None:
    inside = guard(lan=True, trust_forwarded=True)
    told = {**bearer(RIGHT), "x-forwarded-for": "9.9.9.9, 127.0.0.1"}
    assert inside.admit(call(told), 0).address == "127.0.0.1"
    assert inside.admit(call(told, LAN_PEER), 0).address == LAN_PEER
    assert kind_of(inside, call({"x-forwarded-for": "127.0.0.1"})) is FaultKind.LOGIN
    for nonsense in ("unknown", "", "9.9.9.9, _hidden"):
        told = {**bearer(RIGHT), "x-forwarded-for": nonsense}
        assert inside.admit(call(told), 0).address == "127.0.0.1"


@pytest.mark.parametrize(
    ("header", "address"),
    [
        ("1.2.3.4", "1.2.3.4"),
        ("9.9.9.9,1.2.3.4:5678", "1.2.3.4"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("2001:DB8:0::1", "2001:db8::1"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("localhost", None),
        ("1.2.3.4, ", None),
    ],
)
def test_the_last_forwarded_address(header: str, address: str | None) -> None:
    assert forwarded_address(header) == address


def test_a_second_header_of_a_name_is_seen() -> None:
    pairs = [("X-Forwarded-For", "1.1.1.1"), ("Host", "a"), ("x-forwarded-for", "2.2.2.2")]
    joined = joined_headers(pairs)
    assert joined == {"x-forwarded-for": "1.1.1.1, 2.2.2.2", "host": "a"}


@given(st.lists(st.tuples(st.integers(0, 30), st.floats(0, 500)), max_size=300))
def test_wrong_keys_hold_a_bounded_memory(attempts: list[tuple[int, float]]) -> None:
    counted = WrongKeys(most_addresses=5)
    for number, now in sorted(attempts, key=lambda pair: pair[1]):
        address = str(number)
        if counted.locked_for(address, now) == 0:
            counted.count(address, now)
        assert len(counted) <= 5
        assert 0 <= counted.locked_for(address, now) <= 60


# The control API and the page.


@pytest.mark.parametrize("kind", ["control", "page"])
def test_control_and_page_answer_direct_loopback_only(kind: PathKind) -> None:
    for inside in (guard(), guard(lan=True), guard(lan=True, trust_forwarded=True)):
        assert inside.admit(call(bearer("control-token"), kind=kind), 0).key_name is None
        assert kind_of(inside, call(peer="::1", kind=kind)) is None
        for peer in (LAN_PEER, LAN_SELF, "2001:db8::7"):
            assert kind_of(inside, call(bearer(RIGHT), peer, kind=kind)) is FaultKind.DENIED
        for name in FORWARDING:
            for value in ("", "127.0.0.1"):
                told = call({name: value, **bearer(RIGHT)}, kind=kind)
                assert kind_of(inside, told) is FaultKind.DENIED


def test_the_control_token_is_no_wrong_key() -> None:
    inside = guard(lan=True)
    for _ in range(30):
        assert kind_of(inside, call(bearer("control-token"), kind="control")) is None
