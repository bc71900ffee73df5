"""Values in brackets, wherever JSON, TOML or YAML have them: their places, and changes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

# What takes the place of text[start:end].
Splice = tuple[int, int, str]

_INDENT = re.compile(r"[ \t]*")
_NEWLINE = re.compile(r"\r?\n")
_LINE_END = re.compile(r"[ \t]*(?:\r?\n|\Z)")


@dataclass(frozen=True, slots=True)
class Node:
    """A value: text[start:end], what it is as plain data, and what is in it."""

    start: int
    end: int
    plain: object
    children: tuple[Child, ...] = ()


@dataclass(frozen=True, slots=True)
class Child:
    """A member, or without `keys` an item; a dotted name has several.

    `start` is where it begins, with its name; `gap` what stands between the colon and the value,
    `comma` where its comma is, or -1.
    """

    keys: tuple[str, ...]
    start: int
    gap: str
    node: Node
    comma: int


class Style(Protocol):
    """How a text is written."""

    @property
    def newline(self) -> str:
        """What ends a line."""

    @property
    def unit(self) -> str:
        """One step of indentation."""

    @property
    def gap(self) -> str:
        """What follows a comma in a line."""

    @property
    def comments(self) -> re.Pattern[str]:
        """The comments that follow a value in its line."""

    def written(self, key: str | None, value: object, indent: str | None) -> str:
        """Give a value, with its name if it is a member; with `indent` None in one line."""


def spliced(text: str, splices: list[Splice]) -> str:
    """Give a text with all splices made; they must not overlap."""
    for start, end, put in sorted(splices, reverse=True):
        text = text[:start] + put + text[end:]
    return text


def begins_line(text: str, at: int) -> bool:
    """Tell whether only blanks stand before a place, in its line."""
    return text[line_start(text, at) : at].strip(" \t\ufeff") == ""


def indent_at(text: str, at: int) -> str:
    """Give the indentation of the line that holds a place."""
    match = _INDENT.match(text, line_start(text, at))
    return match[0] if match else ""


def line_start(text: str, at: int) -> int:
    """Give where the line begins that holds a place."""
    return text.rfind("\n", 0, at) + 1


def newline_before(text: str, at: int) -> int:
    """Give where the line end stands that the line of a place follows; 0 in the first line."""
    start = line_start(text, at) - 1
    return start - 1 if start > 0 and text[start - 1] == "\r" else max(start, 0)


def newline_of(text: str) -> str:
    """Give the kind of line end that the first line has."""
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def insert(
    text: str, node: Node, key: str | None, value: object, style: Style, *, broad: bool = False
) -> list[Splice]:
    """Put a member or item last into a mapping or list.

    Behind the comments in the line of what was last, and in a line of its own if that is. `broad`:
    an empty mapping or list gets lines.
    """
    if not node.children:
        return [_insert_first(text, node, key, value, style, broad=broad)]
    last = node.children[-1]
    after = last.comma + 1 if last.comma >= 0 else last.node.end
    place = _after_comments(text, after, style)
    indent = _indent_after(text, node, place, style)
    lead = _separator(text, node, style) if indent is None else style.newline + indent
    put = lead + style.written(key, value, indent)
    if last.comma >= 0:
        return [(place, place, put + ",")]
    if place == after:
        return [(after, after, "," + put)]
    return [(after, after, ","), (place, place, put)]


def cuts(text: str, parent: Node, at: int, style: Style) -> Iterator[list[Splice]]:
    """Give the ways to take out a child: with its line or the blanks beside it, or just itself.

    A comment that follows it in its line goes along.
    """
    child = parent.children[at]
    end = child.comma + 1 if child.comma >= 0 else child.node.end
    commas: list[Splice] = []
    if child.comma < 0 and at > 0:
        comma = parent.children[at - 1].comma
        commas = [(comma, comma + 1, "")]
    yield [*commas, (*_span(text, parent, at, end, style), "")]
    yield [*commas, (child.start, end, "")]


def _after_comments(text: str, at: int, style: Style) -> int:
    match = style.comments.match(text, at)
    return match.end() if match else at


def _indent_after(text: str, node: Node, place: int, style: Style) -> str | None:
    """Give the indentation of a line for a new last child, None if it stays in the last one's."""
    last = node.children[-1]
    if begins_line(text, last.start):
        return indent_at(text, last.start)
    if last.node.end < place and _NEWLINE.match(text, place):  # perhaps of a comment
        return indent_at(text, node.start) + style.unit
    return None


def _insert_first(
    text: str, node: Node, key: str | None, value: object, style: Style, *, broad: bool
) -> Splice:
    inside = node.start + 1
    outer = indent_at(text, node.start)
    end = len(text[: node.end - 1].rstrip())
    if node.end - node.start == 2 and broad:
        put = style.newline + outer + style.unit + style.written(key, value, outer + style.unit)
        return inside, inside, put + style.newline + outer
    if end == inside:
        # Right behind the bracket, so that what is between them comes back with the removal.
        return inside, inside, style.written(key, value, None)
    if "\n" in text[end : node.end]:
        comment = inside + len(text[inside:]) - len(text[inside:].lstrip())
        indent = indent_at(text, comment) if begins_line(text, comment) else outer + style.unit
        return end, end, style.newline + indent + style.written(key, value, indent)
    return end, end, (style.gap or " ") + style.written(key, value, None)


def _separator(text: str, node: Node, style: Style) -> str:
    """Give what stands between a comma and the next child of one line."""
    if len(node.children) > 1:
        between = text[node.children[0].comma + 1 : node.children[1].start]
        if not between.strip(" \t"):
            return between
    return style.gap


def _span(text: str, parent: Node, at: int, end: int, style: Style) -> tuple[int, int]:
    """Give what goes with a child that ends, with its comma, at a place."""
    start = parent.children[at].start
    later = parent.children[at + 1 :]
    tail = _after_comments(text, end, style)
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
