"""The queue: a vendor never sees more than it allows, and no agent ever sees a 429 for it."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from pathlib import Path
from typing import Literal

import pytest

from holdgate.core.values.names import DIALECT_NAMES, DialectName
from tests.fakes.agents import Agent, RawReply, post, stream
from tests.fakes.vendor import FakeVendor, Reply
from tests.journeys.gateway import Running, asking, provider, running

AGENTS = 60
# A vendor counts a request when it comes, a gateway when it leaves: so much it may be on its way,
# beyond the gateway's own margin, while sixty agents share one loop with the vendor.
WINDOW, TRAVEL = 2.0, 0.2
Leaves = Literal["", "at once", "at the headers", "in mid-stream"]


async def ask(gateway: Running, number: int, leaves: Leaves = "") -> int:
    """Be one agent; give the status it saw, 0 if it left before one."""
    dialect = DIALECT_NAMES[number % len(DIALECT_NAMES)]
    streamed = number % 3 != 0 or leaves == "in mid-stream"
    path, upload = asking(dialect, stream=streamed, words=f"agent {number}")
    url = gateway.url + path
    if leaves == "at once":
        agent = await Agent.connect(url)
        payload = upload.payload()
        agent.writer.write(upload.head(url, len(payload)) + payload)
        await agent.writer.drain()
        agent.writer.transport.abort()
        return 0
    async with stream(url, upload=upload) as reply:
        if not leaves:
            whole = await reply.read_all()
            assert whole.ended == "whole", (number, whole)
        elif leaves == "in mid-stream":
            await reply.read_some()
        reply.hang_up(reset=number % 2 == 0)
        return reply.status


def busy(vendor: FakeVendor, count: int) -> None:
    """Make a vendor take a moment for each answer, so that places matter."""
    vendor.script(*[Reply(delay=0.02)] * count)


async def test_no_limit_is_broken_and_nobody_is_turned_away(tmp_path: Path) -> None:
    async with FakeVendor(limit_concurrent=4, limit_rpm=30, window=WINDOW - TRAVEL) as vendor:
        busy(vendor, AGENTS)
        config = provider(vendor.url, "concurrency = 4", "rpm = 30", 'window = "2s"')
        async with running(tmp_path, config) as gateway:
            statuses = await asyncio.gather(*(ask(gateway, number) for number in range(AGENTS)))
        assert Counter(statuses) == {200: AGENTS}
        assert (vendor.violations, vendor.highest, len(vendor.requests)) == (0, 4, AGENTS)
        assert {row["state"] for row in gateway.ledger()} == {"done"}


@pytest.mark.parametrize("seed", [1, 2])
async def test_agents_that_hang_up_change_nothing_for_the_others(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    ways: list[Leaves] = ["at once", "at the headers", "in mid-stream"]
    leaves: list[Leaves] = [
        dice.choice(ways) if number % 3 == 0 else "" for number in range(AGENTS)
    ]
    dice.shuffle(leaves)
    async with FakeVendor(limit_concurrent=4, limit_rpm=30, window=WINDOW - TRAVEL) as vendor:
        busy(vendor, AGENTS)
        config = provider(vendor.url, "concurrency = 4", "rpm = 30", 'window = "2s"')
        async with running(tmp_path, config) as gateway:
            statuses = await asyncio.gather(
                *(ask(gateway, number, how) for number, how in enumerate(leaves))
            )
            assert [seen.violation for seen in vendor.requests if seen.violation] == []
            stayed = [status for status, how in zip(statuses, leaves, strict=True) if not how]
            assert stayed == [200] * 40
            assert set(statuses) <= {0, 200}
        assert (vendor.violations, vendor.in_flight) == (0, 0)
        assert vendor.highest <= 4
        states = Counter(row["state"] for row in gateway.ledger())
        assert states["done"] >= 40 and set(states) <= {"done", "gone"}


async def test_each_key_has_limits_of_its_own(tmp_path: Path) -> None:
    keys = (
        'keys = [{ name = "a", value = "env:FAKE_KEY", concurrency = 1 },'
        ' { name = "b", value = "env:SECOND_KEY" }]'
    )
    async with FakeVendor(limit_concurrent=3) as vendor:
        busy(vendor, AGENTS)
        async with running(tmp_path, provider(vendor.url, "concurrency = 3", key=keys)) as gateway:
            statuses = await asyncio.gather(*(ask(gateway, number) for number in range(AGENTS)))
        assert Counter(statuses) == {200: AGENTS}
        assert (vendor.violations, vendor.highest) == (0, 4)
        used = Counter(each["key"] for row in gateway.ledger() for each in row["tries"])
        assert set(used) == {"a", "b"} and used["b"] > used["a"]


async def test_a_route_fills_all_its_lanes(tmp_path: Path) -> None:
    async with FakeVendor(limit_concurrent=2) as one, FakeVendor(limit_concurrent=2) as two:
        busy(one, AGENTS)
        busy(two, AGENTS)
        config = provider(one.url, "concurrency = 2", name="one")
        config += provider(two.url, "concurrency = 2", name="two")
        config += '[routes.both]\ncandidates = ["one/fake-model", "two/fake-model"]\n'
        config += 'order = "rotate"\n'  # in the order given, the later one joins after a while
        async with running(tmp_path, config) as gateway:
            path, upload = asking("chat", "both")
            replies = await asyncio.gather(
                *(post(gateway.url + path, upload=upload) for _ in range(AGENTS))
            )
        assert Counter(reply.status for reply in replies) == {200: AGENTS}
        assert one.violations == two.violations == 0
        assert (one.highest, two.highest) == (2, 2)


async def stand_in_line(gateway: Running, count: int) -> list[Agent]:
    """Let agents come one after another; the control API shows each before the next comes."""
    agents = []
    for number in range(count):
        path, upload = asking("chat", words=f"agent {number}")
        agent = await Agent.connect(gateway.url)
        payload = upload.payload()
        agent.writer.write(upload.head(gateway.url + path, len(payload)) + payload)
        await gateway.waiting(number + 1)
        agents.append(agent)
    return agents


async def test_a_lane_serves_in_order_of_arrival(tmp_path: Path) -> None:
    go = asyncio.Event()
    async with FakeVendor() as vendor:
        vendor.script(Reply(until=go))
        async with running(tmp_path, provider(vendor.url, "concurrency = 1")) as gateway:
            path, upload = asking("messages", words="first")
            first = await Agent.connect(gateway.url)
            payload = upload.payload()
            first.writer.write(upload.head(gateway.url + path, len(payload)) + payload)
            await vendor.arrived(1)
            agents = await stand_in_line(gateway, 8)
            shown = await gateway.control("/api/status")
            assert [each["position"] for each in shown["requests"]] == [None, *range(1, 9)]
            assert shown["counts"]["waiting"] >= 8
            agents[3].writer.transport.abort()
            await gateway.waiting(7)
            go.set()
            await vendor.ended(8)
            await vendor.idle()
            for agent in (first, *agents):
                await agent.close()
        said = [seen.json["messages"][0]["content"] for seen in vendor.requests]
        left = [number for number in range(8) if number != 3]
        assert said == ["first", *(f"agent {number}" for number in left)]


async def test_a_window_serves_in_order_of_arrival(tmp_path: Path) -> None:
    async with FakeVendor(limit_rpm=3, window=1.8) as vendor:
        # One at once: requests that leave together may arrive in any order.
        config = provider(vendor.url, "rpm = 3", 'window = "2s"', "concurrency = 1")
        async with running(tmp_path, config) as gateway:
            path, upload = asking("chat", words="before")
            for _ in range(3):
                assert (await post(gateway.url + path, upload=upload)).status == 200
            agents = await stand_in_line(gateway, 3)
            shown = (await gateway.control("/api/status"))["lanes"][0]
            assert shown["minute"]["limit"] == shown["minute"]["used"] == 3
            assert shown["minute"]["next_at"] is not None
            await vendor.ended(6)
            for agent in agents:
                await agent.close()
        said = [seen.json["messages"][0]["content"] for seen in vendor.requests[3:]]
        assert (said, vendor.violations) == (["agent 0", "agent 1", "agent 2"], 0)


# Turned away.


async def second(
    gateway: Running, vendor: FakeVendor, dialect: DialectName, streamed: bool
) -> RawReply:
    """Take the only place for good and give the reply to the next request."""
    path, upload = asking(dialect, stream=streamed)
    vendor.script(Reply(until=asyncio.Event()))
    agent = await Agent.connect(gateway.url)
    payload = upload.payload()
    agent.writer.write(upload.head(gateway.url + path, len(payload)) + payload)
    await vendor.arrived(len(vendor.requests) + 1)
    try:
        return await post(gateway.url + path, upload=upload)
    finally:
        agent.writer.transport.abort()
        await vendor.idle()


def said_of(dialect: DialectName, reply: RawReply) -> str:
    """Check a 429 and give its message."""
    assert reply.status == 429
    assert 1 <= int(reply.header("Retry-After") or 0) <= 60
    error = reply.json["error"]
    match dialect:
        case "chat" | "responses":
            assert (error["type"], error["code"]) == ("rate_limit_error", "rate_limit_exceeded")
        case "messages":
            assert error["type"] == "rate_limit_error"
        case "gemini":
            assert (error["code"], error["status"]) == (429, "RESOURCE_EXHAUSTED")
    return str(error["message"])


LIMITS = {
    "wait_whole": ('[queue]\nwait_whole = "300ms"\n', (), False),
    "wait": ('[queue]\nwait = "300ms"\n', (), True),
    "queue_wait": ("", ('queue_wait = "300ms"',), True),
}


@pytest.mark.parametrize(
    ("dialect", "limit"),
    [
        *((dialect, "wait_whole") for dialect in DIALECT_NAMES),
        ("messages", "wait"),
        ("chat", "queue_wait"),
    ],
)
async def test_who_waited_too_long_is_turned_away_with_429(
    tmp_path: Path, dialect: DialectName, limit: str
) -> None:
    section, lines, streamed = LIMITS[limit]
    async with FakeVendor(limit_concurrent=1) as vendor:
        config = section + provider(vendor.url, "concurrency = 1", *lines)
        async with running(tmp_path, config) as gateway:
            message = said_of(dialect, await second(gateway, vendor, dialect, streamed))
            assert message.startswith("fake: ") and "300ms" in message
            await gateway.free(within=1.0)
            path, upload = asking(dialect, stream=streamed)
            assert (await post(gateway.url + path, upload=upload)).status == 200
        assert (vendor.violations, len(vendor.requests)) == (0, 2)


async def test_it_is_told_which_limit_it_was_with_its_number(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        config = '[queue]\nwait_whole = "300ms"\n' + provider(vendor.url, "concurrency = 1")
        async with running(tmp_path, config) as gateway:
            message = said_of("chat", await second(gateway, vendor, "chat", False))
            assert "1 request at once" in message or "1 requests at once" in message


async def test_retry_after_is_when_the_window_has_room(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        config = '[queue]\nwait_whole = "300ms"\n'
        config += provider(vendor.url, "rpm = 1", 'window = "4s"')
        async with running(tmp_path, config) as gateway:
            path, upload = asking("chat")
            assert (await post(gateway.url + path, upload=upload)).status == 200
            reply = await post(gateway.url + path, upload=upload)
            said_of("chat", reply)
            assert int(reply.header("Retry-After") or 0) in (3, 4, 5)
        assert len(vendor.requests) == 1


async def test_a_streamed_request_waits_as_long_as_it_takes(tmp_path: Path) -> None:
    async with FakeVendor(limit_rpm=1, window=0.9) as vendor:
        config = '[queue]\nwait_whole = "300ms"\n'
        config += provider(vendor.url, "rpm = 1", 'window = "1s"')
        async with running(tmp_path, config) as gateway:
            path, upload = asking("chat", stream=True)
            for _ in range(2):
                assert (await post(gateway.url + path, upload=upload)).status == 200
        assert vendor.violations == 0
        first, last = (row["waited"] for row in gateway.ledger())
        assert first == 0 and 0.3 < last < 5.0
