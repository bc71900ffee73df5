"""PyInstaller freezes both programs into one folder, which runs without Python."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.packaging.programs import HOUSE, run, serves

pytestmark = pytest.mark.system("freezing")
SPEC = HOUSE / "packaging/pyinstaller/gateway.spec"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("frozen")
    paths = ("--distpath", str(built / "dist"), "--workpath", str(built / "work"))
    freeze = Path(sys.executable).with_name("pyinstaller")
    # This folder's code, whatever is installed.
    roots = os.pathsep.join(str(HOUSE / root) for root in ("cli", "core", "tray", "icons"))
    run(freeze, "--log-level", "ERROR", *paths, SPEC, more={"PYTHONPATH": roots})
    return built / "dist/holdgate"


@pytest.mark.parametrize("name", ["gateway", "gateway-nogui"])
def test_they_run(folder: Path, tmp_path: Path, name: str) -> None:
    assert run(folder / name, "--version").stdout.startswith("holdgate ")
    assert "serve" in run(folder / name, "--help").stdout
    serves(folder / name, tmp_path)


def test_what_comes_as_data_is_there(folder: Path, tmp_path: Path) -> None:
    """Presets, the catalogue of models, agents' recipes and the editors of their files."""
    gateway, home = folder / "gateway-nogui", {"HOME": str(tmp_path), "HOLDGATE_HOME": ""}
    assert "DEEPSEEK_API_KEY" in run(gateway, "presets", "deepseek", more=home).stdout
    config = tmp_path / "config.toml"
    config.write_text('[providers.a]\npreset = "anthropic"\nmodels = ["claude-haiku-4-5"]\n')
    assert "200,000" in run(gateway, "models", "--config", config, more=home).stdout
    extension = run(gateway, "run", "pi", "-m", "x", "--dry-run", more=home).stdout
    assert str(folder) in extension and "pi_provider.js" in extension
    for agent, words in (("continue", "models:"), ("codex", "[model_providers.holdgate]")):
        shown = run(gateway, "connect", agent, "-m", "x", "--dry-run", more=home).stdout
        assert words in shown and "nothing was written" in shown
    assert not list(tmp_path.glob(".[ck]*"))


@pytest.mark.parametrize("name", ["gateway", "gateway-nogui"])
def test_nogui_has_no_tray(folder: Path, name: str) -> None:
    viewer = Path(sys.executable).with_name("pyi-archive_viewer")
    listed = run(viewer, "--list", "--recursive", "--brief", folder / name).stdout
    assert "holdgate.cli.main" in listed and "holdgate.cli.commands.serve" in listed
    for module in ("pystray", "holdgate.tray", "PIL.Image"):
        assert (f" {module}\n" in listed) == (name == "gateway"), module


def test_a_program_that_will_be_gone_does_not_start_at_login(folder: Path, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": ""}
    refused = run(folder / "gateway-nogui", "autostart", "on", "--no-tray", more=home, code=1)
    assert f"{folder} is a temporary folder" in refused.stderr
