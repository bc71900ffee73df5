"""A vendor's key in a file of its own is read again when the file changes."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.fakes.agents import post
from tests.fakes.vendor import FakeVendor, Reply
from tests.journeys.gateway import (
    SECOND_KEY,
    VENDOR_KEY,
    Running,
    asking,
    polled,
    provider,
    running,
)

SOON = 2.0  # seconds that a change may take


def config_of(vendor: FakeVendor, file: Path) -> str:
    return provider(vendor.url, key=f"key = 'file:{file}'")


async def status(gateway: Running) -> int:
    path, upload = asking("messages")
    return (await post(gateway.url + path, upload=upload)).status


async def becomes(gateway: Running, wanted: int) -> None:
    await polled(lambda: status(gateway), lambda found: found == wanted, SOON)


async def changes(gateway: Running, count: int) -> list[str]:
    """Wait until so many changes were told; give how."""

    async def told() -> list[str]:
        return [line for line in gateway.said if "applies now" in line]

    return await polled(told, lambda lines: len(lines) >= count, SOON)


async def test_a_refused_key_is_mended_in_its_file(tmp_path: Path) -> None:
    file = tmp_path / "vendor.key"
    file.write_text(f"{SECOND_KEY}\n")
    async with FakeVendor() as vendor:
        vendor.script(Reply(401), key=SECOND_KEY)
        async with running(tmp_path / "home", config_of(vendor, file)) as gateway:
            assert await status(gateway) == 502
            assert await status(gateway) == 502
            assert len(vendor.requests) == 1  # it is not asked any more
            file.write_text(f"{VENDOR_KEY}\n")
            await becomes(gateway, 200)
            assert vendor.requests[-1].key == VENDOR_KEY
            assert await changes(gateway, 1) == [f"a key file changed and applies now: {file}"]
            assert (await gateway.control("/api/status"))["lanes"][0]["rest"] is None


async def test_a_key_file_comes_and_goes(tmp_path: Path) -> None:
    file = tmp_path / "vendor.key"
    async with (
        FakeVendor() as vendor,
        running(tmp_path / "home", config_of(vendor, file)) as gateway,
    ):
        assert await status(gateway) == 502
        file.write_text(VENDOR_KEY)
        await becomes(gateway, 200)
        file.unlink()
        await becomes(gateway, 502)
        assert len(await changes(gateway, 2)) == 2


async def test_it_applies_although_the_configuration_is_broken_by_now(tmp_path: Path) -> None:
    file = tmp_path / "vendor.key"
    file.write_text(SECOND_KEY)
    async with (
        FakeVendor() as vendor,
        running(tmp_path / "home", config_of(vendor, file)) as gateway,
    ):
        gateway.config_file.write_text("[oh\n")
        await gateway.until(lambda shown: shown["last_error"], within=SOON)
        file.write_text(VENDOR_KEY)
        await changes(gateway, 1)
        assert await status(gateway) == 200
        assert vendor.requests[-1].key == VENDOR_KEY


async def test_the_files_of_a_new_configuration_are_watched(tmp_path: Path) -> None:
    old, new = tmp_path / "old.key", tmp_path / "new.key"
    for file in (old, new):
        file.write_text(SECOND_KEY)
    async with (
        FakeVendor() as vendor,
        running(tmp_path / "home", config_of(vendor, old)) as gateway,
    ):
        gateway.config_file.write_text(config_of(vendor, new))
        assert await changes(gateway, 1) == ["config.toml changed and applies now"]
        old.write_text("nobody-reads-this")
        new.write_text(VENDOR_KEY)
        told = await changes(gateway, 2)
        assert told[1:] == [f"a key file changed and applies now: {new}"]
        assert await status(gateway) == 200
        assert vendor.requests[-1].key == VENDOR_KEY


async def test_what_is_under_way_keeps_its_key(tmp_path: Path) -> None:
    file = tmp_path / "vendor.key"
    file.write_text(SECOND_KEY)
    go = asyncio.Event()
    async with (
        FakeVendor() as vendor,
        running(tmp_path / "home", config_of(vendor, file)) as gateway,
    ):
        vendor.script(Reply(until=go))
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(status(gateway))
            await vendor.arrived(1)
            file.write_text(VENDOR_KEY)
            await changes(gateway, 1)
            go.set()
        assert (asked.result(), vendor.requests[0].key) == (200, SECOND_KEY)
