"""Written: the text behind `KEY=` of a command line as a value of config.toml."""

from __future__ import annotations

import tomllib
from typing import Any


class Unreadable(ValueError):
    """A text that is no value; `str()` says what it may be."""


def parsed_pair(text: str) -> tuple[tuple[str, ...], str | None]:
    """Give the key of `KEY=VALUE`, cut at its first dot, and the text behind it; None for no text.

    Raises Unreadable.
    """
    key, found, value = text.partition("=")
    if not found or not key.strip():
        # It may be a key that somebody pasted.
        raise Unreadable("say KEY=VALUE, such as concurrency=4; KEY= takes a key out")
    name, dot, rest = key.strip().partition(".")
    return ((name, rest) if dot else (name,)), value or None


def toml_value(kind: str, text: str) -> object:
    """Give the value that a text stands for where a setting of that kind is wanted.

    `kind` is the name of a kind of values/kinds.py, "" for one that is not known. What cannot be of
    the kind stays a text: the configuration refuses it in its own words. Raises Unreadable for a
    list or a table that is no TOML.
    """
    match kind:
        case "count" | "port":
            return int(text) if _is_number(text) else text
        case "duration" | "size":
            return int(text) if _is_number(text) else text
        case "flag":
            return {"true": True, "false": False}.get(text.lower(), text)
        case "list":
            if not text.lstrip().startswith("["):
                return [part.strip() for part in text.split(",") if part.strip()]
            return _toml(text)
        case "headers" | "tables":
            return _toml(text)
    return text


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _toml(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except ValueError:
        raise Unreadable(
            'write a list as ["a", "b"] or a,b and a table as { "X-Team" = "a" }'
        ) from None
