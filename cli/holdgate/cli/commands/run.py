"""`gateway run`: an agent on the gateway, with nothing written anywhere."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from holdgate.cli.options import fail, tell
from holdgate.cli.pointing import (
    Given,
    Pointed,
    agent_argument,
    agent_of,
    machine_here,
    pointed,
    pointing_options,
)

if TYPE_CHECKING:
    from holdgate.core.agents.base import Agent


class _WithWordsBehind(click.Command):
    """A command that knows what is meant by an option of another program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; one that is not ours may be the agent's."""
        typed = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = next((word for word in typed if not word.startswith("-")), "AGENT")
            hint = f"gateway run {name} -- {error.option_name}"
            words = f"{error.format_message()} Options of the agent stand behind --: {hint}"
            raise click.UsageError(words, ctx) from None


@click.command(
    "run", cls=_WithWordsBehind, epilog="Example: gateway run claude -m coder -- --resume"
)
@agent_argument
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@pointing_options
@click.option("--dry-run", is_flag=True, help="Show what would be started, and start nothing.")
@click.option("--no-check", is_flag=True, help="Start it even where no gateway answers.")
def command(
    agent: str, args: tuple[str, ...], dry_run: bool, no_check: bool, **given: Unpack[Given]
) -> None:
    """Start AGENT so that it asks the gateway; what stands behind -- is for the agent.

    It is told by variables and options alone: nothing is written, and started otherwise it asks
    whom it asked before. Ends as the agent ends.
    """
    from holdgate.cli.gateways import why_unreachable

    wanted = agent_of(agent)
    if wanted.no_run:
        fail(f"{wanted.name} cannot be started by this: {wanted.no_run}")
    program = _program(wanted, dry_run)
    found = pointed(wanted, given)
    variables = {**found.variables(), **_unset_proxies(found)}
    words = (*found.agent.arguments(found.wish, found.machine), *args)
    if dry_run:
        _show(found, variables, (program.name, *words))
        return
    if not no_check and (why := why_unreachable(found.gateway)):
        fail(why)
    if found.model_line:
        tell(found.model_line)
    _start(program, words, variables)


def _unset_proxies(found: Pointed) -> dict[str, str]:
    """Give what takes proxies from an agent that would ask them for the gateway all the same."""
    from holdgate.core.agents.proxies import named_proxies

    if found.agent.heeds_no_proxy or not found.proxy_line:
        return {}
    return dict.fromkeys(named_proxies(found.machine), "")


def child_environ(environ: Mapping[str, str], variables: Mapping[str, str]) -> dict[str, str]:
    """Give an environment with `variables`; those that are "" are taken out of it."""
    merged = {**environ, **variables}
    return {name: text for name, text in merged.items() if text or name not in variables}


def _program(agent: Agent, dry_run: bool) -> Path:
    from holdgate.core.agents.finding import program_of

    program = program_of(agent, machine_here())
    if program is None and not dry_run:
        fail(_not_here(agent))
    return program or Path(agent.programs[0])


def _not_here(agent: Agent) -> str:
    return (
        f"{agent.title} is not installed, or not on the PATH: there is no program "
        f"{' or '.join(agent.programs)}"
    )


def _show(found: Pointed, variables: Mapping[str, str], words: tuple[str, ...]) -> None:
    from holdgate.cli.shells import guessed, lines
    from holdgate.core.values.secret import mask

    # Shown for Windows as PowerShell has it: cmd has no words for some values.
    shell = guessed(os.environ, sys.platform)
    secrets = [found.gateway.key] if found.gateway.key else []
    # Before they are quoted: no shell writes a quote in a key as it is.
    told = {name: mask(text, secrets) for name, text in variables.items()}
    shown = lines("powershell" if shell == "cmd" else shell, told, ())
    shown.append(subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words))
    for line in ([f"# {found.model_line}"] if found.model_line else []) + shown:
        click.echo(line)


def _start(program: Path, words: tuple[str, ...], variables: Mapping[str, str]) -> None:
    from holdgate.cli.launching import take_over

    try:
        take_over(program, words, child_environ(os.environ, variables))
    except OSError as error:
        fail(f"{program} cannot be started: {error.strerror or error}")
