"""The files: folders that can be written, secrets that only this person may read, the ledger."""

from __future__ import annotations

import os
import shlex
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from holdgate.core.config.places import Places
from holdgate.core.doctor.finding import Finding, fail, ok, warn
from holdgate.core.store.callers import FILE_NAME as KEYS
from holdgate.core.store.instance import RUNTIME_NAME
from holdgate.core.store.ledger import FILE_NAME as LEDGER

_STEPS = 20_000  # of SQLite's machine, between two looks at the clock
_LEDGER_WITHIN = 2.0
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class FolderFact:
    """A folder: `there` is the nearest one that exists, `writable` whether that may be written."""

    name: str
    path: Path
    there: Path | None
    writable: bool


@dataclass(frozen=True, slots=True)
class FileFact:
    """A file that may hold secrets; `mode` None: there is none, or the system has no modes."""

    name: str
    path: Path
    mode: int | None
    secret: bool


def examine_files(
    places: Places, monotonic: Callable[[], float], *, config_has_key: bool
) -> tuple[Finding, ...]:
    """Look at all folders and files of ours; `config_has_key`: a key stands in config.toml."""
    secrets = (
        FileFact("config file", places.config_file, mode_of(places.config_file), config_has_key),
        FileFact("gateway keys", places.state / KEYS, mode_of(places.state / KEYS), True),
        FileFact(
            "control token", places.state / RUNTIME_NAME, mode_of(places.state / RUNTIME_NAME), True
        ),
    )
    return (
        *(folder(each) for each in _folders(places)),
        *(finding for each in secrets for finding in readable(each)),
        *ledger(places.state / LEDGER, check_ledger(places.state / LEDGER, monotonic)),
    )


def folder(fact: FolderFact) -> Finding:
    """Judge a folder of ours."""
    name = f"{fact.name} folder"
    if fact.writable:
        return ok(name, f"{fact.path}{'' if fact.there == fact.path else ' (not made yet)'}")
    todo = f"chmod u+rwx {_quoted(fact.there or fact.path)}, or HOLDGATE_HOME=DIR for another place"
    return fail(name, f"{fact.path} cannot be written by this person", todo)


def readable(fact: FileFact) -> tuple[Finding, ...]:
    """Judge who may read a file."""
    if fact.mode is None:
        return ()
    if not fact.mode & _OTHERS:
        return (ok(fact.name, f"{fact.path} is this person's alone"),)
    if not fact.secret:
        return (ok(fact.name, f"{fact.path} may be read by others; no key stands in it"),)
    found = f"{fact.path} may be read by others (mode {fact.mode:o}), and holds a secret"
    return (warn(fact.name, found, f"chmod 600 {_quoted(fact.path)}"),)


def ledger(path: Path, wrong: str | None) -> tuple[Finding, ...]:
    """Judge the ledger; `wrong`: what is wrong with it, "" if nothing, None if there is none."""
    if wrong is None:
        return ()
    if not wrong:
        return (ok("ledger", f"{path} can be read"),)
    broken = f"mv {_quoted(path)} {_quoted(path.with_suffix('.broken'))}"
    todo = f"end the gateway, then: {broken}; the next start makes a new one"
    return (fail("ledger", f"{path}: {wrong}", todo),)


def mode_of(path: Path) -> int | None:
    """Give a file's permissions, None where there is no file or no such thing."""
    if os.name != "posix":
        return None
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None


def check_ledger(path: Path, monotonic: Callable[[], float]) -> str | None:
    """Read the ledger through, for a moment, without a change. See `ledger`."""
    if not path.exists():
        return None
    end = monotonic() + _LEDGER_WITHIN
    # Beside a ledger that nobody has open, even a reader would leave a log of SQLite's.
    is_open = path.with_name(f"{path.name}-wal").exists()
    uri = f"{path.as_uri()}?{'mode=ro' if is_open else 'immutable=1'}"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=1.0)) as db:
            db.set_progress_handler(lambda: monotonic() > end, _STEPS)
            found = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.OperationalError as error:
        # It is large, and nothing was wrong so far; or somebody writes just now.
        return "" if str(error) in ("interrupted", "database is locked") else str(error)
    except sqlite3.Error as error:
        return str(error)
    return "" if found == "ok" else str(found)


def _folders(places: Places) -> tuple[FolderFact, ...]:
    named = (
        ("config", places.config_file.parent), ("state", places.state),
        ("cache", places.cache), ("log", places.log),
    )  # fmt: skip
    return tuple(_fact(name, path) for name, path in named)


def _fact(name: str, path: Path) -> FolderFact:
    there = next((each for each in (path, *path.parents) if each.exists()), None)
    writable = there is not None and there.is_dir() and os.access(there, os.W_OK | os.X_OK)
    return FolderFact(name, path, there, writable)


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
