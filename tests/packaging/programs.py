"""Installed programs, run as people run them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import urllib.request
from collections.abc import Mapping
from pathlib import Path

HOUSE = Path(__file__).parents[2]
# Seconds; far more than anything takes, also where packages come over a slow line.
PATIENCE = 300.0


def run(
    *command: str | Path, more: Mapping[str, str] | None = None, code: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, which must be as expected."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environ(more), timeout=PATIENCE
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def environ(more: Mapping[str, str] | None) -> dict[str, str]:
    """Give the environment of a person who is not in any environment of Python's."""
    left_out = ("HOLDGATE_", "PYTHON", "VIRTUAL_ENV", "PIPX_", "DISPLAY", "WAYLAND_DISPLAY")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(left_out)}
    return {**kept, **(more or {})}


def serves(program: Path, home: Path) -> None:
    """Run `serve --demo` until it is ready, ask it, and end it as systemd would."""
    process = subprocess.Popen(
        [program, "serve", "--demo", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environ({"HOLDGATE_HOME": str(home)}),
    )
    try:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("ready "):
                break
        else:
            raise AssertionError((lines, process.communicate()))
        url = line.split()[1]
        with urllib.request.urlopen(f"{url}/v1/models", timeout=30) as reply:
            assert json.load(reply)["data"][0]["id"] == "demo/demo-model"
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.communicate()
