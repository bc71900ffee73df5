"""`gateway pause`: start nothing for a while."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from holdgate.cli.asking import ask, wall_time
from holdgate.cli.completing import provider_names
from holdgate.cli.duration import Duration
from holdgate.cli.options import config_option, echo_json, json_option
from holdgate.cli.times import in_seconds, until


@click.command("pause", epilog="Example: gateway pause --provider deepseek --for 30m")
@click.option(
    "--provider", metavar="NAME", shell_complete=provider_names, help="Pause only this provider."
)
@click.option("--for", "seconds", type=Duration(), help="End by itself, such as after 30m.")
@config_option
@json_option
def command(
    provider: str | None, seconds: float | None, config_file: Path | None, as_json: bool
) -> None:
    """Let no request start, until `gateway resume`.

    Those that wait are kept alive, those that are being answered go on.

    JSON: {"paused": null | {"until", "why"}, "lanes": [{"provider", "key", "paused"}]}; `paused` is
    the pause of all, until (Unix seconds) is null if only resume ends it.
    """
    body = {"provider": provider, "for": seconds}
    done = ask(config_file, lambda client: client.post("/api/pause", body))
    if as_json:
        echo_json(done)
        return
    name = f" --provider {provider}" if provider else ""
    click.echo(f"paused {provider or 'all'}{_end(done, seconds)}; gateway resume{name} ends it")


def _end(done: dict[str, Any], seconds: float | None) -> str:
    if not seconds:
        return " until resumed"
    if done["paused"] and done["paused"]["until"]:
        return f" {until(done['paused']['until'], wall_time())}"
    return f" for {in_seconds(seconds)}"
