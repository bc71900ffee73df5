"""Tables: aligned columns that fit the screen, for people and for pipes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdgate.cli.lines import Line, Piece, cells, cut, printable

_GAP = 2
# How far a column may shrink where the table stands in two lines a row.
_LEAST = 4

Row = Sequence[str | tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its head; `least`: the cells that it keeps on a narrow screen, 0: it is never cut.

    `middle`: it is cut in its middle. `right`: for numbers. `spare`: it is left out on a screen
    that is too narrow, the larger ones first; 0: never.
    """

    head: str
    least: int = 0
    middle: bool = False
    right: bool = False
    spare: int = 0


def table(columns: Sequence[Column], rows: Sequence[Row], width: int | None) -> list[Line]:
    """Give rows below their heads as lines; nothing for no rows. Width None: nothing is cut.

    Where the columns do not fit, those that may be cut are; where that is too little, each row
    takes two lines: one for what is never cut, and one for the rest.
    """
    if not rows:
        return []
    head = tuple(Piece(each.head, "head") for each in columns)
    found: Sequence[Line] = [head, *map(_pieces, rows)]
    if width is None:
        return _aligned(columns, found, width)
    columns, found = _kept(columns, found, width)
    if _total(_least(columns, _widths(found))) <= width:
        return _aligned(columns, found, width)
    return _stacked(columns, found, width)


def _kept(
    columns: Sequence[Column], rows: Sequence[Line], width: int
) -> tuple[Sequence[Column], Sequence[Line]]:
    """Leave out spare columns until the others fit, or none is spare any more."""
    while _total(_least(columns, _widths(rows))) > width:
        spare, gone = max((each.spare, at) for at, each in enumerate(columns))
        if not spare:
            break
        columns = [each for at, each in enumerate(columns) if at != gone]
        rows = [tuple(piece for at, piece in enumerate(row) if at != gone) for row in rows]
    return columns, rows


def _stacked(columns: Sequence[Column], rows: Sequence[Line], width: int) -> list[Line]:
    """Give two lines a row, each part of which is a table of its own."""
    parts = []
    for is_cut, indent in ((False, 0), (True, 4)):
        chosen = [at for at, each in enumerate(columns) if bool(each.least) == is_cut]
        if chosen:
            kept = [columns[at] for at in chosen]
            part = _aligned(kept, [tuple(row[at] for at in chosen) for row in rows], width - indent)
            parts.append([(Piece(" " * indent), *each) if indent else each for each in part])
    return [line for lines in zip(*parts, strict=True) for line in lines]


def _aligned(columns: Sequence[Column], rows: Sequence[Line], width: int | None) -> list[Line]:
    widths = _widths(rows)
    if width is not None:
        widths = _fitted(columns, widths, width)
    return [_line(columns, row, widths) for row in rows]


def _widths(rows: Sequence[Line]) -> list[int]:
    return [max(cells(piece.text) for piece in column) for column in zip(*rows, strict=True)]


def _fitted(columns: Sequence[Column], widths: Sequence[int], width: int) -> list[int]:
    """Take from the widest column that may be cut, until all fit or none may be cut further."""
    least = _least(columns, widths)
    if _total(least) > width:
        least = [min(_LEAST, wide) for wide in widths]
    fitted = list(widths)
    for _ in range(_total(widths) - width):
        room = [(wide, at) for at, wide in enumerate(fitted) if wide > least[at]]
        if room:
            fitted[max(room)[1]] -= 1
    return fitted


def _least(columns: Sequence[Column], widths: Sequence[int]) -> list[int]:
    return [min(each.least or wide, wide) for each, wide in zip(columns, widths, strict=True)]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _line(columns: Sequence[Column], row: Line, widths: Sequence[int]) -> Line:
    pieces: list[Piece] = []
    for column, piece, width in zip(columns, row, widths, strict=True):
        text = cut(piece.text, width, middle=column.middle)
        room = " " * (width - cells(text))
        gap = " " * _GAP if pieces else ""
        pieces.append(Piece(gap + (room if column.right else "")))
        pieces.append(Piece(text, piece.meaning))
        pieces.append(Piece("" if column.right else room))
    return tuple(piece for piece in pieces if piece.text)


def _pieces(row: Row) -> Line:
    pieces = (Piece(cell) if isinstance(cell, str) else Piece(*cell) for cell in row)
    return tuple(Piece(printable(piece.text), piece.meaning) for piece in pieces)
