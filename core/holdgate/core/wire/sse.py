"""Event streams: bytes to events, in whatever pieces they come.

The rule is the WHATWG's "Server-sent events", read as tolerantly as vendors write: LF, CRLF or CR,
`data:` with or without its space, several data lines, comments, a byte order mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

# Two ends of lines, of any kind; a CR before an LF is one end with it.
_BOUNDARY = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?=[^\n]))|\r\r\n?")
_BOM = b"\xef\xbb\xbf"
# Ends of a write after which nothing is half said.
EVENT_ENDS = (b"\n\n", b"\r\n\r\n", b"\r\r", b"\n\r\n")
# Long enough to hold any boundary but its first byte, so a search may resume that far back.
_OVERLAP = 3


class Event(msgspec.Struct, frozen=True, gc=False):
    """One event: its name ("" if it has none) and its data; `data` is None for a mere comment.

    `cut`: the middle of its data is missing, since it was too long to be kept.
    """

    name: str
    data: bytes | None
    cut: bool = False


def parse_event(raw: bytes) -> Event:
    """Give the event in `raw`, the bytes from its first line to its blank line."""
    name = ""
    data: list[bytes] = []
    for line in raw.removeprefix(_BOM).splitlines():
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            data.append(value)
        elif field == b"event":
            name = value.decode("utf-8", "replace").strip()
    return Event(name, b"\n".join(data) if data else None)


class Splitter:
    """A feed object: bytes in, whole raw events out, blank lines included."""

    __slots__ = ("_has_cr", "_rest", "_searched")

    def __init__(self) -> None:
        """Start before the first byte."""
        self._rest = bytearray()  # a line of megabytes comes in many pieces
        self._searched = 0
        self._has_cr = False  # almost nobody writes CRs, and without them the search is far cheaper

    def feed(self, chunk: bytes) -> list[bytes]:
        """Give the raw events that `chunk` completes."""
        return list(self.each(chunk))

    def each(self, chunk: bytes) -> Iterator[bytes]:
        """Give them one by one. Who stops early has done with this splitter."""
        rest = self._rest
        rest += chunk
        self._has_cr = self._has_cr or b"\r" in chunk
        start, at = 0, self._searched
        while (end := self._boundary(at)) > 0:
            yield bytes(rest[start:end])
            start = at = end
        del rest[:start]
        self._searched = max(0, len(rest) - _OVERLAP)

    def _boundary(self, at: int) -> int:
        """Give the end of the next boundary from `at` on; 0 if there is none yet."""
        if self._has_cr:
            match = _BOUNDARY.search(self._rest, at)
            return match.end() if match else 0
        found = self._rest.find(b"\n\n", at)
        return found + 2 if found >= 0 else 0

    def close(self) -> bytes:
        """Give what is left: a last event without its blank line, or nothing."""
        rest, self._rest, self._searched = bytes(self._rest), bytearray(), 0
        return rest
