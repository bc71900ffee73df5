"""The guard over real sockets: who is served, who is not, and that it decides before the body."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdgate.core.store.callers import GatewayKeys
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from tests.fakes.agents import Agent, RawReply, Upload, get, post
from tests.fakes.vendor import FakeVendor
from tests.journeys.gateway import AGENT_KEY, Running, asking, polled, provider, running

PAGE = "https://page.example"
AWAY = {"X-Forwarded-For": "203.0.113.9"}


@pytest.fixture
async def vendor() -> AsyncIterator[FakeVendor]:
    async with FakeVendor() as fake:
        yield fake


@pytest.fixture
async def gateway(vendor: FakeVendor, tmp_path: Path) -> AsyncIterator[Running]:
    async with running(tmp_path, provider(vendor.url)) as run:
        yield run


def keys_in(home: Path) -> GatewayKeys:
    return GatewayKeys(home / "state", lambda: 0.0)


def lan(vendor: FakeVendor, *lines: str) -> str:
    return "\n".join(["[server]", "lan = true", *lines, provider(vendor.url)])


async def turn(
    gateway: Running, headers: dict[str, str], dialect: DialectName = "chat"
) -> RawReply:
    path, upload = asking(dialect, headers=headers)
    return await post(gateway.url + path, upload=upload)


def refused(dialect: DialectName, reply: RawReply, status: int) -> str:
    """Check a refusal's shape and give its message."""
    assert reply.status == status
    error = reply.json["error"]
    kinds = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
    if dialect == "gemini":
        states = {401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 429: "RESOURCE_EXHAUSTED"}
        assert (error["code"], error["status"]) == (status, states[status])
    else:
        assert error["type"] == kinds[status]
    if dialect == "messages":
        assert reply.json["type"] == "error"
    return str(error["message"])


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_loopback_is_served_with_any_key_or_none(
    gateway: Running, vendor: FakeVendor, dialect: DialectName
) -> None:
    for headers in ({}, {"Authorization": "Bearer " + AGENT_KEY}, {"x-api-key": "holdgate-codex"}):
        assert (await turn(gateway, headers, dialect)).status == 200
    assert len(vendor.requests) == 3


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_foreign_host_is_403(
    gateway: Running, vendor: FakeVendor, dialect: DialectName
) -> None:
    path, upload = asking(dialect)
    for host in ("evil.example", "evil.example:4653", "127.0.0.1.nip.io", "[::2]"):
        foreign = Upload(body=upload.body, host=host)
        refused(dialect, await post(gateway.url + path, upload=foreign), 403)
    assert vendor.requests == []


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_foreign_origin_is_403(
    gateway: Running, vendor: FakeVendor, dialect: DialectName
) -> None:
    for origin in (PAGE, "null", "http://localhost:1", "vscode-webview://x", "file://"):
        refused(dialect, await turn(gateway, {"Origin": origin}, dialect), 403)
    refused(dialect, await turn(gateway, {"Sec-Fetch-Site": "cross-site"}, dialect), 403)
    for path in ("/", "/v1/models", "/api/status"):
        assert (await get(gateway.url + path, {"Origin": PAGE})).status == 403
    assert vendor.requests == []
    assert (await turn(gateway, {"Origin": gateway.url}, dialect)).status == 200


@pytest.mark.parametrize(
    "header",
    ["Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Anything", "X-Real-IP",
     "CF-Connecting-IP", "True-Client-IP", "Tailscale-User-Login"],
)  # fmt: skip
async def test_a_forwarded_request_is_403(
    gateway: Running, vendor: FakeVendor, header: str
) -> None:
    for value in ("203.0.113.9", "127.0.0.1"):
        refused("chat", await turn(gateway, {header: value}), 403)
        assert (await get(gateway.url + "/v1/models", {header: value})).status == 403
    assert vendor.requests == []


async def test_the_control_api_wants_its_token(gateway: Running) -> None:
    for path in ("/api/status", "/api/requests", "/api/requests/hg-1", "/api/nothing", "/api"):
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"x-api-key": "wrong"}):
            assert (await get(gateway.url + path, headers)).status == 401
    assert (await gateway.asked("/api/status")).status == 200
    assert (await gateway.asked("/api/nothing")).status == 404
    assert (await gateway.asked("/api/requests/hg-none")).status == 404
    for limit in ("x", "-1", "1e3"):
        assert (await gateway.asked(f"/api/requests?limit={limit}")).status == 400


async def test_the_control_file_is_this_users_alone(gateway: Running) -> None:
    assert (gateway.state / "runtime.json").stat().st_mode & 0o077 == 0


# Listening to the LAN.


async def test_on_every_interface_loopback_needs_no_key(vendor: FakeVendor, tmp_path: Path) -> None:
    async with running(tmp_path, lan(vendor)) as gateway:
        assert gateway.url.startswith("http://127.0.0.1:")
        assert (await turn(gateway, {})).status == 200
        assert (await turn(gateway, {"x-api-key": AGENT_KEY})).status == 200
        by_name = gateway.url.replace("127.0.0.1", "localhost")
        assert (await get(gateway.url + "/healthz", {"Origin": by_name})).status == 403


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_from_elsewhere_a_key_is_needed(
    vendor: FakeVendor, tmp_path: Path, dialect: DialectName
) -> None:
    key = keys_in(tmp_path).add("laptop")
    async with running(tmp_path, lan(vendor)) as gateway:
        path, upload = asking(dialect)
        reply = await turn(gateway, AWAY, dialect)
        refused(dialect, reply, 401)
        assert (reply.header("WWW-Authenticate") or "").startswith("Bearer")
        refused(dialect, await turn(gateway, {**AWAY, "x-api-key": AGENT_KEY}, dialect), 401)
        for place in (
            {"Authorization": f"Bearer {key}"},
            {"x-api-key": key},
            {"x-goog-api-key": key, "Authorization": f"Bearer {AGENT_KEY}"},
        ):
            assert (await turn(gateway, {**AWAY, **place}, dialect)).status == 200
        asked = Upload(body=upload.body, headers=AWAY, target=f"{path}?key={key}")
        assert (await post(gateway.url, upload=asked)).status == 200
        for seen in vendor.requests:
            assert key not in f"{seen.query} {seen.headers}"
        # Not even with a key does the control API answer from elsewhere.
        assert (await get(gateway.url + "/api/status", {**AWAY, "x-api-key": key})).status == 403
    assert [row["key"] for row in gateway.ledger()] == ["laptop"] * 4
    assert key not in gateway.log_text() and key not in str(gateway.ledger())


async def test_the_eleventh_wrong_key_is_429_and_a_right_one_passes(
    vendor: FakeVendor, tmp_path: Path
) -> None:
    key = keys_in(tmp_path).add("laptop")
    async with running(tmp_path, lan(vendor)) as gateway:
        for number in range(10):
            wrong = {**AWAY, "x-api-key": f"hgk-{number:08x}-{'x' * 43}"}
            refused("messages", await turn(gateway, wrong, "messages"), 401)
        locked = await turn(gateway, {**AWAY, "x-api-key": AGENT_KEY}, "messages")
        refused("messages", locked, 429)
        assert 1 <= int(locked.header("Retry-After") or 0) <= 60
        # A missing key is no wrong one, a right one always passes, loopback is no elsewhere.
        assert (await turn(gateway, AWAY)).status == 401
        assert (await turn(gateway, {**AWAY, "x-api-key": key})).status == 200
        assert (await turn(gateway, {"x-api-key": AGENT_KEY})).status == 200


async def test_wrong_keys_count_by_the_forwarded_address_if_that_is_trusted(
    vendor: FakeVendor, tmp_path: Path
) -> None:
    keys_in(tmp_path).add("laptop")
    async with running(tmp_path, lan(vendor, "trust_forwarded = true")) as gateway:
        one = {"X-Forwarded-For": "198.51.100.1, 203.0.113.9", "x-api-key": AGENT_KEY}
        for _ in range(10):
            assert (await turn(gateway, one)).status == 401
        assert (await turn(gateway, one)).status == 429
        other = {"X-Forwarded-For": "203.0.113.9, 198.51.100.2", "x-api-key": AGENT_KEY}
        assert (await turn(gateway, other)).status == 401


async def test_a_key_works_and_is_revoked_without_a_restart(
    vendor: FakeVendor, tmp_path: Path
) -> None:
    config = lan(vendor, f'cors_origins = ["{PAGE}"]')
    async with running(tmp_path, config) as gateway:
        keys = keys_in(tmp_path)
        key = keys.add("later")
        # From a listed page a key that is not known yet is told, but not counted as wrong.
        asked = {"Origin": PAGE, "x-api-key": key}
        await _answered(gateway, asked, 200)
        assert (await turn(gateway, {**AWAY, "x-api-key": key})).status == 200
        keys.revoke("later")
        await _answered(gateway, asked, 401)
        assert (await turn(gateway, {**AWAY, "x-api-key": key})).status == 401


async def _answered(gateway: Running, headers: dict[str, str], status: int) -> None:
    """Ask until the answer is `status`, for the two seconds that a change may take."""
    await polled(
        lambda: get(gateway.url + "/v1/models", headers),
        lambda reply: reply.status == status,
        within=2.0,
    )


async def test_a_listed_page_gets_its_preflight_and_needs_a_key(
    vendor: FakeVendor, tmp_path: Path
) -> None:
    key = keys_in(tmp_path).add("page")
    config = f'[server]\ncors_origins = ["{PAGE}"]\n' + provider(vendor.url)
    async with running(tmp_path, config) as gateway:
        asked = {"Origin": PAGE, "Access-Control-Request-Method": "POST"}
        preflight = await get(gateway.url + "/v1/messages", asked, method="OPTIONS")
        assert preflight.status == 204
        assert preflight.header("Access-Control-Allow-Origin") == PAGE
        assert (await turn(gateway, {"Origin": PAGE})).status == 401
        reply = await turn(gateway, {"Origin": PAGE, "x-api-key": key})
        assert reply.status == 200
        assert reply.header("Access-Control-Allow-Origin") == PAGE
        assert vendor.requests[-1].header("Origin") is None
        for wrong in ("/v1/nothing", "/v1/chat/completions"):
            told = await post(gateway.url + wrong, b"{", {"Origin": PAGE, "x-api-key": key})
            assert told.status in (400, 404)
            assert told.header("Access-Control-Allow-Origin") == PAGE


# Before the body is read.


@pytest.mark.parametrize(
    ("headers", "host", "status"),
    [
        ({}, "evil.example", 403),
        ({"Origin": PAGE}, None, 403),
        ({"X-Forwarded-For": "203.0.113.9"}, None, 401),
        ({"X-Forwarded-For": "203.0.113.9", "x-api-key": AGENT_KEY}, None, 401),
    ],
)
@pytest.mark.parametrize("framing", ["Content-Length: 100000000000", "Transfer-Encoding: chunked"])
async def test_the_guard_answers_before_the_body_comes(
    vendor: FakeVendor,
    tmp_path: Path,
    headers: dict[str, str],
    host: str | None,
    status: int,
    framing: str,
) -> None:
    name, _, value = framing.partition(": ")
    # A GET without a body writes no length of its own.
    upload = Upload(method="GET", headers={**headers, name: value}, host=host)
    async with running(tmp_path, lan(vendor)) as gateway:
        url = gateway.url + "/v1/messages"
        agent = await Agent.connect(url)
        head = upload.head(url, 0).replace(b"GET ", b"POST ", 1)
        agent.writer.write(head)
        async with asyncio.timeout(5.0):
            told = await agent.reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", told.lower())
            body = await agent.reader.readexactly(int(length[1]) if length else 0)
        assert told.split()[1] == str(status).encode()
        assert b'"type":"error"' in body
        assert b"connection: close" in told.lower()
        await agent.close()


async def test_who_may_not_come_in_gets_no_100_continue(vendor: FakeVendor, tmp_path: Path) -> None:
    async with running(tmp_path, lan(vendor)) as gateway:
        path, upload = asking("chat", headers=AWAY)
        asked = Upload(body=upload.body, headers=AWAY, expect=True)
        reply = await post(gateway.url + path, upload=asked)
        assert (reply.status, reply.continued) == (401, False)


@pytest.mark.parametrize(
    "head",
    [
        "POST /v1/messages HTTP/1.1",  # no Host
        "POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: {key}\x01",
        "POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {key}",
        "{key}",
    ],
)
async def test_what_is_no_http_is_refused_and_fills_no_log(gateway: Running, head: str) -> None:
    agent = await Agent.connect(gateway.url)
    agent.writer.write((head.format(key=AGENT_KEY) + "\r\n\r\n").encode())
    assert (await agent.reader.readline()).split()[1] == b"400"
    await agent.close()
    assert AGENT_KEY not in gateway.log_text()
    assert "Traceback" not in gateway.log_text()
