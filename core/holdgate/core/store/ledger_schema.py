"""The ledger's tables, and how an older file becomes a newer one."""

from __future__ import annotations

import sqlite3

# Each entry lifts a file by one version; the file's own is in `user_version`.
_MIGRATIONS = (
    """
    CREATE TABLE requests (
      id TEXT PRIMARY KEY, arrived REAL NOT NULL, ended REAL,
      agent TEXT NOT NULL, key TEXT, address TEXT NOT NULL, conversation TEXT NOT NULL,
      model TEXT NOT NULL, candidate TEXT, dialect TEXT NOT NULL, stream INTEGER NOT NULL,
      state TEXT NOT NULL, status INTEGER, fault TEXT, message TEXT NOT NULL,
      waited REAL NOT NULL, kept_alive INTEGER NOT NULL,
      input INTEGER, cache_read INTEGER, cache_write INTEGER, output INTEGER, reasoning INTEGER,
      timeline TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX requests_arrived ON requests (arrived);
    CREATE TABLE tries (
      request TEXT NOT NULL, number INTEGER NOT NULL,
      provider TEXT NOT NULL, key TEXT NOT NULL, model TEXT NOT NULL, dialect TEXT NOT NULL,
      started REAL NOT NULL, first_byte REAL, ended REAL, status INTEGER, fault TEXT,
      PRIMARY KEY (request, number)
    ) WITHOUT ROWID;
    """,
)

_REQUEST = (
    "id, arrived, ended, agent, key, address, conversation, model, candidate, dialect, stream, "
    "state, status, fault, message, waited, kept_alive, "
    "input, cache_read, cache_write, output, reasoning, timeline"
)
COLUMNS = _REQUEST
REQUEST_UPSERT = f"INSERT OR REPLACE INTO requests ({_REQUEST}) VALUES ({', '.join('?' * 23)})"
TRY_UPSERT = (
    "INSERT OR REPLACE INTO tries (request, number, provider, key, model, dialect, started, "
    f"first_byte, ended, status, fault) VALUES ({', '.join('?' * 11)})"
)


def prepare(db: sqlite3.Connection) -> None:
    """Make a file ready: WAL, and the tables of today's version. Raises sqlite3.Error."""
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    version = db.execute("PRAGMA user_version").fetchone()[0]
    for number, script in enumerate(_MIGRATIONS[version:], version + 1):
        db.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")
