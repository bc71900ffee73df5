"""A person steers the queue: cancel, first, pause and resume; and watches it move."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from holdgate.core.values.names import DIALECT_NAMES, DialectName
from tests.fakes.agents import Agent, RawStream, Upload, post, stream
from tests.fakes.vendor import FakeVendor, Reply, Until, chat_stream
from tests.journeys.gateway import Json, Running, asking, done, provider, running, token, told

ONE = "concurrency = 1"
HOLD = '[hold]\nafter = "250ms"\nevery = "250ms"\n'
PATIENCE = 10.0


@asynccontextmanager
async def sent(
    gateway: Running, number: int, dialect: DialectName = "chat"
) -> AsyncIterator[Agent]:
    """Be an agent that has asked and reads nothing yet; it stands in line as the `number`th."""
    path, upload = asking(dialect, words=f"agent {number}")
    agent = await Agent.connect(gateway.url)
    payload = upload.payload()
    agent.writer.write(upload.head(gateway.url + path, len(payload)) + payload)
    try:
        await gateway.waiting(number)
        yield agent
    finally:
        await agent.close()


async def ids(gateway: Running, state: str) -> list[str]:
    """Give the ids of the requests in a state, by place or arrival."""
    shown = (await gateway.control("/api/status"))["requests"]
    found = [each for each in shown if each["state"] == state]
    return [each["id"] for each in sorted(found, key=lambda each: each["position"] or 0)]


@asynccontextmanager
async def busy(
    tmp_path: Path, config: str = ""
) -> AsyncIterator[tuple[Running, FakeVendor, asyncio.Event]]:
    """Run a gateway with one place, which somebody has until the journey ends."""
    go = asyncio.Event()
    async with FakeVendor() as vendor:
        vendor.script(Reply(until=go))
        async with running(tmp_path, config + provider(vendor.url, ONE)) as gateway:
            path, upload = asking("chat", words="first")
            async with asyncio.TaskGroup() as group:
                group.create_task(post(gateway.url + path, upload=upload))
                await vendor.arrived(1)
                try:
                    yield gateway, vendor, go
                finally:
                    go.set()


# Cancel.


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_waiting_request_is_cancelled_with_a_400(
    tmp_path: Path, dialect: DialectName, streamed: bool
) -> None:
    async with busy(tmp_path) as (gateway, vendor, _):
        path, upload = asking(dialect, stream=streamed)
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(post(gateway.url + path, upload=upload))
            await gateway.waiting(1)
            (id,) = await ids(gateway, "waiting")
            answer = await done(gateway, f"/api/requests/{id}/cancel")
            assert answer == {"id": id, "state": "cancelled"}
        reply = asked.result()
        assert reply.status == 400
        error = reply.json["error"]
        assert error["message"] == "cancelled by the person"
        if dialect in ("chat", "responses"):
            assert error["code"] == "cancelled"
        again = await told(gateway, f"/api/requests/{id}/cancel")
        assert again.status == 404 and "gateway queue" in again.json["error"]["message"]
        shown = await gateway.control(f"/api/requests/{id}")
        assert (shown["state"], shown["fault"], shown["status"]) == ("cancelled", "cancelled", 400)
        assert len(vendor.requests) == 1


async def test_a_request_that_was_kept_alive_ends_with_a_stream_error(tmp_path: Path) -> None:
    async with busy(tmp_path, HOLD) as (gateway, _, _):
        path, upload = asking("chat", stream=True)
        async with stream(gateway.url + path, upload=upload) as reply, asyncio.timeout(PATIENCE):
            assert reply.status == 200
            await reply.read_until(b": keepalive")
            (id,) = await ids(gateway, "waiting")
            await done(gateway, f"/api/requests/{id}/cancel")
            whole = await reply.read_all()
        assert whole.ended == "whole"
        last = json.loads(whole.events[-1][1])
        assert last["error"]["code"] == "cancelled"
        assert b"[DONE]" not in whole.body


async def test_a_request_that_the_vendor_has_is_cancelled_there_too(tmp_path: Path) -> None:
    never = asyncio.Event()
    async with FakeVendor() as vendor:
        vendor.script(Reply(until=never))
        async with running(tmp_path, provider(vendor.url, ONE)) as gateway:
            path, upload = asking("messages", stream=True)
            async with asyncio.TaskGroup() as group:
                asked = group.create_task(post(gateway.url + path, upload=upload))
                await vendor.arrived(1)
                (id,) = await ids(gateway, "trying")
                await done(gateway, f"/api/requests/{id}/cancel")
            assert asked.result().status == 400
            await vendor.ended(1)
            await gateway.free()
            never.set()
        assert vendor.requests[0].how == "left"


async def test_a_passing_answer_ends_with_a_stream_error(tmp_path: Path) -> None:
    never = asyncio.Event()
    async with FakeVendor() as vendor:
        events = chat_stream("some words")
        vendor.script(Reply(chunks=[*events[:2], Until(never), *events[2:]]))
        async with running(tmp_path, provider(vendor.url, ONE)) as gateway:
            path, upload = asking("chat", stream=True)
            async with stream(gateway.url + path, upload=upload) as reply:
                await reply.read_until(b"some ")
                (id,) = await ids(gateway, "passing")
                assert (await told(gateway, f"/api/requests/{id}/first")).status == 400
                await done(gateway, f"/api/requests/{id}/cancel")
                whole = await reply.read_all()
            assert json.loads(whole.events[-1][1])["error"]["code"] == "cancelled"
            assert b"[DONE]" not in whole.body
            await vendor.ended(1)
            await gateway.free()
            never.set()
        assert vendor.requests[0].how == "left"


# First.


async def test_first_overtakes(tmp_path: Path) -> None:
    async with (
        busy(tmp_path) as (gateway, vendor, go),
        sent(gateway, 1),
        sent(gateway, 2),
        sent(gateway, 3),
    ):
        waiting = await ids(gateway, "waiting")
        moved = await done(gateway, f"/api/requests/{waiting[2]}/first")
        assert moved == {"id": waiting[2], "position": 1}
        assert await ids(gateway, "waiting") == [waiting[2], *waiting[:2]]
        go.set()
        await vendor.ended(4)
        await gateway.free()
    said = [seen.json["messages"][0]["content"] for seen in vendor.requests]
    assert said == ["first", "agent 3", "agent 1", "agent 2"]


@pytest.mark.parametrize("what", ["cancel", "first"])
async def test_an_unknown_request_is_a_404(tmp_path: Path, what: str) -> None:
    async with running(tmp_path) as gateway:
        assert (await told(gateway, f"/api/requests/hg-none/{what}")).status == 404
        read = await gateway.asked(f"/api/requests/hg-none/{what}")
        assert (read.status, read.header("Allow")) == (405, "POST")
        assert (await post(gateway.url + f"/api/requests/hg-none/{what}")).status == 401


# Pause and resume.


@pytest.mark.parametrize("name", [None, "fake"])
async def test_a_pause_holds_streams_and_resume_lets_them_go(
    tmp_path: Path, name: str | None
) -> None:
    async with (
        FakeVendor() as vendor,
        running(tmp_path, HOLD + provider(vendor.url, ONE)) as gateway,
    ):
        paused = await done(gateway, "/api/pause", {"provider": name, "for": None})
        assert paused["lanes"] == [{"provider": "fake", "key": "default", "paused": True}]
        assert (paused["paused"] is None) == (name is not None)
        path, upload = asking("chat", stream=True)
        async with stream(gateway.url + path, upload=upload) as reply:
            await reply.read_until(b": keepalive")
            assert vendor.requests == []
            resumed = await done(gateway, "/api/resume", {"provider": name})
            assert resumed["paused"] is None
            assert not resumed["lanes"][0]["paused"]
            whole = await reply.read_all()
        assert (whole.ended, whole.events[-1][1]) == ("whole", "[DONE]")


async def test_a_pause_ends_by_itself(tmp_path: Path) -> None:
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        begun = asyncio.get_running_loop().time()
        paused = await done(gateway, "/api/pause", {"for": 0.5})
        assert paused["paused"]["until"] is not None
        path, upload = asking("chat")
        assert (await post(gateway.url + path, upload=upload)).status == 200
        assert asyncio.get_running_loop().time() - begun >= 0.45
        shown = await gateway.control("/api/status")
        assert shown["paused"] is None and not shown["lanes"][0]["paused"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"provider": "nobody"}', 404),
        (b'{"provider": 7}', 400),
        (b'{"for": -1}', 400),
        (b'{"for": "30m"}', 400),
        (b'{"for": true}', 400),
        (b'{"for": NaN}', 400),
        (b'{"for": 1e300}', 400),
        (b'{"seconds": 5}', 400),
        (b"[]", 400),
        (b"{", 400),
    ],
)
async def test_a_wrong_pause_changes_nothing(tmp_path: Path, body: bytes, status: int) -> None:
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        assert (await told(gateway, "/api/pause", body)).status == status
        shown = await gateway.control("/api/status")
        assert shown["paused"] is None and not shown["lanes"][0]["paused"]
        assert (await told(gateway, "/api/resume", b'{"provider": "nobody"}')).status == 404


# Events.


@asynccontextmanager
async def watching(gateway: Running) -> AsyncIterator[RawStream]:
    upload = Upload(method="GET", headers=token(gateway))
    async with stream(gateway.url + "/api/events", upload=upload) as reply:
        assert reply.status == 200
        assert reply.reply.header("Content-Type") == "text/event-stream; charset=utf-8"
        yield reply


async def test_the_events_come_at_once_and_then_on_change_only(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        # A rolling window with a next moment: what is told of it must not count as a change.
        config = provider(vendor.url, "rpm = 1", 'window = "1h"')
        async with running(tmp_path, config) as gateway:
            path, upload = asking("chat")
            assert (await post(gateway.url + path, upload=upload)).status == 200
            async with watching(gateway) as reply:
                first = json.loads((await reply.read_some()).removeprefix(b"data: "))
                now = await gateway.control("/api/status")
                assert first.keys() == now.keys()
                assert first["lanes"][0]["minute"]["used"] == 1
                assert first["lanes"][0]["minute"]["next_at"] is not None
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(1.2):
                        await reply.read_some()
            async with watching(gateway) as reply:
                await reply.read_some()
                await done(gateway, "/api/pause")
                async with asyncio.timeout(PATIENCE):
                    changed = json.loads((await reply.read_some()).removeprefix(b"data: "))
                assert changed["paused"] == {"until": None, "why": "paused by the person"}


async def test_the_events_are_at_most_four_a_second(tmp_path: Path) -> None:
    loop = asyncio.get_running_loop()
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        begun = loop.time()
        async with watching(gateway) as reply, asyncio.timeout(PATIENCE):
            changes = 0
            while loop.time() - begun < 1.0:
                await done(gateway, "/api/resume" if changes % 2 else "/api/pause")
                changes += 1
            # The last word: what comes after all of that is told, too.
            await done(gateway, "/api/pause", {"for": 3600})
            while not (last := events_of(reply)[-1:]) or not (last[0]["paused"] or {}).get("until"):
                await reply.read_some()
            spent = loop.time() - begun
        await done(gateway, "/api/resume")
    assert changes > 20
    assert 2 <= len(reply.reply.events) <= 1 + spent * 4


def events_of(reply: RawStream) -> list[Json]:
    return [json.loads(data) for _, data in reply.reply.events]


async def test_a_reader_does_not_delay_the_end(tmp_path: Path) -> None:
    loop = asyncio.get_running_loop()
    async with AsyncExitStack() as stack:
        async with running(tmp_path) as gateway:
            reply = await stack.enter_async_context(watching(gateway))
            await reply.read_some()
            begun = loop.time()
        assert loop.time() - begun < 2.0  # far less than [server] drain, and than any patience
        assert (await reply.read_all()).ended == "whole"
