"""What every test may use: tests that need a part of the system which may be missing.

`@pytest.mark.system("ipv6")` leaves the test out where that part is missing. What was left out is
named and counted at the end; with `--strict-system` it fails instead.
"""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

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


# A new part: its name, and whether it is there.
PARTS: dict[str, Callable[[], bool]] = {"ipv6": _ipv6, "keyring": _keyring, "pty": _pty}

LEFT_OUT = pytest.StashKey[Counter[tuple[str, str]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--strict-system",
        action="store_true",
        help="fail tests that need a part of the system which is missing, instead of leaving out",
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
