"""Edits of config.toml by commands: the rest of the file stays, and a wrong result never lands."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from holdgate.core.config.load import load, read_text
from holdgate.core.config.problems import ConfigError, Problem
from holdgate.core.config.watch import stamp_of
from holdgate.core.editing.base import MISSING, BrokenText, CannotChange, KeyPath
from holdgate.core.editing.files import write_whole
from holdgate.core.editing.toml_editor import TomlEditor
from holdgate.core.values.settings import Settings

# A key and its new value; MISSING takes it out.
Change = tuple[KeyPath, object]

_TOML = TomlEditor()
_BY_HAND = "cannot be changed here without disturbing the file; change it with: gateway config edit"


def add(path: Path, key_path: KeyPath, value: object) -> Settings:
    """Set a key that is not there yet, see `change`; one that is there is refused, too."""
    return change(path, [(key_path, value)], new=key_path)


def change(path: Path, changes: Iterable[Change], new: KeyPath = ()) -> Settings:
    """Make several changes in one step: all of them or none. Gives the settings that are now there.

    The file and the tables above a key are made as needed. `new`: a key that must not be there yet,
    () for none. Raises ConfigError, and leaves the file alone, if the result is wrong or cannot be
    written.
    """
    stamp = stamp_of(path)
    text = _new_text(path, changes, new)
    settings = load(text, str(path))
    if stamp_of(path) != stamp:
        raise _refusal(path, "was changed by somebody else just now; try again")
    try:
        write_whole(path, text)
    except OSError as error:
        raise _refusal(path, f"cannot be written: {error.strerror or error}") from error
    return settings


def preview(path: Path, changes: Iterable[Change]) -> Settings:
    """Give the settings as `change` would leave them, and write nothing. Raises ConfigError."""
    return load(_new_text(path, changes), str(path))


def _new_text(path: Path, changes: Iterable[Change], new: KeyPath = ()) -> str:
    """Give the text as it will be. Raises ConfigError."""
    text = _toml_text(path)
    if new and _TOML.value(text, new) is not MISSING:
        raise _refusal(path, "is there already; somebody added it just now", new)
    for key_path, value in changes:
        try:
            text = _changed(text, key_path, value)
        except CannotChange as error:
            raise _refusal(path, _BY_HAND, key_path) from error
    return text


def _changed(text: str, key_path: KeyPath, value: object) -> str:
    if value is MISSING:
        return _TOML.without(text, key_path)
    return _TOML.with_value(text, key_path, value)


def _toml_text(path: Path) -> str:
    """Give the text, "" if there is no file. Raises ConfigError for what is no TOML."""
    text = read_text(path) or ""
    try:
        _TOML.value(text, ())
    except BrokenText:
        load(text, str(path))  # tells where
    return text


def _refusal(path: Path, says: str, key_path: KeyPath = ()) -> ConfigError:
    key = ".".join(str(part) for part in key_path)
    return ConfigError([Problem(str(path), 0, key, says=says)])
