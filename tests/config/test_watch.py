"""Whether a file has changed."""

from __future__ import annotations

import os
from pathlib import Path

from holdgate.core.config.edit import write_whole
from holdgate.core.config.watch import Watch, stamp_of


def test_a_file_that_comes_changes_and_goes(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    watch = Watch(file, stamp_of(file))
    assert not watch.changed()
    file.write_text("a", encoding="utf-8")
    assert [watch.changed(), watch.changed()] == [True, False]
    file.write_text("ab", encoding="utf-8")
    assert [watch.changed(), watch.changed()] == [True, False]
    file.unlink()
    assert [watch.changed(), watch.changed()] == [True, False]


def test_a_change_while_loading_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("a", encoding="utf-8")
    loaded = stamp_of(file)
    file.write_text("longer", encoding="utf-8")
    assert Watch(file, loaded).changed()


def test_a_file_of_the_same_size_and_time_is_another(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("a", encoding="utf-8")
    old = file.stat()
    watch = Watch(file, stamp_of(file))
    write_whole(file, "b")
    os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns))
    assert watch.changed()
