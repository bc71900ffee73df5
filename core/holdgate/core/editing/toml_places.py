"""Where keys and tables of a TOML text stand, by whole lines."""

from __future__ import annotations

import re
from bisect import bisect_right

from holdgate.core.editing.base import KeyPath
from holdgate.core.editing.flow import Node
from holdgate.core.editing.toml_tree import Pair, Tree, read_statements

_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # str.splitlines() knows more line ends than TOML


class TomlPlaces:
    """A TOML text with its statements. Lines are counted from 0, and a range is without its end."""

    def __init__(self, text: str) -> None:
        """Read a text that tomllib has accepted."""
        self.lines: list[str] = _LINE.findall(text)
        self.tree: Tree = read_statements(text)
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))

    def line(self, at: int) -> int:
        """Give the line of a place in the text."""
        return bisect_right(self._starts, at) - 1

    def header_line(self, table: KeyPath) -> int | None:
        """Give the line of a table's header, or None."""
        places = (each.start for each in self.tree.headers if each.path == table)
        start = next(places, None)
        return None if start is None else self.line(start)

    def pair_lines(self, pair: Pair) -> tuple[int, int]:
        """Give the lines that a key and its value take."""
        return self.line(pair.child.start), self.line(pair.child.node.end - 1) + 1

    def pairs_of(self, table: KeyPath) -> list[Pair]:
        """Give the keys below a header; () is for those above all headers."""
        return [each for each in self.tree.pairs if each.table == table]

    def stop(self, line: int) -> int:
        """Give the line of the next header after a line, else the number of lines."""
        later = (self.line(each.start) for each in self.tree.headers)
        return next((each for each in later if each > line), len(self.lines))

    def end_of_block(self, table: KeyPath, header: int) -> int:
        """Give where a table's lines end, without the comments of what follows.

        Comments right below the last key belong to the table if a gap parts them from what follows.
        """
        stop = self.stop(header)
        ends = [self.pair_lines(each)[1] for each in self.pairs_of(table)]
        at = end = max([header + 1, *ends])
        while at < stop and self.is_comment(at):
            at += 1
        return end if at == stop < len(self.lines) else at

    def is_comment(self, line: int) -> bool:
        """Tell whether a line is a comment."""
        return self.lines[line].lstrip().startswith("#")

    def is_blank(self, line: int) -> bool:
        """Tell whether a line is there and blank."""
        return 0 <= line < len(self.lines) and not self.lines[line].strip()

    def pair(self, path: KeyPath) -> Pair | None:
        """Give the key with a value at a path or above it, None for a table that has lines."""
        return next((each for each in self.tree.pairs if each.path == path[: len(each.path)]), None)

    def node(self, path: KeyPath) -> Node | None:
        """Give the value that is written at a path, None for a table that has lines."""
        place = self.place(path)
        return place[0].children[place[1]].node if place else None

    def place(self, path: KeyPath) -> tuple[Node, int] | None:
        """Give the value in brackets that holds a path's last step, and its place in there.

        A key with a line of its own is the one child of a node made for it.
        """
        pair = self.pair(path)
        return (
            None
            if pair is None
            else _below(Node(0, 0, None, (pair.child,)), path[len(pair.path) :])
        )


def _below(node: Node, path: KeyPath) -> tuple[Node, int] | None:
    at = 0
    for step in path:
        node = node.children[at].node
        names = [each.keys for each in node.children]
        if isinstance(step, int):
            at = step
        elif (step,) in names:
            at = names.index((step,))
        else:
            return None
    return node, at
