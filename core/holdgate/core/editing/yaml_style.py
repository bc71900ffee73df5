"""How a YAML text is written, and new values written like it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from holdgate.core.editing.base import CannotChange

_COMMENTS: Final = re.compile(r"(?:[ \t]+#[^\r\n]*)?")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
# Texts that YAML 1.1, which many programs still read, takes for something else.
_WORDS = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"}


@dataclass(frozen=True, slots=True)
class YamlStyle:
    """A Style of what is in brackets, where all is in one line; `unit` indents blocks."""

    newline: str
    unit: str = "  "
    gap: str = " "

    @property
    def comments(self) -> re.Pattern[str]:
        """The comment that follows a value in its line."""
        return _COMMENTS

    def written(self, key: str | None, value: object, indent: str | None) -> str:
        """Give a value in one line, with its name if it has one. Raises CannotChange."""
        return ("" if key is None else _text(key) + ": ") + in_line(value)

    def entry(self, key: str | None, value: object, indent: str) -> str:
        """Give a member or item in lines of its own, at an indentation. Raises CannotChange."""
        head = indent + ("-" if key is None else _text(key) + ":")
        return head + self.tail(value, indent, is_item=key is None) + self.newline

    def tail(self, value: object, indent: str, *, is_item: bool) -> str:
        """Give what follows a colon or a dash: a value in the line, or in lines below it."""
        if not isinstance(value, dict | list) or not value:
            return " " + in_line(value)
        deeper = indent + ("  " if is_item else self.unit)
        if isinstance(value, dict):
            lines = "".join(self.entry(key, each, deeper) for key, each in value.items())
        else:
            lines = "".join(self.entry(None, each, deeper) for each in value)
        lines = lines.removesuffix(self.newline)
        return " " + lines.removeprefix(deeper) if is_item else self.newline + lines


def in_line(value: object) -> str:
    """Give a value in one line. Raises CannotChange for what YAML cannot say."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _float(value)
        case str():
            return _text(value)
        case list():
            return "[" + ", ".join(map(in_line, value)) + "]"
        case dict():
            pairs = (f"{_text(key)}: {in_line(each)}" for key, each in value.items())
            return "{" + ", ".join(pairs) + "}"
    raise CannotChange(f"YAML has no such value: {type(value).__name__}")


def _float(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")  # YAML 1.1 wants a point


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return "".join(_escaped(json.dumps(text, ensure_ascii=False)))


def _escaped(text: str) -> Iterator[str]:
    for each in text:
        if each.isprintable():
            yield each
        else:
            yield f"\\U{ord(each):08x}" if ord(each) > 0xFFFF else f"\\u{ord(each):04x}"
