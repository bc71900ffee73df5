"""How a JSON text is written: its line ends and indentation, and new values written like it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from holdgate.core.editing.base import CannotChange
from holdgate.core.editing.json_tree import Child, Node

_INDENT = re.compile(r"[ \t]*")
_REST = re.compile(r"(?:[ \t]*(?://[^\r\n]*|/\*.*?\*/))*", re.DOTALL)
_USUAL_UNIT = "  "


@dataclass(frozen=True, slots=True)
class Style:
    """`newline` ends a line, `unit` is one step of indentation, `gap` follows a colon in a line."""

    newline: str
    unit: str
    gap: str

    def written(self, key: str | None, value: object, indent: str | None) -> str:
        """Give a value, with its name if it is a member.

        In lines of which the first begins at `indent`, or with None in one line. Raises
        CannotChange for what JSON cannot say.
        """
        name = "" if key is None else _dumped(key) + ":" + (" " if indent is not None else self.gap)
        if indent is None:
            return name + _dumped(value, separators=("," + self.gap, ":" + self.gap))
        return name + _dumped(value, indent=self.unit).replace("\n", self.newline + indent)


def style_of(text: str, root: Node | None) -> Style:
    """Give the style of a text."""
    end = text.find("\n")
    newline = "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"
    if root is None:
        return Style(newline, _USUAL_UNIT, " ")
    gaps = (child.gap for _, child in _pairs(root) if child.key is not None)
    gap = next(gaps, " ")
    return Style(newline, next(_units(text, root), _USUAL_UNIT), " " if gap else "")


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


def after_comments(text: str, at: int) -> int:
    """Give where the comments end that follow a place in its line."""
    match = _REST.match(text, at)
    return match.end() if match else at


def _units(text: str, root: Node) -> Iterator[str]:
    """Give what members in lines of their own are indented more than what they are in."""
    for parent, child in _pairs(root):
        outer, inner = indent_at(text, parent.start), indent_at(text, child.start)
        if begins_line(text, child.start) and inner.startswith(outer) and inner != outer:
            yield inner.removeprefix(outer)


def _pairs(node: Node) -> Iterator[tuple[Node, Child]]:
    for child in node.children:
        yield node, child
        yield from _pairs(child.node)


def _dumped(
    value: object, *, separators: tuple[str, str] | None = None, indent: str | None = None
) -> str:
    try:
        return json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=separators, indent=indent
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise CannotChange(f"JSON has no such value: {error}") from error
