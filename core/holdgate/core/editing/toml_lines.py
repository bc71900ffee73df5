"""Lines: at which line of a TOML text each key stands (the standard parser does not tell)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from holdgate.core.editing.base import KeyPath
from holdgate.core.editing.flow import Child
from holdgate.core.editing.toml_tree import read_statements


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines counted from 1: `stated` are keys that are written, `implied` tables that follow."""

    stated: Mapping[KeyPath, int] = field(default_factory=dict)
    implied: Mapping[KeyPath, int] = field(default_factory=dict)

    def line_of(self, path: KeyPath) -> int:
        """Give the line of a key path, else of its nearest known ancestor, else 1."""
        for length in range(len(path), 0, -1):
            known = path[:length]
            line = self.stated.get(known) or self.implied.get(known)
            if line:
                return line
        return 1


def map_lines(text: str) -> Lines:
    """Give the lines of all keys of a TOML text that tomllib has accepted.

    Of a text that is no TOML the keys up to the first fault are known; nothing is raised.
    """
    tree = read_statements(text)
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    stated: dict[KeyPath, int] = {}
    implied: dict[KeyPath, int] = {}
    places = [(header.path, header.start) for header in tree.headers]
    # Lines are a courtesy: an ancestor's line is better than no message at all.
    with suppress(RecursionError):
        for pair in tree.pairs:
            places += _places(pair.table, pair.child)
    for path, start in sorted(places, key=lambda place: place[1]):
        line = bisect_right(starts, start)
        stated.setdefault(path, line)
        for length in range(1, len(path)):
            implied.setdefault(path[:length], line)
    return Lines(stated, implied)


def _places(above: KeyPath, child: Child, at: int = 0) -> Iterator[tuple[KeyPath, int]]:
    """Give where a key or item stands, and all that is in it; `at` is an item's number."""
    path = (*above, *(child.keys or (at,)))
    yield path, child.start
    for number, inner in enumerate(child.node.children):
        yield from _places(path, inner, number)
