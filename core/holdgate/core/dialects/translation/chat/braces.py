"""Whether a JSON object that comes in pieces is complete."""

from __future__ import annotations

import re

_TOKEN = re.compile(r'["{}]')
_IN_TEXT = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.S)


class Braces:
    """A feed object: pieces of a JSON object in; it counts braces outside of texts."""

    __slots__ = ("_began", "_depth", "_escapes", "_in_text")

    def __init__(self) -> None:
        """Start before the first brace."""
        self._began = self._in_text = self._escapes = False
        self._depth = 0

    @property
    def are_closed(self) -> bool:
        """Whether an object has begun and all that were opened are closed."""
        return self._began and self._depth <= 0 and not self._in_text

    def feed(self, piece: str) -> None:
        """Take a piece."""
        at = 0
        if self._escapes and piece:
            at, self._escapes = 1, False
        while at < len(piece):
            if self._in_text:
                match = _IN_TEXT.match(piece, at)
                assert match is not None  # it matches nothing, too
                at = match.end() + 1
                if at > len(piece):
                    return
                # What stops the match is a quote, or a backslash that the piece ends with.
                self._escapes = piece[at - 1] == "\\"
                self._in_text = self._escapes
                continue
            token = _TOKEN.search(piece, at)
            if token is None:
                return
            at = token.end()
            self._take(token[0])

    def _take(self, token: str) -> None:
        if token == '"':
            self._in_text = True
        elif token == "{":
            self._began, self._depth = True, self._depth + 1
        else:
            self._depth -= 1
