"""Lines: pieces of text with a meaning, measured, cut and folded by the cells that they take.

Letters of East Asia and emoji take two cells. Whatever a vendor or an agent wrote goes through
`printable` before it gets near a terminal; `said` does so for each piece of a line.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# Sequences that move the cursor, colour, rename the window, write the clipboard and so on.
_SEQUENCES = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"
    "|(?:\x1b[\\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-~]"
)
_CUT = "…"
# Below this a text cut in its middle shows nothing of use at either end.
_MIDDLE_LEAST = 9
# A text is folded below its own beginning if that is not further to the right than the first of
# these (nor in the right part of the screen), else below the second.
_INDENT_MOST, _INDENT = 36, 4


class Piece(NamedTuple):
    """A text and what it means: a key of `screen.COLOURS`, or "" for nothing special."""

    text: str
    meaning: str = ""


Line = tuple[Piece, ...]


def said(*parts: str | tuple[str, str]) -> Line:
    """Give a line of texts, and of texts with their meaning; nothing in it acts on a terminal."""
    pieces = (Piece(part) if isinstance(part, str) else Piece(*part) for part in parts)
    return tuple(Piece(printable(text), meaning) for text, meaning in pieces)


def plain(line: Line) -> str:
    """Give a line's text alone."""
    return "".join(piece.text for piece in line).rstrip()


def printable(text: str) -> str:
    """Give a text that changes nothing in a terminal: agents and vendors wrote some of it."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else " " for letter in _SEQUENCES.sub("", text))


def cells(text: str) -> int:
    """Give how many cells of a terminal a printable text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, width: int, *, middle: bool = False) -> str:
    """Give a text that takes at most `width` cells; `middle`: its end matters as its beginning."""
    if cells(text) <= width:
        return text
    if width <= 1:
        return _CUT[: max(0, width)]
    from rich.cells import set_cell_size, split_text

    tail = (width - 1) // 2 if middle and width >= _MIDDLE_LEAST else 0
    end = split_text(text, cells(text) - tail)[1] if tail else ""
    return set_cell_size(text, width - 1 - tail).rstrip() + _CUT + end


def fitted(line: Line, width: int) -> Line:
    """Give a line that takes at most `width` cells."""
    left, pieces = width, []
    for piece in line:
        text = cut(piece.text, left)
        pieces.append(Piece(text, piece.meaning))
        left -= cells(text)
        if text != piece.text:
            break
    return tuple(pieces)


def folded(text: str, width: int, first: int) -> list[str]:
    """Give a text as lines of at most `width` cells, `first` for the first one.

    They are broken between words where that can be.
    """
    from rich.cells import chop_cells

    lines, line, room = [], "", first
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if cells(joined) <= room:
            line = joined
            continue
        if line or cells(word) <= width:
            lines.append(line)
            room = width
        # What takes no cells at all would be chopped into nothing.
        *full, line = (chop_cells(word, max(2, room)) if cells(word) else None) or [word]
        lines += full
        room = width
    return [*lines, line]


def hanging(before: Line, text: str, width: int | None, meaning: str = "") -> list[Line]:
    """Give a text behind `before`, folded below itself where it is too long for the screen."""
    text, indent = printable(text), cells("".join(piece.text for piece in before))
    if width is None:
        return [(*before, Piece(text, meaning))]
    below = indent if indent <= min(_INDENT_MOST, width * 3 // 5) else _INDENT
    first, *more = folded(text, width - below, width - indent)
    return [
        (*before, Piece(first, meaning)),
        *((Piece(" " * below), Piece(part, meaning)) for part in more),
    ]
