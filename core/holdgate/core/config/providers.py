"""The section [providers]: each table with what its preset adds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from holdgate.core.catalog import Preset, examples, preset_names
from holdgate.core.config.keys import read_keys
from holdgate.core.config.models import read_models
from holdgate.core.config.problems import Report, nearest_name
from holdgate.core.config.tables import Table, named_tables, read_table
from holdgate.core.editing.base import KeyPath
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.settings import Model, Provider

FindPreset = Callable[[str], Preset | None]

_NAME = re.compile(r"[A-Za-z0-9._-]+")
ALLOWED_NAME = 'letters, digits, ".", "_" and "-"'
_LONGEST_NAME = 64  # files are called so

# What people copy from a vendor's page along with the base; the longest first.
_ENDINGS: Final[dict[DialectName, tuple[str, ...]]] = {
    "chat": ("/chat/completions", "/responses"),
    "responses": ("/chat/completions", "/responses"),
    "messages": ("/v1/messages", "/v1"),
    "gemini": ("/v1beta/models", "/v1beta"),
}


def read_providers(report: Report, data: Table, find_preset: FindPreset) -> dict[str, Provider]:
    """Give the providers of a parsed config.toml by name; what is wrong is reported."""
    return {
        name: _read_provider(report, name, table, path, find_preset)
        for name, table, path in named_tables(report, data, "providers")
    }


def base_of(dialect: DialectName, url: str) -> str:
    """Give a URL as the field of its dialect wants it: without the endpoint's own path."""
    for ending in _ENDINGS[dialect]:
        if url.endswith(ending):
            return url.removesuffix(ending).rstrip("/")
    return url


def _read_provider(
    report: Report, name: str, table: Table, path: KeyPath, find_preset: FindPreset
) -> Provider:
    if not _NAME.fullmatch(name):
        report.wrong(path, name, f"a name of {ALLOWED_NAME}")
    elif len(name) > _LONGEST_NAME or not name.strip("."):
        report.wrong(path, name, f"a name of at most {_LONGEST_NAME} letters, not of dots alone")
    given = read_table(report, Provider, table, path, also=("key", "keys", "models"))
    for dialect in DIALECT_NAMES:
        if dialect in given:
            given[dialect] = base_of(dialect, given[dialect])
    _check_speaks(report, table, path)
    preset = _find_preset(report, given, path, find_preset)
    if preset:
        _check_addresses(report, preset, table, path)
        given = dict(preset.ready) | dict(preset.limits) | given
    return Provider(
        name=name,
        keys=read_keys(report, table, path, preset),
        models=_read_models(report, table, path, given, preset),
        auth=dict(preset.auth) if preset else {},
        quirks=preset.quirks if preset else (),
        hosted=dict(preset.hosted) if preset else {},
        lists=_lists(preset, table) if preset else {},
        **given,
    )


def _check_speaks(report: Report, table: Table, path: KeyPath) -> None:
    # By what is written, not by what is right: a wrong URL is told once, as what it is.
    if "preset" not in table and not any(dialect in table for dialect in DIALECT_NAMES):
        names = ", ".join(DIALECT_NAMES)
        report.says(path, f"needs a preset, or a base URL for a dialect it speaks ({names})")


def _check_addresses(report: Report, preset: Preset, table: Table, path: KeyPath) -> None:
    """Report a preset that knows no address by itself, where the table has none either."""
    if preset.ready or any(dialect in table for dialect in preset.dialects):
        return
    dialect, url = next(iter(examples(preset).items()))
    says = f'the preset "{preset.name}" needs an address of yours, such as {dialect} = "{url}"'
    report.says(path, f"{says}; all that it takes: gateway presets {preset.name}")


def _lists(preset: Preset, table: Table) -> dict[DialectName, str]:
    """Give where the lists of models are; a list of the preset's goes with its own base only."""
    return {
        dialect: url
        for dialect, url in preset.lists.items()
        if dialect not in preset.ready or dialect not in table
    }


def _find_preset(
    report: Report, given: dict[str, Any], path: KeyPath, find_preset: FindPreset
) -> Preset | None:
    name = given.get("preset")
    if name is None:
        return None
    preset = find_preset(name)
    if preset is None:
        names = preset_names()
        allowed = "one of those that gateway presets shows"
        report.wrong((*path, "preset"), name, allowed, nearest_name(name, names))
    return preset


def _read_models(
    report: Report, table: Table, path: KeyPath, given: dict[str, Any], preset: Preset | None
) -> tuple[Model, ...] | None:
    if "models" in table:
        spoken = [dialect for dialect in DIALECT_NAMES if dialect in given]
        return read_models(report, table["models"], (*path, "models"), spoken)
    if preset and preset.models is not None:
        return tuple(Model(id=model) for model in preset.models)
    return None
