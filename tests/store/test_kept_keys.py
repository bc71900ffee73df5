"""Where commands put a vendor's key: a file of its owner alone, or the system's secret store."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from holdgate.core.store.kept_keys import KeptKeys
from holdgate.core.store.secrets import KEYRING_SERVICE, SecretMissing, SecretStore
from holdgate.core.values.secret import Secret

KEY = Secret("sk-first-4b1d77")
OTHER = Secret("sk-other-90ac3e")


@dataclass
class Held:
    """A secret store in memory."""

    entries: dict[tuple[str, str], str] = field(default_factory=dict)

    def get(self, service: str, name: str) -> str | None:
        return self.entries.get((service, name))

    def put(self, service: str, name: str, value: str) -> None:
        self.entries[service, name] = value

    def drop(self, service: str, name: str) -> None:
        self.entries.pop((service, name), None)


class Absent(Held):
    """The one of who has no keyring."""

    def get(self, service: str, name: str) -> str | None:
        raise ImportError


class Forgetful(Held):
    """The one of a machine without any: keyring's null backend."""

    def put(self, service: str, name: str, value: str) -> None:
        pass


def read(ref: str, home: Path) -> str:
    return SecretStore({"HOME": str(home)}).resolve(ref).reveal()


def test_a_file_of_its_owner_alone(tmp_path: Path) -> None:
    kept = KeptKeys(tmp_path / "config", str(tmp_path))
    ref = kept.to_file("relay", KEY)
    assert ref == "file:~/config/keys/relay"  # nobody's name stands in it
    assert read(ref, tmp_path) == KEY.reveal()
    file = tmp_path / "config" / "keys" / "relay"
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert (file.parent / ".gitignore").read_text() == "*\n"


def test_no_umask_lets_others_in(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        KeptKeys(tmp_path / "new" / "config", "").to_file("relay", KEY)
    finally:
        os.umask(before)
    made = [each for each in tmp_path.rglob("*") if stat.S_IMODE(each.stat().st_mode) & 0o077]
    assert made == [] or sys.platform == "win32"  # which has no such modes


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    kept = KeptKeys(tmp_path, "")
    first, second = kept.to_file("a", KEY), kept.to_file("a", OTHER)
    assert (first, second) == (f"file:{tmp_path}/keys/a", f"file:{tmp_path}/keys/a-2")
    assert read(first, tmp_path) == KEY.reveal()
    kept.forget(first)
    assert read(second, tmp_path) == OTHER.reveal()
    kept.forget(second)
    assert not (tmp_path / "keys").exists()


@pytest.mark.parametrize(
    ("ref", "own"),
    [
        ("file:~/c/keys/a", True),
        ("file:~/c/keys/a-2", True),
        ("file:~/c/keys/a-b", False),
        ("file:~/c/keys/b", False),
        ("file:~/c/a", False),
        ("file:/elsewhere/keys/a", False),
        ("keyring:a", True),
        ("keyring:b", False),
        ("env:a", False),
        ("sk-of-somebody", False),
        ("", False),
    ],
)
def test_whose_a_reference_is(tmp_path: Path, ref: str, own: bool) -> None:
    assert KeptKeys(tmp_path / "c", str(tmp_path), Held()).is_own("a", ref) == own


def test_the_secret_store(tmp_path: Path) -> None:
    held = Held({(KEYRING_SERVICE, "a"): "somebody's"})
    kept = KeptKeys(tmp_path, "", held)
    assert kept.to_vault("a", KEY) == "keyring:a-2"
    assert held.entries[KEYRING_SERVICE, "a-2"] == KEY.reveal()
    kept.forget("keyring:a-2")
    assert held.entries == {(KEYRING_SERVICE, "a"): "somebody's"}
    assert not list(tmp_path.iterdir())


def test_without_the_extra(tmp_path: Path) -> None:
    with pytest.raises(SecretMissing, match="holdgate\\[keyring\\]"):
        KeptKeys(tmp_path, "", Absent()).to_vault("a", KEY)


def test_a_store_that_keeps_nothing(tmp_path: Path) -> None:
    with pytest.raises(SecretMissing, match="forgets"):
        KeptKeys(tmp_path, "", Forgetful()).to_vault("a", KEY)
