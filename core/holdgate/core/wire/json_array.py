"""A JSON array that arrives in pieces, as Gemini streams it without `alt=sse`."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}]', re.S)


class ArraySplitter:
    """A feed object: bytes of an array of objects in, the bytes of each whole object out."""

    __slots__ = ("_at", "_depth", "_rest", "_start")

    def __init__(self) -> None:
        """Start before the opening bracket."""
        self._rest = b""
        self._at = 0
        self._depth = 0
        self._start = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """Give the objects that `chunk` completes."""
        return list(self.each(chunk))

    def each(self, chunk: bytes) -> Iterator[bytes]:
        """Give them one by one. Who stops early has done with this splitter."""
        self._rest += chunk
        while match := _TOKEN.search(self._rest, self._at):
            if match.start() > self._rest.find(b'"', self._at) >= 0:
                break  # a string that has not ended yet hides the brace
            self._at = match.end()
            token = match[0]
            if token == b"{":
                if self._depth == 0:
                    self._start = match.start()
                self._depth += 1
            elif token == b"}":
                self._depth -= 1
                if self._depth == 0:
                    yield self._rest[self._start : self._at]
        self._forget()

    def close(self) -> bytes:
        """Give what is left after the last whole object: the bracket, or half an object."""
        return self._rest

    def _forget(self) -> None:
        """Let go of the bytes before the object that is still open."""
        keep = self._start if self._depth else self._at
        self._rest = self._rest[keep:]
        self._at -= keep
        self._start = 0
