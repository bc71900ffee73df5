"""`gateway models`: what agents may ask for, by the running gateway or by what is known here."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import click

from holdgate.cli.commands.models_update import command as update_command
from holdgate.cli.completing import model_names, provider_names
from holdgate.cli.offer_table import lines_of
from holdgate.cli.options import (
    WRONG_CONFIGURATION,
    config_option,
    echo_json,
    fail,
    json_option,
    places_of,
    settings_of,
    tell,
)
from holdgate.cli.screen import Screen

if TYPE_CHECKING:
    from holdgate.core.config.places import Places
    from holdgate.core.values.kept_lists import KeptList
    from holdgate.core.values.settings import Settings

# Seconds that the gateway may take, which waits up to 10 for each vendor, all at once.
_PATIENCE = 30.0


class _WithUpdate(click.Group):
    """A group whose one command is told from the words to look for."""

    allow_interspersed_args = True

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take everything as options and words, unless it begins with the command's name."""
        if args[:1] == [update_command.name]:
            ctx.allow_interspersed_args = False
            ctx.meta[__name__] = True
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Give the options, and the words where none of them is the command."""
        params = super().get_params(ctx)
        if ctx.meta.get(__name__):
            return [each for each in params if not isinstance(each, click.Argument)]
        return params


@click.group(
    "models",
    cls=_WithUpdate,
    invoke_without_command=True,
    subcommand_metavar="",
    epilog="Example: gateway models sonnet opus --json. "
    "For newer sizes and prices: gateway models update",
)
@click.argument("names", metavar="[NAME]...", nargs=-1, shell_complete=model_names)
@click.option(
    "--provider", "-p", metavar="NAME", shell_complete=provider_names,
    help="Only the models of this provider.",
)  # fmt: skip
@click.option("--refresh", is_flag=True, help="Ask the vendors for their lists now.")
@config_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    provider: str | None,
    refresh: bool,
    config_file: Path | None,
    as_json: bool,
    names: tuple[str, ...] = (),
) -> None:
    """List what agents may ask for: routes and models, with sizes and prices where known.

    With NAMEs only what has one of them in its name. Vendors' lists are kept; those that were
    never had are asked for. Sizes are tokens, prices US dollars for a million tokens; of a route
    those of its first candidate.

    JSON: {"models": [{"id", "owner", "dialects", "spoken", "candidates", "context", "output",
    "prices": {"input", "output", "cache_read"}, "sources"}], "failed": [{"provider", "why"}],
    "models_dev"}; null is not known; owner is a provider or "route", sources any of "config",
    "list" and "models.dev", models_dev the date of that extract.
    """
    if ctx.invoked_subcommand is not None:
        return
    places = places_of(config_file)
    told = _by_gateway(places, provider, refresh=refresh)
    if told is None:
        told = _by_itself(places, provider, refresh=refresh)
    found = [each for each in told["models"] if _is_wanted(each, provider, names)]
    for each in told["failed"]:
        if provider in (None, each["provider"]):
            _tell(f"{each['provider']}: its list of models cannot be had: {each['why']}")
    if as_json:
        echo_json({**told, "models": found})
        return
    date = told["models_dev"]
    missing = bool(told["failed"]) and not told["models"]
    Screen().show(lambda width: lines_of(found, date, width, filtered=bool(names), failed=missing))


command.add_command(update_command)


def _is_wanted(offer: dict[str, Any], provider: str | None, names: Collection[str]) -> bool:
    if provider is not None and offer["owner"] != provider:
        return False
    named = offer["id"].lower()
    return not names or any(name.lower() in named for name in names)


def _by_gateway(places: Places, provider: str | None, *, refresh: bool) -> dict[str, Any] | None:
    """Ask the running gateway; None if there is none."""
    from holdgate.core.client import NotRunning, Refused, connect

    try:
        client = connect(places.state)
        if provider is not None:
            _check(provider, [each["name"] for each in client.get("/api/providers")["providers"]])
        if refresh:
            _tell("asking the vendors for their lists ...")
        asked = {"ask": "all", "provider": provider or ""} if refresh else {"ask": "missing"}
        told: dict[str, Any] = client.get(f"/api/models?{urlencode(asked)}", patience=_PATIENCE)
    except NotRunning:
        return None
    except Refused as error:
        fail(" ".join(str(error).split()))
    return told


def _by_itself(places: Places, provider: str | None, *, refresh: bool) -> dict[str, Any]:
    """Tell what configuration and cache tell, and ask for the lists that are missing there."""
    from holdgate.core.dialects.listing import list_url
    from holdgate.core.store.facts_file import FILE_NAME as FACTS
    from holdgate.core.store.facts_file import FactsFile
    from holdgate.core.store.lists_file import FILE_NAME as LISTS
    from holdgate.core.store.lists_file import ListsFile
    from holdgate.core.store.offered import kept_lists
    from holdgate.core.traffic.offers import offers

    settings = settings_of(places)
    if provider is not None:
        _check(provider, settings.providers)
    kept = kept_lists(settings, places.cache)
    asked = [
        each.name
        for each in settings.providers.values()
        if each.models is None
        and list_url(each)
        and provider in (None, each.name)
        and (refresh or each.name not in kept)
    ]
    fresh, failed = asyncio.run(_ask(settings, asked)) if asked else ([], [])
    for each in fresh:
        ListsFile(places.cache / LISTS).put(each)
    facts = FactsFile(places.cache / FACTS).facts()
    # What cannot be written is shown all the same.
    lists = {**kept, **{each.provider: each.models for each in fresh}}
    found = offers(settings, lists, facts)
    return {
        "models": [each.as_json() for each in found],
        "failed": failed,
        "models_dev": facts.date,
    }


async def _ask(settings: Settings, names: list[str]) -> tuple[list[KeptList], list[dict[str, str]]]:
    """Ask vendors for their lists; give these, and who gave none, and why."""
    from holdgate.core.host import Unlisted, ask_lists

    _tell(f"asking for lists of models: {', '.join(names)} ...")
    fresh: list[KeptList] = []
    failed: list[dict[str, str]] = []
    async for each in ask_lists(settings, os.environ, names):
        if isinstance(each, Unlisted):
            failed.append({"provider": each.provider, "why": each.why})
        else:
            fresh.append(each)
    return fresh, failed


def _check(provider: str, known: Collection[str]) -> None:
    if provider not in known:
        from holdgate.cli.near import unknown

        fail(unknown("provider", provider, known), WRONG_CONFIGURATION)


def _tell(message: str) -> None:
    tell(message)
