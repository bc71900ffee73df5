"""The page's files and what it asks for, without a browser: who gets them, and who does not."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import pytest

from holdgate.core.agents.recipes.table import AGENTS
from holdgate.core.server.page_files import page_file
from holdgate.core.store.callers import GatewayKeys
from tests.fakes.agents import Agent, RawReply, Upload, get, post, stream
from tests.fakes.vendor import FakeVendor, Reply
from tests.journeys.gateway import Running, asking, provider, running
from tests.page.browser import token

HTML = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
FILES = {
    "/": "text/html; charset=utf-8",
    "/page.js": "text/javascript; charset=utf-8",
    "/page.css": "text/css; charset=utf-8",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


def test_the_page_offers_each_agent_by_the_commands_that_it_can_be_told_by() -> None:
    text = page_file("/page.js")[1].decode()
    offered = re.findall(r"^  \['([^']+)', '([^']+)', '([a-z ]+)'\],$", text, re.MULTILINE)
    ways = {
        (each.title, each.name): " ".join(
            way for way, no in (("run", each.no_run), ("connect", each.no_connect)) if not no
        )
        for each in AGENTS.values()
    }
    assert offered == [(*names, how) for names, how in ways.items() if how]


async def test_three_files_are_served_and_shut(tmp_path: Path) -> None:
    async with running(tmp_path) as gateway:
        for path, media in FILES.items():
            reply = await get(gateway.url + path, HTML)
            assert (reply.status, reply.header("Content-Type")) == (200, media)
            assert reply.header("Content-Security-Policy") == POLICY
            assert reply.header("X-Content-Type-Options") == "nosniff"
            assert reply.header("X-Frame-Options") == "DENY"
            assert reply.header("Referrer-Policy") == "no-referrer"
            assert reply.body == page_file(path)[1] != b""
            assert token(gateway).encode() not in reply.body
            head = await get(gateway.url + path, HTML, "HEAD")
            assert (head.status, head.body) == (200, b"")
            wrong = await post(gateway.url + path, b"", HTML)
            assert (wrong.status, wrong.header("Allow")) == (405, "GET, HEAD")


@pytest.mark.parametrize("accept", ["", "*/*", "application/json", "text/plain", "text/htmlx"])
async def test_programs_get_the_health_as_ever(tmp_path: Path, accept: str) -> None:
    async with running(tmp_path) as gateway:
        for path in ("/", "/healthz"):
            reply = await get(gateway.url + path, {"Accept": accept} if accept else {})
            assert reply.json["name"] == "holdgate"
        assert (await get(gateway.url + "/healthz", HTML)).json["name"] == "holdgate"
        for path in ("/page", "/index.html", "/page/page.js", "/page.js/", "/..%2fpage.js"):
            assert (await get(gateway.url + path, HTML)).status == 404


@pytest.mark.parametrize("path", [*FILES, "/api/status", "/api/history"])
async def test_only_direct_callers_on_this_machine_get_it(tmp_path: Path, path: str) -> None:
    listed = "https://tool.example"
    config = f'[server]\nlan = true\nhost = "127.0.0.1"\ncors_origins = ["{listed}"]\n'
    key = GatewayKeys(tmp_path / "state", lambda: 0.0).add("laptop")
    async with running(tmp_path, config) as gateway:
        near = {**HTML, "Authorization": f"Bearer {token(gateway)}"}
        assert (await get(gateway.url + path, near)).status == 200
        own = {**near, "Origin": gateway.url, "Sec-Fetch-Site": "same-origin"}
        assert (await get(gateway.url + path, own)).status == 200
        for more in (
            {"X-Forwarded-For": "192.168.1.77"},
            {"Origin": listed},
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
        ):
            for headers in ({**near, **more}, {**near, **more, "x-api-key": key}):
                assert (await get(gateway.url + path, headers)).status == 403, more
        rebound = Upload("GET", headers=near, host="evil.example")
        assert (await post(gateway.url + path, upload=rebound)).status == 403


def test_the_files_name_nobody_else_and_make_no_markup() -> None:
    page, script, style = (page_file(path)[1].decode() for path in FILES)
    for text in (page, script, style):
        addresses = set(re.findall(r"\b(?:https?:)?//[a-z][\w.]+", text))
        assert addresses <= {"http://www.w3.org"}  # the name of SVG
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "Function(",
    ):
        assert word not in script
    assert not re.search(r"\son[a-z]+=|\sstyle=|<style|<script(?![^>]*src=)", page)


# So many that a few snapshots fill the buffers between the gateway and a reader.
CROWD = 500


async def test_events_that_nobody_reads_delay_nobody(tmp_path: Path) -> None:
    async with FakeVendor() as vendor, AsyncExitStack() as stack:
        vendor.script(Reply(until=asyncio.Event()))
        slow = provider(vendor.url, "concurrency = 1", name="slow")
        async with running(tmp_path, slow + provider(vendor.url)) as gateway:
            path, upload = asking("chat", "slow/fake-model", stream=True)
            for _ in range(CROWD):
                agent = await stack.enter_async_context(closing(gateway))
                payload = upload.payload()
                agent.writer.write(upload.head(gateway.url + path, len(payload)) + payload)
            await gateway.waiting(CROWD - 1)
            alone, _ = await served_meanwhile(gateway, 3)
            stuck = [await stack.enter_async_context(closing(gateway)) for _ in range(5)]
            ask = Upload("GET", headers={"Authorization": f"Bearer {token(gateway)}"})
            for reader in stuck:
                reader.writer.write(ask.head(gateway.url + "/api/events", 0))
            delayed, shown = await served_meanwhile(gateway, 10)
            assert delayed < max(0.5, 10 * alone)
            # They were stuck indeed: far fewer snapshots wait for them than others were shown.
            assert await backlog_of(stuck[0]) < shown - 3
            await stack.aclose()
            await gateway.free(within=30.0)


@asynccontextmanager
async def closing(gateway: Running) -> AsyncIterator[Agent]:
    """A connection that takes little in unless it is read."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    # The sender's buffer grows with the size of a segment, which is 64 kB on loopback.
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    sock.setblocking(False)
    parts = urlsplit(gateway.url)
    await asyncio.get_running_loop().sock_connect(sock, (parts.hostname, parts.port))
    agent = Agent(*await asyncio.open_connection(sock=sock, limit=4096))
    try:
        yield agent
    finally:
        await agent.close()


async def served_meanwhile(gateway: Running, snapshots: int) -> tuple[float, int]:
    """Ask until a reader that reads was shown so many snapshots.

    Give the median of the seconds that a request took, and how many it was shown.
    """
    clock, took, shown = asyncio.get_running_loop().time, [], 0
    path, upload = asking("chat", "fake/fake-model")
    key = {"Authorization": f"Bearer {token(gateway)}"}
    ask = Upload("GET", headers=key)
    async with stream(gateway.url + "/api/events", upload=ask) as events:
        reading = asyncio.get_running_loop().create_task(events.read_until(b"\n\n"))
        while shown < snapshots:
            began = clock()
            assert (await post(gateway.url + path, upload=upload)).status == 200
            took.append(clock() - began)
            if reading.done():
                shown = events.reply.body.count(b"data: ")
                reading = asyncio.get_running_loop().create_task(events.read_some())
        reading.cancel()
    return median(took), shown


async def backlog_of(reader: Agent) -> int:
    """Read what has piled up for a reader, until nothing comes any more; count the snapshots."""
    count = 0
    with suppress(TimeoutError):
        while True:
            async with asyncio.timeout(1.0):
                count += (await reader.reader.read(1 << 20)).count(b"data: ")
    return count


# What the page asks for beside the snapshot.


async def test_the_history_tells_what_waited_and_ran(tmp_path: Path) -> None:
    go = asyncio.Event()
    async with FakeVendor() as vendor:
        vendor.script(Reply(until=go))
        async with running(tmp_path, provider(vendor.url, "concurrency = 1")) as gateway:
            path, upload = asking("chat")
            async with asyncio.TaskGroup() as group:
                for _ in range(3):
                    group.create_task(post(gateway.url + path, upload=upload))
                await gateway.waiting(2)
                shown = await gateway.until(
                    lambda found: [2, 1] in [sample[1:] for sample in found["samples"]],
                    "/api/history",
                    within=15.0,
                )
                go.set()
            assert set(shown) == {"every", "samples"}
            assert all(at % shown["every"] == 0 for at, _, _ in shown["samples"])


async def test_gateway_keys_are_listed_without_their_texts(tmp_path: Path) -> None:
    keys = GatewayKeys(tmp_path / "state", lambda: 1000.0)
    text = keys.add("second laptop")
    keys.add("old")
    keys.revoke("old")
    async with running(tmp_path) as gateway:
        reply = await gateway.asked("/api/keys")
        listed = reply.json["keys"]
        assert [(key["name"], key["created"], key["enabled"]) for key in listed] == [
            ("second laptop", 1000, True),
            ("old", 1000, False),
        ]
        assert all(set(key) == {"id", "name", "created", "enabled"} for key in listed)
        assert text.rpartition("-")[2].encode() not in reply.body


async def test_usage_is_summed_up(tmp_path: Path) -> None:
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        for name in ("codex", "codex", "aider"):
            key = {"Authorization": f"Bearer holdgate-{name}"}
            path, upload = asking("chat", headers=key)
            assert (await post(gateway.url + path, upload=upload)).status == 200
        found = await gateway.until(
            lambda found: found["total"]["done"] == 3, "/api/usage?by=agent&since=0"
        )
        rows = {row["name"]: row for row in found["rows"]}
        assert (rows["codex"]["requests"], rows["aider"]["requests"]) == (2, 1)
        assert rows["codex"]["output"] == 2 * rows["aider"]["output"] > 0
        for by in ("model", "provider", "key", "day"):
            sums = await gateway.control(f"/api/usage?by={by}")
            assert (sums["by"], sums["total"]["requests"]) == (by, 3)
        later = await gateway.control("/api/usage?since=99999999999")
        assert later["rows"] == [] and later["total"]["requests"] == 0
        for wrong in ("by=moon", "since=yesterday", "since=nan"):
            assert_refused(await gateway.asked(f"/api/usage?{wrong}"), 400)


async def test_every_endpoint_of_the_contract_is_there(tmp_path: Path) -> None:
    async with running(tmp_path) as gateway:
        for name in ("status", "requests", "models", "providers", "usage", "keys", "history"):
            assert (await gateway.asked(f"/api/{name}")).status == 200, name
            bare: RawReply = await get(f"{gateway.url}/api/{name}")
            assert_refused(bare, 401)
            wrong = {"Authorization": f"Bearer {token(gateway)}"}
            assert_refused(await post(f"{gateway.url}/api/{name}", b"", wrong), 405)


def assert_refused(reply: RawReply, status: int) -> None:
    error: Any = reply.json["error"]
    assert (reply.status, bool(error["message"])) == (status, True)
