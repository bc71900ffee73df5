"""`gateway agents`: which agents are here, and which of them ask the gateway."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdgate.cli.options import config_option, echo_json, json_option, places_of, settings_of

if TYPE_CHECKING:
    from holdgate.cli.lines import Line
    from holdgate.core.agents.finding import Sighting

_MEANINGS = {"wired": "done", "not wired": "quiet"}


@click.command("agents", epilog="Example: gateway agents --json")
@config_option
@json_option
def command(config_file: Path | None, as_json: bool) -> None:
    """Show the agents that are on this machine, and whether they ask the gateway.

    JSON: {"agents": [{"name", "title", "aliases", "dialect", "tiers", "here", "program", "traces",
    "state", "note", "url", "models", "files", "run", "connect"}]}; state: "not wired", "wired",
    "drifted", "stale", "half" or "unclear"; url, models and files of those that are connected;
    run, connect: whether each can be done.
    """
    from holdgate.cli.screen import Screen

    found = _sightings(config_file)
    if as_json:
        echo_json({"agents": [_shape(each) for each in found]})
        return
    Screen().show(lambda width: lines_of(found, width))


def lines_of(found: list[Sighting], width: int | None) -> list[Line]:
    """Give a table of the agents that are here, what is wrong with them, and what to do next."""
    from holdgate.cli.lines import hanging, said
    from holdgate.cli.tables import Column, table

    columns = (
        Column("AGENT"), Column("TITLE", 10, spare=1), Column("STATE"), Column("MODEL", 12),
        Column("FOUND", 20, middle=True),
    )  # fmt: skip
    here = [each for each in found if each.is_here]
    lines = table(columns, [_row(each) for each in here], width)
    for each in here:
        if each.wired.note:
            lines += hanging(said(f"{each.agent.name}: "), each.wired.note, width, "error")
    missing = ", ".join(each.agent.name for each in found if not each.is_here)
    if missing:
        lines += hanging(said(("not found here: ", "quiet")), missing, width, "quiet")
    return [*lines, *(said(hint) for hint in _hints(here))]


def _row(each: Sighting) -> tuple[str | tuple[str, str], ...]:
    state = each.wired.state
    where = each.program or next(iter(each.traces), None)
    models = each.journal.models if each.journal else {}
    return (
        each.agent.name, each.agent.title, (state, _MEANINGS.get(state, "error")),
        models.get("", ""), _short(where) if where else "",
    )  # fmt: skip


def _hints(here: list[Sighting]) -> list[str]:
    states = {each.wired.state for each in here}
    hints = []
    if states & {"drifted", "stale", "half"}:
        hints.append("mend one with: gateway connect AGENT; undo it with: gateway disconnect AGENT")
    if "not wired" in states:
        hints.append("start one with: gateway run AGENT; for good: gateway connect AGENT")
    return hints


def _sightings(config_file: Path | None) -> list[Sighting]:
    from holdgate.cli.gateways import configured_url, running_url
    from holdgate.cli.pointing import machine_here, repaired, wiring_of
    from holdgate.core.agents.finding import sight
    from holdgate.core.agents.recipes.table import AGENTS
    from holdgate.core.editing.table import EDITORS

    places = places_of(config_file)
    url = running_url(places) or configured_url(settings_of(places))
    wiring, machine = wiring_of(places), machine_here()
    repaired(wiring)
    return [sight(each, machine, wiring, EDITORS, url) for each in AGENTS.values()]


def _short(path: Path) -> str:
    home = os.path.expanduser("~")
    text = str(path)
    return "~" + text[len(home) :] if text.startswith(home + os.sep) else text


def _shape(each: Sighting) -> dict[str, object]:
    agent, journal = each.agent, each.journal
    return {
        "name": agent.name,
        "title": agent.title,
        "aliases": list(agent.aliases),
        "dialect": agent.dialect,
        "tiers": list(agent.tiers),
        "here": each.is_here,
        "program": str(each.program) if each.program else None,
        "traces": [str(trace) for trace in each.traces],
        "state": each.wired.state,
        "note": each.wired.note or None,
        "url": journal.url if journal else None,
        "models": dict(journal.models) if journal else None,
        "files": [str(record.file) for record in journal.files] if journal else [],
        "run": not agent.no_run,
        "connect": not agent.no_connect,
    }
