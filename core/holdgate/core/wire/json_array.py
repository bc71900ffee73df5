"""A JSON array that arrives in pieces, as Gemini streams it without `alt=sse`."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(rb'["{}]')
_IN_TEXT = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.S)


class ArraySplitter:
    """A feed object: bytes of an array of objects in, the bytes of each whole object out."""

    __slots__ = ("_at", "_depth", "_in_text", "_rest", "_start")

    def __init__(self) -> None:
        """Start before the opening bracket."""
        self._rest = bytearray()
        self._at = 0
        self._depth = 0
        self._start = 0
        self._in_text = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Give the objects that `chunk` completes."""
        return list(self.each(chunk))

    def each(self, chunk: bytes) -> Iterator[bytes]:
        """Give them one by one. Who stops early has done with this splitter."""
        self._rest += chunk
        while match := (_IN_TEXT if self._in_text else _TOKEN).search(self._rest, self._at):
            self._at = match.end()
            if self._in_text:
                # The text ends here if a quote follows; else the rest of it is still to come.
                if self._rest[self._at : self._at + 1] != b'"':
                    break
                self._at, self._in_text = self._at + 1, False
            elif (token := bytes(match[0])) == b'"':
                self._in_text = True
            elif token == b"{":
                if self._depth == 0:
                    self._start = match.start()
                self._depth += 1
            else:
                self._depth -= 1
                if self._depth == 0:
                    yield bytes(self._rest[self._start : self._at])
        self._forget()

    @property
    def is_between(self) -> bool:
        """Whether no object is open: white space may stand here."""
        return self._depth == 0

    def close(self) -> bytes:
        """Give what is left after the last whole object: the bracket, or half an object."""
        return bytes(self._rest)

    def _forget(self) -> None:
        """Let go of the bytes before the object that is still open."""
        keep = self._start if self._depth > 0 else self._at
        del self._rest[:keep]
        self._at -= keep
        self._start = 0
