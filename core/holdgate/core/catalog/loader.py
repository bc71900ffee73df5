"""The catalogue: what is known of a vendor before the person says anything.

A file `NAME.toml` beside this module holds `title`, `key_env`, `key_page`, `needs_key`, `quirks`,
`models` and the tables `[base]` (a base URL for each dialect), `[auth]`, `[hosted]` and `[limits]`.
The schema is strict: a slip in a shipped file must fail a test, not a person's request.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from holdgate.core.catalog.quirks import is_known
from holdgate.core.values import kinds
from holdgate.core.values.kinds import Kind, WrongValue
from holdgate.core.values.names import DIALECT_NAMES, DialectName

AuthPlace = Literal["bearer", "x-api-key", "x-goog-api-key"]
AUTH_PLACES: Final[tuple[AuthPlace, ...]] = get_args(AuthPlace)

# Tools that vendors run themselves, by what they are in all dialects.
HOSTED_KINDS: Final = ("web_search", "web_fetch", "code")

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LIMITS: Final[Mapping[str, Kind]] = {
    "concurrency": kinds.COUNT,
    "rpm": kinds.COUNT,
    "tpm": kinds.COUNT,
    "window": kinds.DURATION,
}


class CatalogError(ValueError):
    """A catalogue file that breaks the schema; `str()` names the file and the key."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A vendor.

    `bases` holds a base URL for each dialect it speaks, in the form that config.toml takes; `auth`
    only the dialects whose key goes elsewhere than usual; `hosted` the kinds of tools that the
    vendor runs itself, by the dialect in which it takes them; `limits` any of concurrency, rpm, tpm
    (counts) and window (seconds), where the vendor publishes fixed ones. `models` is None where the
    vendor's own list is to be asked.
    """

    name: str
    title: str
    bases: Mapping[DialectName, str]
    key_env: str
    key_page: str = ""
    needs_key: bool = True
    auth: Mapping[DialectName, AuthPlace] = field(default_factory=dict)
    hosted: Mapping[DialectName, tuple[str, ...]] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    quirks: tuple[str, ...] = ()
    models: tuple[str, ...] | None = None


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
    if not _NAME.fullmatch(name):
        return None
    text = _read(name)
    return None if text is None else parse_preset(name, text)


def parse_preset(name: str, text: str) -> Preset:
    """Give the preset that the TOML `text` of `NAME.toml` holds.

    Raises CatalogError for a syntax error, an unknown or missing key, or a wrong type.
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
    bases = parsed.pop("base", {})
    for key in ("title", "key_env"):
        if key not in parsed:
            raise CatalogError(f"{name}.toml: {key}: missing")
    if not bases:
        raise CatalogError(f"{name}.toml: base: missing")
    return Preset(name=name, bases=bases, **parsed)


def _read(name: str) -> str | None:
    from importlib.resources import files

    try:
        return files(__package__ or "").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def _parsers() -> dict[str, Callable[[str, object], Any]]:
    """Give for each top-level key the function (key, value) -> parsed value."""
    dialects: dict[str, Kind] = dict.fromkeys(DIALECT_NAMES, kinds.URL)
    places: dict[str, Kind] = dict.fromkeys(DIALECT_NAMES, kinds.choice(*AUTH_PLACES))
    return {
        "title": _one(kinds.TEXT),
        "key_env": _one(kinds.TEXT),
        "key_page": _one(kinds.URL),
        "needs_key": _one(kinds.FLAG),
        "models": _one(kinds.TEXTS),
        "quirks": _quirks,
        "base": _table(dialects),
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
