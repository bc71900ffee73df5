"""What every test may use: tests that need a part of the system which may be missing.

`@pytest.mark.system("ipv6")` leaves the test out where that part is missing. What was left out is
named and counted at the end; with `--strict-system` it fails instead.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest


def _ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as bound:
            bound.bind(("::1", 0))
    except OSError:
        return False
    return True


def _keyring() -> bool:
    """A secret store that can be read without asking anybody."""
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.get_password("holdgate-tests", "none")
    except KeyringError:
        return False
    return True


def _pty() -> bool:
    """Terminals that a test can hold the other end of."""
    return find_spec("pty") is not None and find_spec("termios") is not None


def _chromium() -> bool:
    """A browser, and the driver that steers it."""
    return all(map(shutil.which, ("chromium", "chromedriver"))) and bool(find_spec("selenium"))


def _bash() -> bool:
    """Bash that can be told to keep an order; that of macOS is too old."""
    test = "((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404))"
    return _is_program("bash") and subprocess.run(["bash", "-c", test], check=False).returncode == 0


def _is_program(name: str) -> bool:
    return shutil.which(name) is not None


def _pypi() -> bool:
    """An index of packages, wherever pip is told to look for it."""
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--retries", "1")
    with tempfile.TemporaryDirectory() as folder:
        download = (*pip, "download", "--quiet", "--no-deps", "--dest", folder, "six")
        return subprocess.run(download, capture_output=True, check=False).returncode == 0


def _freezing() -> bool:
    """What PyInstaller needs beyond Python: Python's shared library, and binutils."""
    try:
        import_module("PyInstaller.depend.bindepend").get_python_library_path()
    except Exception:  # it has errors of its own
        return False
    return all(map(shutil.which, ("objcopy", "objdump"))) and bool(find_spec("pystray"))


def _hadolint() -> bool:
    return Path(sys.executable).with_name("hadolint").exists()


def _tray() -> bool:
    """A display of our own, a panel that shows icons, and all that draws them."""
    programs = ("Xvfb", "dbus-daemon", "trayer", "xdotool", "xwininfo")
    if not all(map(shutil.which, programs)) or not find_spec("pystray") or not find_spec("gi"):
        return False
    gi = import_module("gi")
    try:
        gi.require_version("Gtk", "3.0")
        gi.require_version("AyatanaAppIndicator3", "0.1")
    except ValueError:
        return False
    return True


# A new part: its name, and whether it is there.
PARTS: dict[str, Callable[[], bool]] = {
    "ipv6": _ipv6,
    "keyring": _keyring,
    "pty": _pty,
    "pypi": _pypi,
    "freezing": _freezing,
    "hadolint": _hadolint,
    **{
        name: partial(_is_program, name)
        for name in ("desktop-file-validate", "gio", "systemd-analyze", "zsh", "fish")
    },
    "chromium": _chromium,
    "bash": _bash,
    "tray": _tray,
}

LEFT_OUT = pytest.StashKey[Counter[tuple[str, str]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--strict-system",
        action="store_true",
        help="fail tests that need a part of the system which is missing, instead of leaving out",
    )
    parser.addoption(
        "--screenshots",
        action="store_true",
        help="write the pictures of the page in docs/images/ anew",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what cannot run here."""
    left_out = config.stash[LEFT_OUT] = Counter()
    gone = [item for item in items if _missing(item)]
    if not gone or config.getoption("--strict-system"):
        return
    for item in gone:
        left_out[", ".join(_missing(item)), item.nodeid.partition("::")[0]] += 1
    items[:] = [item for item in items if item not in gone]
    config.hook.pytest_deselected(items=gone)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """With --strict-system only: others do not get here."""
    if missing := _missing(item):
        pytest.fail(f"this system has no {', '.join(missing)} (--strict-system)", pytrace=False)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In a process of several: hand what was left out to the one that tells it."""
    handed: dict[str, object] | None = getattr(session.config, "workeroutput", None)
    if handed is not None:
        left_out = session.config.stash.get(LEFT_OUT, Counter())
        handed["left_out"] = [(*where, count) for where, count in left_out.items()]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what one process left out: each of them collected all tests."""
    handed = getattr(node, "workeroutput", {}).get("left_out", ())
    told = Counter({(parts, file): count for parts, file, count in handed})
    node.config.stash[LEFT_OUT] = node.config.stash.get(LEFT_OUT, Counter()) | told


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for (parts, file), count in sorted(config.stash.get(LEFT_OUT, Counter()).items()):
        terminalreporter.write_line(f"left out for want of {parts}: {file}: {count}")


def _missing(item: pytest.Item) -> list[str]:
    needed = [part for mark in item.iter_markers("system") for part in mark.args]
    for part in needed:
        if part not in PARTS:
            raise pytest.UsageError(f"{item.nodeid}: no check for {part!r}; see tests/conftest.py")
    return [part for part in needed if not _is_there(part)]


@cache
def _is_there(part: str) -> bool:
    return PARTS[part]()
