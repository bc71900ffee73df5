"""The texts of entries: what is written is what the systems' own parsers read."""

from __future__ import annotations

import json
import plistlib
import subprocess
import sys
from pathlib import Path

import pytest

from holdgate.core.autostart.entries import (
    desktop_entry,
    launch_agent,
    run_command,
    shown_command,
    user_unit,
)
from tests.packaging.validators import PATIENCE, desktop_problems, unit_problems

NAMES = [
    "plain",
    "a b",
    "50%u",
    "it's",
    'say "hi"',
    "a$HOME",
    "back\\slash",
    "`date`",
    "ü;#&|",
    "~",
]
ENVIRON = {"HOLDGATE_HOME": 'a "b" $c %d \\e'}
names = pytest.mark.parametrize("name", NAMES)


def recorder(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a program that records how it was started; give it and its record."""
    record = folder / "record.json"
    program = folder / name / "gateway"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\n"
        "import json, os, sys\n"
        'said = [sys.argv, os.environ.get("HOLDGATE_HOME")]\n'
        f"with open({str(record) + '.new'!r}, 'w') as file: json.dump(said, file)\n"
        f"os.replace({str(record) + '.new'!r}, {str(record)!r})\n"
    )
    program.chmod(0o755)
    return program, record


@pytest.mark.system("gio")
@names
def test_a_desktop_starts_what_is_meant(tmp_path: Path, name: str) -> None:
    program, record = recorder(tmp_path, name)
    file = tmp_path / "holdgate.desktop"
    file.write_text(desktop_entry([str(program), "serve", name], ENVIRON))
    subprocess.run(["gio", "launch", file], check=True, timeout=PATIENCE, capture_output=True)
    # gio does not wait for the program.
    subprocess.run(
        ["/bin/sh", "-c", 'until [ -e "$1" ]; do sleep 0.02; done', "sh", record],
        check=True,
        timeout=PATIENCE,
    )
    assert json.loads(record.read_text()) == [[str(program), "serve", name], *ENVIRON.values()]


@pytest.mark.system("desktop-file-validate")
@names
def test_a_desktop_entry_is_valid(tmp_path: Path, name: str) -> None:
    assert desktop_problems(desktop_entry([f"/opt/{name}/gateway", "serve"], {}), tmp_path) == ""


@pytest.mark.system("systemd-analyze")
@names
def test_systemd_finds_the_program(tmp_path: Path, name: str) -> None:
    program, _ = recorder(tmp_path, name)
    unit = user_unit([str(program), "serve"], ENVIRON)
    assert unit_problems(unit, tmp_path, user=True) == ""
    if set(name) & set("\"'\\"):  # in a program's path systemd has none of these
        assert "\nExecStart=/usr/bin/env " in unit
        return
    program.unlink()
    assert "is not executable" in unit_problems(unit, tmp_path, user=True)


def test_the_words_of_a_unit_are_quoted() -> None:
    unit = user_unit(["/a b/$x%", "serve", "$y", 'a"\\'], {"HOLDGATE_HOME": "/h $x%"})
    assert r'ExecStart="/a b/$x%%" serve "$$y" "a\"\\"' in unit.splitlines()
    assert 'Environment="HOLDGATE_HOME=/h $x%%"' in unit.splitlines()
    # An exit by which `gateway serve` says that starting again is of no use.
    assert "RestartPreventExitStatus=2 3 4" in unit.splitlines()


@pytest.mark.parametrize("tray", [True, False])
def test_an_agent_of_launchd(tray: bool) -> None:
    words = ["/a & <b>/gateway", "serve"]
    agent = plistlib.loads(launch_agent(words, {}, tray=tray, errors="/e").encode())
    assert agent["ProgramArguments"] == words
    assert agent["Label"] == "holdgate.gateway"
    assert agent["RunAtLoad"] is True
    # Plain true would undo the icon's Quit.
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert agent.get("LimitLoadToSessionType") == ("Aqua" if tray else None)


def test_a_command_of_windows_is_quoted() -> None:
    assert run_command([r"C:\a b\pythonw.exe", "-m", "x"]) == r'"C:\a b\pythonw.exe" -m x'


def test_what_is_started_is_shown() -> None:
    words = ["/a b/gateway", "serve"]
    assert shown_command(desktop_entry(words, {})) == '"/a b/gateway" serve'
    assert shown_command(user_unit(words, {})) == '"/a b/gateway" serve'
    assert shown_command(launch_agent(words, {}, tray=True, errors="")) == "/a b/gateway serve"
    assert shown_command("<plist oh") == ""
    assert shown_command("anything") == ""
