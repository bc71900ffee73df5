"""The ledger's tables, and how an older file becomes a newer one."""

from __future__ import annotations

import sqlite3
from functools import lru_cache

# Each entry lifts a file by one version; the file's own is in `user_version`.
_MIGRATIONS = (
    """
    -- Ids begin with the time, so the order of the key is that of arrival.
    CREATE TABLE requests (
      id TEXT PRIMARY KEY, arrived REAL NOT NULL, ended REAL,
      agent TEXT NOT NULL, key TEXT, address TEXT NOT NULL, conversation TEXT NOT NULL,
      model TEXT NOT NULL, candidate TEXT, dialect TEXT NOT NULL, stream INTEGER NOT NULL,
      state TEXT NOT NULL, status INTEGER, fault TEXT, message TEXT NOT NULL,
      waited REAL NOT NULL, kept_alive INTEGER NOT NULL,
      input INTEGER, cache_read INTEGER, cache_write INTEGER, output INTEGER, reasoning INTEGER,
      timeline TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE tries (
      request TEXT NOT NULL, number INTEGER NOT NULL,
      provider TEXT NOT NULL, key TEXT NOT NULL, model TEXT NOT NULL, dialect TEXT NOT NULL,
      started REAL NOT NULL, first_byte REAL, ended REAL, status INTEGER, fault TEXT,
      PRIMARY KEY (request, number)
    ) WITHOUT ROWID;
    """,
    """
    -- Until when the key rested after the try, and why.
    ALTER TABLE tries ADD COLUMN rest_until REAL;
    ALTER TABLE tries ADD COLUMN rest_why TEXT;
    ALTER TABLE requests ADD COLUMN losses TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE requests ADD COLUMN vendor_id TEXT;
    """,
)

REQUEST = (
    "id", "arrived", "ended", "agent", "key", "address", "conversation", "model", "candidate",
    "dialect", "stream", "state", "status", "fault", "message", "waited", "kept_alive",
    "input", "cache_read", "cache_write", "output", "reasoning", "timeline",
    "losses", "vendor_id",
)  # fmt: skip
TRY = (
    "request", "number", "provider", "key", "model", "dialect", "started", "first_byte", "ended",
    "status", "fault", "rest_until", "rest_why",
)  # fmt: skip


# SQLite takes 32,766 values in one statement.
ROWS_MOST = 500


@lru_cache(maxsize=2 * ROWS_MOST)
def upsert(table: str, columns: tuple[str, ...], rows: int) -> str:
    """Give the statement that writes so many rows at once."""
    row = f"({', '.join('?' * len(columns))})"
    values = ", ".join([row] * rows)
    return f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES {values}"


def prepare(db: sqlite3.Connection) -> None:
    """Make a file ready: WAL, and the tables of today's version. Raises sqlite3.Error."""
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    version = db.execute("PRAGMA user_version").fetchone()[0]
    for number, script in enumerate(_MIGRATIONS[version:], version + 1):
        db.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")
