"""Usage: what was asked of the gateway and what it cost in tokens, summed from the ledger.

Tokens are those of the answers, as the vendors told them. Tries that failed have no tokens of their
own in the ledger; they are counted apart, with whom they were sent to.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

_BUSY_WAIT = 5.0
# What the requests and the tries are told apart by, as SQL. A request belongs to its last candidate
# (`provider/model`), a try to its own.
_OF_REQUESTS = {
    "agent": "requests.agent",
    "model": "coalesce(candidate, '')",
    "provider": "coalesce(substr(candidate, 1, instr(candidate, '/') - 1), '')",
    "key": "coalesce(requests.key, '')",
    "day": "date(arrived, 'unixepoch', 'localtime')",
}
_OF_TRIES = {
    **_OF_REQUESTS,
    "model": "tries.provider || '/' || tries.model",
    "provider": "tries.provider",
}
BY = tuple(_OF_REQUESTS)


@dataclass(frozen=True, slots=True)
class UsageRow:
    """The sums of one agent, model, provider, gateway key or day; `name` may be "" for none.

    `requests` has the live ones, too; `waited` is in seconds; `input` is without what a cache
    served, `output` with `reasoning` in it.
    """

    name: str
    requests: int = 0
    done: int = 0
    failed: int = 0
    cancelled: int = 0
    gone: int = 0
    waited: float = 0.0
    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0
    tries: int = 0
    failed_tries: int = 0


@dataclass(frozen=True, slots=True)
class UsageSums:
    """All sums of the requests that arrived at `since` (Unix seconds) or later."""

    since: float
    by: str
    rows: tuple[UsageRow, ...]
    total: UsageRow

    def as_json(self) -> dict[str, Any]:
        """Give the shape of `/api/usage` and of `gateway usage --json`."""
        total = asdict(self.total)
        del total["name"]
        rows = [asdict(row) for row in self.rows]
        return {"since": self.since, "by": self.by, "rows": rows, "total": total}


def usage_since(path: Path, since: float, by: str) -> UsageSums:
    """Sum up a ledger's requests; `by` is one of BY.

    The most output is first, days are in their order. No file, or one that is just being made, is
    no requests. Raises sqlite3.Error.
    """
    found = _read(path, since, by) if path.exists() else []
    rows = sorted(found, key=lambda row: row.name)
    if by != "day":
        rows.sort(key=lambda row: (row.output, row.requests, row.tries), reverse=True)
    return UsageSums(since, by, tuple(rows), _total(rows))


def _read(path: Path, since: float, by: str) -> Iterable[UsageRow]:
    uri = f"{path.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_WAIT)) as db:
        db.execute("BEGIN")  # both queries see the same moment
        if not db.execute("PRAGMA user_version").fetchone()[0]:
            return ()  # a gateway is just about to make its tables
        requests = db.execute(
            f"SELECT {_OF_REQUESTS[by]}, count(*), "
            "sum(state = 'done'), sum(state = 'failed'), sum(state = 'cancelled'), "
            "sum(state = 'gone'), round(total(waited), 3), "
            "coalesce(sum(input), 0), coalesce(sum(cache_read), 0), coalesce(sum(cache_write), 0), "
            "coalesce(sum(output), 0), coalesce(sum(reasoning), 0) "
            "FROM requests WHERE arrived >= ? GROUP BY 1",
            (since,),
        ).fetchall()
        tries = db.execute(
            f"SELECT {_OF_TRIES[by]}, count(*), sum(fault IS NOT NULL) "
            "FROM (SELECT id, agent, key, arrived FROM requests WHERE arrived >= ?) AS requests "
            "JOIN tries ON tries.request = requests.id GROUP BY 1",
            (since,),
        ).fetchall()
    rows = {row[0]: UsageRow(*row) for row in requests}
    for name, count, failed in tries:
        row = rows.get(name) or UsageRow(name)
        rows[name] = replace(row, tries=count, failed_tries=failed)
    return rows.values()


def _total(rows: Iterable[UsageRow]) -> UsageRow:
    counted = [field.name for field in fields(UsageRow) if field.name != "name"]
    listed = list(rows)
    sums = {name: sum(getattr(row, name) for row in listed) for name in counted}
    return UsageRow("", **{**sums, "waited": round(sums["waited"], 3)})
