"""`gateway first`: let one waiting request overtake the others."""

from __future__ import annotations

from pathlib import Path

import click

from holdgate.cli.asking import ask, request_path
from holdgate.cli.completing import waiting_ids
from holdgate.cli.options import config_option, echo_json, json_option


@click.command("first", epilog="Example: gateway first hg-1a22d307b1c6f72cded7")
@click.argument("id", shell_complete=waiting_ids)
@config_option
@json_option
def command(id: str, config_file: Path | None, as_json: bool) -> None:
    """Move the waiting request ID to the front of its lines. `gateway queue` shows the ids.

    JSON: {"id", "position"}; position is null if it goes at once.
    """
    done = ask(config_file, lambda client: client.post(request_path(id) + "/first"))
    if as_json:
        echo_json(done)
        return
    place = f"place {done['position']}" if done["position"] else "it goes now"
    click.echo(f"{done['id']} is first in its lines: {place}")
