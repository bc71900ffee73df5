"""Characters that a vendor cut in two: a half is held back until the other half comes."""

from __future__ import annotations

from holdgate.core.dialects.translation.json_texts import mended


class Halves:
    """A feed object: pieces of one text in, pieces without half a character out."""

    __slots__ = ("_half",)

    def __init__(self) -> None:
        """Start with nothing held back."""
        self._half = ""

    def join(self, text: str) -> str:
        """Give what can be told of the text so far; a half without the other becomes U+FFFD."""
        if text.isascii() and not self._half:
            return text
        text = self._half + text
        self._half = ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return mended(text)

    def close(self) -> str:
        """The text ended: give U+FFFD if half a character is left."""
        half, self._half = self._half, ""
        return mended(half)
