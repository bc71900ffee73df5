"""Kept lists of models: on disk, for the person alone, and no harm where they are broken."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from holdgate.core.store.lists_file import FILE_NAME, ListsFile
from holdgate.core.store.offered import kept_lists, offered
from holdgate.core.values.kept_lists import KeptList
from holdgate.core.values.settings import Key, Model, Provider, Route, Settings

DAY = 86400.0
ONE = KeptList("one", "http://one.test/v1/models", 1000.0, (Model("a", context=9), Model("b")))
TWO = KeptList("two", "http://two.test/v1/models", 2000.0, (Model("c", output=4),))


def provider(name: str, models: tuple[Model, ...] | None = None) -> Provider:
    return Provider(name=name, chat=f"http://{name}.test/v1", keys=(Key(),), models=models)


def settings(*providers: Provider, **routes: str) -> Settings:
    return Settings(
        providers={each.name: each for each in providers},
        routes={name: Route(name, (to,)) for name, to in routes.items()},
    )


def test_what_was_put_is_loaded_by_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "cache" / FILE_NAME
    assert ListsFile(path).load() == []
    ListsFile(path).put(TWO)
    ListsFile(path).put(ONE)
    assert ListsFile(path).load() == [ONE, TWO]
    if sys.platform != "win32":
        assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == [FILE_NAME]


def test_a_fresh_list_replaces_the_earlier_one_wherever_that_was_from(tmp_path: Path) -> None:
    file = ListsFile(tmp_path / FILE_NAME)
    moved = KeptList("one", "http://other.test/v1/models", 3000.0, (Model("d"),))
    for each in (ONE, TWO, moved):
        file.put(each)
    assert file.load() == [moved, TWO]


def test_lists_of_providers_that_are_gone_are_dropped_in_time(tmp_path: Path) -> None:
    file = ListsFile(tmp_path / FILE_NAME)
    file.put(ONE)
    late = KeptList("two", TWO.url, ONE.at + 91 * DAY, TWO.models)
    file.put(late)
    assert file.load() == [late]


def test_puts_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    file = ListsFile(tmp_path / FILE_NAME)
    lists = [KeptList(f"p{n}", "u", 1000.0, (Model("m"),)) for n in range(10, 20)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(file.put, lists))
    assert file.load() == lists


@pytest.mark.parametrize(
    "text", [b"", b"\x00\xff", b"[]", b"{", b'{"version": 2, "lists": []}', b"[" * 100_000]
)
def test_a_broken_file_is_none_and_is_renewed(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(text)
    file = ListsFile(path)
    assert file.load() == []
    file.put(ONE)
    assert file.load() == [ONE]


def test_an_entry_that_does_not_fit_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    file = ListsFile(path)
    file.put(ONE)
    found = json.loads(path.read_text())
    found["lists"] += [7, {"provider": "x"}, {**found["lists"][0], "models": [{"id": ""}]}]
    path.write_text(json.dumps(found))
    assert file.load() == [ONE]


def test_what_cannot_be_written_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "cache").write_text("no folder")
    file = ListsFile(tmp_path / "cache" / FILE_NAME)
    file.put(ONE)
    file.put(TWO)
    assert len(caplog.records) == 1 and file.load() == []


def test_a_list_is_that_of_its_address_and_of_a_provider_without_its_own(tmp_path: Path) -> None:
    file = ListsFile(tmp_path / FILE_NAME)
    for each in (ONE, TWO, KeptList("three", "http://other.test/v1/models", 9.0, (Model("x"),))):
        file.put(each)
    found = kept_lists(
        settings(provider("one"), provider("two", (Model("own"),)), provider("three")), tmp_path
    )
    assert found == {"one": ONE.models}


def test_what_is_offered_is_known_without_asking(tmp_path: Path) -> None:
    ListsFile(tmp_path / FILE_NAME).put(ONE)
    claude = Provider(
        name="claude", preset="anthropic", messages="https://x.test", keys=(Key(),),
        models=(Model("fast", vendor_id="claude-haiku-4-5"), Model("mine", context=5)),
    )  # fmt: skip
    found = offered(settings(provider("one"), claude, coder="claude/fast"), tmp_path)
    assert found == (
        ("coder", 200_000, 64_000),
        ("one/a", 9, 0),
        ("one/b", 0, 0),
        ("claude/fast", 200_000, 64_000),
        ("claude/mine", 5, 0),
    )
