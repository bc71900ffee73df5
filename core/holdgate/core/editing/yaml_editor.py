"""The editor of YAML: entries of blocks are lines put in or taken out, values are replaced."""

from __future__ import annotations

from collections.abc import Iterator

from holdgate.core.editing.base import BOM, MISSING, BrokenText, CannotChange, Item, KeyPath, Path
from holdgate.core.editing.flow import Node, cuts, insert, line_start, newline_of, spliced
from holdgate.core.editing.plain import changed, found, made, named, numbered, reduced, same
from holdgate.core.editing.spans import Spanned
from holdgate.core.editing.undoing import undoable
from holdgate.core.editing.yaml_blocks import (
    with_entry,
    with_lines,
    with_new_value,
    without_entry,
)
from holdgate.core.editing.yaml_style import YamlStyle, in_line
from holdgate.core.editing.yaml_tree import Entry, YamlNode, read_data, read_entries


class YamlEditor(Spanned):
    """An Editor of YAML texts (1.2) of one document; what has more of them is BrokenText, too.

    New entries are written as blocks, below the last one of their mapping or list, or in brackets
    where that is in brackets. What an alias or a merge key brings in cannot be changed.
    """

    def value(self, text: str, path: Path) -> object:
        """Give the plain value at `path`, or MISSING."""
        return found(_read(text), path)

    def with_value(self, text: str, path: Path, value: object) -> str:
        """Give `text` with `path` set. Raises CannotChange."""
        data = _read(text, path)
        wanted = changed(data, path, named(value))
        if same(data, wanted):
            return text
        bom = BOM if text.startswith(BOM) else ""
        new = bom + _set(text.removeprefix(BOM), data, path, found(wanted, path))
        return undoable(self, text, path, _proved(new, wanted))

    def without(self, text: str, path: Path) -> str:
        """Give `text` without `path`, and without a comment that follows it in its line.

        Of a block from which the last entry goes, {} or [] remains.
        """
        data = _read(text)
        if found(data, path) is MISSING:
            return text
        if not path:
            return ""
        bom = BOM if text.startswith(BOM) else ""
        body = text.removeprefix(BOM)
        wanted = reduced(data, path)
        for new in _removals(body, data, path):
            try:
                return _proved(bom + new, wanted)
            except CannotChange:
                continue
        raise CannotChange("the file's layout does not allow it")

    def span(self, text: str, path: Path) -> tuple[int, int] | None:
        """Give where the value at `path` stands, or None."""
        data = _read(text)
        if not path or found(data, path) is MISSING:
            return None
        _, node, rest = _reached(read_entries(text.removeprefix(BOM)), numbered(data, path))
        span = _inside(node.flow, rest) if node.flow else node
        if node.kind in ("map", "list") or span.start == span.end:
            return None
        start = len(BOM) if text.startswith(BOM) else 0
        return span.start + start, span.end + start


def _read(text: str, path: Path = ()) -> object:
    """Give parsed data; of an empty text what the first step of `path` wants it to be."""
    data = read_data(text.removeprefix(BOM))
    if data is None:
        return [] if path and isinstance(path[0], Item) else {}
    return data


def _proved(text: str, wanted: object) -> str:
    """Give a text that means what it should. Raises CannotChange for another."""
    try:
        data = read_data(text.removeprefix(BOM))
        if same(data, wanted) or (data is None and wanted in ({}, [])):
            return text
    except BrokenText as error:
        raise CannotChange("the file's layout does not allow it") from error
    raise CannotChange("the file's layout does not allow it")


def _set(text: str, data: object, path: Path, value: object) -> str:
    known = max(n for n in range(len(path) + 1) if found(data, path[:n]) is not MISSING)
    there, missing = numbered(data, path[:known]), path[known:]
    step, new = made(missing, value) if missing else ("", value)
    key = step if isinstance(step, str) else None
    root = read_entries(text)
    style = YamlStyle(newline_of(text), _unit(text, root))
    if not there and (root is None or root.kind == "leaf"):
        return with_lines(text, len(text), style.entry(key, new, ""), style.newline)
    above, node, rest = _reached(root, there)
    if node.flow and missing:
        return spliced(text, insert(text, _inside(node.flow, rest), key, new, style))
    if missing:
        return with_entry(text, node, key, new, style)
    if node.flow and rest:
        old = _inside(node.flow, rest)
        return text[: old.start] + in_line(value) + text[old.end :]
    if above is None:
        raise CannotChange("the whole of a file is not replaced")
    return with_new_value(text, above, value, style)


def _removals(text: str, data: object, path: Path) -> Iterator[str]:
    steps, root = numbered(data, path), read_entries(text)
    above, node, rest = _reached(root, steps[:-1])
    if node.flow:
        inner = _inside(node.flow, rest)
        for splices in cuts(text, inner, _flow_at(inner, steps[-1]), YamlStyle(newline_of(text))):
            yield spliced(text, splices)
    else:
        yield from without_entry(text, node, _entry_at(node, steps[-1]), above)


def _reached(root: YamlNode | None, path: KeyPath) -> tuple[Entry | None, YamlNode, KeyPath]:
    """Give the value at a path and the entry that holds it, or one in brackets and what is left."""
    if root is None:
        raise CannotChange("the file's layout does not allow it")
    above, node = None, root
    for at, step in enumerate(path):
        if node.flow:
            return above, node, path[at:]
        above = node.entries[_entry_at(node, step)]
        node = above.node
    return above, node, ()


def _inside(node: Node, path: KeyPath) -> Node:
    for step in path:
        node = node.children[_flow_at(node, step)].node
    return node


def _entry_at(node: YamlNode, step: str | int) -> int:
    """Give which entry a step leads to. Raises CannotChange for what a merge key brings in."""
    places = [at for at, each in enumerate(node.entries) if step in (each.key, at)]
    return _one_of(places)


def _flow_at(node: Node, step: str | int) -> int:
    places = [at for at, each in enumerate(node.children) if step in (*each.keys, at)]
    return _one_of(places)


def _one_of(places: list[int]) -> int:
    if len(places) != 1:
        raise CannotChange("an alias or a merge key brings it in")
    return places[0]


def _unit(text: str, root: YamlNode | None) -> str:
    """Give what the first mapping in another one is indented more."""
    for entry in root.entries if root else ():
        if entry.node.kind == "map" and entry.key is not None:
            return " " * (_column(text, entry.node.start) - _column(text, entry.start))
    return "  "


def _column(text: str, at: int) -> int:
    return at - line_start(text, at)
