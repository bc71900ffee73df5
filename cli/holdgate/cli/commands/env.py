"""`gateway env`: the variables that point a program at the gateway, for a shell to take in."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Unpack

import click

from holdgate.cli.completing import kind_names
from holdgate.cli.options import fail
from holdgate.cli.pointing import Given, Pointed, agent_of, pointed, pointing_options
from holdgate.cli.shells import SHELLS, CannotSay, guessed, lines

if TYPE_CHECKING:
    from holdgate.cli.shells import Shell


@click.command("env", epilog='Example: eval "$(gateway env openai)"')
@click.argument("kind", shell_complete=kind_names)
@click.option("--shell", type=click.Choice(list(SHELLS)), help="Whose words; else as it seems.")
@pointing_options
def command(kind: str, shell: str | None, **given: Unpack[Given]) -> None:
    """Print lines that set what points a program at the gateway.

    KIND is openai, anthropic or gemini, for whatever uses that vendor's library, or an agent.
    """
    from holdgate.core.agents.sdks import KEY, SDKS

    agent = agent_of(kind, SDKS)
    found = pointed(agent, given, KEY if agent in SDKS.values() else "")
    name = shell or guessed(os.environ, sys.platform)
    variables = found.variables()
    if not variables:
        why = agent.no_run or f"gateway connect {agent.name} writes what does"
        fail(f"no variables point {agent.name} at a gateway: {why}")
    try:
        again = f"gateway env {kind}{_options(given, shell)}"
        shown = lines(name, variables, _remarks(found, again, SHELLS[name]))
    except CannotSay as error:
        fail(str(error))
    for line in shown:
        click.echo(line)


def _options(given: Given, shell: str | None) -> str:
    """Give the options that the person gave, as they are to be typed again."""
    named = [("--config", given["config_file"]), *(("-m", each) for each in given["asked"])]
    named += [("--url", given["url"]), ("--key-env", given["key_env"]), ("--shell", shell)]
    words = [word for option, value in named if value for word in (option, str(value))]
    return f" {shlex.join(words)}" if words else ""


def _remarks(found: Pointed, asked: str, told: Shell) -> tuple[str, ...]:
    words = found.agent.arguments(found.wish, found.machine)
    start = [f"start it with: {shlex.join((found.agent.programs[0], *words))}"] if words else []
    return (
        f"for {found.agent.title}; use: {told.use.format(asked)}",
        *([found.model_line] if found.model_line else []),
        *start,
        *([] if found.agent.heeds_no_proxy or not found.proxy_line else [found.proxy_line]),
        *([found.agent.no_run] if found.agent.no_run else []),
        *([found.agent.note] if found.agent.note else []),
    )
