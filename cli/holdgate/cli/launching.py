"""Launching: another program takes over the terminal."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn


def take_over(program: Path, args: Sequence[str], environ: Mapping[str, str]) -> NoReturn:
    """Let a program take this one's place, or seem to: Windows has no such thing.

    Raises OSError where it cannot be started.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    if sys.platform == "win32":
        raise SystemExit(run_through(program, args, environ))
    _restore_signals()
    os.execve(program, [program.name, *args], dict(environ))


def _restore_signals() -> None:
    """Undo what Python ignores for itself: the program and all that it starts would ignore it, too.

    A pipe whose reader is gone would then end nobody, as in `yes | head -1`.
    """
    for name in ("SIGPIPE", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)


def run_through(program: Path, args: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run a program to its end, and give its exit code. Signals are for it alone meanwhile.

    Ctrl-C reaches everybody on a terminal: it is the program that decides what it means.
    """
    with _deaf():
        return subprocess.run([str(program), *args], env=dict(environ), check=False).returncode


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    # A function that does nothing, not SIG_IGN: that one the program would inherit.
    names = ("SIGINT", "SIGBREAK")
    heard = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = [signal.signal(each, lambda *_: None) for each in heard]
    try:
        yield
    finally:
        for each, handler in zip(heard, before, strict=True):
            signal.signal(each, handler)
