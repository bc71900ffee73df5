"""The shapes: each state's body and glyph on a grid of 16 units, told apart without their colours.

Theory. A solid body reads on light and dark panels alike, so there is one set of pictures and no
guess at the panel's colour. The glyph fills the body, since a badge in a corner cannot be read
below 24 pixels. A body that differs (round, hollow) tells the two states that want a person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from PIL import ImageDraw, ImageFont

from holdgate.icons.look import Look, State

Ink = tuple[int, int, int, int]
# Draws in units of a grid of 16, with one ink.
Shape = Callable[["Grid"], None]

UNITS = 16
COLOURS: Mapping[State, Ink] = MappingProxyType(
    {
        State.IDLE: (22, 122, 72, 255),
        State.WORKING: (29, 100, 200, 255),
        State.WAITING: (112, 63, 190, 255),
        State.HELD: (166, 92, 0, 255),
        State.PAUSED: (92, 98, 108, 255),
        State.ERROR: (196, 38, 46, 255),
        State.GONE: (118, 124, 134, 255),
    }
)


class Grid:
    """A drawing surface measured in units, whatever its size in pixels."""

    def __init__(self, draw: ImageDraw.ImageDraw, pixels: int, ink: Ink) -> None:
        """Take the surface, its width in pixels and the ink."""
        self._draw, self._pixel, self._ink = draw, pixels / UNITS, ink

    def box(self, left: float, top: float, right: float, bottom: float, round: float = 0) -> None:
        """Fill a box, the right and bottom edges excluded."""
        self._draw.rounded_rectangle(
            self._edges(left, top, right, bottom), round * self._pixel, fill=self._ink
        )

    def disc(self, left: float, top: float, right: float, bottom: float) -> None:
        """Fill a circle."""
        self._draw.ellipse(self._edges(left, top, right, bottom), fill=self._ink)

    def outline(self, left: float, top: float, right: float, bottom: float, thick: float) -> None:
        """Draw the edge of a box with round corners."""
        self._draw.rounded_rectangle(
            self._edges(left, top, right, bottom),
            3.5 * self._pixel,
            outline=self._ink,
            width=round(thick * self._pixel),
        )

    def polygon(self, *points: tuple[float, float]) -> None:
        """Fill a polygon."""
        self._draw.polygon([(x * self._pixel, y * self._pixel) for x, y in points], fill=self._ink)

    def stroke(self, *points: tuple[float, float], thick: float) -> None:
        """Draw a thick line."""
        ends = [(x * self._pixel, y * self._pixel) for x, y in points]
        self._draw.line(ends, fill=self._ink, width=round(thick * self._pixel))

    def text(self, text: str) -> None:
        """Fill the icon with a text."""
        most = 13.0 * self._pixel
        bold = 0.45 * self._pixel
        font = ImageFont.load_default(size=13.5 * self._pixel)
        wide = font.getlength(text) + 2 * bold
        if wide > most:
            font = ImageFont.load_default(size=13.5 * self._pixel * most / wide)
        middle = 8 * self._pixel
        left, top, right, bottom = self._draw.textbbox((0, 0), text, font, stroke_width=bold)
        self._draw.text(
            (middle - (left + right) / 2, middle - (top + bottom) / 2),
            text,
            fill=self._ink,
            font=font,
            stroke_width=bold,
            stroke_fill=self._ink,
        )

    def _edges(
        self, left: float, top: float, right: float, bottom: float
    ) -> tuple[float, float, float, float]:
        scale = self._pixel
        return (left * scale, top * scale, right * scale - 1, bottom * scale - 1)


def body(grid: Grid, state: State, *, square: bool) -> None:
    """Draw what a state's glyph stands on; `square` fills the corners, too."""
    match state:
        case State.GONE:
            grid.outline(1, 1, 15, 15, 1.6)
        case _ if square:
            grid.box(0, 0, 16, 16)
        case State.ERROR:
            grid.disc(0, 0, 16, 16)
        case _:
            grid.box(0, 0, 16, 16, round=3.5)


def glyph(grid: Grid, look: Look) -> None:
    """Draw what stands on the body."""
    if look.number:
        grid.text(look.number)
    else:
        _GLYPHS[look.state](grid)


def _open_gate(grid: Grid) -> None:
    grid.box(3, 3, 13, 5)
    grid.box(3, 3, 5.25, 13)
    grid.box(10.75, 3, 13, 13)


def _arrow(grid: Grid) -> None:
    grid.box(2.5, 6.75, 9, 9.25)
    grid.polygon((8, 3), (13.75, 8), (8, 13))


def _closed_gate(grid: Grid) -> None:
    grid.box(3, 3, 5.5, 13)
    grid.box(10.5, 3, 13, 13)
    grid.box(3, 6.75, 13, 9.25)


def _bars(grid: Grid) -> None:
    grid.box(4, 3.5, 7, 12.5)
    grid.box(9, 3.5, 12, 12.5)


def _exclamation(grid: Grid) -> None:
    grid.box(6.75, 3, 9.25, 9.5)
    grid.box(6.75, 10.75, 9.25, 13)


def _cross(grid: Grid) -> None:
    grid.stroke((5, 5), (11, 11), thick=1.8)
    grid.stroke((11, 5), (5, 11), thick=1.8)


_GLYPHS: Mapping[State, Shape] = MappingProxyType(
    {
        State.IDLE: _open_gate,
        State.WORKING: _arrow,
        State.HELD: _closed_gate,
        State.PAUSED: _bars,
        State.ERROR: _exclamation,
        State.GONE: _cross,
    }
)
