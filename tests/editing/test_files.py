"""Files read as they are and replaced in one step."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from holdgate.core.editing.files import (
    NotText,
    is_ordinary,
    read_text,
    remove_unfinished,
    write_whole,
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_text_comes_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"\xef\xbb\xbfa\r\nb\n\xc3\xa4")
    assert read_text(file) == "\ufeffa\r\nb\nä"
    assert read_text(tmp_path / "b") is None
    assert read_text(tmp_path / "b/c") is None


def test_what_is_no_text_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"x\n\xff\n")
    with pytest.raises(NotText, match=r"a:2: not UTF-8") as caught:
        read_text(file)
    assert caught.value.line == 2
    with pytest.raises(OSError, match=r"."):
        read_text(tmp_path)


def test_bytes_arrive_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "a"
    write_whole(file, "\ufeffa\r\nb\nä")
    assert file.read_bytes() == b"\xef\xbb\xbfa\r\nb\n\xc3\xa4"


def test_new_files_and_folders_are_for_their_owner(tmp_path: Path) -> None:
    file = tmp_path / "x/y/a"
    write_whole(file, "a")
    assert os.listdir(file.parent) == ["a"]
    if os.name == "posix":
        assert [mode(each) for each in (file, file.parent, tmp_path / "x")] == [0o600, 0o700, 0o700]


def test_the_mode_and_links_stay(tmp_path: Path) -> None:
    if os.name != "posix":
        return
    file, link, loose = tmp_path / "a", tmp_path / "link", tmp_path / "loose"
    file.write_bytes(b"old")
    file.chmod(0o640)
    link.symlink_to("a")
    write_whole(link, "new")
    assert (link.is_symlink(), file.read_bytes(), mode(file)) == (True, b"new", 0o640)
    loose.symlink_to("folder/made")
    write_whole(loose, "new")
    assert (loose.is_symlink(), (tmp_path / "folder/made").read_bytes()) == (True, b"new")


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "config.toml"
    folder.mkdir()
    file = tmp_path / "a"
    file.write_bytes(b"old")
    with pytest.raises(OSError, match=r"."):
        write_whole(folder, "x")
    with pytest.raises(OSError, match=r"."):
        write_whole(file / "below", "x")
    with pytest.raises(UnicodeEncodeError):
        write_whole(file, "\ud800")
    file.chmod(0o400)
    with pytest.raises(PermissionError, match="read-only"):
        write_whole(file, "x")
    file.chmod(0o600)
    assert sorted(os.listdir(tmp_path)) == ["a", "config.toml"]
    assert file.read_bytes() == b"old"


_FULL = """
import resource, signal, sys
from pathlib import Path
from holdgate.core.editing.files import replace_file
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (9, 9))
replace_file(Path(sys.argv[1]), b"x" * 10, alone=sys.argv[2] == "alone")
"""


@pytest.mark.parametrize("how", ["alone", "among others"])
def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, how: str) -> None:
    if os.name != "posix":
        return
    file = tmp_path / "a"
    file.write_bytes(b"old")
    command = [sys.executable, "-c", _FULL, str(file), how]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert "File too large" in done.stderr
    assert os.listdir(tmp_path) == ["a"] and file.read_bytes() == b"old"


_KILLED = """
import resource, signal, sys
from pathlib import Path
from holdgate.core.editing.files import write_whole
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (8, 8))
write_whole(Path(sys.argv[1]), "new" * 9)
"""


def test_what_a_killed_write_left_is_found_again(tmp_path: Path) -> None:
    file = tmp_path / "a[1].json"
    others = {file, tmp_path / ".a[1].json.mine", tmp_path / ".b.json.x.holdgate"}
    for each in others:
        each.write_text("old", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", _KILLED, str(file)], check=False)
    assert done.returncode < 0 and len(list(tmp_path.iterdir())) == len(others) + 1
    remove_unfinished(file)
    assert set(tmp_path.iterdir()) == others and file.read_text(encoding="utf-8") == "old"


def test_what_is_no_ordinary_file_is_not_replaced(tmp_path: Path) -> None:
    file, pipe = tmp_path / "link", tmp_path / "pipe"
    os.mkfifo(pipe)
    file.symlink_to(pipe)
    with pytest.raises(PermissionError, match="no ordinary file"):
        write_whole(file, "new")
    assert pipe.is_fifo() and not is_ordinary(file)
    assert is_ordinary(tmp_path) and is_ordinary(tmp_path / "none")


def test_an_error_without_a_name_is_told_with_one(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    done = subprocess.run(
        [sys.executable, "-c", _KILLED.replace("SIG_DFL", "SIG_IGN"), str(file)],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert f"File too large: '{file}'" in done.stderr and list(tmp_path.iterdir()) == []
