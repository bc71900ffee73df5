"""`gateway presets`: the vendors that are known by name, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from holdgate.cli.completing import preset_names
from holdgate.cli.lines import Line, cells, hanging, said
from holdgate.cli.options import echo_json, fail, json_option
from holdgate.cli.screen import Screen
from holdgate.cli.tables import Column, table

if TYPE_CHECKING:
    from holdgate.core.catalog import Preset

WRONG_USAGE = 2
_LIMITS = {
    "concurrency": "{:g} requests at once",
    "rpm": "{:g} requests a minute",
    "tpm": "{:g} tokens a minute",
}


@click.command(
    "presets",
    epilog="Example: gateway presets qwen. Set one up: gateway provider add NAME --preset PRESET",
)
@click.argument("word", metavar="[NAME]", required=False, shell_complete=preset_names)
@json_option
def command(word: str | None, as_json: bool) -> None:
    """Show the vendors that are known by name; with NAME all about one, or those like it.

    \b
    gateway presets            # all
    gateway presets deepseek   # all about one
    gateway presets qwen       # those with that word in their name or title

    JSON: {"presets": [{"name", "title", "dialects", "local", "generic", "bases", "example", "asks":
    {NAME: {"text", "default"}}, "needs_key", "key_env", "key_page", "auth", "limits",
    "limits_source", "rate_headers", "lists", "models", "hosted", "quirks": [{"name", "says"}],
    "unverified", "notes"}]}; bases, example, auth, lists and hosted by dialect; models null is the
    vendor's list; a list of "" is none.
    """
    from holdgate.core.catalog import load_presets

    presets = load_presets()
    one = presets.get((word or "").lower())
    found = [one] if one else _like(list(presets.values()), word)
    if word and not found:
        fail(_nothing(word, list(presets)), WRONG_USAGE)
    if as_json:
        echo_json({"presets": [shape_of(each) for each in found]})
    elif word and len(found) == 1:
        near = [each.name for each in _like(list(presets.values()), word) if each != found[0]]
        Screen().show(lambda width: lines_of(found[0], near, width))
    else:
        Screen().show(lambda width: rows_of(found, width))


def rows_of(presets: list[Preset], width: int | None) -> list[Line]:
    """Give presets as a table."""
    columns = [
        Column("NAME"),
        Column("VENDOR", least=14),
        Column("DIALECTS"),
        Column("KEY", spare=1),
    ]
    rows = [(each.name, _title(each), ", ".join(each.dialects), key_of(each)) for each in presets]
    return table(columns, rows, width)


def key_of(preset: Preset) -> str:
    """Say where the key comes from by itself, or why none does."""
    if preset.is_local:
        return "none"
    return preset.key_env or "your own"


def lines_of(preset: Preset, near: list[str], width: int | None) -> list[Line]:
    """Give all that is known of a preset; `near`: names of others that are like it."""
    lines = [*hanging(said((preset.name, "head"), "  "), preset.title, width), said("")]
    facts = [*_addresses(preset), *_key(preset), *_rest(preset)]
    if near:
        facts.append(("like it", ", ".join(near)))
    facts.append(("set it up", f"gateway provider add {_adding(preset)}"))
    indent = max(cells(label) for label, _ in facts) + 2
    for label, text in facts:
        lines += hanging(said((label, "quiet"), " " * (indent - cells(label))), text, width)
    return lines


def shape_of(preset: Preset) -> dict[str, Any]:
    """Give a preset as the JSON that `command` documents."""
    from dataclasses import asdict

    from holdgate.core.catalog.words import quirk_in_words

    fields = asdict(preset)
    quirks = [{"name": each, "says": quirk_in_words(each)} for each in preset.quirks]
    more = {"dialects": preset.dialects, "local": preset.is_local, "quirks": quirks}
    return fields | more


def _title(preset: Preset) -> str:
    return f"{preset.title}, local" if preset.is_local else preset.title


def _like(presets: list[Preset], word: str | None) -> list[Preset]:
    """Give the presets with a word in their name or title; all without a word."""
    asked = (word or "").lower()
    return [each for each in presets if asked in each.name or asked in each.title.lower()]


def _nothing(word: str, names: list[str]) -> str:
    from holdgate.core.config.problems import nearest_name

    nearest = nearest_name(word, names)
    hint = f'; did you mean "{nearest}"?' if nearest else "; all of them: gateway presets"
    return f"{word}: no preset is called so, nor has it in its title{hint}"


def _addresses(preset: Preset) -> Iterator[tuple[str, str]]:
    for dialect in preset.dialects:
        doubt = " (not seen on the vendor's own pages)" if dialect in preset.unverified else ""
        example = preset.example.get(dialect)
        url = f"yours, such as {example}" if example else preset.bases[dialect]
        yield dialect, url + doubt
    for name, ask in preset.asks.items():
        yield "asks", f"{{{name}}}: the {ask.text}" + (ask.default and f", such as {ask.default}")


def _adding(preset: Preset) -> str:
    if preset.generic:
        return f"NAME --preset {preset.name} --url URL"
    return f"{preset.name} --model ID" if _has_no_list(preset) else preset.name


def _has_no_list(preset: Preset) -> bool:
    return preset.models is None and bool(preset.lists) and not any(preset.lists.values())


def _key(preset: Preset) -> Iterator[tuple[str, str]]:
    if preset.needs_key:
        yield "key", f"{preset.key_env} in the environment, or asked for"
    elif preset.key_env:
        yield "key", f'not needed; if the server wants one: key = "env:{preset.key_env}"'
    else:
        yield "key", "only what you set: key = ..."
    if preset.key_page:
        yield "get a key", preset.key_page


def _rest(preset: Preset) -> Iterator[tuple[str, str]]:
    from holdgate.core.catalog.words import RATE_HEADERS, quirk_in_words

    if preset.limits:
        yield "limits", f"{_limits(preset)} ({preset.limits_source})"
    if preset.rate_headers:
        yield "headers", RATE_HEADERS[preset.rate_headers]
    yield "models", _models(preset)
    if preset.hosted:
        runs = (f"{', '.join(names)} in {name}" for name, names in preset.hosted.items())
        yield "runs itself", "; ".join(runs)
    if preset.quirks:
        yield "its Chat", "; ".join(quirk_in_words(each) for each in preset.quirks)
    if preset.notes:
        yield "notes", preset.notes


def _limits(preset: Preset) -> str:
    from holdgate.core.values.kinds import format_duration

    told = [words.format(preset.limits[name]) for name, words in _LIMITS.items()
            if name in preset.limits]  # fmt: skip
    window = preset.limits.get("window")
    return ", ".join(told) + (f", where a minute is {format_duration(window)}" if window else "")


def _models(preset: Preset) -> str:
    if preset.models is not None:
        return ", ".join(preset.models)
    if _has_no_list(preset):
        return "the vendor has no list: name yours"
    return "asked from the vendor"
