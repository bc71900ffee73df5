"""Edits of config.toml by commands: the rest of the file stays, and a wrong result never lands."""

from __future__ import annotations

import os
import stat
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

from holdgate.core.config.document import CannotChange, holds, with_value, without
from holdgate.core.editing.toml_lines import KeyPath
from holdgate.core.config.load import load, read_text
from holdgate.core.config.problems import ConfigError, Problem
from holdgate.core.config.watch import stamp_of
from holdgate.core.values.settings import Settings

NEW_FILE_MODE = 0o600  # a key may be written into it
_BOM = "\ufeff"
_BY_HAND = "cannot be changed here without disturbing the file; change it with: gateway config edit"


def set_value(path: Path, key_path: KeyPath, value: object) -> Settings:
    """Set a key of the file at `path`, making the file and the tables above the key as needed.

    `value` is a text, number, flag, list or dict. Gives the settings that are now in the file.
    Raises ConfigError, and leaves the file alone, if the result is wrong or cannot be written.
    """
    return _edit(path, key_path, lambda text: with_value(text, key_path, value))


def remove(path: Path, key_path: KeyPath) -> bool:
    """Remove a key or a whole table, and tell whether it was there.

    Raises ConfigError, and leaves the file alone, if the result is wrong or cannot be written.
    """
    if not holds(tomllib.loads(_toml_text(path).removeprefix(_BOM)), key_path):
        return False
    _edit(path, key_path, lambda text: without(text, key_path))
    return True


def write_whole(path: Path, text: str) -> None:
    """Replace a file in one step: readers see the old text or the new one. Raises OSError.

    A link stays one, and the mode stays; a new file is readable by its owner alone.
    """
    target = path.resolve()
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode_of(target))
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _edit(path: Path, key_path: KeyPath, change: Callable[[str], str]) -> Settings:
    stamp = stamp_of(path)
    old = _toml_text(path)
    bom = _BOM if old.startswith(_BOM) else ""
    try:
        new = bom + change(old.removeprefix(_BOM))
    except CannotChange as error:
        raise _refusal(path, _BY_HAND, key_path) from error
    settings = load(new, str(path))
    if stamp_of(path) != stamp:
        raise _refusal(path, "was changed by somebody else just now; try again")
    try:
        write_whole(path, new)
    except OSError as error:
        raise _refusal(path, f"cannot be written: {error.strerror or error}") from error
    return settings


def _toml_text(path: Path) -> str:
    """Give the text, "" if there is no file. Raises ConfigError for what is no TOML."""
    text = read_text(path) or ""
    try:
        tomllib.loads(text.removeprefix(_BOM))
    except ValueError:
        load(text, str(path))  # tells where
    return text


def _mode_of(target: Path) -> int:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return NEW_FILE_MODE


def _refusal(path: Path, says: str, key_path: KeyPath = ()) -> ConfigError:
    key = ".".join(str(part) for part in key_path)
    return ConfigError([Problem(str(path), 0, key, says=says)])
