"""Drawing: a look as a picture of any size, in colour, as a template, or without corners."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from PIL import Image, ImageDraw

from holdgate.icons.look import Look, State
from holdgate.icons.shapes import COLOURS, Grid, Ink, body, glyph

# colour: for panels that know transparency. square: for those that do not. template: black with the
# glyph cut out, for macOS, which colours it as its menu bar is light or dark.
Style = Literal["colour", "square", "template"]

WHITE: Ink = (255, 255, 255, 255)
BLACK: Ink = (0, 0, 0, 255)
NOTHING: Ink = (0, 0, 0, 0)
# Behind a hollow body where nothing shines through.
PANEL: Ink = (40, 42, 46, 255)
# Small pictures are drawn larger, then shrunk.
_FINE = 8
_FINE_BELOW = 128


# Seven states and a hundred numbers, in the few sizes of one panel.
@lru_cache(maxsize=256)
def picture(look: Look, size: int, style: Style = "colour") -> Image.Image:
    """Give the picture of a look, `size` pixels square. It is shared: not to be drawn on."""
    scale = _FINE if size < _FINE_BELOW else 2
    image = _drawn(look, size * scale, style)
    return image.resize((size, size), Image.Resampling.LANCZOS)


def _drawn(look: Look, pixels: int, style: Style) -> Image.Image:
    hollow = look.state is State.GONE
    ground = PANEL if hollow and style == "square" else NOTHING
    colour = BLACK if style == "template" else COLOURS[look.state]
    image = Image.new("RGBA", (pixels, pixels), ground)
    draw = ImageDraw.Draw(image)
    body(Grid(draw, pixels, colour), look.state, square=style == "square")
    glyph(Grid(draw, pixels, colour if hollow else _glyph_ink(style)), look)
    return image


def _glyph_ink(style: Style) -> Ink:
    """White; of a template nothing, which cuts a hole."""
    return NOTHING if style == "template" else WHITE
