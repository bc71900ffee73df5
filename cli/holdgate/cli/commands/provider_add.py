"""`gateway provider add`: a vendor, tested before a word of it is written."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdgate.cli.adding import (
    Given,
    Refused,
    Table,
    filled_bases,
    find_preset,
    preset_at,
    table_of,
    with_key,
)
from holdgate.cli.asking import wall_time
from holdgate.cli.completing import preset_names
from holdgate.cli.gateways import running_url
from holdgate.cli.lines import printable
from holdgate.cli.options import (
    WRONG_CONFIGURATION,
    config_option,
    fail,
    places_of,
    refuse,
    settings_of,
    tell,
)
from holdgate.cli.trying import found, tested
from holdgate.cli.vendor_keys import (
    Asked,
    GivenKey,
    at_terminal,
    keep_key,
    kept_keys,
    key_options,
    prompt,
    take_key,
    wish_of,
)
from holdgate.core.values.names import DIALECT_NAMES

if TYPE_CHECKING:
    from holdgate.core.catalog import Preset
    from holdgate.core.config.places import Places
    from holdgate.core.values.settings import Provider

_KEY_OPTIONS = ("key_env", "key_stdin", "keyring", "key_file", "key")
_OLD = 3600.0  # seconds; a list of that age is renewed when somebody asks
_LIMITS = ("concurrency", "rpm", "tpm")
_EPILOG = """\b
Examples: gateway provider add deepseek
          gateway provider add work --preset openai --key-env WORK_KEY
          gateway provider add relay --url https://relay.example"""


@click.command("add", epilog=_EPILOG, short_help="Add a vendor, a relay or a local server.")
@click.argument("name", shell_complete=preset_names)
@click.option(
    "--preset",
    shell_complete=preset_names,
    metavar="PRESET",
    help="The vendor, where NAME is another.",
)
@click.option("--url", metavar="URL", help="An unknown address: what it speaks is found out.")
@click.option("--chat", metavar="URL", help="Base URL of Chat Completions.")
@click.option("--responses", metavar="URL", help="Base URL of Responses.")
@click.option("--messages", metavar="URL", help="Root of Anthropic's Messages.")
@click.option("--gemini", metavar="URL", help="Root of Gemini.")
@key_options
@click.option("--model", "-m", "models", multiple=True, metavar="ID", help="A model; repeatable.")
@click.option("--concurrency", type=click.IntRange(0), metavar="N", help="Requests at once.")
@click.option("--rpm", type=click.IntRange(0), metavar="N", help="Requests a minute.")
@click.option("--tpm", type=click.IntRange(0), metavar="N", help="Tokens a minute.")
@click.option("--ca", metavar="FILE", help="Authorities (PEM) to trust besides the system's.")
@click.option("--proxy", metavar="URL", help='A proxy, or "direct".')
@click.option(
    "--header", "headers", multiple=True, metavar="'N: V'", help="Sent with each request."
)
@click.option("--answer", "answers", multiple=True, metavar="NAME=TEXT", help="What a preset asks.")
@click.option("--no-test", is_flag=True, help="Write it without asking the vendor anything.")
@config_option
def command(config_file: Path | None, no_test: bool, **options: Any) -> None:
    """Add the provider NAME: a preset's name alone will do, see gateway presets.

    The vendor is asked for its models and one tiny answer in each dialect before anything is
    written; this costs a few tokens. The key is asked for without showing it, or comes by one of
    the --key options.
    """
    places = places_of(config_file)
    given = _given(options)
    _check_is_new(places, given.name)
    wish = wish_of(*(options[name] for name in _KEY_OPTIONS))
    try:
        preset = find_preset(given)
        _check_testable(given, no_test=no_test)
        table = table_of(given, preset, filled_bases(preset, given, _ask_for))
    except Refused as error:
        fail(str(error), WRONG_CONFIGURATION)
    provider = _previewed(places, given, table)
    key = take_key(wish, _asked(given, preset, provider), must_read=not no_test)
    _warn_of_plain(provider, given, key)
    _hint_at_preset(given)
    models = given.models
    if not no_test:
        outcome = tested(given, provider, preset, key)
        models = (next(each.model for each in outcome.tried if each.passed),)
        table = {**found(given, outcome), **table}
    ref = _write(places, given.name, table, key, preset)
    if not no_test:
        _keep_list(places, given.name, outcome.listed.models or ())
    _say_next(places, given.name, models, ref)


def _given(options: dict[str, Any]) -> Given:
    bases = {name: options[name] for name in DIALECT_NAMES if options[name]}
    return Given(
        name=options["name"],
        preset=options["preset"],
        bases=bases,
        # Whole endpoints are pasted, with all that stands behind them.
        url=re.sub(r"[?#].*", "", options["url"].strip()) if options["url"] else None,
        models=options["models"],
        limits={name: options[name] for name in _LIMITS if options[name] is not None},
        proxy=options["proxy"],
        ca=options["ca"],
        headers=options["headers"],
        answers=options["answers"],
    )


def _check_is_new(places: Places, name: str) -> None:
    if name in settings_of(places).providers:
        fail(
            f"{name} is there already: gateway provider set {name} KEY=VALUE changes it, "
            f"gateway provider remove {name} takes it out",
            WRONG_CONFIGURATION,
        )


def _check_testable(given: Given, *, no_test: bool) -> None:
    if no_test and given.url:
        raise Refused(
            "--url asks what is spoken there: with --no-test say it, such as --chat URL or "
            "--messages URL"
        )


def _ask_for(name: str, text: str, default: str) -> str:
    """Ask a person what a preset wants to know."""
    if not at_terminal():
        return default or fail(f"the preset asks for {text}: --answer {name}=TEXT")
    return prompt(text, default=default or None)


def _previewed(places: Places, given: Given, table: Table) -> Provider:
    """Give the provider as the configuration will have it; what it refuses ends the program."""
    from holdgate.core.config.edit import preview
    from holdgate.core.config.problems import ConfigError

    # What the address speaks is not known yet; any dialect will do to have it looked at.
    shown = {**table, "chat": given.url} if given.url else table
    try:
        settings = preview(places.config_file, [(("providers", given.name), shown)])
    except ConfigError as error:
        refuse(error)
    provider = settings.providers[given.name]
    return replace(provider, chat="") if given.url else provider


def _asked(given: Given, preset: Preset | None, provider: Provider) -> Asked:
    if preset is None:
        return Asked(given.name, optional=True)
    return Asked(
        preset.title,
        preset.key_page,
        preset.key_env,
        optional=not preset.needs_key,
        never=not preset.needs_key,
    )


def _warn_of_plain(provider: Provider, given: Given, key: GivenKey) -> None:
    """Say so where a key would travel over a network for all to read."""
    from ipaddress import ip_address
    from urllib.parse import urlsplit

    urls = [given.url or "", *(provider.base(name) for name in DIALECT_NAMES)]
    hosts = [parts.hostname or "" for url in urls if (parts := urlsplit(url)).scheme == "http"]
    for host in hosts if key.secret else ():
        try:
            near = ip_address(host).is_private
        except ValueError:
            near = "." not in host or host.endswith((".localhost", ".local", ".lan"))
        if not near:
            tell(f"warning: the key goes to {host} unencrypted; use https://")
            return


def _hint_at_preset(given: Given) -> None:
    """Say so where a preset knows more of an address than can be found out."""
    from holdgate.core.catalog import load_preset

    if given.url and (name := preset_at(given.url)):
        tell(
            f"note: that is where the preset {name} leads, which knows the vendor's ways; better: "
            f"gateway provider add {given.name} --preset {name}"
        )
    elif given.preset is None and (given.url or given.bases) and load_preset(given.name):
        tell(
            f"note: with a URL of your own {given.name} is a name alone, not the preset of that "
            f"name; for the vendor's ways at that URL: --preset {given.name}"
        )


def _write(places: Places, name: str, table: Table, key: GivenKey, preset: Preset | None) -> str:
    """Keep the key, then write the table; a key without its table is taken back.

    Gives what stands for the key, "" where there is none.
    """
    from holdgate.core.config.edit import add
    from holdgate.core.config.problems import ConfigError

    kept = kept_keys(places)
    ref = keep_key(key, kept, name)
    try:
        add(places.config_file, ("providers", name), with_key(table, ref, preset))
    except ConfigError as error:
        if key.keep:
            kept.forget(ref)
        refuse(error)
    where = f"; its key is in {ref.partition(':')[2]}" if key.keep == "file" else ""
    where = "; its key is in the system's secret store" if key.keep == "keyring" else where
    tell(f"added {name} to {places.config_file}{where}", err=False)
    return ref


def _keep_list(places: Places, name: str, ids: tuple[str, ...]) -> None:
    """Keep the list that the vendor just gave: routes are checked by it, completion offers it."""
    from holdgate.core.dialects.listing import list_url
    from holdgate.core.store.lists_file import FILE_NAME, ListsFile
    from holdgate.core.values.kept_lists import KeptList
    from holdgate.core.values.settings import Model

    provider = settings_of(places).providers[name]
    if ids and provider.models is None:
        # As if it were old: it has no sizes, so that it is to be renewed when first used.
        at = wall_time() - _OLD
        listed = tuple(Model(id=each) for each in ids)
        ListsFile(places.cache / FILE_NAME).put(KeptList(name, list_url(provider), at, listed))


def _say_next(places: Places, name: str, models: tuple[str, ...], ref: str) -> None:
    """Say what to do with it."""
    has_it = bool(running_url(places))
    if has_it and ref.startswith("env:"):
        variable = ref.removeprefix("env:")
        tell(
            f"note: the running gateway needs {variable}, too: where it was started without, "
            "start it anew from here"
        )
    click.echo(
        "the running gateway has it within 2 s" if has_it else "start the gateway: gateway serve"
    )
    if models:
        model = shlex.quote(printable(f"{name}/{models[0]}"))
        click.echo(f"then, for instance: gateway run claude-code -m {model}")
