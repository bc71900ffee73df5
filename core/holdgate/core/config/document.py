"""The document: a TOML text with one key set or removed, and every other byte as it was.

Whole tables and new keys are lines put in or taken out, so that a comment stays with the table it
stands above; a value is replaced in its place by tomlkit. Every result is compared with the same
change made to the plain data, since a broken file must never be written.
"""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import MutableSequence
from typing import TYPE_CHECKING, Any

from holdgate.core.editing.toml_lines import KeyPath, map_lines

if TYPE_CHECKING:
    from tomlkit.items import Item

_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # str.splitlines() knows more line ends than TOML
_LONE_LF = re.compile(r"(?<!\r)\n")
_IDLE = re.compile(r"\s*(#.*)?")  # a line without a key: blank, or a comment alone


class CannotChange(Exception):
    """A layout in which the change cannot be made without disturbing something else."""


def with_value(text: str, path: KeyPath, value: object) -> str:
    """Give `text` with the key at `path` set to a text, number, flag, list or dict.

    `text` must be TOML. Tables on the way are made. Raises CannotChange.
    """
    wanted = tomllib.loads(text)
    is_there = holds(wanted, path)
    try:
        _set_plain(wanted, path, value)
    except (TypeError, KeyError, IndexError) as error:
        raise CannotChange from error
    attempts = (_replace,) if is_there else (_insert_line, _append_table, _replace)
    for attempt in attempts:
        new = _attempt(attempt, text, path, value)
        if new is not None and _means(new, wanted):
            return _tidy(text, new)
    raise CannotChange


def without(text: str, path: KeyPath) -> str:
    """Give `text`, which must be TOML, without the key or table at `path`. Raises CannotChange."""
    wanted = tomllib.loads(text)
    try:
        _delete(wanted, path)
    except (TypeError, KeyError, IndexError) as error:
        raise CannotChange from error
    for attempt in (_cut_tables, _cut_key):
        new = _attempt(attempt, text, path, None)
        if new is not None and _means(new, wanted):
            return _tidy(text, new)
    raise CannotChange


def holds(data: object, path: KeyPath) -> bool:
    """Tell whether parsed TOML has something at `path`."""
    for part in path:
        match data:
            case dict() if part in data:
                data = data[part]
            case list() if isinstance(part, int) and part < len(data):
                data = data[part]
            case _:
                return False
    return True


def _attempt(attempt: Any, text: str, path: KeyPath, value: object) -> str | None:
    from tomlkit.exceptions import TOMLKitError

    try:
        new: str | None = attempt(text, path, value)
    except (TOMLKitError, ValueError, TypeError, KeyError, IndexError):
        return None  # tomlkit does not like this layout
    return new


def _means(text: str, wanted: object) -> bool:
    try:
        return bool(_pruned(tomllib.loads(text)) == _pruned(wanted))
    except ValueError:
        return False


def _pruned(data: object) -> object:
    """Give data without empty tables: a header that is gone takes its parents along."""
    if not isinstance(data, dict):
        return data
    kept = {key: _pruned(value) for key, value in data.items()}
    return {key: value for key, value in kept.items() if value not in ({}, [])}


def _tidy(old: str, new: str) -> str:
    """Keep the file's kind of line ends, and its last line without one if it had none."""
    if not old.endswith("\n") and new.count("\n") == old.count("\n") + 1:
        new = new.removesuffix("\n")
    if "\r\n" in old and not _LONE_LF.search(old):
        new = _LONE_LF.sub("\r\n", new)
    return new


# Changes of the plain data, in place.


def _set_plain(data: Any, path: KeyPath, value: object) -> None:
    for part in path[:-1]:
        if isinstance(data, dict):
            data.setdefault(part, {})
        data = data[part]
    data[path[-1]] = copy.deepcopy(value)


def _delete(data: Any, path: KeyPath) -> None:
    for part in path[:-1]:
        data = data[part]
    del data[path[-1]]


# Changes of the text: each gives the new text, or None where it does not apply.


def _insert_line(text: str, path: KeyPath, value: object) -> str | None:
    """Put a key behind the last one below its table's header."""
    if isinstance(value, dict) and len(path) <= 2:
        return None
    lines = _LINE.findall(text)
    for header, start in map_lines(text).headers:
        if header == path[:-1]:
            end = _end_of_block(text, lines, start)
            first = lines[start] if end > start else ""
            indent = first[: len(first) - len(first.lstrip())]
            lines[end - 1] = lines[end - 1].rstrip("\r\n") + "\n"
            lines.insert(end, indent + _dumped({str(path[-1]): _item(value, inline=True)}))
            return "".join(lines)
    return None


def _append_table(text: str, path: KeyPath, value: object) -> str | None:
    """Put a new table at the end of the text."""
    above = path if isinstance(value, dict) else path[:-1]
    header = above[:2]
    if not header or any(isinstance(part, int) for part in path):
        return None
    for part in reversed(path[len(header) :]):
        value = {str(part): value}
    nested: Any = _item(value, inline=False)
    for part in reversed(header):
        nested = {str(part): nested}
    gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
    return text + gap + _dumped(nested)


def _replace(text: str, path: KeyPath, value: object) -> str | None:
    """Set a value by tomlkit, which keeps the comment behind it."""
    import tomlkit
    from tomlkit.items import Array, InlineTable

    document = tomlkit.parse(text)
    parent: Any = document
    for part in path[:-1]:
        if isinstance(part, str) and part not in parent:
            parent[part] = tomlkit.inline_table()
        parent = parent[part]
    inline = len(path) > 2 or isinstance(parent, InlineTable | Array)
    parent[path[-1]] = _item(value, inline=inline)
    return tomlkit.dumps(document)


def _cut_key(text: str, path: KeyPath, _value: object) -> str | None:
    import tomlkit

    document = tomlkit.parse(text)
    _delete(document, path)
    return tomlkit.dumps(document)


def _cut_tables(text: str, path: KeyPath, _value: object) -> str | None:
    """Take out the lines of a table and of the tables below it."""
    lines = _LINE.findall(text)
    starts = [line for header, line in map_lines(text).headers if header[: len(path)] == path]
    for start in reversed(starts):
        end = _end_of_block(text, lines, start)
        gap = end
        while gap < len(lines) and not lines[gap].strip():
            gap += 1
        # One gap goes with the table; the last table takes the gap above it.
        last = gap == len(lines)
        while last and start > 1 and not lines[start - 2].strip():
            start -= 1
        del lines[start - 1 : gap]
    return "".join(lines) if starts else None


def _end_of_block(text: str, lines: list[str], start: int) -> int:
    """Give the last line of a table (counted from 1), without the comments of what follows.

    Comments right below the last key belong to the table if a gap parts them from what follows.
    """
    after = [line for _, line in map_lines(text).headers if line > start]
    stop = after[0] - 1 if after else len(lines)
    end = stop
    while end > start and _IDLE.fullmatch(lines[end - 1].rstrip("\r\n")):
        end -= 1
    gap = next((at for at in range(end, stop) if not lines[at].strip()), None)
    if gap is not None:
        return gap
    return end if after else stop


def _dumped(data: dict[str, Any]) -> str:
    import tomlkit

    return tomlkit.dumps(data)


def _item(value: object, *, inline: bool) -> Item:
    """Give a TOML item; what lies inside a table or list is in one line."""
    import tomlkit

    if isinstance(value, dict):
        table: Any = tomlkit.inline_table() if inline else tomlkit.table()
        for name, item in value.items():
            table[name] = _item(item, inline=True)
        result: Item = table
        return result
    if isinstance(value, MutableSequence | tuple):
        array = tomlkit.array()
        for entry in value:
            array.append(_item(entry, inline=True))
        return array.multiline(any(isinstance(entry, dict) for entry in value))
    return tomlkit.item(value)
