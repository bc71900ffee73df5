"""`pipx install .` and `pipx install '.[tray]'`, with real pipx, from this folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.packaging.programs import HOUSE, run, serves

pytestmark = pytest.mark.system("pypi")
PIPX = Path(sys.executable).with_name("pipx")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for all that pipx writes; the second install finds the first one's pip there."""
    return tmp_path_factory.mktemp("pipx")


@pytest.fixture(scope="module")
def plain(home: Path) -> Path:
    return installed(home / "plain", str(HOUSE))


def installed(folder: Path, what: str) -> Path:
    """Install with pipx below a folder; give the folder with the programs."""
    run(PIPX, "install", "--python", sys.executable, what, more=pipx(folder))
    return folder / "bin"


def pipx(folder: Path) -> dict[str, str]:
    names = {
        "PIPX_HOME": "home",
        "PIPX_BIN_DIR": "bin",
        "PIPX_MAN_DIR": "man",
        "PIPX_COMPLETION_DIR": "completion",
        "PIPX_SHARED_LIBS": "../shared",
        "XDG_STATE_HOME": "state",  # logs
    }
    paths = {name: str(folder / below) for name, below in names.items()}
    return {**paths, "PIPX_DEFAULT_BACKEND": "pip"}


def test_both_programs_are_there(plain: Path) -> None:
    assert {path.name for path in plain.iterdir()} == {"gateway", "gateway-nogui"}
    for name in ("gateway", "gateway-nogui"):
        assert run(plain / name, "--version").stdout.startswith("holdgate ")


def test_it_needs_no_library_of_a_tray(plain: Path) -> None:
    listed = run(PIPX, "runpip", "holdgate", "list", more=pipx(plain.parent)).stdout.lower()
    assert "aiohttp" in listed
    assert "pystray" not in listed and "pillow" not in listed


def test_nogui_serves_without_the_extra(plain: Path, tmp_path: Path) -> None:
    serves(plain / "gateway-nogui", tmp_path)


def test_a_copy_in_a_temporary_folder_does_not_start_at_login(plain: Path, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": ""}
    refused = run(plain / "gateway", "autostart", "on", "--no-tray", more=home, code=1)
    assert "is a temporary folder" in refused.stderr
    assert "off" in run(plain / "gateway", "autostart", "status", more=home).stdout
    no_tray = run(plain / "gateway", "autostart", "on", "--tray", more=home, code=1)
    assert "holdgate[tray]" in no_tray.stderr
    assert list(tmp_path.iterdir()) == []


def test_with_the_extra_both_serve(home: Path, tmp_path: Path) -> None:
    programs = installed(home / "tray", f"{HOUSE}[tray]")
    listed = run(PIPX, "runpip", "holdgate", "list", more=pipx(home / "tray")).stdout.lower()
    assert "pystray" in listed and "pillow" in listed
    serves(programs / "gateway-nogui", tmp_path / "nogui")
    # Without a screen the icon is left out, and the gateway runs.
    serves(programs / "gateway", tmp_path / "gateway")
