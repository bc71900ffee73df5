"""`gateway explain`: the time line of one request, and why it went so."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdgate.cli.asking import ask, request_path, wall_time
from holdgate.cli.completing import known_ids
from holdgate.cli.explaining import lines_of
from holdgate.cli.options import config_option, echo_json, json_option
from holdgate.cli.screen import Screen

if TYPE_CHECKING:
    from holdgate.core.client import ControlClient


@click.command("explain", epilog="Example: gateway explain hg-1a22d307b1c6f72cded7")
@click.argument("id", shell_complete=known_ids)
@config_option
@json_option
def command(id: str, config_file: Path | None, as_json: bool) -> None:
    """Tell what happened to the request ID, live or past, and why.

    The id is in the reply's header X-Holdgate-Request, and in `gateway queue`.

    JSON: {"id", "agent", "conversation", "model", "dialect", "stream", "state", "arrived", "ended",
    "status", "fault", "waited", "kept_alive", "usage", "losses", "tries", "timeline"}; times are
    Unix seconds, durations seconds.
    """
    request = ask(config_file, lambda client: client.get(request_path(id)))
    if as_json:
        echo_json(request)
        return
    reason = "" if request["ended"] else ask(config_file, lambda client: _reason(client, id))
    now = wall_time()
    Screen().show(lambda width: lines_of(request, now, reason, width))


def _reason(client: ControlClient, id: str) -> str:
    """Give why a live request is where it is."""
    found = client.get("/api/status")["requests"]
    return next((each["reason"] for each in found if each["id"] == id.strip()), "")
