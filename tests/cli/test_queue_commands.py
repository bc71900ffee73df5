"""The commands that show and steer the queue, as a person types them beside a running gateway."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from holdgate.cli.live_requests import COLUMNS
from tests.cli.serving import HOLDGATE, PATIENCE, Finished, environ
from tests.cli.serving import gateway as command
from tests.fakes.agents import RawReply, post
from tests.fakes.vendor import FakeVendor, Reply
from tests.journeys.gateway import Running, asking, polled, provider, running


@asynccontextmanager
async def queued(home: Path) -> AsyncIterator[tuple[Running, asyncio.Task[RawReply]]]:
    """Run a gateway in whose one lane a request is being served and another one waits."""
    go = asyncio.Event()
    async with FakeVendor() as vendor:
        vendor.script(Reply(until=go))
        config = provider(vendor.url, "concurrency = 1")
        async with running(home, config) as gateway, asyncio.TaskGroup() as group:
            path, upload = asking("chat", words="first")
            group.create_task(post(gateway.url + path, upload=upload))
            await vendor.arrived(1)
            path, upload = asking("messages", words="second")
            waits = group.create_task(post(gateway.url + path, upload=upload))
            await gateway.waiting(1)
            try:
                yield gateway, waits
            finally:
                go.set()


async def done(home: Path, *args: str) -> str:
    """Run a command that must succeed; give what it wrote."""
    finished = await command(home, *args)
    assert (finished.code, finished.err) == (0, ""), (args, finished)
    return finished.out


async def listed(home: Path) -> list[dict[str, Any]]:
    shown = json.loads(await done(home, "queue", "--json"))
    assert set(shown) == {"paused", "counts", "lanes", "requests"}
    requests: list[dict[str, Any]] = shown["requests"]
    return requests


def one_line(finished: Finished) -> str:
    assert (finished.code, finished.out) == (1, ""), finished
    assert len(finished.err.splitlines()) == 1
    return finished.err


async def test_the_queue_for_people_and_programs(tmp_path: Path) -> None:
    async with queued(tmp_path):
        waits, served = await listed(tmp_path)
        assert (waits["position"], waits["state"]) == (1, "waiting")
        assert (served["position"], served["state"]) == (None, "trying")
        title, head, first, second = (await done(tmp_path, "queue")).splitlines()
        assert title == "2 waiting, 0 held, 0 passing"
        assert head.split() == [column.head for column in COLUMNS]
        assert first.split()[:2] == ["1", waits["id"]] and "waits for fake" in first
        assert served["id"] in second and "fake was asked" in second


async def test_cancel_and_first(tmp_path: Path) -> None:
    async with queued(tmp_path) as (_, asked):
        waits, served = await listed(tmp_path)
        assert await done(tmp_path, "first", waits["id"]) == (
            f"{waits['id']} is first in its lines: place 1\n"
        )
        assert "stands in no line" in one_line(await command(tmp_path, "first", served["id"]))
        shown = json.loads(await done(tmp_path, "first", waits["id"], "--json"))
        assert shown == {"id": waits["id"], "position": 1}
        assert await done(tmp_path, "cancel", waits["id"]) == f"cancelled {waits['id']}\n"
        assert (await asked).status == 400
        shown = json.loads(await done(tmp_path, "cancel", served["id"], "--json"))
        assert shown == {"id": served["id"], "state": "cancelled"}
        for what in ("cancel", "first"):
            assert "gateway queue" in one_line(await command(tmp_path, what, waits["id"]))


async def test_explain(tmp_path: Path) -> None:
    async with queued(tmp_path) as (gateway, _):
        waits, served = await listed(tmp_path)
        text = await done(tmp_path, "explain", waits["id"])
        assert "asked for fake/fake-model (messages, whole)" in text
        assert "why         waiting: waits for fake" in text
        assert "goes on" in await done(tmp_path, "explain", served["id"])
        await done(tmp_path, "cancel", waits["id"])
        text = await done(tmp_path, "explain", waits["id"])
        assert "cancelled by the person, HTTP 400 to the agent" in text
        shown = json.loads(await done(tmp_path, "explain", waits["id"], "--json"))
        assert shown == await gateway.control(f"/api/requests/{waits['id']}")
        assert "no request hg-x" in one_line(await command(tmp_path, "explain", "hg-x"))


async def test_explain_tells_each_try(tmp_path: Path) -> None:
    async with FakeVendor() as one, FakeVendor() as two:
        one.script(Reply(status=500))
        config = provider(one.url, name="one") + provider(two.url, name="two")
        config += '[routes.both]\ncandidates = ["one/fake-model", "two/fake-model"]\n'
        async with running(tmp_path, config) as gateway:
            path, upload = asking("chat", "both")
            reply = await post(gateway.url + path, upload=upload)
            assert reply.status == 200
            text = await done(tmp_path, "explain", reply.header("X-Holdgate-Request") or "")
    assert "one/fake-model with key default: HTTP 500, first byte after" in text
    assert "two/fake-model with key default: HTTP 200, first byte after" in text
    assert "server error" in text
    assert "tokens      input 7, output 5" in text
    assert "why         another try was needed: one: " in text


async def test_pause_and_resume(tmp_path: Path) -> None:
    async with queued(tmp_path) as (gateway, _):
        text = await done(tmp_path, "pause")
        assert text == "paused all until resumed; gateway resume ends it\n"
        assert "all is paused until resumed" in await done(tmp_path, "queue")
        text = await done(tmp_path, "pause", "--provider", "fake", "--for", "30m")
        assert text == "paused fake for 30m; gateway resume --provider fake ends it\n"
        await done(tmp_path, "resume")
        await done(tmp_path, "pause", "--provider", "fake")
        assert "\nfake is paused\n" in await done(tmp_path, "queue")
        await done(tmp_path, "pause")
        text = await done(tmp_path, "resume", "--provider", "fake")
        assert text.startswith("fake stays paused")
        shown = json.loads(await done(tmp_path, "resume", "--json"))
        lane = {"provider": "fake", "key": "default", "paused": False}
        assert shown == {"paused": None, "lanes": [lane]}
        shown = json.loads(await done(tmp_path, "pause", "--for", "1h", "--json"))
        assert shown["paused"]["until"] is not None and shown["lanes"][0]["paused"]
        assert await done(tmp_path, "resume") == "resumed all\n"
        wrong = await command(tmp_path, "pause", "--provider", "nobody")
        assert "gateway provider list" in one_line(wrong)
        assert (await gateway.control("/api/status"))["paused"] is None


@pytest.mark.parametrize(
    "args",
    [
        ("pause", "--for", "soon"),
        ("pause", "--for", "-5"),
        ("cancel",),
        ("first",),
        ("explain",),
        ("queue", "--wach"),
    ],
)
async def test_wrong_usage_is_a_2(tmp_path: Path, args: tuple[str, ...]) -> None:
    assert (await command(tmp_path, *args)).code == 2


@pytest.mark.parametrize(
    "args",
    [
        ("queue",),
        ("queue", "--watch"),
        ("explain", "hg-1"),
        ("pause",),
        ("resume",),
        ("cancel", "hg-1"),
        ("first", "hg-1"),
        ("status",),
        ("status", "--json"),
        ("queue", "--watch", "--json"),
        ("cancel", "hg-1", "--json"),
    ],
)
async def test_without_a_gateway_is_a_1(tmp_path: Path, args: tuple[str, ...]) -> None:
    assert "gateway serve" in one_line(await command(tmp_path, *args))


# Watching.


@asynccontextmanager
async def watching(
    home: Path, *args: str, stdout: int = asyncio.subprocess.PIPE, term: str = "dumb"
) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, *HOLDGATE, "queue", "--watch", *args,
        stdin=asyncio.subprocess.DEVNULL, stdout=stdout, stderr=asyncio.subprocess.PIPE,
        env=environ(home, {"TERM": term, "COLUMNS": "200"}),
    )  # fmt: skip
    try:
        async with asyncio.timeout(PATIENCE):
            yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_watch_tells_each_change_until_ctrl_c(tmp_path: Path) -> None:
    async with queued(tmp_path) as (gateway, _), watching(tmp_path, "--json") as process:
        assert process.stdout is not None
        first = json.loads(await process.stdout.readline())
        assert [each["position"] for each in first["requests"]] == [1, None]
        await done(tmp_path, "cancel", first["requests"][0]["id"])
        second = json.loads(await process.stdout.readline())
        assert [each["position"] for each in second["requests"]] == [None]
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 130
        assert process.stderr is not None and await process.stderr.read() == b""
        assert len((await gateway.control("/api/status"))["requests"]) == 1


async def test_watch_ends_when_the_gateway_does(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        async with running(tmp_path):
            process = await stack.enter_async_context(watching(tmp_path))
            assert process.stdout is not None and process.stderr is not None
            assert await process.stdout.readline() == b"0 waiting, 0 held, 0 passing\n"
        assert await process.wait() == 1
        assert b"the gateway has ended" in await process.stderr.read()


@pytest.mark.system("pty")
async def test_watch_on_a_terminal_moves_by_itself(tmp_path: Path) -> None:
    import pty  # not on every system

    screen, terminal = pty.openpty()
    os.set_blocking(screen, False)
    seen = bytearray()

    async def look() -> bytes:
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(screen, 65536):
                seen.extend(piece)
        return bytes(seen)

    try:
        async with (
            queued(tmp_path) as (gateway, _),
            watching(tmp_path, stdout=terminal, term="xterm") as process,
        ):
            waits, _ = (await gateway.control("/api/status"))["requests"][::-1]
            await polled(look, lambda shown: waits["id"].encode() in shown, PATIENCE)
            before = len(seen)
            # Nothing changes but the seconds.
            await polled(look, lambda shown: waits["id"].encode() in shown[before:], PATIENCE)
            process.send_signal(signal.SIGINT)
            assert await process.wait() == 130
    finally:
        os.close(terminal)
        os.close(screen)
