"""`gateway-nogui` never meets a tray: not even where one is installed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.serving import PATIENCE, environ, serving, untouched
from tests.fakes.agents import get

# Whatever belongs to a screen cannot be imported here. Arguments: what to do, then its own.
_GUARD = """
import sys

SCREEN = ("pystray", "PIL", "Xlib", "gi", "tkinter", "_tkinter", "AppKit", "holdgate.tray",
          "holdgate.icons")


class Guard:
    def find_spec(self, name, path=None, target=None):
        if any(name == part or name.startswith(part + ".") for part in SCREEN):
            raise RuntimeError(f"{name} was imported")
        return None


sys.meta_path.insert(0, Guard())
what, *args = sys.argv[1:]
if what == "import":
    __import__(args[0])
else:
    from importlib.metadata import entry_points

    (program,) = entry_points(group="console_scripts", name=what)
    program.load()(args, prog_name=what)
"""


def run(home: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _GUARD, *args],
        capture_output=True,
        text=True,
        check=False,
        env=environ(home),
        timeout=PATIENCE,
    )


@pytest.mark.parametrize(
    "args", [("--help",), ("serve", "--help"), ("status", "--help"), ("--version",)]
)
def test_its_help_needs_no_screen(tmp_path: Path, args: tuple[str, ...]) -> None:
    done = run(tmp_path, "gateway-nogui", *args)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
    assert untouched(tmp_path)


async def test_it_serves_without_a_screen(tmp_path: Path) -> None:
    program = ("-c", _GUARD, "gateway-nogui")
    async with serving(tmp_path, "--demo", program=program) as served:
        assert (await get(served.url + "/healthz")).json["status"] == "ok"
        listed = (await get(served.url + "/v1/models")).json["data"]
        assert listed[0]["id"] == "demo/demo-model"
        served.send(signal.SIGTERM)
        assert await served.ended() == 0, served.err


NO_ICON = "RuntimeError: holdgate.tray was imported"


async def test_the_guard_bites_gateway_serve(tmp_path: Path) -> None:
    """With a screen `gateway serve` would have an icon; under the guard it says why it has none."""
    program = ("-c", _GUARD, "gateway")
    async with serving(tmp_path, more={"DISPLAY": ":0"}, program=program) as served:
        assert NO_ICON in await served.says("no tray")
        served.send(signal.SIGTERM)
        assert await served.ended() == 0, served.err


async def test_with_a_screen_it_meets_no_tray_either(tmp_path: Path) -> None:
    program = ("-c", _GUARD, "gateway-nogui")
    async with serving(tmp_path, more={"DISPLAY": ":0"}, program=program) as served:
        served.send(signal.SIGTERM)
        assert await served.ended() == 0
        assert "tray" not in "".join(served.err)


@pytest.mark.parametrize("args", [("serve", "--tray"), ("tray",)])
def test_a_tray_is_wrong_usage(tmp_path: Path, args: tuple[str, ...]) -> None:
    done = run(tmp_path, "gateway-nogui", *args)
    assert done.returncode == 2
    assert "tray" in done.stderr
    assert untouched(tmp_path)


@pytest.mark.parametrize("module", ["holdgate.tray", "holdgate.icons", "pystray", "PIL.Image"])
def test_the_guard_bites(tmp_path: Path, module: str) -> None:
    done = run(tmp_path, "import", module)
    assert done.returncode == 1
    assert "was imported" in done.stderr


def test_the_guard_lets_the_rest_through(tmp_path: Path) -> None:
    assert run(tmp_path, "import", "holdgate.core.host").returncode == 0
