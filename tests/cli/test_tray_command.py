"""`gateway serve --tray` and `gateway tray` where no icon can be had."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.cli.serving import gateway, serving

NO_SCREEN = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
# A display that nobody serves.
DEAD = {"DISPLAY": ":4653", "WAYLAND_DISPLAY": ""}


@pytest.mark.parametrize("more", [NO_SCREEN, DEAD])
async def test_serve_says_in_a_line_why_there_is_none(tmp_path: Path, more: dict[str, str]) -> None:
    async with serving(tmp_path, more={**more, "PYSTRAY_BACKEND": "xorg"}) as served:
        await served.says("no tray: ")
        served.send(signal.SIGTERM)
        assert await served.ended() == 0
    (line,) = [line for line in served.err if "tray" in line]
    assert not any("Traceback" in line for line in served.err), served.err
    assert "there is no screen here" in line or "DisplayConnectionError" in line


async def test_serve_without_a_tray_says_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path, "--no-tray", more=NO_SCREEN) as served:
        served.send(signal.SIGTERM)
        assert await served.ended() == 0
    assert "tray" not in "".join(served.err)


@pytest.mark.parametrize("more", [NO_SCREEN, DEAD])
async def test_who_asks_for_a_tray_that_cannot_be_had_gets_no_gateway(
    tmp_path: Path, more: dict[str, str]
) -> None:
    done = await gateway(
        tmp_path, "serve", "--tray", "--port", "0", more={**more, "PYSTRAY_BACKEND": "xorg"}
    )
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("no tray: ") and len(done.err.splitlines()) == 1


async def test_an_icon_needs_a_gateway(tmp_path: Path) -> None:
    done = await gateway(tmp_path, "tray", more=DEAD)
    assert done.code == 1
    assert "no gateway is running" in done.err


async def test_an_icon_needs_a_screen(tmp_path: Path) -> None:
    async with serving(tmp_path, "--no-tray") as served:
        done = await gateway(tmp_path, "tray", more=NO_SCREEN)
        assert done.code == 1
        assert done.err.startswith("no tray: there is no screen here")
        served.send(signal.SIGTERM)
        assert await served.ended() == 0
