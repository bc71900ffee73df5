"""Edits by commands: the rest stays byte for byte, and a wrong result never lands."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from holdgate.core.config.edit import add, change
from holdgate.core.config.problems import ConfigError
from holdgate.core.editing.base import MISSING, KeyPath
from holdgate.core.values.settings import Settings

CONFIG = """\
# my gateway
[server]   # here
port   =   4653  # HOLD

[providers.a]
preset = 'zai' # cheap
   # indented

# about b
[providers.b]
preset = "openai"
keys = [
  { name = "one", value = "env:A" }, # first
]

# about routes
[routes.r]
candidates = ["a/m"]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_bytes(CONFIG.encode())
    return path


def set_value(file: Path, path: KeyPath, value: object) -> Settings:
    return change(file, [(path, value)])


def remove(file: Path, path: KeyPath) -> Settings:
    return change(file, [(path, MISSING)])


def lines_changed(old: str, new: str) -> tuple[list[str], list[str]]:
    """Give the lines only in `old` and those only in `new`, after checking the rest keeps order."""
    gone = [line for line in old.splitlines() if line not in new.splitlines()]
    come = [line for line in new.splitlines() if line not in old.splitlines()]
    kept_old = [line for line in old.splitlines() if line and line not in gone]
    kept_new = [line for line in new.splitlines() if line and line not in come]
    assert kept_old == kept_new
    return gone, come


@pytest.mark.parametrize(
    ("path", "value", "gone", "come"),
    [
        (("server", "port"), 5, ["port   =   4653  # HOLD"], ["port   =   5  # HOLD"]),
        (("server", "lan"), True, [], ["lan = true"]),
        (("providers", "a", "rpm"), 60, [], ["rpm = 60"]),
        (
            ("providers", "b", "keys", 0, "value"),
            "env:B",
            ['  { name = "one", value = "env:A" }, # first'],
            ['  { name = "one", value = "env:B" }, # first'],
        ),
        (("providers", "a", "headers", "X-Team"), "a", [], ['headers = {X-Team = "a"}']),
        (("routes", "r", "candidates"), ["a/m", "b/n"], ['candidates = ["a/m"]'],
         ['candidates = ["a/m", "b/n"]']),
        (("hold", "after"), "5s", [], ["[hold]", 'after = "5s"']),
        (("providers", "c"), {"preset": "deepseek", "rpm": 3}, [],
         ["[providers.c]", 'preset = "deepseek"', "rpm = 3"]),
    ],
)  # fmt: skip
def test_only_the_edited_lines_change(
    file: Path, path: KeyPath, value: object, gone: list[str], come: list[str]
) -> None:
    set_value(file, path, value)
    assert lines_changed(CONFIG, file.read_bytes().decode()) == (gone, come)


def test_the_settings_come_back(file: Path) -> None:
    settings = set_value(file, ("providers", "a", "concurrency"), 2)
    assert settings.providers["a"].concurrency == 2


def test_a_new_key_stands_with_its_table(file: Path) -> None:
    set_value(file, ("providers", "a", "rpm"), 60)
    text = file.read_bytes().decode()
    assert "   # indented\nrpm = 60\n\n# about b\n[providers.b]" in text


def test_a_provider_with_several_keys(file: Path) -> None:
    keys = [{"name": "x", "value": "env:X", "on": False}, {"name": "y", "value": "env:Y"}]
    settings = set_value(file, ("providers", "c"), {"preset": "zai", "keys": keys})
    assert [key.name for key in settings.providers["c"].keys] == ["x", "y"]
    assert file.read_bytes().decode().endswith(
        '\n\n[providers.c]\npreset = "zai"\nkeys = [\n'
        '    {name = "x", value = "env:X", on = false},\n'
        '    {name = "y", value = "env:Y"},\n]\n'
    )  # fmt: skip


def test_a_table_leaves_and_comments_on_others_stay(file: Path) -> None:
    remove(file, ("providers", "b"))
    assert file.read_bytes().decode() == CONFIG.replace(
        '[providers.b]\npreset = "openai"\nkeys = [\n'
        '  { name = "one", value = "env:A" }, # first\n]\n\n',
        "",
    )


def test_a_key_leaves(file: Path) -> None:
    remove(file, ("server", "port"))
    assert file.read_bytes().decode() == CONFIG.replace("port   =   4653  # HOLD\n", "")


@pytest.mark.parametrize("path", [("hold",), ("server", "lan"), ("providers", "b", "keys", 1)])
def test_what_is_not_there_cannot_leave(file: Path, path: KeyPath) -> None:
    remove(file, path)
    assert file.read_bytes().decode() == CONFIG


def test_adding_and_removing_gives_the_same_file(file: Path) -> None:
    set_value(file, ("providers", "c"), {"preset": "zai"})
    remove(file, ("providers", "c"))
    assert file.read_bytes().decode() == CONFIG


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("server", "port"), "x", ":3: server.port: found"),
        (("server", "prot"), 1, ":4: server.prot: no such key"),
        (("providers", "c"), {"preset": "nobody"}, "providers.c.preset: found"),
        (("routes", "r", "candidates"), ["x/m"], "routes.r.candidates[0]: found"),
        (("server", "port", "deep"), 1, "server.port.deep: cannot be changed here"),
    ],
)
def test_a_wrong_result_never_lands(file: Path, path: KeyPath, value: object, says: str) -> None:
    before = file.stat()
    with pytest.raises(ConfigError) as caught:
        set_value(file, path, value)
    assert says in str(caught.value)
    assert file.read_bytes().decode() == CONFIG
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    assert os.listdir(file.parent) == ["config.toml"]


def test_a_provider_that_a_route_needs_stays(file: Path) -> None:
    with pytest.raises(ConfigError, match=r"routes\.r\.candidates\[0\]"):
        remove(file, ("providers", "a"))
    assert file.read_bytes().decode() == CONFIG


def test_a_file_that_is_no_toml_is_left_alone(file: Path) -> None:
    file.write_text("[server\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="not valid TOML"):
        set_value(file, ("server", "port"), 1)
    with pytest.raises(ConfigError, match="not valid TOML"):
        remove(file, ("server",))
    assert file.read_text(encoding="utf-8") == "[server\n"


def test_a_new_file_is_for_its_owner(tmp_path: Path) -> None:
    file = tmp_path / "new" / "config.toml"
    set_value(file, ("providers", "a"), {"preset": "zai", "key": "sk-1234567"})
    assert file.read_bytes() == b'[providers.a]\npreset = "zai"\nkey = "sk-1234567"\n'
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_mode_and_a_link_stay(tmp_path: Path, file: Path) -> None:
    if os.name != "posix":
        return
    file.chmod(0o640)
    link = tmp_path / "link.toml"
    link.symlink_to(file)
    set_value(link, ("server", "port"), 1)
    assert link.is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert "port   =   1  # HOLD" in file.read_text(encoding="utf-8")


def test_what_is_there_already_is_not_added(file: Path) -> None:
    with pytest.raises(ConfigError, match="is there already"):
        add(file, ("providers", "a"), {"preset": "openai"})
    assert file.read_bytes() == CONFIG.encode()
    assert add(file, ("providers", "c"), {"preset": "openai"}).providers["c"].preset == "openai"
