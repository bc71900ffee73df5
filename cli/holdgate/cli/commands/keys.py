"""The group `gateway keys`: the keys that callers from elsewhere need."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdgate.cli.completing import key_ids
from holdgate.cli.options import config_option, fail, json_option, places_of

if TYPE_CHECKING:
    from holdgate.core.store.callers import GatewayKeys, KeyEntry


@click.group("keys")
def command() -> None:
    """Make, list and revoke gateway keys: what callers from elsewhere must show."""


@command.command("add", epilog='Example: gateway keys add "second laptop"')
@click.argument("name")
@config_option
def add_command(name: str, config_file: Path | None) -> None:
    """Make a key called NAME and show it, this once."""
    with _told():
        text = _keys(config_file).add(name)
    # The key alone is on stdout, so that it can be piped.
    click.echo(text)
    click.echo(
        "Keep it now, it is not shown again. On the other machine, with it in a variable:\n"
        "gateway run AGENT --url http://THIS-MACHINE:4653 --key-env VAR\n"
        "(connect and env take the same options). Without Holdgate there, an agent sends\n"
        "it as its API key (Authorization: Bearer, x-api-key or x-goog-api-key).",
        err=True,
    )


@command.command("list", epilog="Example: gateway keys list --json")
@config_option
@json_option
def list_command(config_file: Path | None, as_json: bool) -> None:
    """List the keys, revoked ones too; never their texts.

    JSON: {"keys": [{"id", "name", "created", "enabled"}]}, the oldest first, created in Unix
    seconds.
    """
    with _told():
        entries = _keys(config_file).list()
    if as_json:
        click.echo(json.dumps({"keys": [_shape(entry) for entry in entries]}, indent=2))
        return
    if not entries:
        click.echo("no gateway keys; make one with: gateway keys add NAME")
    width = max((len(entry.name) for entry in entries), default=0)
    for entry in entries:
        day = datetime.fromtimestamp(entry.created).date().isoformat()
        state = "enabled" if entry.enabled else "revoked"
        click.echo(f"{entry.id}  {entry.name:{width}}  {day}  {state}")


@command.command("revoke", epilog='Example: gateway keys revoke "second laptop"')
@click.argument("name", shell_complete=key_ids)
@config_option
def revoke_command(name: str, config_file: Path | None) -> None:
    """Revoke the key called NAME, or with that id, for good."""
    with _told():
        entry = _keys(config_file).revoke(name)
    click.echo(f"revoked {entry.name} ({entry.id})")


def _keys(config_file: Path | None) -> GatewayKeys:
    from holdgate.core.store.callers import GatewayKeys
    from holdgate.core.values.clock import system_clock

    return GatewayKeys(places_of(config_file).state, system_clock().wall)


def _shape(entry: KeyEntry) -> dict[str, object]:
    return {
        "id": entry.id,
        "name": entry.name,
        "created": entry.created,
        "enabled": entry.enabled,
    }


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Tell what goes wrong in one line on stderr, and end with status 1."""
    try:
        yield
    except (ValueError, OSError) as error:
        fail(" ".join(str(error).split()))
