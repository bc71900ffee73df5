"""Adding: what the options of `gateway provider add` come to, as a table of config.toml."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdgate.core.values.names import DIALECT_NAMES, DialectName

if TYPE_CHECKING:
    from holdgate.core.catalog import Preset

_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
# It becomes one part of a host's name.
_ANSWER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")

Table = dict[str, object]
# Gives what a preset asks: by its name, its text, and what counts if nothing is said.
AskFor = Callable[[str, str, str], str]


class Refused(ValueError):
    """Options that do not fit together; `str()` says what to do."""


@dataclass(frozen=True, slots=True)
class Given:
    """The options of `gateway provider add`, but for the key."""

    name: str
    preset: str | None = None
    bases: Mapping[DialectName, str] = field(default_factory=dict)
    url: str | None = None
    models: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)
    proxy: str | None = None
    ca: str | None = None
    headers: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What a preset asks for before its URLs are whole, such as the name of a resource."""

    name: str
    text: str
    default: str = ""


def find_preset(given: Given) -> Preset | None:
    """Give the preset that is meant, None where URLs stand for it. Raises Refused."""
    from holdgate.core.catalog import load_preset, preset_names
    from holdgate.core.config.masks import mask_text
    from holdgate.core.config.problems import nearest_name

    _check_addresses(given)
    if given.url and given.bases:
        raise Refused("--url finds out what is spoken there: leave the other URLs out, or --url")
    if given.preset is None and (given.url or given.bases):
        return None
    name = given.preset or given.name
    preset = load_preset(name)
    if preset is not None:
        return _checked(preset, given)
    near = nearest_name(name, preset_names())
    name = mask_text(name)  # somebody may have pasted a key
    hint = f"did you mean {near}" if near else "gateway presets lists them"
    if given.preset:
        raise Refused(f"{name}: no such preset; {hint}")
    raise Refused(
        f"{name}: no such preset; {hint}. Anything else has an address: "
        f"gateway provider add {name} --url URL"
    )


def _check_addresses(given: Given) -> None:
    """Refuse what is no address by the option that it came with, not by a line of config.toml."""
    from holdgate.core.config.masks import mask_text
    from holdgate.core.values.kinds import URL, WrongValue

    given_urls = [*([("url", given.url)] if given.url else []), *given.bases.items()]
    for option, url in given_urls:
        try:
            URL.parse(url)
        except WrongValue as error:
            raise Refused(f"--{option} {mask_text(url)!r}: it takes {error}") from None


def preset_at(url: str) -> str:
    """Give the name of the preset whose vendor has that address, "" if none has.

    A preset of a local server is none: anything may listen there.
    """
    from urllib.parse import urlsplit

    from holdgate.core.catalog import load_presets

    host = urlsplit(url).hostname
    for preset in load_presets().values() if host else ():
        if preset.needs_key and host in {urlsplit(b).hostname for b in preset.bases.values()}:
            return preset.name
    return ""


def _checked(preset: Preset, given: Given) -> Preset:
    if given.url and preset.bases:
        raise Refused(f"the preset {preset.name} has its own URLs: leave out --url or the preset")
    if not (given.url or given.bases or preset.bases):
        raise Refused(f"the preset {preset.name} has no address: name it with --url URL")
    return preset


def questions(preset: Preset) -> tuple[Question, ...]:
    """Give what the base URLs of a preset leave open."""
    return tuple(Question(name, ask.text, ask.default) for name, ask in preset.asks.items())


def filled_bases(preset: Preset | None, given: Given, ask: AskFor) -> dict[DialectName, str]:
    """Give the URLs that config.toml must name: those given, and the filled ones of a preset.

    Raises Refused for an answer to what nobody asks, or that fits into no address.
    """
    answers = dict(_pairs(given.answers, "=", "--answer NAME=TEXT"))
    asked = questions(preset) if preset else ()
    for name in answers:
        if name not in {each.name for each in asked}:
            raise Refused(f"--answer {name}: this preset does not ask for it")
    told = {e.name: answers.get(e.name) or ask(e.name, e.text, e.default) for e in asked}
    for name, answer in told.items():
        if not _ANSWER.fullmatch(answer):
            raise Refused(f"{name}: it is a name of letters, digits and -, no address")
    bases = preset.bases if preset else {}
    open_bases = {each: base for each, base in bases.items() if _PLACE.search(base)}
    filled = {each: _PLACE.sub(lambda m: told[m[1]], base) for each, base in open_bases.items()}
    return {**filled, **given.bases}


def table_of(given: Given, preset: Preset | None, bases: Mapping[DialectName, str]) -> Table:
    """Give the provider's table without its key, in the order in which people read it.

    Raises Refused for a header without a colon.
    """
    table: Table = {"preset": preset.name} if preset else {}
    table |= {name: bases[name] for name in DIALECT_NAMES if name in bases}
    table |= dict(given.limits)
    if given.models:
        table["models"] = list(given.models)
    if given.headers:
        pairs = _pairs(given.headers, ":", "--header 'NAME: TEXT'")
        table["headers"] = {name: text.strip() for name, text in pairs}
    if given.proxy:
        table["proxy"] = given.proxy
    if given.ca:
        table["ca"] = given.ca
    return table


def with_key(table: Table, ref: str, preset: Preset | None) -> Table:
    """Give the table with its key behind the addresses; none where the preset says the same."""
    if not ref or (preset and preset.needs_key and ref == f"env:{preset.key_env}"):
        return table
    first = {name: value for name, value in table.items() if name in ("preset", *DIALECT_NAMES)}
    return {**first, "key": ref, **table}


def _pairs(texts: Iterable[str], mark: str, form: str) -> Iterable[tuple[str, str]]:
    for text in texts:
        name, found, rest = text.partition(mark)
        if not found or not name.strip():
            # The text may hold a token.
            raise Refused(f"what {form.split()[0]} says is not of the form {form}")
        yield name.strip(), rest
