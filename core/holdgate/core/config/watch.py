"""A watch on one file: has it changed since it was last looked at?"""

from __future__ import annotations

from pathlib import Path

# Looks in a row that have to find the same.
SETTLED = 2
SETTLED_EMPTY = 3

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
    """The last settled version of a file. Whoever owns it calls `changed()` about twice a second.

    A version counts once two looks in a row have found it: editors empty a file, or move it away,
    before they write it anew. One that is empty or gone has to stay so for some looks more.
    """

    __slots__ = ("_looks", "_new", "_path", "_seen")

    def __init__(self, path: Path, loaded: Stamp | None) -> None:
        """Watch `path`, of which the version `loaded` (None: no file) is known."""
        self._path = path
        self._seen = self._new = loaded
        self._looks = 0

    def changed(self) -> bool:
        """Tell whether the file has settled as another: edited, come or gone."""
        now = stamp_of(self._path)
        self._looks = self._looks + 1 if now == self._new else 1
        self._new = now
        settled = SETTLED if now is not None and now[1] else SETTLED_EMPTY
        if now == self._seen or self._looks < settled:
            return False
        self._seen = now
        return True
