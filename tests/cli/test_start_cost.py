"""What a person types often must come at once: the help loads nothing that it does not need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdgate.cli.main import COMMANDS
from tests.cli.serving import environ, untouched

HEAVY = {
    *("aiohttp", "tomlkit", "sqlite3", "asyncio", "httptools", "msgspec", "rich"),
    *("pystray", "PIL"),
}
MOST = 0.25  # seconds of CPU

_LIST = """
import sys
from importlib.metadata import entry_points
(program,) = entry_points(group="console_scripts", name="gateway")
main = program.load()
try:
    main(sys.argv[1:], prog_name="gateway")
except SystemExit as end:
    assert not end.code, end.code
print("\\n" + " ".join(sys.modules))
"""


def cpu_of_help(home: Path) -> float:
    """Give the CPU seconds that one `gateway --help` takes, start of Python included."""
    process = subprocess.Popen(
        [sys.executable, "-m", "holdgate", "--help"],
        stdout=subprocess.DEVNULL,
        env=environ(home),
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_utime + used.ru_stime


def test_the_help_takes_little_cpu(tmp_path: Path) -> None:
    assert min(cpu_of_help(tmp_path) for _ in range(3)) < MOST
    assert untouched(tmp_path)


@pytest.mark.parametrize("args", [("--help",), ("--version",), ("-h",)])
def test_the_help_imports_nothing_heavy(tmp_path: Path, args: tuple[str, ...]) -> None:
    assert _modules(tmp_path, *args).isdisjoint(HEAVY)


@pytest.mark.parametrize("command", list(COMMANDS))
def test_the_help_of_a_command_imports_no_server_and_no_ledger(
    tmp_path: Path, command: str
) -> None:
    loaded = _modules(tmp_path, command, "--help")
    assert loaded.isdisjoint({"aiohttp", "tomlkit", "sqlite3", "rich"})
    assert untouched(tmp_path)


def _modules(home: Path, *args: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", _LIST, *args],
        capture_output=True,
        text=True,
        check=True,
        env=environ(home),
        timeout=30,
    )
    loaded = set(done.stdout.rpartition("\n\n")[2].split())
    assert "click" in loaded
    return loaded
