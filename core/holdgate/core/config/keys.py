"""The keys of a provider: `key = "..."` or a list of tables."""

from __future__ import annotations

from holdgate.core.catalog import Preset
from holdgate.core.config.masks import is_reference
from holdgate.core.config.problems import Report
from holdgate.core.config.tables import Table, read_table
from holdgate.core.editing.base import KeyPath
from holdgate.core.values.settings import Key

ALLOWED_KEY = '"env:NAME", "keyring:NAME", "file:PATH", or the key itself in one line'
ALLOWED_KEYS = 'a list of tables such as [{ name = "home", value = "env:NAME" }]'


def read_keys(
    report: Report, table: Table, path: KeyPath, preset: Preset | None
) -> tuple[Key, ...]:
    """Give the keys of a provider's table, at least one.

    Without any in the table it is the preset's environment variable, or, where no key is needed, a
    key without a value: every provider has a lane.
    """
    if "key" in table and "keys" in table:
        report.says((*path, "keys"), "both key and keys are set; put all of them into keys")
        return (Key(),)
    if "key" in table:
        return (_read_key(report, table["key"], (*path, "key")),)
    if "keys" in table:
        return _read_list(report, table["keys"], (*path, "keys"))
    if preset and preset.needs_key:
        return (Key(value=f"env:{preset.key_env}"),)
    return (Key(),)


def _read_key(report: Report, value: object, path: KeyPath) -> Key:
    if isinstance(value, str) and _is_key(value):
        return Key(value=value)
    report.wrong(path, value, ALLOWED_KEY)
    return Key()


def _is_key(value: str) -> bool:
    """Tell whether a text can be sent as a key, or names where one is."""
    if is_reference(value):
        return bool(value.partition(":")[2].strip())
    return bool(value.strip()) and value.isprintable()


def _read_list(report: Report, value: object, path: KeyPath) -> tuple[Key, ...]:
    if not isinstance(value, list) or not value:
        report.wrong(path, value, ALLOWED_KEYS)
        return (Key(),)
    keys: list[Key] = []
    for index, item in enumerate(value):
        if not isinstance(item, dict):
            report.wrong((*path, index), item, 'a table such as { name = "home", value = "env:A" }')
            continue
        key = _read_entry(report, item, (*path, index))
        if any(other.name == key.name for other in keys):
            report.wrong((*path, index, "name"), key.name, "a name that no other key here has")
        keys.append(key)
    return tuple(keys) or (Key(),)


def _read_entry(report: Report, item: Table, path: KeyPath) -> Key:
    key = Key(**read_table(report, Key, item, path))
    if "value" not in item:
        report.says((*path, "value"), f"missing; allowed {ALLOWED_KEY}")
    elif key.value and not _is_key(key.value):
        report.wrong((*path, "value"), key.value, ALLOWED_KEY)
    return key
