"""The screen: a terminal with its width and colours, or a pipe that gets plain lines."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from holdgate.cli.lines import Line, fitted, plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

# What each meaning looks like.
COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "waiting": "yellow",
        "trying": "cyan",
        "held": "cyan",
        "passing": "green",
        "paused": "magenta",
        "rest": "bright_blue",
        "error": "red",
        "done": "green",
        "failed": "red",
        "cancelled": "magenta",
        "gone": "magenta",
        "head": "bold",
        "quiet": "dim",
    }
)
# How often the seconds move on while nothing else does.
_PER_SECOND = 2.0

# How a stream may treat what it cannot write: by failing.
_REFUSING = ("strict", "surrogateescape")

Draw = Callable[[int | None], Iterable[Line]]


class Screen:
    """Where a command shows lines: stdout."""

    def __init__(self) -> None:
        """Look at what stdout is."""
        self.is_terminal = sys.stdout is not None and sys.stdout.isatty()
        self._is_coloured = self.is_terminal and not os.environ.get("NO_COLOR")
        self._console = _console() if self.is_terminal else None

    @property
    def width(self) -> int | None:
        """How many cells a line may take; None: as many as it likes."""
        return self._console.width if self._console else None

    @property
    def can_move(self) -> bool:
        """Whether lines can be drawn again in place."""
        return self._console is not None and not self._console.is_dumb_terminal

    def show(self, draw: Draw) -> None:
        """Show lines, drawn for the screen's width."""
        width = self.width
        for line in draw(width):
            shown = line if width is None else fitted(line, width)
            if self._console is None or not self._is_coloured:
                click.echo(plain(shown))
            else:
                self._console.print(self._text(shown), soft_wrap=True)

    def move(self, draw: Draw, changes: Iterable[object]) -> None:
        """Draw again and again in place: at each change, and for the seconds that pass."""
        from rich.console import Group
        from rich.live import Live

        def drawn() -> Group:
            return Group(*(self._text(line) for line in draw(self.width)))

        with Live(
            get_renderable=drawn, console=self._console, refresh_per_second=_PER_SECOND
        ) as live:
            for _ in changes:
                live.refresh()

    def _text(self, line: Line) -> Text:
        from rich.text import Text

        styled = self._is_coloured
        pieces = [(piece.text, COLOURS.get(piece.meaning, "") if styled else "") for piece in line]
        text = Text.assemble(*pieces, no_wrap=True, overflow="ellipsis", end="\n")
        text.rstrip()
        return text


def forgive_encoding(*streams: object) -> None:
    """Let streams write `?` for what their encoding has no sign for, instead of failing.

    Consoles of Windows have code pages such as cp1252 and GBK, and vendors write what they like.
    """
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper) and stream.errors in _REFUSING:
            stream.reconfigure(errors="replace")


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)
