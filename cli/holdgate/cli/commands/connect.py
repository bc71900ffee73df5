"""`gateway connect`: an agent's own configuration points at the gateway, until disconnected."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Unpack

import click

from holdgate.cli.lines import printable
from holdgate.cli.options import echo_json, fail, json_option
from holdgate.cli.pointing import (
    Given,
    Pointed,
    agent_argument,
    agent_of,
    pointed,
    pointing_options,
)

if TYPE_CHECKING:
    from holdgate.core.agents.plan import FileChange, Plan


@click.command("connect", epilog="Example: gateway connect codex -m coder --dry-run")
@agent_argument
@pointing_options
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@json_option
def command(agent: str, dry_run: bool, as_json: bool, **given: Unpack[Given]) -> None:
    """Write into the configuration of AGENT that it asks the gateway, and show what changes.

    The rest of its files stays as it is, to the byte. gateway disconnect AGENT undoes it. To
    connect again changes what is asked for, or mends it.

    JSON: {"agent", "url", "models", "why", "changed": [{"file", "diff"}], "dry_run", "note"};
    models by tier, "" is the main one; nothing changed where all was so already.
    """
    found = pointed(agent_of(agent), given)
    plan = _done(found, dry_run)
    if found.proxy_line:
        click.echo(printable(f"warning: {found.proxy_line}"), err=True)
    changed = [(str(each.file), _diff(found, plan, each)) for each in plan.moves]
    if as_json:
        echo_json(_shape(found, changed, dry_run))
        return
    for line in _lines(found, changed, dry_run):
        click.echo(line)


def _done(found: Pointed, dry_run: bool) -> Plan:
    from holdgate.core.agents.plan import Failed, Refused

    do = found.wiring.plan if dry_run else found.wiring.connect
    try:
        return do(found.agent, found.wish, found.machine, remote=found.gateway.remote)
    except Failed as error:
        fail(str(error))
    except Refused as error:
        fail(f"{error}. Nothing was changed")


def _diff(found: Pointed, plan: Plan, change: FileChange) -> list[str]:
    from holdgate.cli.diffs import diff

    ours = {text for file in plan.ahead.files for edit in file.edits for text in _texts(edit.value)}
    if found.gateway.key:
        ours.discard(found.gateway.key.reveal())
    secrets = {*_secrets(plan, change)} - ours
    return diff(change.file, change.before, change.after, ours, secrets)


def _secrets(plan: Plan, change: FileChange) -> Iterator[str]:
    """Give the texts of both sides of a change that stand where secrets do."""
    from holdgate.core.agents.confidential import confidential
    from holdgate.core.editing.base import BrokenText
    from holdgate.core.editing.table import EDITORS

    record = plan.ahead.record(change.file)
    for text in (change.before, change.after):
        if record and text is not None:
            with contextlib.suppress(BrokenText):
                yield from confidential(EDITORS[record.format].value(text, ()))


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _texts(item)
        case dict():
            for item in value.values():
                yield from _texts(item)
        case _:
            return


def _shape(
    found: Pointed, changed: list[tuple[str, list[str]]], dry_run: bool
) -> dict[str, object]:
    return {
        "agent": found.agent.name,
        "url": found.wish.url,
        "models": dict(found.wish.models),
        "why": found.why or None,
        "changed": [{"file": file, "diff": lines} for file, lines in changed],
        "dry_run": dry_run,
        "note": found.agent.note or None,
    }


def _lines(found: Pointed, changed: list[tuple[str, list[str]]], dry_run: bool) -> list[str]:
    name = found.agent.name
    lines = [line for line in (found.model_line,) if line]
    for _, diff in changed:
        lines += diff
    if dry_run:
        return [*lines, "nothing was written" if changed else f"{name} is connected so already"]
    if not changed:
        lines.append(f"{name} is connected to {found.wish.url} already; nothing had to be written")
    else:
        lines.append(f"{name} is connected to {found.wish.url}; undo: gateway disconnect {name}")
    if not (found.gateway.runs or found.gateway.remote):
        lines.append("no gateway is running now; start it with: gateway serve")
    return [*lines, *([found.agent.note] if found.agent.note else [])]
