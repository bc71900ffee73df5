"""Gateway keys: made once, checked by hash, revoked, and never lost by a broken file."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holdgate.core.store.callers import FILE_NAME, GatewayKeys, KeysFileBroken

NOW = 1_790_000_000.4


def counting() -> Callable[[int], bytes]:
    numbers: Iterator[int] = itertools.count(1)
    return lambda size: next(numbers).to_bytes(size, "big")


def opened(folder: Path) -> GatewayKeys:
    return GatewayKeys(folder, lambda: NOW)


def stored(folder: Path) -> list[dict[str, Any]]:
    keys: list[dict[str, Any]] = json.loads((folder / FILE_NAME).read_text())["keys"]
    return keys


def test_a_key_is_shown_once_and_checked_by_its_hash(tmp_path: Path) -> None:
    keys = opened(tmp_path / "state")
    text = keys.add(" second laptop ")
    assert re.fullmatch(r"hgk-[0-9a-f]{8}-[A-Za-z0-9_-]{43}", text)
    entry = keys.check(text)
    assert entry is not None
    assert (entry.name, entry.created, entry.enabled) == ("second laptop", 1_790_000_000, True)
    secret = text.rpartition(f"{entry.id}-")[2]
    assert entry.digest == hashlib.sha256(bytes.fromhex(entry.salt) + secret.encode()).hexdigest()
    assert secret not in (tmp_path / "state" / FILE_NAME).read_text()
    assert opened(tmp_path / "state").check(text) == entry


def test_the_bits_come_from_the_source_handed_in(tmp_path: Path) -> None:
    keys = GatewayKeys(tmp_path, lambda: NOW, counting())
    assert keys.add("a") == "hgk-00000001-" + "A" * 42 + "M"
    assert stored(tmp_path)[0]["salt"] == "0" * 31 + "2"


def test_an_id_is_used_once(tmp_path: Path) -> None:
    ids = iter([b"\1" * 4, b"\1" * 4, b"\2" * 4])
    keys = GatewayKeys(tmp_path, lambda: NOW, lambda n: next(ids) if n == 4 else b"x" * n)
    keys.add("a")
    keys.add("b")
    assert [entry.id for entry in keys.list()] == ["01010101", "02020202"]


def test_only_the_owner_may_read_the_file(tmp_path: Path) -> None:
    keys = opened(tmp_path / "state")
    keys.add("a")
    keys.add("b")
    mode = stat.S_IMODE((tmp_path / "state" / FILE_NAME).stat().st_mode)
    assert mode == (0o666 if sys.platform == "win32" else 0o600)  # Windows has no such modes
    assert [path.name for path in (tmp_path / "state").glob("*.new")] == []


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-1] + ("A" if text[-1] != "A" else "B"),
        lambda text: text + "A",
        lambda text: text[:-1],
        lambda text: text + "\n",
        lambda text: text.replace("hgk-", "HGK-"),
        lambda text: "hgk-ffffffff-" + text[13:],
        lambda text: "",
        lambda text: "holdgate-codex",
        lambda text: "sk-é",
    ],
)
def test_a_wrong_key(tmp_path: Path, change: Callable[[str], str]) -> None:
    keys = opened(tmp_path)
    assert keys.check(change(keys.add("a"))) is None


def test_revoked_by_name_and_by_id(tmp_path: Path) -> None:
    keys = opened(tmp_path)
    first, second = keys.add("a"), keys.add("b")
    assert keys.revoke("a").enabled is False
    assert keys.check(first) is None
    assert keys.check(second) is not None
    keys.revoke(keys.list()[1].id)
    assert keys.check(second) is None
    assert [entry.enabled for entry in keys.list()] == [False, False]
    for name in ("a", "b", "nobody", keys.list()[0].id):
        with pytest.raises(ValueError, match="no enabled gateway key"):
            keys.revoke(name)


def test_a_name_goes_before_an_id(tmp_path: Path) -> None:
    keys = GatewayKeys(tmp_path, lambda: NOW, counting())
    keys.add("00000004")
    keys.add("b")
    assert [entry.id for entry in keys.list()] == ["00000001", "00000004"]
    assert keys.revoke("00000004").id == "00000001"


def test_a_name_is_taken_until_its_key_is_revoked(tmp_path: Path) -> None:
    keys = opened(tmp_path)
    keys.add("a")
    with pytest.raises(ValueError, match="called 'a' already"):
        keys.add("a ")
    keys.revoke("a")
    assert keys.check(keys.add("a"))


@pytest.mark.parametrize("name", ["", "  ", "x" * 65, "a\nb", "a\x1b[31m"])
def test_a_name_that_is_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="printable"):
        opened(tmp_path).add(name)
    assert not (tmp_path / FILE_NAME).exists()


def test_what_a_command_did_is_noticed(tmp_path: Path) -> None:
    gateway, command = opened(tmp_path), opened(tmp_path)
    assert gateway.reload_if_changed() is False
    text = command.add("a")
    assert gateway.check(text) is None
    assert gateway.reload_if_changed() is True
    assert gateway.check(text)
    assert gateway.reload_if_changed() is False
    command.revoke("a")
    assert gateway.reload_if_changed() is True
    assert gateway.check(text) is None
    (tmp_path / FILE_NAME).unlink()
    assert gateway.reload_if_changed() is True
    assert gateway.list() == ()


def test_two_commands_lose_nothing(tmp_path: Path) -> None:
    one, other = opened(tmp_path), opened(tmp_path)
    one.add("a")
    other.add("b")
    with pytest.raises(ValueError, match="already"):
        one.add("b")
    assert [key["name"] for key in stored(tmp_path)] == ["a", "b"]


def test_reading_makes_no_folder(tmp_path: Path) -> None:
    assert opened(tmp_path / "state").list() == ()
    assert not (tmp_path / "state").exists()


GOOD = {"id": "00000001", "name": "a", "salt": "00", "digest": "0" * 64, "created": 1}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"version": 1}',
        json.dumps({"version": 2, "keys": []}),
        json.dumps({"version": 1, "keys": [GOOD, GOOD]}),
        json.dumps({"version": 1, "keys": [{**GOOD, "id": "1"}]}),
        json.dumps({"version": 1, "keys": [{**GOOD, "salt": "zz"}]}),
        json.dumps({"version": 1, "keys": [{**GOOD, "digest": "00"}]}),
        json.dumps({"version": 1, "keys": [{**GOOD, "name": 7}]}),
        b"\xff\xfe".decode("latin-1"),
    ],
)
def test_a_broken_file_is_told_and_never_overwritten(tmp_path: Path, content: str) -> None:
    keys = opened(tmp_path)
    text = keys.add("a")
    path = tmp_path / FILE_NAME
    path.write_text(content, encoding="latin-1")
    with pytest.raises(KeysFileBroken, match=re.escape(str(path))):
        opened(tmp_path)
    with pytest.raises(KeysFileBroken):
        keys.reload_if_changed()
    for edit in (keys.add, keys.revoke):
        with pytest.raises(KeysFileBroken):
            edit("a")
    assert path.read_text(encoding="latin-1") == content
    assert keys.check(text), "the keys read before stay good"


def test_a_folder_in_the_files_place(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(KeysFileBroken):
        opened(tmp_path)
