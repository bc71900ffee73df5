"""`gateway provider`: what is configured, and whether it answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdgate.cli.commands.provider_add import command as add_command
from holdgate.cli.commands.provider_probe import command as test_command
from holdgate.cli.commands.provider_remove import command as remove_command
from holdgate.cli.commands.provider_set import command as set_command
from holdgate.cli.options import config_option, echo_json, json_option, places_of, settings_of

if TYPE_CHECKING:
    from holdgate.core.values.settings import Provider


@click.group("provider")
def command() -> None:
    """Add, list, test, change and remove providers."""


command.add_command(add_command)
command.add_command(set_command)
command.add_command(remove_command)
command.add_command(test_command)


@command.command("list", epilog="Example: gateway provider list --json")
@config_option
@json_option
def list_command(config_file: Path | None, as_json: bool) -> None:
    """List the providers of the configuration.

    JSON: {"providers": [{"name", "preset", "dialects", "keys": [{"name", "on", "concurrency",
    "rpm", "tpm"}], "window", "models"}]}; a limit of 0 is none, models null is the vendor's list.
    """
    settings = settings_of(places_of(config_file))
    if as_json:
        echo_json({"providers": [_shape(each) for each in settings.providers.values()]})
        return
    if not settings.providers:
        click.echo("no provider yet; add one with: gateway provider add NAME")
        return
    _show(list(settings.providers.values()))


def _show(providers: list[Provider]) -> None:
    from holdgate.cli.screen import Screen
    from holdgate.cli.tables import Column, table

    columns = (
        Column("PROVIDER"), Column("PRESET", spare=2), Column("DIALECTS", least=8), Column("KEY"),
        Column("LIMITS", least=10), Column("MODELS", spare=1),
    )  # fmt: skip
    rows = [row for each in providers for row in _rows(each)]
    Screen().show(lambda width: table(columns, rows, width))


def _rows(provider: Provider) -> list[tuple[str, ...]]:
    """Give a row for each key; what is the provider's stands in the first."""
    shape = _shape(provider)
    models = "its list" if shape["models"] is None else str(len(shape["models"]))
    rest = (provider.name, provider.preset or "", ", ".join(shape["dialects"]), models)
    rows: list[tuple[str, ...]] = []
    for key in shape["keys"]:
        name, preset, dialects, count = rest if not rows else ("", "", "", "")
        state = key["name"] if key["on"] else f"{key['name']} (off)"
        rows.append((name, preset, dialects, state, _limits(key, provider.window), count))
    return rows


def _limits(key: dict[str, Any], window: float) -> str:
    from holdgate.core.values.kinds import format_duration

    span = "minute" if window == 60 else format_duration(window)
    parts = [
        f"{key['concurrency']} at once" if key["concurrency"] else "",
        f"{key['rpm']} a {span}" if key["rpm"] else "",
        f"{key['tpm']} tokens a {span}" if key["tpm"] else "",
    ]
    return ", ".join(part for part in parts if part) or "none"


def _shape(provider: Provider) -> dict[str, Any]:
    from holdgate.core.values.names import DIALECT_NAMES

    return {
        "name": provider.name,
        "preset": provider.preset or None,
        "dialects": [name for name in DIALECT_NAMES if provider.base(name)],
        "keys": [
            {
                "name": key.name,
                "on": key.on,
                **dict(zip(("concurrency", "rpm", "tpm"), provider.limits_of(key), strict=True)),
            }
            for key in provider.keys
        ],
        "window": provider.window,
        "models": None if provider.models is None else [model.id for model in provider.models],
    }
