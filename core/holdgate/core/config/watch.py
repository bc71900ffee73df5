"""A watch on one file: has it changed since it was last looked at?"""

from __future__ import annotations

from pathlib import Path

Stamp = tuple[int, int, int]  # modified in nanoseconds, bytes, inode


def stamp_of(path: Path) -> Stamp | None:
    """Give what tells one version of a file from another, or None if there is no such file.

    Take it before reading the file: a change while reading is then seen by the next look.
    """
    try:
        stat = path.stat()
    except (OSError, ValueError):  # ValueError: a text that is no path
        return None
    return (stat.st_mtime_ns, stat.st_size, stat.st_ino)


class Watch:
    """The last seen version of a file. Whoever owns it calls `changed()` about once a second."""

    __slots__ = ("_path", "_seen")

    def __init__(self, path: Path, loaded: Stamp | None) -> None:
        """Watch `path`, of which the version `loaded` (None: no file) is known."""
        self._path = path
        self._seen = loaded

    def changed(self) -> bool:
        """Tell whether the file is another than at the last look: edited, come or gone."""
        now = stamp_of(self._path)
        if now == self._seen:
            return False
        self._seen = now
        return True
