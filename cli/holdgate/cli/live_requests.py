"""Live requests: the rows of those that wait or are being answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdgate.cli.lines import Line, said
from holdgate.cli.tables import Column, table
from holdgate.cli.times import in_seconds

COLUMNS = (
    Column("PLACE"),
    Column("REQUEST"),
    Column("AGENT", least=8),
    Column("MODEL", least=14, middle=True),
    Column("STATE"),
    Column("SINCE"),
    Column("WHY", least=20),
    Column("ETA"),
)


def in_order(requests: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give requests by their place in line, then those that have none by their arrival."""
    return sorted(requests, key=lambda each: (each["position"] is None, each["position"] or 0))


def request_table(
    snapshot: dict[str, Any], now: float, width: int | None, most: int | None = None
) -> list[Line]:
    """Give a snapshot's requests as they are ordered there, at most `most`; `now` in Unix seconds.

    If that is not all of them, a last line says so.
    """
    shown = snapshot["requests"][:most]
    lines = table(COLUMNS, [_row(each, now) for each in shown], width)
    left_out = sum(snapshot["counts"].values()) - len(shown)
    if left_out > 0 and shown:
        where = "" if most is None else "; gateway queue shows more"
        lines.append(said((f"and {left_out} more{where}", "quiet")))
    return lines


def _row(request: dict[str, Any], now: float) -> tuple[str | tuple[str, str], ...]:
    eta = request["eta"]
    return (
        str(request["position"] or ""),
        request["id"],
        request["agent"],
        request["model"],
        (request["state"], request["state"]),
        in_seconds(max(0.0, now - request["since"])),
        request["reason"],
        "" if eta is None else in_seconds(max(1.0, eta - now)),
    )
