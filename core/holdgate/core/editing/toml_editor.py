"""The editor of TOML: whole tables and keys are lines put in or taken out, values are replaced."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import cast

from holdgate.core.editing.base import BOM, MISSING, BrokenText, CannotChange, KeyPath, Path
from holdgate.core.editing.flow import cuts, insert, newline_of, spliced
from holdgate.core.editing.plain import changed, found, made, named, numbered, reduced, same
from holdgate.core.editing.spans import Spanned
from holdgate.core.editing.toml_blocks import with_pair, with_table, without_pair, without_tables
from holdgate.core.editing.toml_places import TomlPlaces
from holdgate.core.editing.toml_style import TomlStyle
from holdgate.core.editing.undoing import undoable

_DEEPEST_HEADER = 2  # names; what is deeper is inline
NewTable = tuple[tuple[str, ...], dict[str, object], bool]

_AT_LINE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)")


class TomlEditor(Spanned):
    """An Editor of TOML texts.

    A new key stands below the last one of its table, one of the top level above all tables. A new
    table stands at the end; its header has at most two names, what is deeper is inline. A table
    that only the headers below it name gets dotted keys at the top, and one that nothing names any
    more goes away with the last that was in it.
    """

    def value(self, text: str, path: Path) -> object:
        """Give the plain value at `path`, or MISSING."""
        return found(_read(text), path)

    def with_value(self, text: str, path: Path, value: object) -> str:
        """Give `text` with `path` set. Raises CannotChange, also for None, which TOML has not."""
        data = _read(text)
        wanted = changed(data, path, named(value))
        if same(data, wanted):
            return text
        bom = BOM if text.startswith(BOM) else ""
        body = text.removeprefix(BOM)
        new = bom + _set(body, data, path, found(wanted, path))
        _prove(new, [wanted])
        return undoable(self, text, path, new)

    def without(self, text: str, path: Path) -> str:
        """Give `text` without `path`, and without a comment that follows it in its line."""
        data = _read(text)
        if found(data, path) is MISSING:
            return text
        if not path:
            return ""
        bom = BOM if text.startswith(BOM) else ""
        return bom + _removed(text.removeprefix(BOM), data, path)

    def span(self, text: str, path: Path) -> tuple[int, int] | None:
        """Give where the value at `path` stands, or None."""
        data = _read(text)
        if not path or found(data, path) is MISSING:
            return None
        node = TomlPlaces(text.removeprefix(BOM)).node(numbered(data, path))
        start = len(BOM) if text.startswith(BOM) else 0
        return (node.start + start, node.end + start) if node else None


def _read(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text.removeprefix(BOM))
    except RecursionError as error:
        raise BrokenText("line 1: values are nested too deeply") from error
    except ValueError as error:
        place = _AT_LINE.search(str(error))
        end = text.rstrip("\r\n").count("\n") + 1
        line = int(place[1]) if place and place[1] else end
        raise BrokenText(f"line {line}: {_AT_LINE.sub('', str(error))}") from error


def _prove(text: str, wanted: list[object]) -> None:
    try:
        data = _read(text)
    except BrokenText as error:
        raise CannotChange("the file's layout does not allow it") from error
    if not any(same(data, each) for each in wanted):
        raise CannotChange("the file's layout does not allow it")


def _may_remain(data: object, path: Path) -> list[object]:
    """Give what may be left: without the path, and without what has become empty above it."""
    left = [reduced(data, path)]
    for length in range(len(path) - 1, 0, -1):
        if found(left[-1], path[:length]) not in ({}, []):
            break
        left.append(reduced(data, path[:length]))
    return left


def _set(text: str, data: object, path: Path, value: object) -> str:
    known = max(n for n in range(len(path) + 1) if found(data, path[:n]) is not MISSING)
    there, missing = numbered(data, path[:known]), path[known:]
    places, style = TomlPlaces(text), TomlStyle(newline_of(text))
    node = places.node(there)
    if not missing and node:
        return text[: node.start] + style.value(value) + text[node.end :]
    if not missing:
        return _set_table(text, found(data, there), there, value)
    if node:
        step, new = made(missing, value)
        key = step if isinstance(step, str) else None
        return spliced(text, insert(text, node, key, new, style))
    return _add(places, style, there, missing, value)


def _set_table(text: str, old: object, path: KeyPath, value: object) -> str:
    """Set a table that has lines: key by key."""
    if not isinstance(old, dict) or not isinstance(value, dict):
        raise CannotChange("a table cannot become something else here")
    for key in [each for each in old if each not in value]:
        text = _removed(text, _read(text), (*path, key))
    for key, each in value.items():
        data = _read(text)
        if not same(found(data, (*path, key)), each):
            text = _set(text, data, (*path, key), each)
    return text


def _add(places: TomlPlaces, style: TomlStyle, there: KeyPath, missing: Path, value: object) -> str:
    """Put what is missing into a table that has lines: as a table of its own, or as a key."""
    if new := _new_table(there, missing, value):
        header, body, array = new
        return with_table(places, style, header, body, array=array)
    step, inner = made(missing, value)
    if not isinstance(step, str):
        raise CannotChange("a list of tables cannot be changed here")
    return with_pair(places, style, there, step, inner)


def _new_table(there: KeyPath, missing: Path, value: object) -> NewTable | None:
    """Give a table's header, what is in it, and whether it is one of an array; None for a key."""
    names = (*there, *missing)
    array = next((at for at, step in enumerate(names) if not isinstance(step, str)), 0)
    if array:
        length = array if array <= _DEEPEST_HEADER else len(there)
        first = array
    else:
        length = min(len(names) - (not isinstance(value, dict)), _DEEPEST_HEADER)
        first = length - 1
    if length < array or length + (array > 0) <= len(there):
        return None
    body = made(missing[first - len(there) :], value)[1]
    if not isinstance(body, dict):
        return None
    return cast("tuple[str, ...]", names[:length]), body, array > 0


def _removed(text: str, data: object, path: Path) -> str:
    places, there = TomlPlaces(text), numbered(data, path)
    wanted = _may_remain(data, path)
    for new in _removals(text, places, there):
        try:
            _prove(new, wanted)
        except CannotChange:
            continue
        return new
    raise CannotChange("the file's layout does not allow it")


def _removals(text: str, places: TomlPlaces, path: KeyPath) -> Iterator[str]:
    pair, place = places.pair(path), places.place(path)
    if pair is None:
        yield without_tables(places, path)
    elif pair.path == path:
        yield without_pair(places, pair)
    elif place:
        for splices in cuts(text, *place, TomlStyle(newline_of(text))):
            yield spliced(text, splices)
