"""`gateway status`: the snapshot of the running gateway."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from holdgate.cli.asking import ask, wall_time
from holdgate.cli.lanes import keeping, lane_table, title
from holdgate.cli.lines import Line, cells, hanging, plain, said
from holdgate.cli.live_requests import in_order, request_table
from holdgate.cli.options import config_option, echo_json, json_option
from holdgate.cli.screen import Screen
from holdgate.cli.times import in_seconds

# `gateway queue` shows more.
_REQUESTS_MOST = 20


@click.command("status", epilog="Example: gateway status --json")
@config_option
@json_option
def command(config_file: Path | None, as_json: bool) -> None:
    """Say who waits, for what, and for how long; which keys rest, and what went wrong last.

    JSON: the snapshot {"version", "uptime", "address", "paused", "counts", "lanes", "requests",
    "last_error"}; times are Unix seconds, durations seconds.
    """
    snapshot = ask(config_file, lambda client: client.get("/api/status"))
    if as_json:
        echo_json(snapshot)
        return
    now = wall_time()
    Screen().show(lambda width: lines_of(snapshot, now, width))


def lines_of(snapshot: dict[str, Any], now: float, width: int | None) -> list[Line]:
    """Give the snapshot as lines for a person; `now` in Unix seconds."""
    ordered = {**snapshot, "requests": in_order(snapshot["requests"])}
    parts = [
        [*_title(snapshot, width), *keeping(snapshot, now, width)],
        lane_table(snapshot["lanes"], now, width),
        request_table(ordered, now, width, _REQUESTS_MOST),
        _last_error(snapshot["last_error"], width),
    ]
    first, *more = [part for part in parts if part]
    return [*first, *(line for part in more for line in (said(""), *part))]


def _title(snapshot: dict[str, Any], width: int | None) -> list[Line]:
    """Give what runs where, and the counts: in one line where they fit."""
    where = f"Holdgate {snapshot['version']} at {snapshot['address']}, "
    where += f"up {in_seconds(snapshot['uptime'])}"
    counts = title(snapshot["counts"])
    whole = (*said(where, ": "), *counts)
    return [whole] if width is None or cells(plain(whole)) <= width else [said(where), counts]


def _last_error(error: str | None, width: int | None) -> list[Line]:
    return hanging(said(("last error: ", "error")), error, width) if error else []
