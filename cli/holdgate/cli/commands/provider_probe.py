"""`gateway provider test`: does a provider answer, asked by the running gateway or by itself."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from holdgate.cli.completing import model_names, provider_names
from holdgate.cli.lines import printable
from holdgate.cli.near import known_provider
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
    from holdgate.core.client import ControlClient
    from holdgate.core.config.places import Places
    from holdgate.core.host import Probed
    from holdgate.core.values.settings import Settings

# Seconds that the gateway may take for one tiny request (it gives up after a minute), and for all
# else.
_A_TEST = 61.0
_ALL_ELSE = 30.0


@click.command(
    "test",
    epilog="Example: gateway provider test deepseek",
    short_help="Ask for a tiny answer for each key and dialect.",
)
@click.argument("name", required=False, shell_complete=provider_names)
@click.option("--all", "all_of_them", is_flag=True, help="Test each provider.")
@click.option(
    "--model",
    "-m",
    shell_complete=model_names,
    help="The model to ask, and no other.",
)
@config_option
@json_option
def command(
    name: str | None,
    all_of_them: bool,
    model: str | None,
    config_file: Path | None,
    as_json: bool,
) -> None:
    """Send one tiny request for each key and dialect of NAME; exit 1 if any fails.

    A key that is found well does not rest any more.

    JSON: {"provider", "passed", "tests": [{"key", "dialect", "model", "ms", "status", "reason"}],
    "lifted"}; lifted are the keys whose rest is ended by it. With --all {"passed", "providers"},
    each of these as for one.
    """
    if bool(name) == all_of_them or (all_of_them and model):
        fail("name one provider, or say --all (without --model)", WRONG_CONFIGURATION)
    places = places_of(config_file)
    if name is not None:
        told = _tested(places, name, model, quiet=as_json)
    else:
        told = _all_tested(places, quiet=as_json)
    if as_json:
        echo_json(told)
    if not told["passed"]:
        raise SystemExit(FAILED)


def _all_tested(places: Places, *, quiet: bool) -> dict[str, Any]:
    """Test each provider of the configuration; one that cannot be asked does not end the others."""
    providers = []
    for name in settings_of(places).providers:
        if not quiet:
            click.echo(f"{name}:")
        try:
            providers.append(_tested(places, name, None, quiet=quiet))
        except SystemExit:  # it said why
            providers.append({"provider": name, "passed": False, "tests": [], "lifted": []})
    if not providers and not quiet:
        click.echo("no provider yet; add one with: gateway provider add NAME")
    return {"passed": all(each["passed"] for each in providers), "providers": providers}


def _tested(places: Places, name: str, model: str | None, *, quiet: bool) -> dict[str, Any]:
    client, tests = _running(places, name)
    if client is not None and tests:
        told = _by_gateway(client, name, model, tests, quiet=quiet)
    else:
        told = _by_itself(places, name, model, quiet=quiet, alone=client is None)
    for key in () if quiet else told["lifted"]:
        click.echo(f"key {key}: its rest is lifted")
    return told


def _running(places: Places, name: str) -> tuple[ControlClient | None, int]:
    """Give the running gateway, and how many requests test the provider there; 0: unknown to it."""
    from holdgate.core.client import NotRunning, Refused, connect

    try:
        client = connect(places.state)
        providers = client.get("/api/providers")["providers"]
    except NotRunning:
        return None, 0
    except Refused as error:
        fail(" ".join(str(error).split()))
    found = [each for each in providers if each["name"] == name]
    return client, sum(max(1, len(each["keys"]) * len(each["dialects"])) for each in found)


def _by_gateway(
    client: ControlClient, name: str, model: str | None, tests: int, *, quiet: bool
) -> dict[str, Any]:
    from holdgate.core.client import NotRunning, Refused

    path = f"/api/providers/{quote(name, safe='')}/test"
    try:
        told: dict[str, Any] = client.post(
            path, {"model": model}, patience=_ALL_ELSE + _A_TEST * tests
        )
    except (NotRunning, Refused) as error:
        fail(" ".join(str(error).split()))
    for each in () if quiet else told["tests"]:
        click.echo(_verdict(each))
    return told


def _by_itself(
    places: Places, name: str, model: str | None, *, quiet: bool, alone: bool
) -> dict[str, Any]:
    """Test without the gateway. `alone`: none runs, so that the kept rests are nobody's."""
    from holdgate.core.host import well_keys

    settings = settings_of(places)
    known_provider(name, settings)
    probed = asyncio.run(_probe(settings, name, model, quiet=quiet))
    return {
        "provider": name,
        "passed": all(each.passed for each in probed),
        "tests": [each.as_json() for each in probed],
        "lifted": _lift(places, name, well_keys(probed)) if alone else [],
    }


async def _probe(settings: Settings, name: str, model: str | None, *, quiet: bool) -> list[Probed]:
    from holdgate.core.host import probe_provider
    from holdgate.core.values.errors import Fault

    probed: list[Probed] = []
    try:
        async for each in probe_provider(settings, os.environ, name, model):
            probed.append(each)
            if not quiet:
                click.echo(_verdict(each.as_json()))
    except Fault as fault:
        fail(fault.message)
    return probed


def _lift(places: Places, name: str, keys: Iterable[str]) -> list[str]:
    """End the rests of keys that a gateway would take up at its next start; give whose there were.

    Nothing is written where there were none.
    """
    from holdgate.core.store.rests_file import FILE_NAME, RestsFile

    file = RestsFile(places.state / FILE_NAME)
    rests = file.load()
    resting = {rest.lane for rest in rests}
    lifted = [key for key in keys if (name, key) in resting]
    if lifted:
        kept = [rest for rest in rests if rest.provider != name or rest.key not in lifted]
        try:
            file.save(kept)
        except OSError as error:
            fail(f"the rests cannot be lifted: {error}; look at the folder {places.state}")
    return lifted


def _verdict(test: Mapping[str, Any]) -> str:
    status = "no reply" if test["status"] is None else f"HTTP {test['status']}"
    mark = "FAIL" if test["reason"] else "ok  "
    head = f"{mark} {test['dialect']:<10} {test['key']:<10} {test['ms']:>6} ms  {status}"
    return printable(f"{head}  {test['reason'] or test['model']}")
