"""`gateway provider set`: keys of a provider's table, and its API key."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdgate.cli.completing import provider_settings
from holdgate.cli.near import known_provider
from holdgate.cli.options import (
    WRONG_CONFIGURATION,
    config_option,
    fail,
    places_of,
    refuse,
    settings_of,
)
from holdgate.cli.vendor_keys import (
    Asked,
    GivenKey,
    KeyWish,
    keep_key,
    kept_keys,
    key_options,
    take_key,
    wish_of,
)
from holdgate.cli.written import Unreadable, parsed_pair, toml_value

if TYPE_CHECKING:
    from holdgate.core.config.edit import Change
    from holdgate.core.config.places import Places
    from holdgate.core.values.settings import Provider


@click.command(
    "set",
    epilog="Example: gateway provider set deepseek concurrency=4 proxy=direct",
    short_help="Change keys of its table, such as concurrency=4.",
)
@click.argument("name", shell_complete=provider_settings)
@click.argument("pairs", metavar="[KEY=VALUE]...", nargs=-1, shell_complete=provider_settings)
@key_options
@config_option
def command(name: str, pairs: tuple[str, ...], config_file: Path | None, **options: Any) -> None:
    """Change the provider NAME: any key of its table, see docs/configuration.md.

    KEY= takes the key out, so that its default or the preset counts again. A --key option gives it
    another API key. All is changed or nothing; comments and order of the file stay.
    """
    places = places_of(config_file)
    provider = known_provider(name, settings_of(places))
    wish = wish_of(
        *(options[each] for each in ("key_env", "key_stdin", "keyring", "key_file", "key"))
    )
    if not pairs and wish.is_empty:
        fail("nothing to set: say KEY=VALUE, or one of the --key options", WRONG_CONFIGURATION)
    changes: list[Change] = [_change(name, pair) for pair in pairs]
    given = None if wish.is_empty else _new_key(provider, wish)
    _apply(places, provider, changes, given)
    click.echo(f"changed {name} in {places.config_file}")


def _change(name: str, pair: str) -> Change:
    from holdgate.core.config.masks import is_reference
    from holdgate.core.config.tables import declared, kind_of
    from holdgate.core.editing.base import MISSING
    from holdgate.core.values.settings import Provider

    try:
        keys, text = parsed_pair(pair)
        if keys[0] == "key" and text and not is_reference(text):
            fail("an API key comes by --key-stdin, --key-env or --keyring", WRONG_CONFIGURATION)
        path = ("providers", name, *keys)
        if text is None:
            return path, MISSING
        fields = declared(Provider)
        kind = kind_of(fields[keys[0]]).name if keys[0] in fields and len(keys) == 1 else ""
        kind = {"models": "list", "keys": "tables"}.get(keys[0], kind) if len(keys) == 1 else kind
        return path, toml_value(kind, text)
    except Unreadable as error:
        fail(str(error), WRONG_CONFIGURATION)


def _new_key(provider: Provider, wish: KeyWish) -> GivenKey:
    from holdgate.core.catalog import load_preset

    if len(provider.keys) > 1 or provider.keys[0].name != "default":
        fail(
            f"{provider.name} has a list of keys: change it with gateway config edit",
            WRONG_CONFIGURATION,
        )
    preset = load_preset(provider.preset) if provider.preset else None
    asked = Asked(preset.title, preset.key_page) if preset else Asked(provider.name)
    return take_key(wish, asked, must_read=False)


def _apply(
    places: Places, provider: Provider, changes: list[Change], given: GivenKey | None
) -> None:
    """Keep the new key first, forget the old one last: there is one at all times."""
    from holdgate.core.config.edit import change, preview
    from holdgate.core.config.problems import ConfigError

    kept, ref = kept_keys(places), ""
    try:
        if changes:
            preview(places.config_file, changes)
        if given is not None:
            ref = keep_key(given, kept, provider.name)
            changes = [*changes, (("providers", provider.name, "key"), ref)]
        settings = change(places.config_file, changes)
    except ConfigError as error:
        if given is not None and given.keep and ref:
            kept.forget(ref)
        refuse(error)
    old = provider.keys[0].value
    # Another provider may use the old one as well.
    held = {key.value for each in settings.providers.values() for key in each.keys}
    if given is not None and old not in held and kept.is_own(provider.name, old):
        with contextlib.suppress(OSError, ValueError):
            kept.forget(old)
