"""`gateway provider`: what is configured, and whether it answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdgate.cli.commands.provider_add import command as add_command
from holdgate.cli.commands.provider_probe import command as test_command
from holdgate.cli.options import config_option, echo_json, json_option, places_of, settings_of

if TYPE_CHECKING:
    from holdgate.core.values.settings import Provider


@click.group("provider")
def command() -> None:
    """List and test providers."""


command.add_command(add_command)
command.add_command(test_command)


@command.command("list")
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
        click.echo("no provider yet; add one with: gateway config edit")
    for provider in settings.providers.values():
        click.echo(_line(provider))


def _line(provider: Provider) -> str:
    shape = _shape(provider)
    limits = ", ".join(
        f"{key['name']}{'' if key['on'] else ' (off)'}: {_limits(key)}" for key in shape["keys"]
    )
    return f"{provider.name:<14}{', '.join(shape['dialects']):<38}{limits}"


def _limits(key: dict[str, Any]) -> str:
    parts = []
    if key["concurrency"]:
        parts.append(f"{key['concurrency']} at once")
    if key["rpm"]:
        parts.append(f"{key['rpm']} a window")
    return " and ".join(parts) or "no limits"


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
