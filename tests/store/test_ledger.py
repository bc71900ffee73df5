"""The ledger: what it gives back, also of older files, and who answered last."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from holdgate.core.store import ledger_schema
from holdgate.core.store.ledger import FILE_NAME, LastAnswer, Ledger
from holdgate.core.values.caller import Caller
from holdgate.core.values.errors import FaultKind
from holdgate.core.values.records import Record, State, TryRecord
from holdgate.core.values.rests import Rest
from holdgate.core.values.usage import Usage

NOW = 1_790_000_000.0
REST = Rest("one", "home", FaultKind.RATE, "rate limited", NOW + 60.12345)


def a_try(provider: str = "one", key: str = "home", rest: Rest | None = None) -> TryRecord:
    return TryRecord(provider, key, "m", "chat", NOW, NOW + 1, NOW + 2, 200, None, rest)


def record(
    number: int,
    conversation: str = "talk",
    *tries: TryRecord,
    model: str = "both",
    state: State = "done",
    ended: float | None = None,
    cache_read: int | None = 0,
) -> Record:
    """Give a request that arrived `number` seconds after NOW and took five."""
    made = Record(f"hg-{number:020x}", Caller(), conversation, model, "chat", True, NOW + number)
    made.state, made.ended = state, NOW + number + 5 if ended is None else ended
    made.tries = list(tries)
    if tries:
        made.candidate = f"{tries[-1].provider}/{tries[-1].model}"
    if cache_read is not None:
        made.usage = Usage(input=10, cache_read=cache_read, output=1)
    made.note(NOW + number, "arrived", "at the gateway")
    return made


def book(path: Path, records: Iterable[Record]) -> Ledger:
    """Give a closed ledger that can still be read."""
    ledger = Ledger(path, NOW)
    for each in records:
        ledger.closed(each)
    ledger.close(30.0)
    return ledger


def test_a_request_comes_back_as_it_was_shown_live(tmp_path: Path) -> None:
    kept = record(1, "talk", a_try("one", rest=REST), a_try("two"))
    found = book(tmp_path / FILE_NAME, [kept]).find(kept.id)
    assert found == kept.as_json()
    assert [each["rest"] for each in found["tries"]] == [
        {"until": NOW + 60.123, "why": "rate limited"},
        None,
    ]


def test_of_no_request_nothing_is_known(tmp_path: Path) -> None:
    ledger = book(tmp_path / FILE_NAME, [])
    assert ledger.find("hg-0") is None
    assert ledger.answered(0, 10) == []


# An older file.


def version_1(path: Path) -> None:
    """Make a file as the first version did, with a request and its try."""
    with closing(sqlite3.connect(path)) as db:
        db.executescript(f"{ledger_schema._MIGRATIONS[0]} PRAGMA user_version = 1;")
        db.execute(
            "INSERT INTO requests (id, arrived, ended, agent, address, conversation, model, "
            "candidate, dialect, stream, state, status, message, waited, kept_alive, timeline) "
            "VALUES ('hg-00', 1, 9, 'codex', '127.0.0.1', 'old talk', 'both', 'one/m', 'chat', 0, "
            "'done', 200, '', 0, 0, '[]')"
        )
        db.execute(
            "INSERT INTO tries (request, number, provider, key, model, dialect, started, status) "
            "VALUES ('hg-00', 0, 'one', 'home', 'm', 'chat', 2, 200)"
        )
        db.commit()


OLD_TRY = {
    "provider": "one", "key": "home", "model": "m", "dialect": "chat", "started": 2.0,
    "first_byte": None, "ended": None, "status": 200, "fault": None, "rest": None,
}  # fmt: skip


def test_an_older_file_is_lifted_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    version_1(path)
    kept = record(1, "talk", a_try(rest=REST))
    ledger = book(path, [kept])
    old = ledger.find("hg-00")
    assert old is not None
    assert (old["conversation"], old["state"], old["tries"]) == ("old talk", "done", [OLD_TRY])
    assert ledger.find(kept.id) == kept.as_json()
    assert [each["id"] for each in ledger.recent(10)] == ["hg-00000000000000000001", "hg-00"]
    assert [each.conversation for each in ledger.answered(0, 10)] == ["old talk", "talk"]
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (2,)
        rests = db.execute("SELECT rest_until, rest_why FROM tries ORDER BY request")
        assert rests.fetchall() == [(None, None), (NOW + 60.123, "rate limited")]


def test_a_lifted_file_is_not_lifted_again(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    version_1(path)
    for number in (1, 2):
        book(path, [record(number, "talk", a_try(rest=REST))])
    assert len(book(path, []).recent(10)) == 3


def test_an_older_file_that_nobody_lifts_is_read_all_the_same(tmp_path: Path) -> None:
    lifted, path = tmp_path / "other", tmp_path / FILE_NAME
    version_1(path)
    reader = book(lifted, [])
    lifted.unlink()
    path.rename(lifted)
    old = reader.find("hg-00")
    assert old is not None and old["tries"] == [OLD_TRY]


# Who answered last.


def test_the_last_try_of_the_newest_request_counts(tmp_path: Path) -> None:
    records = [
        record(3, "talk", a_try("one"), a_try("two", "work"), cache_read=40),
        record(1, "talk", a_try("one"), cache_read=0),
        record(2, "other", a_try("one"), cache_read=0),
    ]
    assert book(tmp_path / FILE_NAME, records).answered(NOW, 10) == [
        LastAnswer("both", "other", ("one", "home"), NOW + 7, False),
        LastAnswer("both", "talk", ("two", "work"), NOW + 8, True),
    ]


def test_models_are_told_apart(tmp_path: Path) -> None:
    records = [
        record(1, "talk", a_try("one"), model="a"),
        record(2, "talk", a_try("two"), model="b"),
    ]
    found = book(tmp_path / FILE_NAME, records).answered(0, 10)
    assert [(each.model, each.lane[0]) for each in found] == [("a", "one"), ("b", "two")]


@pytest.mark.parametrize("state", ["failed", "cancelled", "gone"])
def test_what_was_not_done_hides_no_answer(tmp_path: Path, state: State) -> None:
    records = [record(1, "talk", a_try("one")), record(2, "talk", a_try("two"), state=state)]
    found = book(tmp_path / FILE_NAME, records).answered(0, 10)
    assert [(each.lane, each.at) for each in found] == [(("one", "home"), NOW + 6)]


def test_a_guess_hides_no_answer(tmp_path: Path) -> None:
    guess = record(2, "talk")
    # No candidate, or a request whose tries are lost.
    lost = record(3, "talk")
    lost.candidate = "one/m"
    found = book(tmp_path / FILE_NAME, [record(1, "talk", a_try()), guess, lost]).answered(0, 10)
    assert [each.at for each in found] == [NOW + 6]


def test_without_a_count_of_tokens_no_cache_was_seen(tmp_path: Path) -> None:
    records = [record(1, "talk", a_try(), cache_read=None)]
    assert [each.cached for each in book(tmp_path / FILE_NAME, records).answered(0, 10)] == [False]


@pytest.mark.parametrize(
    ("since", "limit", "talks"),
    [
        (NOW + 6, 10, ["a", "b", "c"]),
        (NOW + 6.001, 10, ["b", "c"]),
        (NOW + 8, 10, ["c"]),
        (NOW + 8.001, 10, []),
        (NOW, 2, ["b", "c"]),
        (NOW, 1, ["c"]),
        (NOW, 0, []),
    ],
)
def test_since_when_and_how_many(
    tmp_path: Path, since: float, limit: int, talks: list[str]
) -> None:
    # a ended at NOW + 6, b at 7, c at 8; what is older of c takes no place from b.
    records = [record(0, "c", a_try()), *(record(n, "_abc"[n], a_try()) for n in (1, 2, 3))]
    found = book(tmp_path / FILE_NAME, records).answered(since, limit)
    assert [each.conversation for each in found] == talks


def test_a_long_request_counts_by_its_end(tmp_path: Path) -> None:
    records = [record(1, "long", a_try(), ended=NOW + 900), record(2, "short", a_try())]
    found = book(tmp_path / FILE_NAME, records).answered(NOW, 10)
    assert [(each.conversation, each.at) for each in found] == [
        ("short", NOW + 7),
        ("long", NOW + 900),
    ]


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    ledger = book(path, [])
    path.unlink()
    with pytest.raises(sqlite3.Error):
        ledger.answered(0, 10)
    path.write_bytes(b"no database at all, but long enough to be looked at" * 100)
    with pytest.raises(sqlite3.Error):
        ledger.answered(0, 10)


def filled(path: Path, requests: int, talks: int) -> None:
    """Write a long ledger as fast as SQLite can; request N is of conversation N % talks."""
    timeline = json.dumps([[NOW, "arrived", "one/m (place 1); two/m (place 2)"]] * 6)
    one = dict.fromkeys(ledger_schema.REQUEST, 0) | {"state": "done", "timeline": timeline}
    columns = ", ".join(ledger_schema.REQUEST)
    with closing(sqlite3.connect(path)) as db, db:
        db.executemany(
            f"INSERT INTO requests ({columns}) VALUES ({', '.join('?' * len(one))})",
            (
                tuple(
                    (one | {"id": f"hg-{n:020x}", "ended": n, "conversation": n % talks}).values()
                )
                for n in range(requests)
            ),
        )
        db.execute(
            "INSERT INTO tries (request, number, provider, key, model, dialect, started) "
            "SELECT id, 0, 'one', 'home', 'm', 'chat', 0 FROM requests"
        )


@pytest.mark.parametrize(
    ("talks", "since", "told"), [(20_000, 0, 10_000), (100, 0, 100), (20_000, 99_000, 1_000)]
)
def test_a_long_ledger_is_no_reason_to_wait(
    tmp_path: Path, talks: int, since: float, told: int
) -> None:
    path = tmp_path / FILE_NAME
    ledger = book(path, [])
    filled(path, 100_000, talks)
    took = []
    for _ in range(3):
        began = time.perf_counter()
        found = ledger.answered(since, 10_000)
        took.append(time.perf_counter() - began)
    assert len(found) == told
    assert [each.at for each in found] == list(range(100_000 - told, 100_000))
    assert min(took) < 1.0  # a tenth of it on an idle machine
