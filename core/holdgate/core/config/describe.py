"""Descriptions of the configuration: the reference page, and what is in force."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from holdgate.core.config.example import NAMED_TABLES
from holdgate.core.config.keys import ALLOWED_KEY, ALLOWED_KEYS
from holdgate.core.config.masks import is_secret_header, mask_key, mask_text, mask_url
from holdgate.core.config.models import ALLOWED_MODELS
from holdgate.core.config.tables import declared, kind_of
from holdgate.core.values import kinds
from holdgate.core.values.kinds import Kind, format_duration, parse_duration
from holdgate.core.values.secret import MASK
from holdgate.core.values.settings import (
    CallerProfile,
    Hold,
    Key,
    Match,
    Model,
    Provider,
    Queue,
    Route,
    Server,
    Settings,
)

_SECTIONS: tuple[tuple[str, str, type[Any]], ...] = (
    ("[server]", "Where the gateway listens, and for whom.", Server),
    ("[hold]", "How the stream of a waiting agent is kept alive.", Hold),
    ("[queue]", "How long a request may wait, and how many may.", Queue),
    (
        "[providers.NAME]",
        "NAME is what agents write before the slash: at most 64 letters, digits, `.`, `_` and `-`.",
        Provider,
    ),
    ("An entry of `keys`", "Limits that are not set are the provider's.", Key),
    ("An entry of `models`", "A text stands for a table with that `id`.", Model),
    ("[routes.NAME]", "NAME is what agents ask for as a model.", Route),
    ("[callers.NAME]", "How the requests of some callers are treated.", CallerProfile),
    ("A caller's `match`", "Patterns may hold `*` and `?`; all that are set must match.", Match),
)

# Keys that are tables or lists of tables: key, what it may hold, help.
_COMPOSED: Mapping[type[Any], tuple[tuple[str, str, str], ...]] = {
    Provider: (
        ("key", ALLOWED_KEY, "the only key; absent: the preset's environment variable"),
        ("keys", ALLOWED_KEYS, "several keys, each a lane of its own; instead of key"),
        ("models", ALLOWED_MODELS, "absent: ask the vendor's list"),
    ),
    CallerProfile: (
        ("match", "a table of patterns", "whom the profile is for; absent: everybody"),
        ("hold", "a table with keys of [hold]", "overrides [hold] for this caller"),
        ("queue", "a table with keys of [queue]", "overrides [queue] for this caller"),
    ),
}

_INTRODUCTION = """\
# config.toml

<!-- Made by: python -m holdgate.core.config.describe docs/configuration.md -->

`gateway config path` tells where the file is, `gateway config edit` opens it, `gateway config
check` tells what is wrong with it and how each name resolves, and `gateway config show` tells every
setting in force. `--config FILE` or `HOLDGATE_CONFIG` name another file; `HOLDGATE_HOME` names one
folder for everything. A missing file is an empty configuration. The running gateway watches the
file: a valid change applies within two seconds; a wrong one is told, and the old one stays.

**Durations** are texts such as `"500ms"`, `"15s"`, `"4m45s"`, `"2m"`, `"1h"` or `"7d"`, or a number
of seconds. **Sizes** are texts such as `"128MiB"` or `"2MB"`, or a number of bytes. `0` means no
limit everywhere.

A **key** is best kept out of the file: `"env:NAME"` takes an environment variable, `"keyring:NAME"`
the system's own secret store, `"file:PATH"` the content of a file.
"""


def render_reference() -> str:
    """Give docs/configuration.md, made from the declared fields."""
    parts = [_INTRODUCTION]
    for title, help_text, cls in _SECTIONS:
        heading = f"`{title}`" if title.startswith("[") else title
        parts.append(f"## {heading}\n\n{help_text}\n\n" + "\n".join(_rows(cls)) + "\n")
    parts.append("## A full example\n\n```toml\n" + example() + "```\n")
    return "\n".join(parts)


def example() -> str:
    """Give a config.toml in which every key occurs, with comments."""
    plain = []
    for title, _help, cls in _SECTIONS[:3]:
        lines = [
            f"{name} = {_toml_default(field)}  # {field.metadata['help']}"
            for name, field in declared(cls).items()
        ]
        plain.append("\n".join((title, *lines)) + "\n")
    return "\n".join((*plain, NAMED_TABLES))


def show(settings: Settings) -> dict[str, Any]:
    """Give every setting in force as plain data, fit for JSON and for eyes.

    Durations are texts that config.toml takes. A key shows only where it is kept; a key itself,
    secret headers and the passwords of URLs are masked.
    """
    return {
        "server": _shown_fields(settings.server),
        "hold": _shown_fields(settings.hold),
        "queue": _shown_fields(settings.queue),
        "providers": {name: _shown_provider(it) for name, it in settings.providers.items()},
        "routes": {name: _shown_fields(route) for name, route in settings.routes.items()},
        "callers": {name: _shown_caller(it) for name, it in settings.callers.items()},
    }


def _rows(cls: type[Any]) -> list[str]:
    rows = ["| key | default | what it may hold | |", "| --- | --- | --- | --- |"]
    for name, field in declared(cls).items():
        default = _toml_default(field)
        told = f"`{default}`" if default else ""
        rows.append(_row(f"`{name}`", told, kind_of(field).allowed, field.metadata["help"]))
    for name, allowed, help_text in _COMPOSED.get(cls, ()):
        rows.append(_row(f"`{name}`", "", allowed, help_text))
    return rows


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _toml_default(field: Field[Any]) -> str:
    """Give a default as config.toml takes it, or "" where absent is not the same as any value."""
    default = field.default
    if default is MISSING or default is None or default == "":
        return ""
    shown = _shown(kind_of(field), default)
    return "{}" if shown == {} else json.dumps(shown, ensure_ascii=False)


def _shown_fields(part: object) -> dict[str, Any]:
    cls = type(part)
    return {
        name: _shown(kind_of(field), getattr(part, name)) for name, field in declared(cls).items()
    }


def _shown(kind: Kind, value: Any) -> Any:
    """Give an inner value in the form that config.toml takes, masked."""
    if value is None:
        return None
    match kind:
        case kinds.DURATION:
            return _shown_duration(value)
        case kinds.SIZE:
            return _shown_size(value)
        case kinds.HEADERS:
            return {
                name: MASK if is_secret_header(name) else mask_text(text) for name, text in value
            }
        case kinds.URL | kinds.PROXY:
            return mask_url(value)
        case kinds.TEXTS:
            return list(value)
        case _:
            return value


def _shown_duration(seconds: float) -> str | float:
    """Give "4m45s"; 0, and what a text would round, stay numbers."""
    text = format_duration(seconds)
    if seconds == 0 or parse_duration(text) != seconds:
        return int(seconds) if seconds == int(seconds) else seconds
    return text


def _shown_size(size: int) -> str | int:
    mebibytes, rest = divmod(size, 1 << 20)
    return f"{mebibytes}MiB" if mebibytes and not rest else size


def _shown_provider(provider: Provider) -> dict[str, Any]:
    models = provider.models
    return {
        **_shown_fields(provider),
        "keys": [_shown_key(provider, key) for key in provider.keys],
        "models": None if models is None else [_shown_fields(model) for model in models],
        "auth": dict(provider.auth),
        "quirks": list(provider.quirks),
        "hosted": {dialect: list(names) for dialect, names in provider.hosted.items()},
    }


def _shown_key(provider: Provider, key: Key) -> dict[str, Any]:
    concurrency, rpm, tpm = provider.limits_of(key)
    limits = {"concurrency": concurrency, "rpm": rpm, "tpm": tpm}
    return {**_shown_fields(key), "value": mask_key(key.value), **limits}


def _shown_caller(caller: CallerProfile) -> dict[str, Any]:
    return {
        **_shown_fields(caller),
        "match": _shown_fields(caller.match),
        "hold": _shown_given(Hold, caller.hold),
        "queue": _shown_given(Queue, caller.queue),
    }


def _shown_given(cls: type[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    by_name = {field.name: field for field in fields(cls)}
    return {name: _shown(kind_of(by_name[name]), value) for name, value in given.items()}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(render_reference(), encoding="utf-8", newline="\n")
