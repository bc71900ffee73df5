"""Usage: what is summed up from the ledger, for whom, and what failed tries count for."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from holdgate.core.store.ledger import FILE_NAME, Ledger
from holdgate.core.store.usage import BY, UsageRow, usage_since
from holdgate.core.values.caller import Caller
from holdgate.core.values.errors import FaultKind
from holdgate.core.values.records import Record, State, TryRecord
from holdgate.core.values.usage import Usage

NOW = 1_790_000_000.0
DAY = 86400.0
SERVER = FaultKind.SERVER


def a_try(candidate: str, fault: FaultKind | None = None) -> TryRecord:
    provider, _, model = candidate.partition("/")
    status = 500 if fault else 200
    return TryRecord(provider, "home", model, "chat", NOW, NOW + 1, NOW + 2, status, fault)


def record(
    number: int,
    *tries: TryRecord,
    agent: str = "aider",
    key: str | None = None,
    state: State = "done",
    usage: Usage | None = None,
    at: float = NOW,
) -> Record:
    made = Record(
        f"hg-{number:020x}", Caller(agent=agent, key=key), "talk", "coder", "chat", True, at
    )
    made.state, made.ended, made.waited, made.usage = state, at + 5, 1.25, usage
    made.tries = list(tries)
    if tries:
        made.candidate = f"{tries[-1].provider}/{tries[-1].model}"
    return made


RECORDS = (
    record(1, a_try("one/m", SERVER), a_try("two/v/n"), usage=Usage(10, 5, 3, 20, 7), key="laptop"),
    record(2, a_try("two/v/n"), usage=Usage(1, output=2), agent="codex", at=NOW + 2 * DAY),
    record(3, a_try("one/m", SERVER), a_try("one/m", SERVER), state="failed", at=NOW + 2 * DAY),
    record(4, state="gone", at=NOW + 2 * DAY),
    record(5, a_try("two/v/n"), state="cancelled", agent="codex", at=NOW + 2 * DAY),
    record(6, a_try("two/v/n"), state="passing", agent="codex", at=NOW + 2 * DAY),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / FILE_NAME
    ledger = Ledger(file, NOW - DAY)
    for each in RECORDS:
        ledger.closed(each)
    ledger.close(30.0)
    return file


def rows(path: Path, by: str, since: float = 0.0) -> dict[str, UsageRow]:
    return {row.name: row for row in usage_since(path, since, by).rows}


def test_by_provider_tries_count_where_they_went(path: Path) -> None:
    found = rows(path, "provider")
    assert list(found) == ["two", "one", ""]
    assert found["two"] == UsageRow(
        "two", requests=4, done=2, cancelled=1, waited=5.0, input=11, cache_read=5, cache_write=3,
        output=22, reasoning=7, tries=4, failed_tries=0,
    )  # fmt: skip
    assert found["one"] == UsageRow(
        "one", requests=1, failed=1, waited=1.25, tries=3, failed_tries=3
    )
    assert found[""] == UsageRow("", requests=1, gone=1, waited=1.25)


def test_by_model_a_model_may_have_slashes(path: Path) -> None:
    found = rows(path, "model")
    assert set(found) == {"one/m", "two/v/n", ""}
    assert (found["one/m"].tries, found["two/v/n"].output) == (3, 22)


def test_by_agent_and_gateway_key_tries_belong_to_who_asked(path: Path) -> None:
    agents = rows(path, "agent")
    assert (agents["aider"].requests, agents["aider"].tries, agents["aider"].failed_tries) == (
        3,
        4,
        3,
    )
    assert (agents["codex"].requests, agents["codex"].output) == (3, 2)
    keys = rows(path, "key")
    assert (keys["laptop"].requests, keys["laptop"].failed_tries, keys[""].requests) == (1, 1, 5)


def test_by_day_in_their_order(path: Path) -> None:
    days = [datetime.fromtimestamp(NOW + more).date().isoformat() for more in (0, 2 * DAY)]
    found = rows(path, "day")
    assert list(found) == days
    assert [row.requests for row in found.values()] == [1, 5]


@pytest.mark.parametrize("by", BY)
def test_all_together_is_the_same_whatever_it_is_told_apart_by(path: Path, by: str) -> None:
    assert usage_since(path, 0.0, by).total == UsageRow(
        "", requests=6, done=2, failed=1, cancelled=1, gone=1, waited=7.5, input=11, cache_read=5,
        cache_write=3, output=22, reasoning=7, tries=7, failed_tries=3,
    )  # fmt: skip


def test_only_what_arrived_since(path: Path) -> None:
    assert usage_since(path, NOW + DAY, "model").total.requests == 5
    assert usage_since(path, NOW + 3 * DAY, "model").rows == ()


def test_no_ledger_is_no_requests(tmp_path: Path) -> None:
    sums = usage_since(tmp_path / FILE_NAME, 0.0, "agent")
    assert (sums.rows, sums.total) == ((), UsageRow(""))
    assert not list(tmp_path.iterdir())


def test_a_ledger_that_is_just_being_made_is_no_requests(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        db.execute("PRAGMA journal_mode = WAL")
    assert usage_since(tmp_path / FILE_NAME, 0.0, "agent").total == UsageRow("")


def test_the_shape(path: Path) -> None:
    shape: dict[str, Any] = usage_since(path, NOW, "agent").as_json()
    assert set(shape) == {"since", "by", "rows", "total"}
    assert (shape["since"], shape["by"]) == (NOW, "agent")
    assert set(shape["rows"][0]) - set(shape["total"]) == {"name"}
