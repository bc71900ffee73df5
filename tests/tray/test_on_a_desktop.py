"""The icon on a real desktop: an X server, a session bus, a panel, real clicks and keys."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from holdgate.core.client import connect
from holdgate.icons.drawing import Style
from holdgate.icons.look import Look, State
from tests.cli.serving import HOLDGATE, Served, configure, environ, serving
from tests.fakes.agents import RawStream, stream
from tests.fakes.vendor import FakeVendor, Reply, Until, chat_stream, error
from tests.journeys.gateway import VENDOR_KEY, Json, asking, polled, provider
from tests.tray.desktop import (
    NO_SCREEN,
    PATIENCE,
    Desktop,
    Screen,
    desktop,
    ended,
    line_of,
    started,
)

pytestmark = pytest.mark.system("tray")

EVENTS = chat_stream("one two three")
LOOKS = (*(Look(state) for state in State), *(Look(State.WAITING, n) for n in (2, 3)))
MENUS = pytest.mark.parametrize("backend", ["gtk", "appindicator"])
# From the end of an idle gateway's menu: Quit, Notifications, Start at login, Copy address.
UP_TO_COPY = ("Up",) * 4
PASTE = """
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk
print(Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD).wait_for_text() or "")
"""
# A service of notifications that prints what it is told.
NOTIFIED = """
from gi.repository import Gio, GLib
XML = '<node><interface name="org.freedesktop.Notifications"><method name="Notify">' + "".join(
    f'<arg direction="in" type="{kind}"/>' for kind in ("s", "u", "s", "s", "s", "as", "a{sv}", "i")
) + '<arg direction="out" type="u"/></method><method name="CloseNotification">' \
    '<arg direction="in" type="u"/></method></interface></node>'

def called(bus, sender, path, interface, name, arguments, invocation):
    if name == "Notify":
        print(*arguments.unpack()[3:5], sep="|", flush=True)
    invocation.return_value(GLib.Variant("(u)", (1,)) if name == "Notify" else None)

def acquired(bus, name):
    bus.register_object("/org/freedesktop/Notifications",
                        Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], called)

Gio.bus_own_name(Gio.BusType.SESSION, "org.freedesktop.Notifications", 0, acquired,
                 lambda *_: print("ready", flush=True), None)
GLib.MainLoop().run()
"""


@asynccontextmanager
async def on_screen(
    folder: Path, vendor: FakeVendor, screen: Screen, backend: str, *args: str
) -> AsyncIterator[Served]:
    """Serve with one place at the vendor, and an icon of that backend."""
    configure(folder, provider(vendor.url, "concurrency = 1", dialects=("chat",)))
    more = {**screen.environ, "PYSTRAY_BACKEND": backend, "FAKE_KEY": VENDOR_KEY}
    async with serving(folder, *(args or ("--tray",)), more=more) as served:
        yield served


async def asked(stack: AsyncExitStack, served: Served) -> RawStream:
    path, upload = asking("chat", stream=True)
    return await stack.enter_async_context(stream(served.url + path, upload=upload))


async def status(served: Served) -> Json:
    found: Json = await asyncio.to_thread(connect(served.home / "state").get, "/api/status")
    return found


async def until(served: Served, **counts: int) -> None:
    async def look() -> Json:
        return dict((await status(served))["counts"])

    await polled(look, lambda found: counts.items() <= found.items(), PATIENCE)


async def until_paused(served: Served, paused: bool) -> None:
    await polled(
        lambda: status(served), lambda found: (found["paused"] is not None) == paused, PATIENCE
    )


@MENUS
async def test_icon_menu_and_quit(tmp_path: Path, backend: str) -> None:
    go = asyncio.Event()
    async with AsyncExitStack() as stack:
        screen = await stack.enter_async_context(desktop(tmp_path, {}))
        vendor = await stack.enter_async_context(FakeVendor())
        vendor.script(Reply(chunks=[*EVENTS[:3], Until(go), *EVENTS[3:]]))
        served = await stack.enter_async_context(on_screen(tmp_path, vendor, screen, backend))
        await screen.shows(Look(State.IDLE), LOOKS)

        first = await asked(stack, served)
        await first.read_until(EVENTS[2])
        await screen.shows(Look(State.WORKING), LOOKS)
        loop = asyncio.get_running_loop()
        waiting = [loop.create_task(drained(served)) for _ in range(2)]
        await until(served, waiting=2)
        await screen.shows(Look(State.WAITING, 2), LOOKS)
        waiting.append(asyncio.get_running_loop().create_task(drained(served)))
        await screen.shows(Look(State.WAITING, 3), LOOKS)

        await screen.choose("Down", "Return")  # what is greyed out is passed over
        await until_paused(served, True)
        await screen.shows(Look(State.PAUSED), LOOKS)
        await screen.choose("Down", "Return")
        await until_paused(served, False)
        await screen.shows(Look(State.WAITING, 3), LOOKS)

        await screen.choose("Up", "Return")
        assert "4 requests are open" in await served.says("are open")
        go.set()
        whole = await first.read_all()
        assert (whole.ended, whole.body) == ("whole", b"".join(EVENTS))
        assert await asyncio.gather(*waiting) == [200, 200, 200]
        assert await served.ended() == 0, served.err


async def drained(served: Served) -> int:
    """Ask, and give the status of the whole answer."""
    path, upload = asking("chat", stream=True)
    async with stream(served.url + path, upload=upload) as reply:
        whole = await reply.read_all()
        assert whole.ended == "whole"
        return whole.status


def titled(tree: str) -> bool:
    """Whether the window's title says who waits; it follows the icon by a moment."""
    return "2 waiting for fake (1 at once)" in tree and "1 running" in tree


async def test_where_there_is_no_menu_a_click_opens_the_page(tmp_path: Path) -> None:
    style: Style = "square"
    async with AsyncExitStack() as stack:
        screen = await stack.enter_async_context(desktop(tmp_path, {}))
        vendor = await stack.enter_async_context(FakeVendor())
        vendor.script(Reply(chunks=[*EVENTS[:3], Until(asyncio.Event())]))
        served = await stack.enter_async_context(on_screen(tmp_path, vendor, screen, "xorg"))
        await served.says("has no menu")
        await screen.shows(Look(State.IDLE), LOOKS, style)
        first = await asked(stack, served)
        await first.read_until(EVENTS[2])
        tasks = [asyncio.get_running_loop().create_task(drained(served)) for _ in range(2)]
        await screen.shows(Look(State.WAITING, 2), LOOKS, style)
        await polled(screen.tree, titled, PATIENCE)
        tasks[0].cancel()
        await screen.shows(Look(State.WAITING, 1), LOOKS, style)

        await screen.click(1)

        async def browsed() -> str:
            return screen.browsed.read_text().strip() if screen.browsed.exists() else ""

        url = await polled(browsed, bool, PATIENCE)
        assert url == connect(served.home / "state").page_url()
        tasks[1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        first.hang_up()
        served.send(signal.SIGINT)
        assert await served.ended() == 0, served.err


# Attached: `gateway tray` beside a gateway without a screen.


@asynccontextmanager
async def attached(
    home: Path, screen: Desktop, backend: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run `gateway tray`; whatever happens it ends here."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *(*HOLDGATE, "tray"),
        env=environ(home, {**screen.environ, "PYSTRAY_BACKEND": backend}),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        await ended(process)


async def test_an_attached_icon_follows_and_ends_a_headless_gateway(tmp_path: Path) -> None:
    backend = "appindicator"
    async with AsyncExitStack() as stack:
        screen = await stack.enter_async_context(desktop(tmp_path, {}))
        vendor = await stack.enter_async_context(FakeVendor())
        served = await stack.enter_async_context(
            on_screen(tmp_path, vendor, NO_SCREEN, backend, "--no-tray")
        )
        icon = await stack.enter_async_context(attached(tmp_path, screen, backend))
        await screen.shows(Look(State.IDLE), LOOKS)

        served.send(signal.SIGKILL)
        await served.ended()
        await screen.shows(Look(State.GONE), LOOKS)
        again = await stack.enter_async_context(
            on_screen(tmp_path, vendor, NO_SCREEN, backend, "--no-tray")
        )
        await screen.shows(Look(State.IDLE), LOOKS)
        await screen.choose("Down", "Return")
        await until_paused(again, True)

        await screen.choose("Up", "Return")
        assert await again.ended() == 0, again.err
        async with asyncio.timeout(PATIENCE):
            assert await icon.wait() == 0, await said(icon)


async def said(icon: asyncio.subprocess.Process) -> bytes:
    return (await icon.communicate())[0]


async def test_an_attached_icon_ends_alone(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        screen = await stack.enter_async_context(desktop(tmp_path, {}))
        vendor = await stack.enter_async_context(FakeVendor())
        served = await stack.enter_async_context(
            on_screen(tmp_path, vendor, NO_SCREEN, "gtk", "--no-tray")
        )
        icon = await stack.enter_async_context(attached(tmp_path, screen, "gtk"))
        await screen.icon()
        icon.send_signal(signal.SIGINT)
        async with asyncio.timeout(PATIENCE):
            assert await icon.wait() == 0
        assert await drained(served) == 200


async def test_a_panel_that_comes_later_gets_the_icon(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        screen = await stack.enter_async_context(desktop(tmp_path, {}, panel=False))
        vendor = await stack.enter_async_context(FakeVendor())
        served = await stack.enter_async_context(on_screen(tmp_path, vendor, screen, "gtk"))
        await served.says("no tray yet")
        await screen.start_panel()
        await screen.shows(Look(State.IDLE), LOOKS)


async def test_the_address_is_copied(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        screen = await stack.enter_async_context(desktop(tmp_path, {}))
        vendor = await stack.enter_async_context(FakeVendor())
        served = await stack.enter_async_context(on_screen(tmp_path, vendor, screen, "gtk"))
        await screen.shows(Look(State.IDLE), LOOKS)
        await screen.choose(*UP_TO_COPY, "Return")

        async def copied() -> str:
            return (await screen.told(sys.executable, "-c", PASTE)).strip()

        assert await polled(copied, bool, PATIENCE) == served.url


async def test_a_refused_key_is_notified_once(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        screen = await stack.enter_async_context(desktop(tmp_path, {}))
        service = await started(stack, sys.executable, "-c", NOTIFIED, environ=screen.environ)
        assert await line_of(service) == "ready"
        vendor = await stack.enter_async_context(FakeVendor())
        vendor.script(error("chat", 401, "no such key"))
        served = await stack.enter_async_context(on_screen(tmp_path, vendor, screen, "gtk"))
        await screen.shows(Look(State.IDLE), LOOKS)
        assert await drained(served) == 502
        await screen.shows(Look(State.ERROR), LOOKS)
        assert (
            await line_of(service)
            == "fake, key default: key refused|key refused (HTTP 401: no such key)"
        )
