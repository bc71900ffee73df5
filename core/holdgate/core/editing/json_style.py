"""How a JSON text is written: its line ends and indentation, and new values written like it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from holdgate.core.editing.base import CannotChange
from holdgate.core.editing.flow import Child, Node, begins_line, indent_at, newline_of

_COMMENTS: Final = re.compile(r"(?:[ \t]*(?://[^\r\n]*|/\*.*?\*/))*", re.DOTALL)
_USUAL_UNIT = "  "


@dataclass(frozen=True, slots=True)
class JsonStyle:
    """A Style. `gap` follows a colon and a comma in a line."""

    newline: str
    unit: str
    gap: str

    @property
    def comments(self) -> re.Pattern[str]:
        """The comments that follow a value in its line, the last of which may end in another."""
        return _COMMENTS

    def written(self, key: str | None, value: object, indent: str | None) -> str:
        """Give a value, with its name if it is a member.

        In lines of which the first begins at `indent`, or with None in one line. Raises
        CannotChange for what JSON cannot say.
        """
        name = "" if key is None else _dumped(key) + ":" + (" " if indent is not None else self.gap)
        if indent is None:
            return name + _dumped(value, separators=("," + self.gap, ":" + self.gap))
        return name + _dumped(value, indent=self.unit).replace("\n", self.newline + indent)


def style_of(text: str, root: Node | None) -> JsonStyle:
    """Give the style of a text."""
    newline = newline_of(text)
    if root is None:
        return JsonStyle(newline, _USUAL_UNIT, " ")
    gap = next((child.gap for _, child in _pairs(root) if child.keys), " ")
    return JsonStyle(newline, next(_units(text, root), _USUAL_UNIT), " " if gap else "")


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
