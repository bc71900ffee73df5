"""A person has a provider tested while the gateway runs: keys that are well rest no longer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from holdgate.core.values.names import DialectName
from tests.fakes.agents import get, post
from tests.fakes.vendor import FakeVendor, Reply, error
from tests.journeys.gateway import (
    SECOND_KEY,
    VENDOR_KEY,
    Json,
    Running,
    asking,
    done,
    provider,
    running,
    token,
    told,
)

TWO: tuple[DialectName, ...] = ("chat", "messages")
PATH = "/api/providers/fake/test"
TWO_KEYS = (
    'keys = [{ name = "a", value = "env:FAKE_KEY" }, { name = "b", value = "env:SECOND_KEY" }]'
)


async def answered(gateway: Running) -> int:
    """Ask something and give the status."""
    path, upload = asking("chat")
    return (await post(gateway.url + path, upload=upload)).status


async def lane(gateway: Running) -> Json:
    found: Json = (await gateway.control("/api/status"))["lanes"][0]
    return found


async def refused(gateway: Running, vendor: FakeVendor) -> None:
    """Let the vendor refuse the key, so that it rests."""
    vendor.script(Reply(401))
    assert await answered(gateway) == 502
    assert "refused" in (await lane(gateway))["rest"]["why"]


async def test_a_refused_key_that_passes_is_asked_again(tmp_path: Path) -> None:
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        await refused(gateway, vendor)
        assert await answered(gateway) == 502
        assert len(vendor.requests) == 1  # a refused key is not asked

        shown = await done(gateway, PATH)
        assert (shown["provider"], shown["passed"], shown["lifted"]) == ("fake", True, ["default"])
        assert [set(each) for each in shown["tests"]] == [
            {"key", "dialect", "model", "ms", "status", "reason"}
        ] * 4
        assert {each["dialect"] for each in shown["tests"]} == {*TWO, "responses", "gemini"}
        assert all(each["model"] == "fake-model" for each in shown["tests"])

        assert (await lane(gateway))["rest"] is None
        assert await answered(gateway) == 200
        assert (await done(gateway, PATH, {"model": None}))["lifted"] == []  # there is none left


@pytest.mark.parametrize(
    ("status", "lifted"), [(404, ["default"]), (400, ["default"]), (401, []), (429, []), (500, [])]
)
async def test_one_dialect_passes_and_the_other_one_fails(
    tmp_path: Path, status: int, lifted: list[str]
) -> None:
    async with (
        FakeVendor() as vendor,
        running(tmp_path, provider(vendor.url, dialects=TWO)) as gateway,
    ):
        await refused(gateway, vendor)
        vendor.script(Reply(status), path="*/messages")
        shown = await done(gateway, PATH)
        assert not shown["passed"]
        assert [(each["status"], not each["reason"]) for each in shown["tests"]] == [
            (200, True),
            (status, False),
        ]
        assert shown["lifted"] == lifted
        assert ((await lane(gateway))["rest"] is None) == bool(lifted)


async def test_each_key_has_its_own_verdict(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        config = provider(vendor.url, key=TWO_KEYS, dialects=("chat",))
        async with running(tmp_path, config) as gateway:
            for _ in range(2):
                vendor.script(Reply(401))
                await answered(gateway)
            shown = await gateway.control("/api/status")
            resting = [each["key"] for each in shown["lanes"] if each["rest"]]
            vendor.script(Reply(401), key=SECOND_KEY)
            shown = await done(gateway, PATH, {"model": "another"})
            assert shown["lifted"] == [key for key in resting if key == "a"]
            assert {each["model"] for each in shown["tests"]} == {"another"}
            assert {seen.key for seen in vendor.requests} == {VENDOR_KEY, SECOND_KEY}


async def test_a_key_that_is_quoted_is_masked(tmp_path: Path) -> None:
    async with (
        FakeVendor() as vendor,
        running(tmp_path, provider(vendor.url, dialects=("chat",))) as gateway,
    ):
        vendor.script(error("chat", 401, f"no such key: {VENDOR_KEY}"))
        reply = await told(gateway, PATH)
        assert VENDOR_KEY.encode() not in reply.body
        assert "no such key: ***" in reply.json["tests"][0]["reason"]


async def test_a_test_counts_in_the_limits_and_waits_for_nobody(tmp_path: Path) -> None:
    go = asyncio.Event()
    async with FakeVendor() as vendor:
        config = provider(vendor.url, "concurrency = 1", "rpm = 2", dialects=("chat",))
        async with running(tmp_path, config) as gateway, asyncio.TaskGroup() as group:
            vendor.script(Reply(until=go), Reply(until=go))
            asks = group.create_task(answered(gateway))
            await vendor.arrived(1)
            test: asyncio.Task[Any] = group.create_task(done(gateway, PATH))
            await vendor.arrived(2)
            shown = await lane(gateway)
            assert (shown["running"], shown["minute"]["used"]) == (2, 2)
            go.set()
            assert (await asks, (await test)["passed"]) == (200, True)
            assert (await done(gateway, PATH))["passed"]  # the minute is full
            shown = await lane(gateway)
            assert (shown["running"], shown["minute"]["used"]) == (0, 3)


async def test_who_hangs_up_ends_the_test(tmp_path: Path) -> None:
    never = asyncio.Event()
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        vendor.script(Reply(until=never))
        asked = asyncio.ensure_future(told(gateway, PATH))  # noqa: TID251 (cancelled below)
        await vendor.arrived(1)
        asked.cancel()
        await vendor.left(1)
        await gateway.free()
        never.set()
    assert len(vendor.requests) == 1


async def test_a_list_of_models_that_is_known_is_enough(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        table = provider(vendor.url, dialects=("chat",)).replace("models =", "# models =")
        async with running(tmp_path, table) as gateway:
            vendor.script(Reply(401), path="*/models")
            vendor.script(Reply(404), path="*/chat/completions")
            (test,) = (await done(gateway, PATH))["tests"]
            assert "cannot be had" in test["reason"] and "--model" in test["reason"]
            await get(gateway.url + "/v1/models")
            await refused(gateway, vendor)
            vendor.script(Reply(401), path="*/models")
            shown = await done(gateway, PATH)
            assert (shown["tests"][0]["model"], shown["lifted"]) == ("fake-model", ["default"])


async def test_nothing_to_ask_is_an_error(tmp_path: Path) -> None:
    async with FakeVendor(models=()) as vendor:
        table = provider(vendor.url, dialects=("chat",)).replace("models =", "# models =")
        off = 'keys = [{ name = "a", value = "env:FAKE_KEY", on = false }]'
        config = table + provider(vendor.url, name="off", key=off)
        async with running(tmp_path, config) as gateway:
            reply = await told(gateway, PATH)
            assert reply.status == 404 and "--model" in reply.json["error"]["message"]
            reply = await told(gateway, "/api/providers/off/test")
            assert reply.status == 400 and "switched off" in reply.json["error"]["message"]


@pytest.mark.parametrize(
    "body", [b'{"model": 7}', b'{"model": ""}', b'{"key": "a"}', b"[]", b"{", b"7"]
)
async def test_a_wrong_body_tests_nothing(tmp_path: Path, body: bytes) -> None:
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        assert (await told(gateway, PATH, body)).status == 400
        assert vendor.requests == []


async def test_who_may_test_what(tmp_path: Path) -> None:
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        reply = await told(gateway, "/api/providers/nobody/test")
        assert reply.status == 404
        assert "gateway provider list" in reply.json["error"]["message"]
        assert (await post(gateway.url + PATH)).status == 401
        read = await gateway.asked(PATH)
        assert (read.status, read.header("Allow")) == (405, "POST")
        for path in ("/api/providers/fake", "/api/providers/fake/tests", "/api/providers//x/test"):
            reply = await post(gateway.url + path, headers=token(gateway))
            assert reply.status in (404, 405), path
        assert (
            "/api/providers/NAME/test" in (await gateway.asked("/api/no")).json["error"]["message"]
        )
        assert vendor.requests == []
