"""The editor of JSON, also with comments and trailing commas: places are found, and spliced."""

from __future__ import annotations

import re
from collections.abc import Iterable

from holdgate.core.editing.base import BOM, MISSING, BrokenText, CannotChange, Item, Path
from holdgate.core.editing.flow import (
    Node,
    Splice,
    begins_line,
    cuts,
    indent_at,
    insert,
    newline_before,
    spliced,
)
from holdgate.core.editing.json_style import style_of
from holdgate.core.editing.json_tree import read_tree
from holdgate.core.editing.plain import changed, found, index_of, made, named, reduced, same
from holdgate.core.editing.spans import Spanned
from holdgate.core.editing.undoing import undoable

_NEWLINE = re.compile(r"\r?\n")


class JsonEditor(Spanned):
    """An Editor of JSON texts. Of members with the same name the last counts; none is changed."""

    def value(self, text: str, path: Path) -> object:
        """Give the plain value at `path`, or MISSING."""
        return found(_plain(read_tree(text)), path)

    def with_value(self, text: str, path: Path, value: object) -> str:
        """Give `text` with `path` set. A new member is written like those around it, after them."""
        root = read_tree(text)
        old = _plain(root)
        wanted = changed({} if root is None else old, path, named(value))
        if same(old, wanted):
            return text
        new = _proved(text, wanted, [_set(text, root, path, found(wanted, path))])
        return undoable(self, text, path, new)

    def without(self, text: str, path: Path) -> str:
        """Give `text` without `path`, and without a comment that follows it in its line."""
        root = read_tree(text)
        if root is None or found(root.plain, path) is MISSING:
            return text
        wanted = reduced(root.plain, path)
        if not path:
            return _proved(text, wanted, [_cut_root(text, root)])
        parent, at = _place(root, path)
        return _proved(text, wanted, cuts(text, parent, at, style_of(text, root)))

    def span(self, text: str, path: Path) -> tuple[int, int] | None:
        """Give where the value at `path` stands, or None."""
        node = read_tree(text)
        if node is None or found(node.plain, path) is MISSING:
            return None
        for step in path:
            node = node.children[_child_at(node, step)].node
        return node.start, node.end


def _plain(root: Node | None) -> object:
    return MISSING if root is None else root.plain


def _proved(text: str, wanted: object, attempts: Iterable[list[Splice]]) -> str:
    """Give the first result that means what it should. Raises CannotChange if none does."""
    for splices in attempts:
        new = spliced(text, splices)
        try:
            if same(_plain(read_tree(new)), wanted):
                return new
        except BrokenText:
            continue
    raise CannotChange("the file's layout does not allow it")


def _place(root: Node, path: Path) -> tuple[Node, int]:
    """Give the node that holds the last step of a path, and which of its children that is."""
    node = root
    for step in path[:-1]:
        node = node.children[_child_at(node, step)].node
    return node, _child_at(node, path[-1])


def _child_at(node: Node, step: str | int | Item) -> int:
    """Give which child a step leads to, -1 if there is none. Raises CannotChange for two."""
    if isinstance(node.plain, list):
        at = index_of(node.plain, step)
        return -1 if at is None else at
    places = [at for at, child in enumerate(node.children) if child.keys == (step,)]
    if len(places) > 1:
        raise CannotChange(f"{step!r} is there {len(places)} times")
    return places[0] if places else -1


# Setting a value.


def _set(text: str, root: Node | None, path: Path, value: object) -> list[Splice]:
    style = style_of(text, root)
    if root is None:
        whole = made(("", *path), value)[1]
        return [_new_root(text, style.written(None, whole, ""), style.newline)]
    node, broad = root, True
    for depth, step in enumerate(path):
        at = _child_at(node, step)
        if at < 0:
            key = step if isinstance(step, str) else None
            return insert(text, node, key, made(path[depth:], value)[1], style, broad=broad)
        broad = begins_line(text, node.children[at].start)
        node = node.children[at].node
    new = style.written(None, value, indent_at(text, node.start) if broad else None)
    return [(node.start, node.end, new)]


def _new_root(text: str, written: str, newline: str) -> Splice:
    """Put a value into a text without one: below the comments, or as the first line."""
    start = len(BOM) if text.startswith(BOM) else 0
    if not text[start:].strip():
        return start, start, written + newline
    end = len(text.rstrip())
    line_end = _NEWLINE.search(text, end)
    if line_end is None:
        return len(text), len(text), newline + written
    return line_end.end(), line_end.end(), written + newline


# Removing a value.


def _cut_root(text: str, root: Node) -> list[Splice]:
    """Take out the whole value and the line end that `_new_root` has put there."""
    if after := _NEWLINE.match(text, root.end):
        return [(root.start, after.end(), "")]
    before = newline_before(text, root.start)
    at_line_start = before > 0 and _NEWLINE.fullmatch(text, before, root.start)
    return [(before if at_line_start else root.start, root.end, "")]
