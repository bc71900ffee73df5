"""Real terminals for tests: a pty of a given width, a command on it, and a shell to type to."""

from __future__ import annotations

import asyncio
import os
import re
import select
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from holdgate.core.values.clock import system_clock
from tests.cli.serving import HOLDGATE, PATIENCE, environ

_CLOCK = system_clock()
# What colours a text, and nothing else.
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(slots=True)
class Terminal:
    """A terminal: `screen` is what is looked at, `program` the end of who writes."""

    screen: int
    program: int

    def leave(self) -> None:
        """Close the program's end here: who has it still is the program alone."""
        if self.program >= 0:
            os.close(self.program)
            self.program = -1


@contextmanager
def terminal(width: int) -> Iterator[Terminal]:
    """Open a terminal so many cells wide."""
    import fcntl  # none of them is on every system
    import pty
    import termios

    made = Terminal(*pty.openpty())
    try:
        size = struct.pack("HHHH", 50, width, 0, 0)
        fcntl.ioctl(made.program, termios.TIOCSWINSZ, size)
        yield made
    finally:
        made.leave()
        os.close(made.screen)


def at_terminal(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Give the environment of a program on a terminal with colours."""
    found = environ(home, {"TERM": "xterm-256color", "NO_COLOR": "", **(more or {})})
    return {name: text for name, text in found.items() if name not in ("COLUMNS", "LINES")}


async def shown(home: Path, width: int, *args: str, more: Mapping[str, str] | None = None) -> str:
    """Run a command that must succeed on a terminal; give all that the terminal got."""
    return await asyncio.to_thread(_shown, home, width, args, more)


def _shown(home: Path, width: int, args: tuple[str, ...], more: Mapping[str, str] | None) -> str:
    with terminal(width) as made:
        process = subprocess.Popen(
            [sys.executable, *HOLDGATE, *args],
            stdin=subprocess.DEVNULL, stdout=made.program, stderr=made.program,
            env=at_terminal(home, more),
        )  # fmt: skip
        made.leave()
        try:
            seen = b"".join(_read(made.screen, _CLOCK.monotonic() + PATIENCE))
            assert process.wait(PATIENCE) == 0, seen
        finally:
            process.kill()
            process.wait()
    encoding = (more or {}).get("PYTHONIOENCODING", "utf-8")
    return seen.decode(encoding).replace("\r\n", "\n")


def _read(screen: int, end: float) -> Iterator[bytes]:
    """Read until the program's end is closed."""
    while select.select([screen], [], [], max(0.0, end - _CLOCK.monotonic()))[0]:
        try:
            piece = os.read(screen, 65536)
        except OSError:  # Linux says so where others say nothing more
            return
        if not piece:
            return
        yield piece
    raise AssertionError("the command did not end")


@dataclass(slots=True)
class Typist:
    """Somebody at a shell."""

    screen: int
    seen: str = ""
    _at: int = field(default=0)

    def types(self, text: str) -> None:
        """Type; what was seen before does not count any more."""
        self._at = len(self.seen)
        os.write(self.screen, text.encode())

    def sees(self, words: str) -> str:
        """Wait until the shell has written a text since; give all that it wrote since."""
        end = _CLOCK.monotonic() + PATIENCE
        while words not in (new := COLOUR.sub("", self.seen[self._at :]).replace("\a", "")):
            ready = select.select([self.screen], [], [], max(0.0, end - _CLOCK.monotonic()))[0]
            assert ready, f"{words!r} never came: {new!r}"
            self.seen += os.read(self.screen, 65536).decode(errors="replace")
        return new


@contextmanager
def shell(home: Path, *command: str, width: int = 200) -> Iterator[Typist]:
    """Run a shell on a terminal, with `gateway` in its path."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    with terminal(width) as made:
        process = subprocess.Popen(
            command,
            stdin=made.program, stdout=made.program, stderr=made.program, start_new_session=True,
            env=at_terminal(home, {"TERM": "dumb", "PATH": programs, "HOME": str(home)}),
        )  # fmt: skip
        try:
            yield Typist(made.screen)
        finally:
            process.kill()
            process.wait()
