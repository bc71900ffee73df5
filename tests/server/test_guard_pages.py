"""The guard against web pages: rebound names, foreign origins, and the pages that are listed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.server.guard import Admission, Call
from holdgate.core.server.hosts import read_authority
from holdgate.core.values.errors import FaultKind
from tests.server.guarding import (
    LAN_PEER,
    LAN_SELF,
    PAGE,
    RIGHT,
    WRONG,
    bearer,
    call,
    guard,
    kind_of,
    refused,
)

# Host: DNS rebinding.


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "LOCALHOST:4653", "localhost.:4653", "127.0.0.1", "127.0.0.1:1", "127.9.9.9",
        "[::1]:4653", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::1%lo]:4653",
        "mybox", "MyBox:4653", "mybox.local", "mybox.local.", "gw.example", "GW.example:9",
        "only.example:8080", "10.1.1.1:80", "[fd00::7]:4653",
    ],
)  # fmt: skip
def test_hosts_that_are_this_machine(host: str) -> None:
    allowed = ("gw.example", "only.example:8080", "10.1.1.1", "fd00::7", "[fd00::8]:99")
    inside = guard(allowed_hosts=allowed)
    for kind in ("agents", "control", "page"):
        assert kind_of(inside, call({"host": host}, kind=kind)) is None


@pytest.mark.parametrize(
    "host",
    [
        "", "evil.example", "evil.example:4653", "localhost.evil.example", "evil-localhost",
        "a.localhost", "127.0.0.1.nip.io", "127.1", "0x7f000001", "2130706433", "0.0.0.0:4653",
        "[::]", "192.168.1.6", LAN_SELF, "only.example", "only.example:81", "[fd00::8]:98",
        "::1", "localhost:99999", "localhost:", "localhost:x", "user@localhost", "localhost/x",
        "localhost, evil.example", "evil.example, localhost", "localhost evil", " localhost",
        "localhost..", "[::1", "[zz]", "[fe80::1]", "mybox.evil", "mybox.local.evil",
        "loca\u017fhost", "١٢٧.0.0.1", "other.local",
    ],
)  # fmt: skip
def test_other_hosts_are_403(host: str) -> None:
    inside = guard(lan=True, allowed_hosts=("only.example:8080", "[fd00::8]:99"))
    for headers in ({"host": host}, {"host": host, **bearer(RIGHT)}):
        for kind in ("agents", "control", "page"):
            assert kind_of(inside, call(headers, kind=kind)) is FaultKind.DENIED


def test_no_host_at_all_is_403() -> None:
    bare = Call("127.0.0.1", "127.0.0.1", 4653, "http", "GET", {})
    assert kind_of(guard(), bare) is FaultKind.DENIED


@pytest.mark.parametrize(
    ("local", "host"),
    [
        (LAN_SELF, f"{LAN_SELF}:4653"),
        (f"::ffff:{LAN_SELF}", LAN_SELF),
        ("fe80::5%eth0", "[fe80::5]:4653"),
        ("2001:db8::5", "[2001:DB8:0:0::5]:4653"),
    ],
)
def test_the_connections_own_address_is_a_host(local: str, host: str) -> None:
    inside = guard(lan=True)
    headers = {"host": host, **bearer(RIGHT)}
    assert kind_of(inside, call(headers, LAN_PEER, local=local)) == "laptop"


def test_an_address_among_the_machines_names_is_a_host() -> None:
    inside = guard(frozenset({"mybox", LAN_SELF, "fd00::5"}))
    for host in (LAN_SELF, "[fd00::5]:4653"):
        assert kind_of(inside, call({"host": host})) is None


# Origin and Sec-Fetch-Site: web pages.


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:4653", "http://127.0.0.1:4653"),
        ("localhost:4653", "http://LOCALHOST:4653"),
        ("[::1]:4653", "http://[::1]:4653"),
        ("localhost", "http://localhost"),
        ("localhost:80", "http://localhost"),
        ("localhost", "http://localhost:80"),
    ],
)
def test_the_gateways_own_page_passes(host: str, origin: str) -> None:
    headers = {"host": host, "origin": origin, "sec-fetch-site": "same-origin"}
    for kind in ("agents", "control", "page"):
        assert guard().admit(call(headers, kind=kind), 0) == Admission("127.0.0.1")


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS"])
@pytest.mark.parametrize(
    "origin",
    [
        "null", "", "*", "https://evil.example", "http://localhost:3000", "http://127.0.0.1",
        "http://127.0.0.1:4654", "http://localhost:4653", "https://127.0.0.1:4653",
        "http://127.0.0.1:4653.evil.example", "http://127.0.0.1:4653@evil.example",
        "http://127.0.0.1:4653/", "http://127.0.0.1:4653, http://evil.example", "127.0.0.1:4653",
        "app://obsidian.md", "tauri://localhost", "vscode-webview://1f2e", "file://", "file:",
        "chrome-extension://abc", "ws://127.0.0.1:4653",
    ],
)  # fmt: skip
def test_other_origins_are_403(origin: str, method: str) -> None:
    inside = guard(cors_origins=("null", "*", "https:", "http://", PAGE))
    asked = {"access-control-request-method": "POST"} if method == "OPTIONS" else {}
    for key in ({}, bearer(RIGHT)):
        headers = {"host": "127.0.0.1:4653", "origin": origin, **asked, **key}
        for kind in ("agents", "control", "page"):
            denied = refused(inside, call(headers, method=method, kind=kind))
            assert denied.status == 403
            assert not [name for name, _ in denied.headers if name.startswith("Access")]


def test_sec_fetch_site() -> None:
    inside = guard(cors_origins=(PAGE,))
    own = {"origin": "http://127.0.0.1:4653"}
    for kind in ("agents", "control", "page"):
        for sent in ({"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "Cross-Site", **own}):
            assert kind_of(inside, call(sent, method="GET", kind=kind)) is FaultKind.DENIED
        for fine in ("none", "same-origin", "same-site"):
            assert kind_of(inside, call({"sec-fetch-site": fine}, kind=kind)) is None
    listed = {"sec-fetch-site": "cross-site", "origin": PAGE, **bearer(RIGHT)}
    assert kind_of(inside, call(listed)) == "laptop"


@pytest.mark.parametrize(
    ("listed", "origin"),
    [
        (PAGE, PAGE),
        ("https://Tool.example/", PAGE),
        ("https://tool.example:443", PAGE),
        (PAGE, "https://tool.example:443"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("app://obsidian.md", "app://obsidian.md"),
        ("tauri://localhost", "tauri://localhost"),
        ("vscode-webview:", "vscode-webview://1f2e-99"),
        ("vscode-webview://", "vscode-webview://1f2e-99"),
        ("file:", "file://"),
        ("file://", "file://"),
        ("app:", "app://."),
    ],
)
def test_a_listed_page_needs_a_key_on_loopback_too(listed: str, origin: str) -> None:
    inside = guard(cors_origins=(listed,))
    assert kind_of(inside, call({"origin": origin})) is FaultKind.LOGIN
    for _ in range(30):
        assert kind_of(inside, call({"origin": origin, **bearer(WRONG)})) is FaultKind.LOGIN
    admitted = inside.admit(call({"origin": origin, **bearer(RIGHT)}), 0)
    assert (admitted.key_name, admitted.cors_origin) == ("laptop", origin)
    assert not admitted.preflight
    headers = dict(admitted.headers)
    assert headers["Access-Control-Allow-Origin"] == origin
    assert headers["Vary"] == "Origin"
    for kind in ("control", "page"):
        shut = call({"origin": origin, **bearer(RIGHT)}, kind=kind)
        assert kind_of(inside, shut) is FaultKind.DENIED


@pytest.mark.parametrize(
    "origin",
    ["https://other.example", "http://tool.example", "https://tool.example:8443", "null",
     "https://tool.example.evil", "app://other", f"{PAGE}, {PAGE}", "vscode-webview:a,b"],
)  # fmt: skip
def test_an_origin_beside_the_list(origin: str) -> None:
    inside = guard(cors_origins=(PAGE, "app://obsidian.md", "vscode-webview:"))
    assert kind_of(inside, call({"origin": origin, **bearer(RIGHT)})) is FaultKind.DENIED


def test_a_listed_page_can_read_why_it_was_turned_away() -> None:
    login = refused(guard(cors_origins=(PAGE,)), call({"origin": PAGE}))
    assert ("Access-Control-Allow-Origin", PAGE) in login.headers


PREFLIGHT: Mapping[str, str] = MappingProxyType(
    {
        "origin": PAGE,
        "sec-fetch-site": "cross-site",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-stainless-os",
        "access-control-request-private-network": "true",
    }
)


def test_a_preflight_of_a_listed_page_needs_no_key() -> None:
    admitted = guard(cors_origins=(PAGE,)).admit(call(PREFLIGHT, method="OPTIONS"), 0)
    assert admitted.preflight
    assert admitted.key_name is None
    headers = dict(admitted.headers)
    assert headers["Access-Control-Allow-Origin"] == PAGE
    assert "POST" in headers["Access-Control-Allow-Methods"]
    assert headers["Access-Control-Allow-Headers"] == "authorization,content-type,x-stainless-os"
    assert int(headers["Access-Control-Max-Age"]) > 0
    assert headers["Vary"] == "Origin"
    assert "*" not in headers.values()
    assert not [name for name in headers if "private" in name.lower()]


def test_a_preflight_goes_only_where_its_page_may() -> None:
    def preflight(**changed: str) -> Call:
        return call({**PREFLIGHT, **changed}, method="OPTIONS")

    inside = guard(cors_origins=(PAGE,))
    assert kind_of(inside, preflight(origin="https://evil.example")) is FaultKind.DENIED
    assert kind_of(inside, preflight(host="evil.example")) is FaultKind.DENIED
    assert kind_of(inside, preflight(via="1.1 proxy")) is FaultKind.DENIED
    for kind in ("control", "page"):
        shut = call(PREFLIGHT, method="OPTIONS", kind=kind)
        assert kind_of(inside, shut) is FaultKind.DENIED
    elsewhere = call(PREFLIGHT, LAN_PEER, method="OPTIONS")
    assert kind_of(inside, elsewhere) is FaultKind.DENIED
    lan = guard(cors_origins=(PAGE,), lan=True)
    assert lan.admit(elsewhere, 0).preflight
    # OPTIONS without the question is a request like any other.
    plain = call({"origin": PAGE}, method="OPTIONS")
    assert kind_of(inside, plain) is FaultKind.LOGIN
    assert not inside.admit(call({"origin": PAGE, **bearer(RIGHT)}, method="OPTIONS"), 0).preflight


def test_a_preflights_odd_header_names_are_not_repeated() -> None:
    for odd in ("", "a\r\nSet-Cookie: x", "a;b", "x" * 5000):
        asked = call({**PREFLIGHT, "access-control-request-headers": odd}, method="OPTIONS")
        admitted = guard(cors_origins=(PAGE,)).admit(asked, 0)
        assert "Access-Control-Allow-Headers" not in dict(admitted.headers)


# Whatever is sent.


@given(host=st.text(max_size=30), origin=st.none() | st.text(max_size=30), peer=st.text(max_size=9))
def test_any_text_is_admitted_or_refused(host: str, origin: str | None, peer: str) -> None:
    headers = {"host": host} | ({} if origin is None else {"origin": origin})
    inside = guard(lan=True, cors_origins=(PAGE, "app:"), allowed_hosts=("a:1", "[", ""))
    for sent in (headers, {**headers, "host": "localhost"}):
        assert kind_of(inside, call(sent, peer, local="127.0.0.1")) in (
            FaultKind.DENIED,
            FaultKind.LOGIN,
        )


@given(st.text(alphabet="[]:.%0123456789abcdefgxyz-_", max_size=24))
def test_an_authority_reads_back(text: str) -> None:
    authority = read_authority(text)
    if authority is not None:
        host = f"[{authority.host}]" if ":" in authority.host else authority.host
        port = "" if authority.port is None else f":{authority.port}"
        again = read_authority(host + port)
        assert again == authority or authority.host.endswith(".")
