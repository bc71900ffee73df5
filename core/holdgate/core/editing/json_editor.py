"""The editor of JSON, also with comments and trailing commas: places are found, and spliced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from holdgate.core.editing.base import MISSING, BrokenText, CannotChange, Item, Path
from holdgate.core.editing.json_style import (
    Style,
    after_comments,
    begins_line,
    indent_at,
    newline_before,
    style_of,
)
from holdgate.core.editing.json_tree import BOM, Child, Node, read_tree
from holdgate.core.editing.plain import changed, found, index_of, made, reduced, same

# What takes the place of text[start:end].
Splice = tuple[int, int, str]

_NEWLINE = re.compile(r"\r?\n")
_LINE_END = re.compile(r"[ \t]*(?:\r?\n|\Z)")


class JsonEditor:
    """An Editor of JSON texts. Of members with the same name the last counts; none is changed."""

    def value(self, text: str, path: Path) -> object:
        """Give the plain value at `path`, or MISSING."""
        return found(_plain(read_tree(text)), path)

    def with_value(self, text: str, path: Path, value: object) -> str:
        """Give `text` with `path` set. A new member is written like those around it, after them."""
        root = read_tree(text)
        old = _plain(root)
        wanted = changed({} if root is None else old, path, value)
        if same(old, wanted):
            return text
        return _proved(text, wanted, [_set(text, root, path, found(wanted, path))])

    def without(self, text: str, path: Path) -> str:
        """Give `text` without `path`, and without a comment that follows it in its line."""
        root = read_tree(text)
        if root is None or found(root.plain, path) is MISSING:
            return text
        wanted = reduced(root.plain, path)
        if not path:
            return _proved(text, wanted, [_cut_root(text, root)])
        parent, at = _place(root, path)
        return _proved(text, wanted, _cuts(text, parent, at))


def _plain(root: Node | None) -> object:
    return MISSING if root is None else root.plain


def _proved(text: str, wanted: object, attempts: Iterable[list[Splice]]) -> str:
    """Give the first result that means what it should. Raises CannotChange if none does."""
    for splices in attempts:
        new = text
        for start, end, put in sorted(splices, reverse=True):
            new = new[:start] + put + new[end:]
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
    places = [at for at, child in enumerate(node.children) if child.key == step]
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
            return _insert(text, node, (key, made(path[depth:], value)[1]), style, broad=broad)
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


def _insert(
    text: str, node: Node, entry: tuple[str | None, object], style: Style, *, broad: bool
) -> list[Splice]:
    """Put a member or item last. `broad`: the container's own member begins a line."""
    if not node.children:
        return [_insert_first(text, node, entry, style, broad=broad)]
    last = node.children[-1]
    after = last.comma + 1 if last.comma >= 0 else last.node.end
    place = after_comments(text, after)
    indent = _indent_after(text, node, last, place, style)
    lead = _separator(text, node, style) if indent is None else style.newline + indent
    put = lead + style.written(*entry, indent)
    if last.comma >= 0:
        return [(place, place, put + ",")]
    if place == after:
        return [(after, after, "," + put)]
    return [(after, after, ","), (place, place, put)]


def _indent_after(text: str, node: Node, last: Child, place: int, style: Style) -> str | None:
    """Give the indentation of a line for a new last child, None if it stays in the last one's."""
    if begins_line(text, last.start):
        return indent_at(text, last.start)
    if _line_comment_ends(text, last.node.end, place):
        return indent_at(text, node.start) + style.unit
    return None


def _insert_first(
    text: str, node: Node, entry: tuple[str | None, object], style: Style, *, broad: bool
) -> Splice:
    inside = node.start + 1
    outer = indent_at(text, node.start)
    end = len(text[: node.end - 1].rstrip())
    if node.end - node.start == 2:
        if not broad:
            return inside, inside, style.written(*entry, None)
        put = style.newline + outer + style.unit + style.written(*entry, outer + style.unit)
        return inside, inside, put + style.newline + outer
    if end == inside:
        # Right behind the bracket, so that what is between them comes back with the removal.
        return inside, inside, style.written(*entry, None)
    if "\n" in text[end : node.end]:
        comment = text.index("/", inside)
        indent = indent_at(text, comment) if begins_line(text, comment) else outer + style.unit
        return end, end, style.newline + indent + style.written(*entry, indent)
    return end, end, (style.gap or " ") + style.written(*entry, None)


def _separator(text: str, node: Node, style: Style) -> str:
    """Give what stands between a comma and the next child of one line."""
    if len(node.children) > 1:
        between = text[node.children[0].comma + 1 : node.children[1].start]
        if not between.strip(" \t"):
            return between
    return style.gap


def _line_comment_ends(text: str, start: int, place: int) -> bool:
    return start < place and _NEWLINE.match(text, place) is not None


# Removing a value.


def _cut_root(text: str, root: Node) -> list[Splice]:
    """Take out the whole value and the line end that `_new_root` has put there."""
    if after := _NEWLINE.match(text, root.end):
        return [(root.start, after.end(), "")]
    before = newline_before(text, root.start)
    at_line_start = before > 0 and _NEWLINE.fullmatch(text, before, root.start)
    return [(before if at_line_start else root.start, root.end, "")]


def _cuts(text: str, parent: Node, at: int) -> Iterator[list[Splice]]:
    """Give the ways to take out a child: with its line or the blanks beside it, or just itself."""
    child = parent.children[at]
    end = child.comma + 1 if child.comma >= 0 else child.node.end
    commas: list[Splice] = []
    if child.comma < 0 and at > 0:
        comma = parent.children[at - 1].comma
        commas = [(comma, comma + 1, "")]
    yield [*commas, (*_span(text, parent, at, end), "")]
    yield [*commas, (child.start, end, "")]


def _span(text: str, parent: Node, at: int, end: int) -> tuple[int, int]:
    """Give what goes with a child that ends, with its comma, at a place."""
    start = parent.children[at].start
    later = parent.children[at + 1 :]
    tail = after_comments(text, end)
    ends_line = _LINE_END.match(text, tail) is not None
    if begins_line(text, start) and (ends_line or not later):
        inside = text[parent.start + 1 : start] + text[tail if ends_line else end : parent.end - 1]
        if len(parent.children) == 1 and not inside.strip():
            return parent.start + 1, parent.end - 1
        return newline_before(text, start), tail if ends_line else end
    if not later:
        return len(text[:start].rstrip()), end
    between = text[end : later[0].start]
    return start, end if between.strip() else later[0].start
