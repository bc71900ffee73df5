"""The catalogue: what is known of a vendor before the person says anything.

A file `NAME.toml` beside this module holds `title`, `key_env`, `key_page`, `needs_key`, `generic`,
`quirks`, `models`, `rate_headers`, `limits_source`, `unverified`, `notes` and the tables `[base]`
(a base URL for each dialect), `[auth]`, `[hosted]`, `[limits]`, `[lists]`, `[asks.NAME]` and, for a
generic one, `[example]`: the fields of Preset. The schema is strict: a slip in a shipped file must
fail a test, not a person's request.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, Final

from holdgate.core.catalog.preset import AUTH_PLACES, PLACEHOLDER, Ask, Preset
from holdgate.core.catalog.quirks import is_known
from holdgate.core.catalog.words import RATE_HEADERS
from holdgate.core.values import kinds
from holdgate.core.values.kinds import Kind, WrongValue
from holdgate.core.values.names import DIALECT_NAMES

# Tools that vendors run themselves, by what they are in all dialects.
HOSTED_KINDS: Final = ("web_search", "web_fetch", "code")

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME = 64  # a longer one the disk may refuse
_LIMITS: Final[Mapping[str, Kind]] = {
    "concurrency": kinds.COUNT,
    "rpm": kinds.COUNT,
    "tpm": kinds.COUNT,
    "window": kinds.DURATION,
}


class CatalogError(ValueError):
    """A catalogue file that breaks the schema; `str()` names the file and the key."""


def preset_names() -> tuple[str, ...]:
    """Give the names of all presets, sorted; no file is read."""
    from importlib.resources import files

    found = (entry.name for entry in files(__package__ or "").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


def load_presets() -> Mapping[str, Preset]:
    """Give every preset by name. Raises CatalogError."""
    return {name: parse_preset(name, _read(name) or "") for name in preset_names()}


def load_preset(name: str) -> Preset | None:
    """Give the preset of that name, reading only its file, or None. Raises CatalogError."""
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        return None
    text = _read(name)
    return None if text is None else parse_preset(name, text)


def parse_preset(name: str, text: str) -> Preset:
    """Give the preset that the TOML `text` of `NAME.toml` holds.

    Raises CatalogError for a syntax error, an unknown or missing key, a wrong type, or keys that
    do not fit each other.
    """
    try:
        data = tomllib.loads(text)
    except ValueError as error:
        raise CatalogError(f"{name}.toml: {error}") from error
    parsers = _parsers()
    for key in data:
        if key not in parsers:
            raise CatalogError(f"{name}.toml: {key}: no such key")
    parsed = {key: _parsed(name, key, parsers[key], value) for key, value in data.items()}
    if "title" not in parsed:
        raise CatalogError(f"{name}.toml: title: missing")
    preset = Preset(name=name, bases=parsed.pop("base", {}), **parsed)
    if wrong := _misfit(preset):
        raise CatalogError(f"{name}.toml: {wrong}")
    return preset


def _misfit(preset: Preset) -> str:
    """Say which keys of a preset do not fit each other, "" if all do."""
    used = {found for url in preset.bases.values() for found in PLACEHOLDER.findall(url)}
    for is_wrong, says in (
        (not preset.bases and not preset.generic, "base: missing"),
        (bool(preset.bases) and preset.generic, "base: a generic preset has none"),
        (bool(preset.example) != preset.generic, "example: of generic presets, and of all of them"),
        (not preset.key_env and not preset.generic, "key_env: missing"),
        (bool(preset.limits) != bool(preset.limits_source), "limits_source: goes with limits"),
        (used != set(preset.asks), "asks: not what the placeholders of base are"),
    ):
        if is_wrong:
            return says
    for key in ("auth", "hosted", "lists", "unverified"):
        if not set(getattr(preset, key)) <= set(preset.dialects):
            return f"{key}: a dialect without a base"
    return ""


def _read(name: str) -> str | None:
    from importlib.resources import files

    try:
        return files(__package__ or "").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def _parsers() -> dict[str, Callable[[str, object], Any]]:
    """Give for each top-level key the function (key, value) -> parsed value."""
    bases: dict[str, Kind] = dict.fromkeys(DIALECT_NAMES, kinds.URL)
    lists: dict[str, Kind] = dict.fromkeys(DIALECT_NAMES, _LIST)
    places: dict[str, Kind] = dict.fromkeys(DIALECT_NAMES, kinds.choice(*AUTH_PLACES))
    return {
        "title": _one(kinds.TEXT),
        "key_env": _one(kinds.TEXT),
        "key_page": _one(_PAGE),
        "needs_key": _one(kinds.FLAG),
        "generic": _one(kinds.FLAG),
        "models": _one(kinds.TEXTS),
        "quirks": _quirks,
        "rate_headers": _one(kinds.choice(*RATE_HEADERS)),
        "limits_source": _one(kinds.TEXT),
        "unverified": _one(_DIALECTS),
        "notes": _one(_PARAGRAPH),
        "asks": _asks,
        "base": _table(bases),
        "example": _table(bases),
        "lists": _table(lists),
        "auth": _table(places),
        "hosted": _hosted,
        "limits": _table(_LIMITS),
    }


def _parsed(name: str, key: str, parse: Callable[[str, object], Any], value: object) -> Any:
    try:
        return parse(key, value)
    except WrongValue as error:
        raise CatalogError(f"{name}.toml: {error}") from error


def _one(kind: Kind) -> Callable[[str, object], Any]:
    def parse(key: str, value: object) -> Any:
        try:
            return kind.parse(value)
        except WrongValue as error:
            raise WrongValue(f"{key}: allowed {error}") from error

    return parse


def _table(known: Mapping[str, Kind]) -> Callable[[str, object], Any]:
    def parse(key: str, value: object) -> Any:
        if not isinstance(value, dict):
            raise WrongValue(f"{key}: allowed a table")
        for name in value:
            if name not in known:
                raise WrongValue(f"{key}.{name}: no such key")
        return {name: _one(known[name])(f"{key}.{name}", item) for name, item in value.items()}

    return parse


def _asks(key: str, value: object) -> Any:
    if not isinstance(value, dict):
        raise WrongValue(f"{key}: allowed a table")
    parse = _table({"text": kinds.TEXT, "default": kinds.TEXT})
    found = {name: parse(f"{key}.{name}", item) for name, item in value.items()}
    for name, members in found.items():
        if "text" not in members:
            raise WrongValue(f"{key}.{name}.text: missing")
    return {name: Ask(**members) for name, members in found.items()}


def _hosted(key: str, value: object) -> Any:
    found = _table(dict.fromkeys(DIALECT_NAMES, kinds.TEXTS))(key, value)
    for dialect, names in found.items():
        for name in names:
            if name not in HOSTED_KINDS:
                raise WrongValue(f'{key}.{dialect}: no such tool "{name}"')
    return found


def _quirks(key: str, value: object) -> Any:
    quirks = _one(kinds.TEXTS)(key, value)
    for quirk in quirks:
        if not is_known(quirk):
            raise WrongValue(f'{key}: no such quirk "{quirk}"')
    return quirks


def _address(value: object) -> str:
    """Read an address that may have a query, as a base has not."""
    text = str(kinds.TEXT.parse(value))
    kinds.URL.parse(text.partition("#")[0].partition("?")[0])
    return text


def _dialects(value: object) -> tuple[str, ...]:
    names: tuple[str, ...] = kinds.TEXTS.parse(value)
    if not set(names) <= set(DIALECT_NAMES):
        raise ValueError
    return names


_PAGE = Kind("page", "an http:// or https:// address", _address)
_LIST = Kind(
    "list",
    'an http:// or https:// address, or ""',
    lambda value: "" if value == "" else _address(value),
)
_DIALECTS = Kind("dialects", "a list of dialects", _dialects)
_PARAGRAPH = Kind(
    "paragraph", "a text that is not empty", lambda value: " ".join(kinds.TEXT.parse(value).split())
)
