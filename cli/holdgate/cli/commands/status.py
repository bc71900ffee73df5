"""`gateway status`: the snapshot of the running gateway."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from holdgate.cli.options import config_option, echo_json, fail, json_option, places_of
from holdgate.cli.tables import aligned, in_seconds


@click.command("status", epilog="Example: gateway status --json")
@config_option
@json_option
def command(config_file: Path | None, as_json: bool) -> None:
    """Say who waits, for what, and for how long.

    JSON: the snapshot {"version", "uptime", "address", "paused", "counts", "lanes", "requests",
    "last_error"}; times are Unix seconds, durations seconds.
    """
    from holdgate.core.client import NotRunning, Refused, connect

    try:
        snapshot = connect(places_of(config_file).state).get("/api/status")
    except (NotRunning, Refused) as error:
        fail(str(error))
    if as_json:
        echo_json(snapshot)
        return
    for line in lines_of(snapshot, time.time()):  # noqa: TID251 (a person reads it now)
        click.echo(line)


def lines_of(snapshot: dict[str, Any], now: float) -> list[str]:
    """Give the snapshot as lines for a person; `now` in Unix seconds."""
    counts = snapshot["counts"]
    lines = [
        f"Holdgate {snapshot['version']} at {snapshot['address']}, "
        f"up {in_seconds(snapshot['uptime'])}: {counts['waiting']} waiting, "
        f"{counts['held']} held, {counts['passing']} passing"
    ]
    lines += _table(
        ("LANE", "RUNNING", "WAITING", "MINUTE"), [_lane(each, now) for each in snapshot["lanes"]]
    )
    lines += _table(
        ("REQUEST", "AGENT", "MODEL", "STATE", "SINCE", "WHY"),
        [_request(each, now) for each in snapshot["requests"]],
    )
    if snapshot["last_error"]:
        lines += ["", f"last error: {snapshot['last_error']}"]
    return lines


def _lane(lane: dict[str, Any], now: float) -> tuple[str, ...]:
    minute = lane["minute"]
    used = f"{minute['used']} of {minute['limit']}" if minute["limit"] else f"{minute['used']}"
    if minute["next_at"] is not None:
        used += f", next in {in_seconds(max(0, minute['next_at'] - now))}"
    slots = (
        f"{lane['running']} of {lane['concurrency']}" if lane["concurrency"] else lane["running"]
    )
    return (f"{lane['provider']}/{lane['key']}", str(slots), str(lane["waiting"]), used)


def _request(request: dict[str, Any], now: float) -> tuple[str, ...]:
    place = f", place {request['position']}" if request["position"] else ""
    return (
        request["id"],
        request["agent"],
        request["model"],
        request["state"],
        in_seconds(max(0, now - request["since"])),
        request["reason"] + place,
    )


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    """Give aligned columns under a head, after an empty line; nothing for no rows."""
    return ["", *aligned(head, rows)] if rows else []
