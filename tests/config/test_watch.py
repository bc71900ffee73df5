"""Whether a file has changed."""

from __future__ import annotations

import os
from pathlib import Path

from holdgate.core.config.watch import SETTLED_EMPTY, Watch, stamp_of
from holdgate.core.editing.files import write_whole


def test_a_file_that_comes_changes_and_goes(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    watch = Watch(file, stamp_of(file))
    assert not watch.changed()
    for text in ("a", "ab"):
        file.write_text(text, encoding="utf-8")
        assert [watch.changed() for _ in range(3)] == [False, True, False]
    file.unlink()
    looks = [watch.changed() for _ in range(SETTLED_EMPTY + 2)]
    assert looks == [*[False] * (SETTLED_EMPTY - 1), True, False, False]


def test_a_file_that_is_emptied_or_moved_away_for_a_moment_is_not_another(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("before", encoding="utf-8")
    watch = Watch(file, stamp_of(file))
    file.write_text("", encoding="utf-8")
    assert [watch.changed() for _ in range(2)] == [False] * 2
    file.unlink()
    assert [watch.changed() for _ in range(2)] == [False] * 2
    file.write_text("after", encoding="utf-8")
    assert [watch.changed() for _ in range(3)] == [False, True, False]


def test_a_change_while_loading_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("a", encoding="utf-8")
    loaded = stamp_of(file)
    file.write_text("longer", encoding="utf-8")
    watch = Watch(file, loaded)
    assert [watch.changed(), watch.changed()] == [False, True]


def test_a_file_of_the_same_size_and_time_is_another(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("a", encoding="utf-8")
    old = file.stat()
    watch = Watch(file, stamp_of(file))
    write_whole(file, "b")
    os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns))
    assert [watch.changed(), watch.changed()] == [False, True]
