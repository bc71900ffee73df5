"""Lines: at which line of a TOML text each key stands (the standard parser does not tell)."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

KeyPath = tuple[str | int, ...]

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
class Lines:
    """Lines counted from 1.

    `stated` are keys that are written, `implied` tables that follow from them, `headers` the lines
    with a [header], in their order.
    """

    stated: Mapping[KeyPath, int] = field(default_factory=dict)
    implied: Mapping[KeyPath, int] = field(default_factory=dict)
    headers: tuple[tuple[KeyPath, int], ...] = ()

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
    scan = _Scan(text)
    # Lines are a courtesy: an ancestor's line is better than no message at all.
    with suppress(ValueError, IndexError, RecursionError):
        scan.document()
    return Lines(scan.stated, scan.implied, tuple(scan.headers))


class _Scan:
    """One pass over a text. Values are skipped, except for the keys inside them."""

    __slots__ = ("_at", "_counts", "_starts", "_text", "headers", "implied", "stated")

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._counts: dict[KeyPath, int] = {}  # tables so far in each array of tables
        self.stated: dict[KeyPath, int] = {}
        self.implied: dict[KeyPath, int] = {}
        self.headers: list[tuple[KeyPath, int]] = []

    def document(self) -> None:
        """Scan statements until the text ends."""
        table: KeyPath = ()
        self._skip(_GAP)
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_GAP)

    def _header(self) -> KeyPath:
        start = self._at
        width = 2 if self._text.startswith("[[", start) else 1
        self._at += width
        parts = self._key()
        self._at = self._text.index("]", self._at) + width
        path = self._resolve(parts, array=width == 2)
        self._note(path, start)
        self.headers.append((path, self._line(start)))
        return path

    def _resolve(self, parts: list[str], *, array: bool) -> KeyPath:
        """Give the path a header means: inside an array of tables, the latest table's."""
        path: KeyPath = ()
        for position, part in enumerate(parts):
            path = (*path, part)
            if array and position == len(parts) - 1:
                self._counts[path] = self._counts.get(path, 0) + 1
            if path in self._counts:
                path = (*path, self._counts[path] - 1)
        return path

    def _pair(self, table: KeyPath) -> None:
        start = self._at
        path = (*table, *self._key())
        self._note(path, start)
        self._expect("=")
        self._value(path)

    def _key(self) -> list[str]:
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
                return parts
            self._at += 1

    def _value(self, path: KeyPath) -> None:
        self._skip(_BLANK)
        match self._text[self._at]:
            case "[":
                self._array(path)
            case "{":
                self._inline_table(path)
            case '"' | "'":
                self._take(_STRING)
            case _:
                self._take(_SCALAR)

    def _array(self, path: KeyPath) -> None:
        self._expect("[")
        index = 0
        while not self._closed("]"):
            self._note((*path, index), self._at)
            self._value((*path, index))
            index += 1

    def _inline_table(self, path: KeyPath) -> None:
        self._expect("{")
        while not self._closed("}"):
            self._pair(path)

    def _closed(self, bracket: str) -> bool:
        """Step over a comma and the gaps around it; tell whether the bracket closes here."""
        self._skip(_GAP)
        if self._text[self._at] == ",":
            self._at += 1
            self._skip(_GAP)
        if self._text[self._at] != bracket:
            return False
        self._at += 1
        return True

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

    def _note(self, path: KeyPath, start: int) -> None:
        line = self._line(start)
        self.stated.setdefault(path, line)
        for length in range(1, len(path)):
            self.implied.setdefault(path[:length], line)

    def _line(self, start: int) -> int:
        return bisect_right(self._starts, start)
