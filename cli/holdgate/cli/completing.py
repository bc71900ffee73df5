"""Completing: what a shell offers behind a command: request ids and names.

Never an error, and never a wait that a person would notice: no gateway, a slow one or a broken
configuration is no offers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from holdgate.cli.lines import printable

if TYPE_CHECKING:
    from pathlib import Path

    import click
    from click.shell_completion import CompletionItem

# Seconds for the running gateway's answer.
_PATIENCE = 0.2
_PAST = 20
# Vendors and agents name things; what a shell would act on is not offered.
_HARMLESS = re.compile(r"[\w@%+.,:/~=-]+")


def live_ids(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Offer the live requests."""
    return _offers(_requests(ctx, "waiting,trying,held,passing"), incomplete)


def waiting_ids(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Offer the requests that stand in line."""
    return _offers(_requests(ctx, "waiting"), incomplete)


def known_ids(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Offer the live requests and the last ones that ended."""
    return _offers(_requests(ctx, ""), incomplete)


def preset_names(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Offer the vendors of the catalogue."""
    from holdgate.core.catalog import load_presets

    return _offers(((each.name, each.title) for each in load_presets().values()), incomplete)


def provider_names(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Offer the providers of the configuration."""
    found = _tables(_configuration(ctx), "providers")
    return _offers(((name, "") for name in found), incomplete)


def provider_settings(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Offer a provider, and behind it the keys of its table."""
    if param.name == "name":
        return provider_names(ctx, param, incomplete)
    from holdgate.core.config.tables import declared
    from holdgate.core.values.settings import Provider

    fields = declared(Provider)
    told = [(f"{name}=", str(field.metadata["help"])) for name, field in fields.items()]
    return _offers([*told, ("models=", "the models that it has")], incomplete)


def route_names(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Offer the routes of the configuration, with who may answer."""
    return _offers(_routes(_configuration(ctx)), incomplete)


def candidate_names(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Offer what a route may ask: `provider/model` where models are known, else `provider/`."""
    providers = _tables(_configuration(ctx), "providers")
    known = {each: _models(providers, each, ctx) for each in providers}
    found = [f"{each}/{model}" for each, models in known.items() for model in models or ("",)]
    return _offers(((name, "") for name in found), incomplete)


def model_names(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Offer what agents may ask for: routes, and `provider/model`.

    Of a command about one provider, whose argument is `name`, these are just its models.
    """
    found = _configuration(ctx)
    providers = _tables(found, "providers")
    if any(each.name == "name" for each in ctx.command.params):
        # An option without its value ends the reading: the argument is left over then.
        name = ctx.params.get("name") or next(iter(ctx.args), "")
        return _offers(((model, "") for model in _models(providers, name, ctx)), incomplete)
    asked = ((f"{each}/{m}", "") for each in providers for m in _models(providers, each, ctx))
    return _offers([*_routes(found), *asked], incomplete)


def agent_names(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Offer the agents, by their names."""
    from holdgate.core.agents.recipes.table import AGENTS

    return _offers(((each.name, each.title) for each in AGENTS.values()), incomplete)


def patients(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Offer what `gateway doctor` can be narrowed to: providers, then agents that are connected."""
    return [*provider_names(ctx, param, incomplete), *connected_names(ctx, param, incomplete)]


def kind_names(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Offer the vendors' libraries, then the agents."""
    from holdgate.core.agents.sdks import SDKS

    found = _offers(((each.name, each.title) for each in SDKS.values()), incomplete)
    return [*found, *agent_names(ctx, param, incomplete)]


def connected_names(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Offer the agents that are connected."""
    from holdgate.cli.options import places_of
    from holdgate.core.agents.wiring import Wiring

    names = Wiring(places_of(_config_file(ctx)).state, {}).names()
    return _offers(((name, "") for name in names), incomplete)


def key_ids(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Offer the gateway keys that are good, by their ids: a name may have blanks."""
    from holdgate.cli.options import places_of
    from holdgate.core.store.callers import GatewayKeys, KeysFileBroken

    try:
        found = GatewayKeys(places_of(_config_file(ctx)).state, lambda: 0.0).list()
    except (KeysFileBroken, OSError):
        return []
    return _offers(((each.id, each.name) for each in found if each.enabled), incomplete)


def _offers(found: Iterable[tuple[str, str]], incomplete: str) -> list[CompletionItem[str]]:
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(name, help=printable(words) or None)
        for name, words in found
        if name.startswith(incomplete) and _HARMLESS.fullmatch(name)
    ]


def _requests(ctx: click.Context, states: str) -> Iterator[tuple[str, str]]:
    from holdgate.cli.options import places_of
    from holdgate.core.client import NotRunning, Refused, connect

    try:
        client = connect(places_of(_config_file(ctx)).state)
        path = f"/api/requests?state={states}&limit={_PAST}"
        found = client.get(path, patience=_PATIENCE)["requests"]
    except (NotRunning, Refused):
        return
    for each in found:
        yield each["id"], f"{each['state']}, {each['agent']}, {each['model']}"


def _configuration(ctx: click.Context) -> dict[str, Any]:
    """Give the tables of config.toml as they stand there: names are of use also in a wrong one."""
    import tomllib

    from holdgate.core.config.places import find_places

    file = find_places(os.environ, _config_file(ctx)).config_file
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _config_file(ctx: click.Context) -> Path | None:
    file: Path | None = ctx.params.get("config_file")
    return file


def _tables(found: dict[str, Any], name: str) -> dict[str, dict[str, Any]]:
    tables = found.get(name)
    if not isinstance(tables, dict):
        return {}
    return {key: table for key, table in tables.items() if isinstance(table, dict)}


def _routes(found: dict[str, Any]) -> list[tuple[str, str]]:
    routes = _tables(found, "routes")
    return [(name, _candidates(table)) for name, table in routes.items()]


def _candidates(route: dict[str, Any]) -> str:
    found = route.get("candidates")
    return ", ".join(map(str, found)) if isinstance(found, list) else ""


def _models(providers: dict[str, dict[str, Any]], name: str, ctx: click.Context) -> list[str]:
    """Give a provider's models: of the configuration, else those that the vendor told before."""
    provider = providers.get(name)
    if provider is not None and "models" not in provider:
        return _kept(ctx, name)
    found = (provider or {}).get("models")
    listed = [
        each.get("id") if isinstance(each, dict) else each
        for each in (found if isinstance(found, list) else ())
    ]
    return [each for each in listed if isinstance(each, str)]


def _kept(ctx: click.Context, name: str) -> list[str]:
    from holdgate.core.config.places import find_places
    from holdgate.core.store.lists_file import FILE_NAME, ListsFile

    cache = find_places(os.environ, _config_file(ctx)).cache
    kept = (each for each in ListsFile(cache / FILE_NAME).load() if each.provider == name)
    return [model.id for each in kept for model in each.models]
