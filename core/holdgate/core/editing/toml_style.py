"""How a TOML text is written, and new keys, tables and values written like it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from holdgate.core.editing.base import CannotChange

if TYPE_CHECKING:
    from tomlkit.items import Item

_COMMENTS: Final = re.compile(r"(?:[ \t]*#[^\r\n]*)?")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class TomlStyle:
    """A Style of what is in brackets: all in one line."""

    newline: str
    unit: str = "  "
    gap: str = " "

    @property
    def comments(self) -> re.Pattern[str]:
        """The comment that follows a value in its line."""
        return _COMMENTS

    def written(self, key: str | None, value: object, indent: str | None) -> str:
        """Give a value in one line, with its key if it has one. Raises CannotChange."""
        return ("" if key is None else written_key((key,)) + " = ") + self.value(value)

    def value(self, value: object, *, lines: bool = False) -> str:
        """Give a value; with `lines` a list of tables has a line for each. Raises CannotChange."""
        try:
            text = _item(value, lines=lines).as_string()
        except (TypeError, ValueError, RecursionError) as error:
            raise CannotChange(f"TOML has no such value: {error}") from error
        return text.replace("\r\n", "\n").replace("\n", self.newline)

    def pair(self, keys: tuple[str, ...], value: object) -> str:
        """Give a line with a key and a value. Raises CannotChange."""
        return f"{written_key(keys)} = {self.value(value, lines=True)}{self.newline}"

    def table(self, header: tuple[str, ...], data: dict[str, object], *, array: bool) -> str:
        """Give a table with its header; what is in it and a table has one line."""
        name = written_key(header)
        first = f"[[{name}]]" if array else f"[{name}]"
        return first + self.newline + "".join(self.pair((key,), data[key]) for key in data)


def written_key(keys: tuple[str, ...]) -> str:
    """Give a key or a header's name, with quotes where it needs some."""
    from tomlkit import item

    return ".".join(key if _BARE.fullmatch(key) else item(key).as_string() for key in keys)


def _item(value: object, *, lines: bool) -> Item:
    import tomlkit

    if isinstance(value, dict):
        table: Any = tomlkit.inline_table()
        for name, each in value.items():
            table[name] = _item(each, lines=False)
        result: Item = table
        return result
    if isinstance(value, list | tuple):
        array = tomlkit.array()
        for entry in value:
            array.append(_item(entry, lines=False))
        return array.multiline(lines and any(isinstance(entry, dict) for entry in value))
    return tomlkit.item(value)
