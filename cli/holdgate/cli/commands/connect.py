"""`gateway connect`: an agent's own configuration points at the gateway, until disconnected."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Unpack

import click

from holdgate.cli.options import echo_json, fail, json_option, tell
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
        tell(f"warning: {found.proxy_line}")
    changed = [(str(each.file), _diff(found, plan, each)) for each in plan.moves]
    if as_json:
        echo_json(_shape(found, changed, dry_run))
        return
    if found.model_line:
        tell(found.model_line, err=False)
    for _, diff in changed:
        for line in diff:
            click.echo(line)
    for line in _lines(found, changed=bool(changed), dry_run=dry_run):
        tell(line, err=False)


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

    ours = {text for file in plan.ahead.files for edit in file.edits for text in edit.texts()}
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


def _lines(found: Pointed, *, changed: bool, dry_run: bool) -> list[str]:
    """Give what is to be said below the changes."""
    name = found.agent.name
    if dry_run:
        return ["nothing was written" if changed else f"{name} is connected so already"]
    if not changed:
        lines = [f"{name} is connected to {found.wish.url} already; nothing had to be written"]
    else:
        lines = [f"{name} is connected to {found.wish.url}; undo: gateway disconnect {name}"]
    if not (found.gateway.runs or found.gateway.remote):
        lines.append("no gateway is running now; start it with: gateway serve")
    return [*lines, *([found.agent.note] if found.agent.note else [])]
