"""`gateway resume`: end a pause."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from holdgate.cli.asking import ask
from holdgate.cli.completing import provider_names
from holdgate.cli.options import config_option, echo_json, json_option


@click.command("resume", epilog="Example: gateway resume --provider deepseek")
@click.option(
    "--provider",
    metavar="NAME",
    shell_complete=provider_names,
    help="End the pause of just this provider.",
)
@config_option
@json_option
def command(provider: str | None, config_file: Path | None, as_json: bool) -> None:
    """End all pauses, or that of one provider.

    JSON: {"paused": null | {"until", "why"}, "lanes": [{"provider", "key", "paused"}]}.
    """
    done = ask(config_file, lambda client: client.post("/api/resume", {"provider": provider}))
    if as_json:
        echo_json(done)
        return
    click.echo(_words(provider, done))


def _words(provider: str | None, done: dict[str, Any]) -> str:
    if provider and done["paused"]:
        return f"{provider} stays paused, since all are; gateway resume ends that"
    return f"resumed {provider or 'all'}"
