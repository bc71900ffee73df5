"""config.toml is watched: a valid change applies soon and drops nothing, a broken one is told."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from tests.fakes.agents import get, post, stream
from tests.fakes.vendor import FakeVendor, Reply, Until, chat_stream
from tests.journeys.gateway import (
    SECOND_KEY,
    Json,
    Running,
    asking,
    polled,
    provider,
    running,
)

SOON = 2.0  # seconds that a change may take


async def models(gateway: Running) -> list[str]:
    listed = (await get(gateway.url + "/v1/models")).json["data"]
    return [entry["id"] for entry in listed]


async def applied(gateway: Running, names: list[str]) -> None:
    await polled(lambda: models(gateway), lambda found: found == names, SOON)


def told(words: str, shown: Json) -> bool:
    return words in (shown["last_error"] or "")


def write(gateway: Running, text: str) -> None:
    gateway.config_file.write_text(text, encoding="utf-8")


async def test_a_valid_change_applies_without_dropping_a_stream(tmp_path: Path) -> None:
    go = asyncio.Event()
    events = chat_stream("one two three")
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        vendor.script(Reply(chunks=[*events[:3], Until(go), *events[3:]]))
        path, upload = asking("chat", stream=True)
        async with stream(gateway.url + path, upload=upload) as reply:
            await reply.read_until(events[2])
            more = provider(vendor.url, name="other", key='key = "env:SECOND_KEY"')
            write(gateway, more)  # the provider that streams is gone, too
            await applied(gateway, ["other/fake-model"])
            assert (await gateway.control("/api/status"))["last_error"] is None
            assert (await post(gateway.url + path, upload=upload)).status == 404
            path, upload = asking("chat", "other/fake-model")
            assert (await post(gateway.url + path, upload=upload)).status == 200
            assert vendor.requests[-1].key == SECOND_KEY
            go.set()
            whole = await reply.read_all()
        assert (whole.ended, whole.body) == ("whole", b"".join(events))
        assert any("applies now" in line for line in gateway.said)


async def test_a_broken_edit_keeps_the_old_one_and_is_told(tmp_path: Path) -> None:
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        right = provider(vendor.url)
        for broken, words in (
            (right + "conc = 3\n", "concurrency"),
            (right + "[oh\n", "TOML"),
        ):
            write(gateway, broken)
            shown = await gateway.until(partial(told, words), within=SOON)
            assert f"{gateway.config_file}:" in shown["last_error"]
            assert any(words in line for line in gateway.said)
            path, upload = asking("messages")
            assert (await post(gateway.url + path, upload=upload)).status == 200
            assert await models(gateway) == ["fake/fake-model"]
        write(gateway, provider(vendor.url, models='["mended"]'))
        await applied(gateway, ["fake/mended"])


async def test_a_key_in_a_broken_edit_is_not_told(tmp_path: Path) -> None:
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        write(gateway, f'[providers.fake]\nchat = 1\nkey = "{SECOND_KEY}"\n')
        shown = await gateway.until(lambda shown: shown["last_error"], within=SOON)
        assert SECOND_KEY not in str(shown) + str(gateway.said)


async def test_a_higher_limit_wakes_who_waits(tmp_path: Path) -> None:
    go = asyncio.Event()
    async with FakeVendor() as vendor:
        config = provider(vendor.url, "concurrency = 1")
        async with running(tmp_path, config) as gateway:
            vendor.script(Reply(until=go), Reply(until=go))
            path, upload = asking("gemini", stream=True)
            async with asyncio.TaskGroup() as group:
                for number in range(3):
                    group.create_task(post(gateway.url + path, upload=upload))
                    await vendor.arrived(1)
                    await gateway.waiting(number)
                write(gateway, provider(vendor.url, "concurrency = 2"))
                await vendor.arrived(2, within=SOON)
                await gateway.waiting(1)
                write(gateway, provider(vendor.url, "concurrency = 0"))
                await vendor.arrived(3, within=SOON)
                go.set()
        assert vendor.highest == 3


async def test_a_wider_window_wakes_who_waits(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        endless = "[queue]\nwait_whole = 0\n"  # else it would be turned away at once
        config = endless + provider(vendor.url, "rpm = 1", 'window = "1h"')
        async with running(tmp_path, config) as gateway:
            path, upload = asking("responses")
            assert (await post(gateway.url + path, upload=upload)).status == 200
            async with asyncio.TaskGroup() as group:
                waits = group.create_task(post(gateway.url + path, upload=upload))
                await gateway.waiting(1)
                write(gateway, endless + provider(vendor.url, "rpm = 2", 'window = "1h"'))
            assert waits.result().status == 200


async def test_a_lower_limit_holds_for_what_comes_next(tmp_path: Path) -> None:
    go = asyncio.Event()
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        vendor.script(*[Reply(until=go)] * 2)
        path, upload = asking("chat")
        async with asyncio.TaskGroup() as group:
            for _ in range(2):
                group.create_task(post(gateway.url + path, upload=upload))
            await vendor.arrived(2)
            write(gateway, provider(vendor.url, "concurrency = 1"))
            await gateway.until(lambda shown: shown["lanes"][0]["concurrency"] == 1, within=SOON)
            group.create_task(post(gateway.url + path, upload=upload))
            await gateway.waiting(1)
            assert len(vendor.requests) == 2
            go.set()
        assert vendor.highest == 2


async def test_the_port_changes_at_the_next_start_only(tmp_path: Path) -> None:
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        write(gateway, '[server]\nhost = "::1"\n' + provider(vendor.url, models='["new"]'))
        await applied(gateway, ["fake/new"])
        shown = await gateway.control("/api/status")
        assert "next start" in shown["last_error"] and shown["address"] == gateway.url


async def test_a_file_that_is_taken_away_is_an_empty_configuration(tmp_path: Path) -> None:
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        gateway.config_file.unlink()
        await applied(gateway, [])
        path, upload = asking("chat")
        assert (await post(gateway.url + path, upload=upload)).status == 404
