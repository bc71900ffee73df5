"""The disk, as wiring an agent needs it: every change goes through these methods."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from holdgate.core.agents.plan import Refused
from holdgate.core.editing.files import (
    NotText,
    is_ordinary,
    read_text,
    remove_unfinished,
    write_whole,
)

_ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class Disk(Protocol):
    """Files and folders. Links are followed and stay."""

    def text(self, file: Path) -> str | None:
        """Give a file's text with its line ends and BOM, None for no file. Raises Refused."""

    def missing(self, file: Path) -> tuple[Path, ...]:
        """Give the folders that must be made for a file, outermost first. Raises Refused."""

    def check(self, file: Path) -> None:
        """Raise Refused if a file may not be written, made or removed."""

    def write(self, file: Path, text: str) -> None:
        """Replace or make a file in one step, with its folders. Raises OSError."""

    def remove(self, file: Path) -> None:
        """Remove a file, if it is there. Raises OSError."""

    def drop(self, folder: Path) -> None:
        """Remove a folder, if it is there and empty."""

    def tidy(self, file: Path) -> None:
        """Remove what a write that was cut short left beside a file, if that can be."""


class RealDisk:
    """The machine's own disk."""

    def text(self, file: Path) -> str | None:
        """Read a file. A pipe would be waited for, and a device may have no end."""
        try:
            if not is_ordinary(file):
                raise Refused(f"{file} is a pipe or a device, not a file; move it away first")
            return read_text(file)
        except NotText as error:
            raise Refused(str(error)) from error
        except NotADirectoryError as error:
            raise Refused(_in_the_way(file)) from error
        except OSError as error:
            if os.path.isdir(file):  # Path.is_dir() may raise
                raise Refused(f"{file} is a folder, not a file; move it away first") from error
            raise Refused(f"{file} cannot be read: {_why(error)}") from error

    def missing(self, file: Path) -> tuple[Path, ...]:
        """Look which folders are missing."""
        target = _target(file)
        folders = (target.parent, *target.parent.parents)
        return tuple(reversed([each for each in folders if not each.exists()]))

    def check(self, file: Path) -> None:
        """Look at the modes: root may write everything, and yet what is read-only is so."""
        target = _target(file)
        with _refusing(file):
            if target.exists() and _is_locked(target):
                raise Refused(f"{file} is read-only; make it writable first, or leave it so")
            folder = next(each for each in target.parents if each.exists())
            if not folder.is_dir():
                raise Refused(_in_the_way(file))
            # Windows marks folders as read-only to say something else.
            if sys.platform != "win32" and _is_locked(folder):
                raise Refused(f"the folder {folder} is read-only, so {file} cannot be changed")

    def write(self, file: Path, text: str) -> None:
        """Write a file."""
        write_whole(file, text)

    def remove(self, file: Path) -> None:
        """Remove what a link leads to, not the link."""
        _target(file).unlink(missing_ok=True)

    def drop(self, folder: Path) -> None:
        """Remove a folder that nobody else uses."""
        with contextlib.suppress(OSError):
            folder.rmdir()

    def tidy(self, file: Path) -> None:
        """Remove new texts that never took their places."""
        remove_unfinished(file)


def _target(file: Path) -> Path:
    try:
        target = file.resolve()
    except (OSError, RuntimeError) as error:  # Python before 3.13 raises the second for a loop
        raise Refused(f"{file} cannot be read: {_why(error)}") from error
    if target.is_symlink():
        raise Refused(f"{file} cannot be read: {os.strerror(errno.ELOOP)}")
    return target


@contextlib.contextmanager
def _refusing(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Refused(f"{file} cannot be looked at: {_why(error)}") from error


def _is_locked(path: Path) -> bool:
    return not path.stat().st_mode & _ANY_WRITE or not os.access(path, os.W_OK)


def _in_the_way(file: Path) -> str:
    return f"{file} cannot be made: a file stands where one of its folders should be"


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else "") or str(error)
