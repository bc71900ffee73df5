"""`gateway disconnect`: an agent's own configuration is as it was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdgate.cli.completing import connected_names
from holdgate.cli.lines import printable
from holdgate.cli.options import (
    FAILED,
    WRONG_CONFIGURATION,
    config_option,
    echo_json,
    fail,
    json_option,
    places_of,
    tell,
)
from holdgate.cli.pointing import wiring_of

if TYPE_CHECKING:
    from holdgate.core.agents.wiring import Ended, Wiring


@click.command("disconnect", epilog="Example: gateway disconnect --all")
@click.argument("agent", required=False, shell_complete=connected_names)
@click.option("--all", "every", is_flag=True, help="All agents that are connected.")
@config_option
@json_option
def command(agent: str | None, every: bool, config_file: Path | None, as_json: bool) -> None:
    """Undo gateway connect: what was in the files of AGENT before is there again.

    What you changed in them since stays, also where it was a value of the gateway's.

    JSON: {"agents": [{"agent", "changed", "left": [{"file", "path"}], "error"}]}; changed: files.
    """
    if every == bool(agent):
        fail("give an AGENT, or --all", WRONG_CONFIGURATION)
    wiring = wiring_of(places_of(config_file))
    ended = _ended(wiring, agent)
    if as_json:
        echo_json({"agents": [_shape(each) for each in ended]})
    elif not ended:
        click.echo(f"{agent} is not connected" if agent else "no agent is connected")
    for each in ended:
        for line in [] if as_json else _lines(each):
            click.echo(line)
        if each.error:
            tell(f"{each.agent} is still connected: {each.error}")
    if any(each.error for each in ended):
        raise SystemExit(FAILED)


def _ended(wiring: Wiring, agent: str | None) -> tuple[Ended, ...]:
    from holdgate.core.agents.plan import Refused
    from holdgate.core.agents.wiring import Ended, disconnect_all

    if not agent:
        return disconnect_all(wiring)
    name = _name(wiring, agent)
    try:
        plan = wiring.disconnect(name)
    except Refused as error:
        return (Ended(name, None, str(error)),)
    return (Ended(name, plan),) if plan else ()


def _name(wiring: Wiring, agent: str) -> str:
    """Give the name that an agent was connected under; one that is unknown by now may be, too."""
    from holdgate.cli.pointing import agent_of

    return agent if agent in wiring.names() else agent_of(agent).name


def _shape(ended: Ended) -> dict[str, object]:
    plan = ended.plan
    return {
        "agent": ended.agent,
        "changed": [str(each.file) for each in plan.moves] if plan else [],
        "left": [{"file": file, "path": path} for file, path in _left(ended)],
        "error": ended.error or None,
    }


def _left(ended: Ended) -> list[tuple[str, str]]:
    from holdgate.core.agents.finding import written_path

    changes = ended.plan.changes if ended.plan else ()
    return [(str(each.file), written_path(path)) for each in changes for path in each.left]


def _lines(ended: Ended) -> list[str]:
    if ended.plan is None:
        return []
    lines = [
        f"{'removed' if each.after is None else 'put back'} {each.file}"
        for each in ended.plan.moves
    ]
    lines += [
        f"not there any more: {each.file}" for each in ended.plan.changes if each.before is None
    ]
    lines += [f"left as you set it since: {path} in {file}" for file, path in _left(ended)]
    return [printable(line) for line in (*lines, f"{ended.agent} is no longer connected")]
