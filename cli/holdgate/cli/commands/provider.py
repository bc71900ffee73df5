"""`gateway provider`: what is configured, and whether it answers."""

from __future__ import annotations

import asyncio
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdgate.cli.options import (
    FAILED,
    WRONG_CONFIGURATION,
    config_option,
    echo_json,
    fail,
    json_option,
    places_of,
    settings_of,
)

if TYPE_CHECKING:
    from holdgate.core.host import Probed
    from holdgate.core.values.settings import Provider, Settings


@click.group("provider")
def command() -> None:
    """List and test providers."""


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


@command.command("test", epilog="Example: gateway provider test deepseek")
@click.argument("name")
@click.option("--model", "-m", help="The model to ask, instead of the provider's first.")
@config_option
@json_option
def test_command(name: str, model: str | None, config_file: Path | None, as_json: bool) -> None:
    """Send one tiny request for each dialect of NAME; exit 1 if any fails.

    JSON: {"provider", "passed", "tests": [{"key", "dialect", "model", "ms", "status", "reason"}]}.
    """
    settings = settings_of(places_of(config_file))
    if name not in settings.providers:
        fail(_unknown(name, settings), WRONG_CONFIGURATION)
    probed = asyncio.run(_probe(settings, name, model, quiet=as_json))
    passed = bool(probed) and all(each.passed for each in probed)
    if as_json:
        echo_json({"provider": name, "passed": passed, "tests": [asdict(each) for each in probed]})
    if not passed:
        raise SystemExit(FAILED)


async def _probe(settings: Settings, name: str, model: str | None, *, quiet: bool) -> list[Probed]:
    from holdgate.core.host import probe_provider
    from holdgate.core.values.errors import Fault

    probed: list[Probed] = []
    try:
        async for each in probe_provider(settings, os.environ, name, model):
            probed.append(each)
            if not quiet:
                click.echo(_verdict(each))
    except Fault as fault:
        fail(fault.message)
    if not probed:
        fail(f"{name}: each of its keys is switched off")
    return probed


def _verdict(probed: Probed) -> str:
    status = "no reply" if probed.status is None else f"HTTP {probed.status}"
    mark = "ok  " if probed.passed else "FAIL"
    head = f"{mark} {probed.dialect:<10} {probed.key:<10} {probed.ms:>6} ms  {status}"
    return f"{head}  {probed.model}" if probed.passed else f"{head}  {probed.reason}"


def _unknown(name: str, settings: Settings) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, settings.providers, 1)
    hint = f"; did you mean {near[0]}?" if near else "; gateway provider list shows them"
    return f"{name}: no such provider{hint}"


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
