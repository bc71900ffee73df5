"""`gateway provider remove`: a provider, the places that routes give it, and its kept key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdgate.cli.completing import provider_names
from holdgate.cli.near import known_provider
from holdgate.cli.options import config_option, fail, places_of, refuse, settings_of
from holdgate.cli.vendor_keys import kept_keys

if TYPE_CHECKING:
    from holdgate.core.config.edit import Change
    from holdgate.core.config.places import Places
    from holdgate.core.values.settings import Provider, Route, Settings


@click.command(
    "remove",
    epilog="Example: gateway provider remove deepseek",
    short_help="Take one out, and its key.",
)
@click.argument("name", shell_complete=provider_names)
@click.option("--force", is_flag=True, help="Take it out of the routes that name it, too.")
@click.option("--keep-key", is_flag=True, help="Leave the key where add put it.")
@config_option
def command(name: str, force: bool, keep_key: bool, config_file: Path | None) -> None:
    """Take the provider NAME out of the configuration, and the key that add kept for it.

    It stays while routes name it; with --force they lose it, and those that name nobody else go.
    """
    places = places_of(config_file)
    settings = settings_of(places)
    provider = known_provider(name, settings)
    routes = _routes_of(settings, name)
    if routes and not force:
        named = ", ".join(route.name for route in routes)
        fail(f"{name} stands in routes ({named}): --force takes it out of them, too")
    _edit(places, name, routes)
    for route in routes:
        left = _without(route, name)
        what = f"now {', '.join(left)}" if left else "gone, it named nobody else"
        click.echo(f"route {route.name}: {what}")
    for words in () if keep_key else _forget_keys(places, settings, provider):
        click.echo(words)
    click.echo(f"removed {name} from {places.config_file}")


def _edit(places: Places, name: str, routes: list[Route]) -> None:
    from holdgate.core.config.edit import change
    from holdgate.core.config.problems import ConfigError
    from holdgate.core.editing.base import MISSING

    changes: list[Change] = []
    for route in routes:
        left = _without(route, name)
        path = ("routes", route.name)
        changes.append(((*path, "candidates"), left) if left else (path, MISSING))
    try:
        change(places.config_file, [*changes, (("providers", name), MISSING)])
    except ConfigError as error:
        refuse(error)


def _routes_of(settings: Settings, name: str) -> list[Route]:
    return [r for r in settings.routes.values() if len(_without(r, name)) < len(r.candidates)]


def _without(route: Route, name: str) -> list[str]:
    return [each for each in route.candidates if not each.startswith(f"{name}/")]


def _forget_keys(places: Places, settings: Settings, provider: Provider) -> list[str]:
    """Take out the provider's kept keys that nobody else uses; say what was done."""
    kept, said = kept_keys(places), []
    others = {
        key.value
        for each in settings.providers.values()
        for key in each.keys
        if each.name != provider.name
    }
    for key in provider.keys:
        if key.value in others or not kept.is_own(provider.name, key.value):
            continue
        try:
            kept.forget(key.value)
            said.append(f"its key is gone, too: {key.value}")
        except (OSError, ValueError) as error:
            said.append(f"its key stays ({key.value}): {error}")
    return said
