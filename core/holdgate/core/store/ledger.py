"""The ledger: the SQLite record of every request and every try.

One thread writes, in batches, off the request path: a ledger that is slow, full or locked never
delays or breaks a reply. It says so once in the log, keeps a bounded backlog, and goes on when it
can. A request is written when it arrives and again when it ends, unless both fall into one batch.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from holdgate.core.editing.files import make_folders
from holdgate.core.store.ledger_schema import REQUEST, ROWS_MOST, TRY, prepare, upsert
from holdgate.core.store.usage import UsageSums, usage_since
from holdgate.core.traffic.ticket import LaneId
from holdgate.core.values.records import Behind, Record
from holdgate.core.values.rests import Rest

log = logging.getLogger(__name__)

FILE_NAME = "ledger.sqlite3"
# Records that wait to be written while the disk is slow; older ones are dropped beyond it.
BACKLOG_MOST = 50_000
# Seconds in which a batch gathers, so that a busy minute costs few transactions.
GATHER = 0.25
_BUSY_WAIT = 5.0
_LIVE_STATES = ("waiting", "trying", "held", "passing")
_LAST_TRY = """
    SELECT tries.provider, tries.key, requests.ended, requests.cache_read
    FROM requests JOIN tries ON tries.request = requests.id
    WHERE requests.id = ? ORDER BY tries.number DESC LIMIT 1"""


@dataclass(frozen=True, slots=True)
class _Rows:
    """A record as rows: of `requests`, and of `tries`."""

    request: tuple[Any, ...]
    tries: list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class LastAnswer:
    """Who answered a conversation last, when (Unix seconds), and whether a cache was seen to serve.

    `model` is the one that was asked for.
    """

    model: str
    conversation: str
    lane: LaneId
    at: float
    cached: bool


class Ledger:
    """The book of all requests. `opened`, `closed` and `close` may be called from any thread."""

    def __init__(self, path: Path, started: float) -> None:
        """Take the file, and since when (Unix seconds) this process serves.

        Requests that an earlier process left unfinished are marked as failed. Raises nothing: a
        file that cannot be opened is told in the log and tried again.
        """
        self._path, self._started = path, started
        self._open: dict[str, Record] = {}
        self._closed: deque[_Rows] = deque(maxlen=BACKLOG_MOST)
        self._news, self._hurry = threading.Event(), threading.Event()
        self._failed = False
        self._thread = threading.Thread(target=self._write_all, name="ledger", daemon=True)
        self._thread.start()

    def opened(self, record: Record) -> None:
        """A request arrived."""
        self._open[record.id] = record
        self._tell_writer()

    def closed(self, record: Record) -> None:
        """A request ended."""
        # Rows and not the record: plain tuples cost the garbage collector nothing while they wait.
        self._closed.append(_rows(record))
        self._open.pop(record.id, None)
        self._tell_writer()

    def close(self, timeout: float = 5.0) -> None:
        """Write what waits and close the file; at most `timeout` seconds."""
        self._hurry.set()
        self._news.set()
        self._thread.join(timeout)

    def recent(self, limit: int, states: Iterable[str] = ()) -> list[dict[str, Any]]:
        """Give the newest requests that ended, newest first, without tries and time line."""
        wanted = tuple(states)
        where = f"WHERE state IN ({','.join('?' * len(wanted))})" if wanted else ""
        with _reading(self._path) as db:
            rows = db.execute(
                f"SELECT * FROM requests {where} ORDER BY id DESC LIMIT ?",
                (*wanted, limit),
            ).fetchall()
        return [_as_json(row, []) for row in rows]

    def find(self, id: str) -> dict[str, Any] | None:
        """Give one request with its tries and time line."""
        with _reading(self._path) as db:
            row = db.execute("SELECT * FROM requests WHERE id = ?", (id,)).fetchone()
            tries = db.execute("SELECT * FROM tries WHERE request = ? ORDER BY number", (id,))
            return _as_json(row, tries.fetchall()) if row else None

    def usage(self, since: float, by: str) -> UsageSums:
        """See store.usage."""
        return usage_since(self._path, since, by)

    def answered(self, since: float, limit: int) -> list[LastAnswer]:
        """Give the last answer of each conversation with each model, the oldest first.

        Only of requests that were done at `since` (Unix seconds) or later; at most `limit`, the
        newest ones. Raises sqlite3.Error where there is no file, or none that can be read.
        """
        with _reading(self._path) as db:
            db.row_factory = None  # plain tuples: many are looked at
            return sorted(_last_answers(db, since, limit), key=lambda answer: answer.at)

    def behind(self, id: str) -> Behind | None:
        """Give the vendor's own reply behind a request's id. Raises sqlite3.Error."""
        with _reading(self._path) as db:
            row = db.execute(
                "SELECT vendor_id, tries.provider, tries.key FROM requests "
                "JOIN tries ON tries.request = requests.id "
                "WHERE requests.id = ? AND vendor_id IS NOT NULL ORDER BY number DESC",
                (id,),
            ).fetchone()
        return Behind(row[0], (row[1], row[2])) if row else None

    def _tell_writer(self) -> None:
        if not self._news.is_set():  # setting it again costs a lock
            self._news.set()

    def _write_all(self) -> None:
        db = self._write_batch(None, [])  # what a killed process left is told from the start
        written: set[str] = set()  # live requests that have their row already
        last = False
        while not last:
            self._news.wait()
            last = self._hurry.wait(GATHER)
            self._news.clear()
            live = list(self._open.values())
            batch = [_rows(record) for record in live if record.id not in written]
            written = {record.id for record in live}
            while self._closed:
                batch.append(self._closed.popleft())
            db = self._write_batch(db, batch)
        if db is not None:
            db.close()

    def _write_batch(
        self, db: sqlite3.Connection | None, batch: list[_Rows]
    ) -> sqlite3.Connection | None:
        """Write a batch; give the connection to go on with, None to open another next time."""
        try:
            db = db or self._connect()
            _write(db, batch)
            self._worked()
        except (sqlite3.Error, OSError) as error:
            room = max(0, BACKLOG_MOST - len(self._closed))
            self._closed.extendleft(
                reversed(batch[len(batch) - room :] if room < len(batch) else batch)
            )
            self._could_not(error)
            if db is not None:
                db.close()
            return None
        return db

    def _connect(self) -> sqlite3.Connection:
        make_folders(self._path.parent)
        db = sqlite3.connect(self._path, timeout=_BUSY_WAIT)
        try:
            prepare(db)
            _close_unfinished(db, self._started)
        except BaseException:
            db.close()
            raise
        return db

    def _could_not(self, error: Exception) -> None:
        if not self._failed:
            log.error("the ledger %s cannot be written (%s); replies go on", self._path, error)
        self._failed = True

    def _worked(self) -> None:
        if self._failed:
            log.warning("the ledger %s is written again", self._path)
        self._failed = False


def _close_unfinished(db: sqlite3.Connection, started: float) -> None:
    """Mark what a killed process left open: its requests arrived before this one started."""
    with db:
        db.execute(
            "UPDATE requests SET state = 'failed', fault = 'gateway stopped', ended = ? "
            f"WHERE arrived < ? AND state IN ({','.join('?' * len(_LIVE_STATES))})",
            (started, started, *_LIVE_STATES),
        )


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for one look, closed after it."""
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=_BUSY_WAIT)
    try:
        db.row_factory = sqlite3.Row
        yield db
    finally:
        db.close()


def _last_answers(db: sqlite3.Connection, since: float, limit: int) -> list[LastAnswer]:
    """Walk from the newest request back until there are enough: SQLite's GROUP BY reads them all.

    A request without a candidate was answered by nobody: a count of tokens that was guessed.
    """
    found: dict[tuple[str, str], LastAnswer] = {}
    for id, model, conversation in db.execute(
        "SELECT id, model, conversation FROM requests "
        "WHERE state = 'done' AND ended >= ? AND candidate IS NOT NULL ORDER BY id DESC",
        (since,),
    ):
        if len(found) >= limit:
            break
        asked = (model, conversation)
        if asked not in found and (row := db.execute(_LAST_TRY, (id,)).fetchone()):
            provider, key, at, cache_read = row
            found[asked] = LastAnswer(*asked, (provider, key), at, bool(cache_read))
    return list(found.values())


def _write(db: sqlite3.Connection, batch: list[_Rows]) -> None:
    """Write a batch in few statements.

    Each statement hands the interpreter's lock to the thread that serves and has to wait for it
    again: one a row would leave the ledger behind in a busy minute.
    """
    requests = [rows.request for rows in batch]
    tries = [row for rows in batch for row in rows.tries]
    with db:
        for table, columns, rows in (("requests", REQUEST, requests), ("tries", TRY, tries)):
            for start in range(0, len(rows), ROWS_MOST):
                part = rows[start : start + ROWS_MOST]
                db.execute(upsert(table, columns, len(part)), list(chain.from_iterable(part)))


def _rows(record: Record) -> _Rows:
    return _Rows(_request_row(record), _try_rows(record))


def _request_row(record: Record) -> tuple[Any, ...]:
    usage = record.usage
    return (
        record.id,
        record.arrived,
        record.ended,
        record.caller.agent,
        record.caller.key,
        record.caller.address,
        record.conversation,
        record.model,
        record.candidate,
        record.dialect,
        record.stream,
        record.state,
        record.status,
        record.fault,
        record.message,
        round(record.waited, 3),
        record.kept_alive,
        usage.input if usage else None,
        usage.cache_read if usage else None,
        usage.cache_write if usage else None,
        usage.output if usage else None,
        usage.reasoning if usage else None,
        msgspec.json.encode([(n.at, n.what, n.detail) for n in tuple(record.timeline)]).decode(),
        "[]" if not record.losses else _losses(record),
        record.vendor_id or None,
    )


def _losses(record: Record) -> str:
    return msgspec.json.encode(
        [{"path": each.path, "why": each.why} for each in record.losses]
    ).decode()


def _try_rows(record: Record) -> list[tuple[Any, ...]]:
    return [
        (record.id, number, t.provider, t.key, t.model, t.dialect, t.started, t.first_byte,
         t.ended, t.status, t.fault, *_rest_cells(t.rest))
        for number, t in enumerate(tuple(record.tries))
    ]  # fmt: skip


def _rest_cells(rest: Rest | None) -> tuple[float | None, str | None]:
    return (round(rest.until, 3), rest.why) if rest else (None, None)


def _as_json(row: sqlite3.Row, tries: list[sqlite3.Row]) -> dict[str, Any]:
    """Give a row in the shape of Record.as_json."""
    usage = {
        name: row[name] for name in ("input", "cache_read", "cache_write", "output", "reasoning")
    }
    return {
        **{name: row[name] for name in ("id", "agent", "conversation", "model", "dialect")},
        "stream": bool(row["stream"]),
        **{name: row[name] for name in ("state", "arrived", "ended", "status", "fault", "waited")},
        "kept_alive": row["kept_alive"],
        "usage": None if usage["input"] is None else usage,
        # A file of an earlier version that could not be lifted has none.
        "losses": json.loads(row["losses"]) if "losses" in row.keys() else [],  # noqa: SIM118
        "tries": [_try_as_json(each) for each in tries],
        "timeline": [
            {"at": at, "what": what, "detail": detail}
            for at, what, detail in json.loads(row["timeline"])
        ],
    }


def _try_as_json(row: sqlite3.Row) -> dict[str, Any]:
    """Give a row in the shape of TryRecord.as_json."""
    told = dict(row)
    del told["request"], told["number"]
    # An older file that cannot be written has no such columns.
    until, why = told.pop("rest_until", None), told.pop("rest_why", None)
    return told | {"rest": None if until is None else {"until": until, "why": why}}
