"""A TOML text read with the place of each statement and value (the standard parser tells none)."""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from dataclasses import dataclass

from holdgate.core.editing.base import KeyPath
from holdgate.core.editing.flow import Child, Node

_BLANK = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
# The longer quotes first; up to two quotes may stand right before the closing three.
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?""""{0,2}'
    r"|'''.*?''''{0,2}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}\n#]+")


@dataclass(frozen=True, slots=True)
class Header:
    """A [header] at text[start:end], and the table it begins; one of an array has its number."""

    path: KeyPath
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A key with its value below the header of `table`; `path` is the whole one."""

    path: KeyPath
    table: KeyPath
    child: Child


@dataclass(frozen=True, slots=True)
class Tree:
    """What a text states, in its order. Nodes have no plain data here."""

    headers: tuple[Header, ...]
    pairs: tuple[Pair, ...]


def read_statements(text: str) -> Tree:
    """Give the statements of a TOML text that tomllib has accepted.

    Of a text that is no TOML the statements up to the first fault are known; nothing is raised.
    """
    scan = _Scan(text)
    with suppress(ValueError, IndexError, RecursionError):
        scan.document()
    return Tree(tuple(scan.headers), tuple(scan.pairs))


class _Scan:
    """One pass over a text."""

    __slots__ = ("_at", "_counts", "_text", "headers", "pairs")

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._counts: dict[KeyPath, int] = {}  # tables so far in each array of tables
        self.headers: list[Header] = []
        self.pairs: list[Pair] = []

    def document(self) -> None:
        """Scan statements until the text ends."""
        table: KeyPath = ()
        self._skip(_GAP)
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                child = self._pair()
                self.pairs.append(Pair((*table, *child.keys), table, child))
            self._skip(_GAP)

    def _header(self) -> KeyPath:
        start = self._at
        width = 2 if self._text.startswith("[[", start) else 1
        self._at += width
        parts = self._key()
        self._at = self._text.index("]", self._at) + width
        path = self._resolve(parts, array=width == 2)
        self.headers.append(Header(path, start, self._at))
        return path

    def _resolve(self, parts: tuple[str, ...], *, array: bool) -> KeyPath:
        """Give the path a header means: inside an array of tables, the latest table's."""
        path: KeyPath = ()
        for position, part in enumerate(parts):
            path = (*path, part)
            if array and position == len(parts) - 1:
                self._counts[path] = self._counts.get(path, 0) + 1
            if path in self._counts:
                path = (*path, self._counts[path] - 1)
        return path

    def _pair(self) -> Child:
        start = self._at
        keys = self._key()
        self._expect("=")
        sign = self._at
        self._skip(_BLANK)
        return Child(keys, start, self._text[sign : self._at], self._value(), -1)

    def _item(self) -> Child:
        start = self._at
        return Child((), start, "", self._value(), -1)

    def _key(self) -> tuple[str, ...]:
        """Take a key, dotted or not, and give its parts without quotes."""
        parts: list[str] = []
        while True:
            self._skip(_BLANK)
            if self._text[self._at] in "\"'":
                parts.append(tomllib.loads("key = " + self._take(_STRING))["key"])
            else:
                parts.append(self._take(_BARE))
            self._skip(_BLANK)
            if self._text[self._at] != ".":
                return tuple(parts)
            self._at += 1

    def _value(self) -> Node:
        start = self._at
        children: tuple[Child, ...] = ()
        match self._text[start]:
            case "[":
                children = self._children("]")
            case "{":
                children = self._children("}")
            case '"' | "'":
                self._take(_STRING)
            case _:
                self._at = start + len(self._take(_SCALAR).rstrip())
        return Node(start, self._at, None, children)

    def _children(self, closing: str) -> tuple[Child, ...]:
        children: list[Child] = []
        self._at += 1
        self._skip(_GAP)
        while self._text[self._at] != closing:
            child = self._pair() if closing == "}" else self._item()
            self._skip(_GAP)
            if self._text[self._at] == ",":
                child = Child(child.keys, child.start, child.gap, child.node, self._at)
                self._at += 1
                self._skip(_GAP)
            elif self._text[self._at] != closing:
                raise ValueError(closing)
            children.append(child)
        self._at += 1
        return tuple(children)

    def _expect(self, character: str) -> None:
        if self._text[self._at] != character:
            raise ValueError(character)
        self._at += 1

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if not match:
            raise ValueError(pattern.pattern)
        self._at = match.end()
        return match[0]

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self._text, self._at)
        self._at = match.end() if match else self._at
