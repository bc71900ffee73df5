"""Whole files: a text read as it is, and replaced in one step."""

from __future__ import annotations

import errno
import glob
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

NEW_FILE_MODE = 0o600  # a key may be written into it
# What a new text has at its name's end until it takes the old one's place.
_UNFINISHED = ".holdgate"
_ANYBODY_WRITES = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class NotText(Exception):
    """A file that is not UTF-8; `line`, counted from 1, is the first that is not."""

    def __init__(self, path: Path, line: int) -> None:
        """Say which file, where, and what to do."""
        super().__init__(f"{path}:{line}: not UTF-8; save the file in that encoding")
        self.line = line


def read_text(path: Path) -> str | None:
    """Give the text of a file with its line ends and BOM as they are, or None if there is none.

    Raises NotText for a file that is not UTF-8, OSError for one that cannot be read.
    """
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise NotText(path, bytes(error.object[: error.start]).count(b"\n") + 1) from error


def write_whole(path: Path, text: str) -> None:
    """Replace a file in one step: readers see the old text or the new one. Raises OSError.

    A link stays one (the file that it points to is replaced, or made), and the mode stays, as does
    the owner where that is allowed. A new file is readable by its owner alone, and so are new
    folders above it. A file that nobody may write is a PermissionError, also where its folder would
    allow it, and so is a pipe or a device, which would be a file from then on. After an error the
    old file stands, and nothing else is left behind, but for such folders. Text that cannot be
    written as UTF-8 (a lone surrogate) is a UnicodeEncodeError.
    """
    data = text.encode()
    target = path.resolve()
    _refuse_others_files(target)
    make_folders(target.parent)
    try:
        old = target.stat()
    except FileNotFoundError:
        replace_file(target, data)
    else:
        replace_file(target, data, stat.S_IMODE(old.st_mode), owner=(old.st_uid, old.st_gid))


def replace_file(
    path: Path,
    data: bytes,
    mode: int = NEW_FILE_MODE,
    *,
    owner: tuple[int, int] | None = None,
    alone: bool = False,
) -> None:
    """Put `data` in the place of a file, or of a link, in one step; its folder is there.

    `owner`: the user and group that it gets where that is allowed. `alone`: nobody else writes it
    meanwhile, so what a killed process left is written over, not heaped up. Raises OSError, and
    leaves nothing behind then.
    """
    file = _new_file(path, alone=alone)
    try:
        with file:  # a full disk shows at its end, too
            file.write(data)
            _dress(file.name, mode, owner)
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, path)
    except BaseException as error:
        Path(file.name).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)  # a full disk is told without one
        raise


def _new_file(path: Path, *, alone: bool) -> BinaryIO:
    """Open a new file beside `path`, for its owner alone."""
    if not alone:
        handle, name = tempfile.mkstemp(_UNFINISHED, f".{path.name}.", path.parent)
        return open(name, "wb", opener=lambda *_: handle)
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    return open(new, "xb", opener=lambda name, flags: os.open(name, flags, NEW_FILE_MODE))


def remove_unfinished(path: Path) -> None:
    """Remove what `write_whole` left beside a file when the program was killed in it.

    Nobody else may be writing that file meanwhile. What cannot be removed stays.
    """
    with suppress(OSError, RuntimeError):  # before Python 3.13 the second for a loop of links
        target = path.resolve()
        pattern = f".{glob.escape(target.name)}.*{_UNFINISHED}"
        for each in list(target.parent.glob(pattern)):
            each.unlink(missing_ok=True)


def is_ordinary(path: Path) -> bool:
    """Tell whether a file is one, or nothing or a folder: no pipe and no device. Raises OSError."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return True
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _refuse_others_files(target: Path) -> None:
    if not is_ordinary(target):
        raise PermissionError(errno.EACCES, "it is no ordinary file", str(target))
    with suppress(FileNotFoundError):
        if not target.stat().st_mode & _ANYBODY_WRITES:
            raise PermissionError(errno.EACCES, "the file is read-only", str(target))


def make_folders(folder: Path) -> None:
    """Make a folder and those above it, each for its owner alone: mkdir does so for the last.

    What is there already stays as it is. Raises OSError.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(exist_ok=True)  # says so where a file stands there


def _dress(name: str, mode: int, owner: tuple[int, int] | None) -> None:
    if owner and hasattr(os, "chown"):
        new = os.stat(name)
        if (new.st_uid, new.st_gid) != owner:
            with suppress(PermissionError):  # only root gives files away
                os.chown(name, *owner)
    os.chmod(name, mode)
