"""Facts in force: the newer of the shipped extract and the fetched one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdgate.core.catalog.model_facts import bundled_facts
from holdgate.core.store.facts_file import FILE_NAME, FactsFile

SHIPPED = bundled_facts().date


def extract(date: str, context: int = 7) -> bytes:
    line = [context, 1, None, None, None, ""]
    return json.dumps(
        {"format": 1, "date": date, "origin": "here", "vendors": {"openai": {"m": line}}}
    ).encode()


def context_of(file: FactsFile) -> int | None:
    found = file.facts().of("openai", "m")
    return found.context if found else None


def test_without_a_file_it_is_the_shipped_one(tmp_path: Path) -> None:
    file = FactsFile(tmp_path / "cache" / FILE_NAME)
    assert file.facts().date == SHIPPED
    assert file.facts() is file.facts()


@pytest.mark.parametrize(
    ("date", "fetched"), [("9999-01-01", True), (SHIPPED, True), ("2025-01-01", False)]
)
def test_the_newer_one_is_in_force(tmp_path: Path, date: str, fetched: bool) -> None:
    file = FactsFile(tmp_path / "cache" / FILE_NAME)
    assert file.put(extract(date)).date == date
    assert file.facts().date == (date if fetched else SHIPPED)


def test_a_file_that_was_changed_by_another_process_is_read_again(tmp_path: Path) -> None:
    ours, theirs = (FactsFile(tmp_path / FILE_NAME) for _ in range(2))
    assert context_of(ours) is None
    for context in (8, 9):
        theirs.put(extract("9999-01-01", context))
        assert context_of(ours) == context


def test_what_is_no_extract_is_not_put(tmp_path: Path) -> None:
    file = FactsFile(tmp_path / FILE_NAME)
    file.put(extract("9999-01-01"))
    with pytest.raises(ValueError):
        file.put(b"{}")
    assert context_of(file) == 7


def test_a_broken_file_is_told_and_the_shipped_one_is_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"{")
    assert FactsFile(tmp_path / FILE_NAME).facts().date == SHIPPED
    assert FILE_NAME in caplog.text
