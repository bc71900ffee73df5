"""Usage and gateway keys, as the control API gives them: sums and names, never a key's text."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping
from typing import Any

from holdgate.core.server.context import App
from holdgate.core.store.usage import BY
from holdgate.core.values.errors import Fault, FaultKind


async def usage(app: App, query: Mapping[str, str]) -> dict[str, Any]:
    """Sum up the ledger; the query's `since` is Unix seconds, `by` one of BY.

    Raises Fault: REQUEST, or INTERNAL for a ledger that cannot be read.
    """
    since, by = _since(query.get("since", "")), query.get("by", BY[0])
    if by not in BY:
        raise Fault(FaultKind.REQUEST, f"by: one of {', '.join(BY)} is allowed")
    try:
        sums = await app.relay.loop.run_in_executor(None, app.ledger.usage, since, by)
    except sqlite3.Error as error:
        raise Fault(FaultKind.INTERNAL, f"the ledger cannot be read: {error}") from error
    return sums.as_json()


def keys(app: App) -> dict[str, Any]:
    """List the gateway keys, revoked ones too, the oldest first."""
    return {
        "keys": [
            {"id": key.id, "name": key.name, "created": key.created, "enabled": key.enabled}
            for key in app.keys.list()
        ]
    }


def _since(text: str) -> float:
    try:
        since = float(text or 0)
    except ValueError:
        since = math.nan
    if not math.isfinite(since):
        raise Fault(FaultKind.REQUEST, "since: a moment in Unix seconds is allowed")
    return since
