"""`gateway cancel`: end one live request."""

from __future__ import annotations

from pathlib import Path

import click

from holdgate.cli.asking import ask, request_path
from holdgate.cli.completing import live_ids
from holdgate.cli.options import config_option, echo_json, json_option


@click.command("cancel", epilog="Example: gateway cancel hg-1a22d307b1c6f72cded7")
@click.argument("id", shell_complete=live_ids)
@config_option
@json_option
def command(id: str, config_file: Path | None, as_json: bool) -> None:
    """End the live request ID, whether it waits or is being answered.

    Its agent gets an error that no agent repeats. `gateway queue` shows the ids.

    JSON: {"id", "state"}.
    """
    done = ask(config_file, lambda client: client.post(request_path(id) + "/cancel"))
    if as_json:
        echo_json(done)
    else:
        click.echo(f"cancelled {done['id']}")
