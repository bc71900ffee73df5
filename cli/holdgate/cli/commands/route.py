"""`gateway route`: model names of one's own, and who answers to them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdgate.cli.asking import model_lists
from holdgate.cli.completing import candidate_names, route_names
from holdgate.cli.near import known_route
from holdgate.cli.options import (
    WRONG_CONFIGURATION,
    config_option,
    echo_json,
    fail,
    json_option,
    places_of,
    refuse,
    settings_of,
    tell,
)

if TYPE_CHECKING:
    from holdgate.core.config.edit import Change
    from holdgate.core.config.places import Places
    from holdgate.core.editing.base import KeyPath
    from holdgate.core.values.settings import Settings

_ORDERS = ("given", "rotate", "least-busy")
_AFFINITIES = ("auto", "conversation", "off")


@click.group("route")
def command() -> None:
    """Add, list and remove routes: a model name, and the providers that may answer to it."""


_ADD_EPILOG = "Example: gateway route add coder deepseek/deepseek-v4-pro relay/glm-5"


@command.command(
    "add", epilog=_ADD_EPILOG, short_help="Let agents ask for a model name of your own."
)
@click.argument("name", shell_complete=route_names)
@click.argument("candidates", nargs=-1, required=True, shell_complete=candidate_names)
@click.option("--order", type=click.Choice(_ORDERS), help="Who is asked first; given: the first.")
@click.option("--affinity", type=click.Choice(_AFFINITIES), help="Whether conversations stay.")
@click.option("--replace", is_flag=True, help="Change the route of that name.")
@click.option("--no-check", is_flag=True, help="Take models that no known list has.")
@config_option
def add_command(
    name: str,
    candidates: tuple[str, ...],
    order: str | None,
    affinity: str | None,
    replace: bool,
    no_check: bool,
    config_file: Path | None,
) -> None:
    """Let agents ask for NAME: the CANDIDATES, each PROVIDER/MODEL, answer in their order.

    What the vendor of a candidate has is looked up in its `models`, or in the running gateway.
    """
    places = places_of(config_file)
    settings = settings_of(places)
    if name in settings.routes and not replace:
        fail(f"{name} is there already: --replace changes it", WRONG_CONFIGURATION)
    if not no_check:
        _check_models(places, settings, candidates)
    given = {"candidates": list(candidates), "order": order, "affinity": affinity}
    table = {key: value for key, value in given.items() if value is not None}
    path = ("routes", name)
    if name in settings.routes:
        _edit(places, [((*path, key), value) for key, value in table.items()])
    else:
        _edit(places, [(path, table)], new=path)
    did = "changed" if name in settings.routes else "added"
    tell(f"{did} {name} in {places.config_file}; agents ask for the model {name}", err=False)


@command.command("list", epilog="Example: gateway route list --json")
@config_option
@json_option
def list_command(config_file: Path | None, as_json: bool) -> None:
    """List the routes of the configuration.

    JSON: {"routes": [{"name", "candidates", "order", "affinity"}]}.
    """
    from holdgate.cli.screen import Screen
    from holdgate.cli.tables import Column, table

    routes = settings_of(places_of(config_file)).routes.values()
    if as_json:
        names = ("name", "candidates", "order", "affinity")
        echo_json({"routes": [{each: getattr(r, each) for each in names} for r in routes]})
        return
    if not routes:
        click.echo("no route yet; add one with: gateway route add NAME PROVIDER/MODEL")
    columns = (
        Column("ROUTE"),
        Column("ORDER"),
        Column("AFFINITY", spare=1),
        Column("CANDIDATES", 20),
    )
    rows = [(r.name, r.order, r.affinity, ", ".join(r.candidates)) for r in routes]
    Screen().show(lambda width: table(columns, rows, width))


@command.command("remove", epilog="Example: gateway route remove coder")
@click.argument("name", shell_complete=route_names)
@config_option
def remove_command(name: str, config_file: Path | None) -> None:
    """Take the route NAME out of the configuration."""
    from holdgate.core.editing.base import MISSING

    places = places_of(config_file)
    known_route(name, settings_of(places))
    _edit(places, [(("routes", name), MISSING)])
    click.echo(f"removed {name} from {places.config_file}")


def _check_models(places: Places, settings: Settings, candidates: tuple[str, ...]) -> None:
    """Refuse models that a provider whose list is known does not have."""
    from difflib import get_close_matches

    from holdgate.core.store.offered import kept_lists

    running: dict[str, list[str]] | None = None
    for candidate in candidates:
        provider, _, model = candidate.partition("/")
        if provider not in settings.providers:
            continue  # the configuration refuses it in its own words
        listed = settings.providers[provider].models
        if listed is None and running is None:
            kept = kept_lists(settings, places.cache)
            running = {name: [model.id for model in models] for name, models in kept.items()}
            running |= model_lists(places.state)
        known = (running or {}).get(provider, []) if listed is None else [m.id for m in listed]
        if known and model not in known:
            near = get_close_matches(model, known, 3, 0.5)
            hint = f"did you mean {' or '.join(f'{provider}/{each}' for each in near)}?"
            hint = hint if near else "--no-check takes it all the same"
            fail(f"{candidate}: {provider} lists no such model; {hint}", WRONG_CONFIGURATION)


def _edit(places: Places, changes: list[Change], new: KeyPath = ()) -> None:
    from holdgate.core.config.edit import change
    from holdgate.core.config.problems import ConfigError

    try:
        change(places.config_file, changes, new)
    except ConfigError as error:
        refuse(error)
