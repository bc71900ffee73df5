"""Whatever happens to the icon, its panel, its display or its readers: requests go on."""

from __future__ import annotations

import asyncio
import signal
import socket
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from holdgate.core.store.instance import read_runtime
from holdgate.icons.drawing import Style
from holdgate.icons.look import Look, State
from tests.cli.serving import Served
from tests.fakes.vendor import FakeVendor
from tests.tray.desktop import NO_SCREEN, Desktop, desktop, ended
from tests.tray.test_on_a_desktop import LOOKS, attached, drained, on_screen

BACKENDS = pytest.mark.parametrize("backend", ["gtk", "appindicator", "xorg"])
# What a request may take while an icon is in trouble: milliseconds, on a busy machine more.
SOON = 5.0


async def answers(served: Served, times: int = 3) -> None:
    """Requests are answered, and soon."""
    for _ in range(times):
        async with asyncio.timeout(SOON):
            assert await drained(served) == 200


async def ends_well(served: Served) -> None:
    served.send(signal.SIGTERM)
    assert await served.ended() == 0, served.err


def style_of(backend: str) -> Style:
    return "square" if backend == "xorg" else "colour"


async def shown(stack: AsyncExitStack, folder: Path, backend: str) -> tuple[Desktop, Served]:
    """Give a desktop and a gateway whose icon is there."""
    screen = await stack.enter_async_context(desktop(folder, {}))
    vendor = await stack.enter_async_context(FakeVendor())
    served = await stack.enter_async_context(on_screen(folder, vendor, screen, backend))
    await screen.shows(Look(State.IDLE), LOOKS, style_of(backend))
    return screen, served


@pytest.mark.system("tray")
@BACKENDS
async def test_the_display_is_killed(tmp_path: Path, backend: str) -> None:
    async with AsyncExitStack() as stack:
        screen, served = await shown(stack, tmp_path, backend)
        await ended(screen.server)
        await answers(served)
        await served.says("was lost")
        await ends_well(served)


@pytest.mark.system("tray")
@pytest.mark.parametrize("backend", ["gtk", "appindicator"])
async def test_the_session_bus_is_killed(tmp_path: Path, backend: str) -> None:
    async with AsyncExitStack() as stack:
        screen, served = await shown(stack, tmp_path, backend)
        await ended(screen.bus)
        await answers(served)
        await ends_well(served)


@pytest.mark.system("tray")
@BACKENDS
async def test_the_panel_is_killed_and_comes_again(tmp_path: Path, backend: str) -> None:
    async with AsyncExitStack() as stack:
        screen, served = await shown(stack, tmp_path, backend)
        assert screen.panel is not None
        await ended(screen.panel)
        await answers(served)
        await screen.start_panel()
        await screen.shows(Look(State.IDLE), LOOKS, style_of(backend))
        await answers(served)
        await ends_well(served)


@pytest.mark.system("tray")
async def test_an_icon_hangs_and_is_killed(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        screen = await stack.enter_async_context(desktop(tmp_path, {}))
        vendor = await stack.enter_async_context(FakeVendor())
        served = await stack.enter_async_context(
            on_screen(tmp_path, vendor, NO_SCREEN, "gtk", "--no-tray")
        )
        icon = await stack.enter_async_context(attached(tmp_path, screen, "gtk"))
        await screen.shows(Look(State.IDLE), LOOKS)
        icon.send_signal(signal.SIGSTOP)
        await answers(served, 10)
        icon.send_signal(signal.SIGKILL)
        await answers(served)
        await ends_well(served)


async def test_readers_of_the_events_that_stop_reading(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        vendor = await stack.enter_async_context(FakeVendor())
        served = await stack.enter_async_context(
            on_screen(tmp_path, vendor, NO_SCREEN, "gtk", "--no-tray")
        )
        readers = [stack.enter_context(deaf_reader(served)) for _ in range(5)]
        await answers(served, 20)
        for reader in readers:
            reader.setblocking(False)
            assert reader.recv(12) == b"HTTP/1.1 200"  # they were let in, and were told something
        await ends_well(served)


def deaf_reader(served: Served) -> socket.socket:
    """Ask for the events and never read them; there is hardly any room for them on the way."""
    runtime = read_runtime(served.home / "state")
    assert runtime is not None
    parts = urlsplit(runtime.url)
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    deaf.connect((parts.hostname, parts.port))
    deaf.sendall(
        f"GET /api/events HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        f"Authorization: Bearer {runtime.token}\r\n\r\n".encode()
    )
    return deaf
