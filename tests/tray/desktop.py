"""A desktop for tests: an X display, a session bus and a panel that shows icons, all of their own.

Everything is started here and ended here by its own process id.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from PIL import Image, ImageChops, ImageGrab, ImageStat

from holdgate.icons.drawing import Style, picture
from holdgate.icons.look import Look
from tests.journeys.gateway import polled

PATIENCE = 20.0
# A number of its own: a free one might be that of a server which another run has just killed, and
# whose programs would come to ours.
XVFB = "Xvfb :{} -displayfd 1 -screen 0 640x480x24 -nolisten tcp -noreset"
_NUMBERS = itertools.count(1000 + os.getpid() % 5000 * 10)
# An icon's window in the tree of windows: its size and its place on the screen. All three backends
# draw into one that the panel has embedded.
_ICON = re.compile(
    r'\("(?:gateway|holdgate[^"]*|__main__.py)" .*?(\d+)x(\d+)\+\S+  \+(\d+)\+(\d+)', re.I
)
# A bus without service files: one of the system's would be started without a display, and fail.
_BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
"""


@dataclass(frozen=True, slots=True)
class Box:
    """A window's place on the screen."""

    width: int
    height: int
    x: int
    y: int

    @property
    def middle(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2


class Screen(Protocol):
    """Where a program is started; `environ` is what it needs there."""

    @property
    def environ(self) -> dict[str, str]: ...


@dataclass(frozen=True, slots=True)
class _NoScreen:
    environ: dict[str, str]


NO_SCREEN: Screen = _NoScreen({"DISPLAY": "", "WAYLAND_DISPLAY": ""})


@dataclass(slots=True)
class Desktop:
    """A running desktop."""

    environ: dict[str, str]
    browsed: Path
    server: asyncio.subprocess.Process
    bus: asyncio.subprocess.Process
    panel: asyncio.subprocess.Process | None = None
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def start_panel(self) -> None:
        """Start a panel that shows icons."""
        command = "trayer --edge top --align right --widthtype pixel --width 120 --height 32"
        self.panel = await started(self.stack, *command.split(), environ=self.environ)
        await polled(self.tree, lambda tree: '"panel"' in tree, PATIENCE)

    async def tree(self) -> str:
        """Give all windows, as xwininfo lists them; nothing if one vanished under its eyes."""
        process = await asyncio.create_subprocess_exec(
            *("xwininfo", "-root", "-tree"),
            env=self.environ,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        out, _ = await process.communicate()
        return out.decode() if process.returncode == 0 else ""

    async def told(self, *command: str) -> str:
        """Run a program on the desktop and give what it writes."""
        process = await asyncio.create_subprocess_exec(
            *command, env=self.environ, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
        assert process.returncode == 0, command
        return out.decode()

    async def icon(self) -> Box:
        """Wait for the icon in the panel; give where it is."""

        async def look() -> Box | None:
            boxes = [Box(*map(int, found)) for found in _ICON.findall(await self.tree())]
            # A window that no panel has taken in yet is one pixel, or stands elsewhere.
            return next((box for box in boxes if box.width > 10 and box.x > 400), None)

        found = await polled(look, lambda box: box is not None, PATIENCE)
        assert found is not None
        return found

    async def shows(self, look: Look, among: tuple[Look, ...], style: Style = "colour") -> None:
        """Wait until the icon looks like `look` rather than like any other of `among`."""
        await self.icon()

        async def nearest() -> Look:
            shot = self.shot(await self.icon())
            return min((look, *among), key=lambda each: _distance(shot, each, style))

        await polled(nearest, lambda found: found == look, PATIENCE)

    def shot(self, box: Box | None = None) -> Image.Image:
        """Give a picture of the screen, or of a part of it."""
        area = (box.x, box.y, box.x + box.width, box.y + box.height) if box else None
        return ImageGrab.grab(bbox=area, xdisplay=self.environ["DISPLAY"])

    async def click(self, button: int) -> None:
        """Click on the icon."""
        x, y = (await self.icon()).middle
        await self.told("xdotool", "mousemove", str(x), str(y), "click", str(button))

    async def choose(self, *keys: str) -> None:
        """Open the icon's menu and choose an item by keys."""
        before = len((await self.tree()).splitlines())
        await self.click(3)
        await polled(self.tree, lambda tree: len(tree.splitlines()) > before, PATIENCE)
        await self.told("xdotool", "key", "--delay", "60", *keys)


def _distance(shot: Image.Image, look: Look, style: Style) -> float:
    """Tell how much a picture of the screen differs from an icon, in the middle of its slot."""
    side = min(shot.size)
    left, top = (shot.width - side) // 2, (shot.height - side) // 2
    seen = shot.convert("RGB").crop((left, top, left + side, top + side))
    drawn = picture(look, side, style)
    # Corners show the panel, whatever its colour is.
    expected = seen.copy()
    expected.paste(drawn, (0, 0), drawn)
    return sum(ImageStat.Stat(ImageChops.difference(seen, expected)).mean)


@asynccontextmanager
async def desktop(
    folder: Path, more: Mapping[str, str], *, panel: bool = True
) -> AsyncIterator[Desktop]:
    """Run a desktop whose files lie in `folder`."""
    async with AsyncExitStack() as stack:
        server = await started(stack, *XVFB.format(next(_NUMBERS)).split(), environ={})
        number = await line_of(server)
        config = folder / "bus.conf"
        config.write_text(_BUS)
        bus = await started(
            stack,
            "dbus-daemon",
            f"--config-file={config}",
            "--print-address",
            "--nofork",
            environ={},
        )
        browsed = folder / "browsed"
        browser = folder / "browser"
        browser.write_text(f'#!/bin/sh\necho "$1" > {browsed}.new && mv {browsed}.new {browsed}\n')
        browser.chmod(0o755)
        environ = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "DISPLAY": f":{number}",
            "DBUS_SESSION_BUS_ADDRESS": await line_of(bus),
            "BROWSER": f"{browser} %s",
            "NO_AT_BRIDGE": "1",
            **more,
        }
        found = Desktop(environ, browsed, server, bus, stack=stack)
        if panel:
            await found.start_panel()
        yield found


async def started(
    stack: AsyncExitStack, *command: str, environ: Mapping[str, str]
) -> asyncio.subprocess.Process:
    """Start a program that ends with `stack`."""
    process = await asyncio.create_subprocess_exec(
        *command,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", **environ},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    stack.push_async_callback(_left, process)
    return process


async def _left(process: asyncio.subprocess.Process) -> None:
    """End a program that may clean up after itself: an X server leaves a lock otherwise."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, TimeoutError):
            process.terminate()
            await asyncio.wait_for(process.wait(), 3.0)
    await ended(process)


async def ended(process: asyncio.subprocess.Process) -> None:
    """Kill a process of ours, and read its pipe to the end."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    await process.communicate()


async def line_of(process: asyncio.subprocess.Process) -> str:
    """Wait for a program's next line."""
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        return (await process.stdout.readline()).decode().strip()
