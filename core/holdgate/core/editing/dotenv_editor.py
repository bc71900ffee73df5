"""The editor of .env files: lines `NAME=value`, as dotenv libraries read them.

Such a file is a mapping of texts. What is no such line is passed over by those libraries, and
stays.
"""

from __future__ import annotations

import re

from holdgate.core.editing.base import BOM, MISSING, CannotChange, Path
from holdgate.core.editing.spans import Spanned
from holdgate.core.editing.undoing import undoable

# As the dotenv library of Node reads them: a quoted value may have several lines.
_LINE = re.compile(
    r"""^\ufeff?[^\S\r\n]*(?:export[^\S\r\n]+)?(?P<name>[\w.-]+)[^\S\r\n]*=[^\S\r\n]*
        (?P<value>'(?:\\'|[^'])*'|"(?:\\"|[^"])*"|`(?:\\`|[^`])*`|[^#\r\n]*?)
        [^\S\r\n]*(?:\#[^\r\n]*)?(?:\r?\n|$)""",
    re.MULTILINE | re.VERBOSE,
)
_NAME = re.compile(r"[\w.-]+")
_BARE = re.compile(r"[\w./:@%+,-]+")


class DotenvEditor(Spanned):
    """Edits .env files."""

    def value(self, text: str, path: Path) -> object:
        """Give the text at `path`, the mapping of all for (), or MISSING."""
        found = {line["name"]: _plain(line["value"]) for line in _lines(text)}
        if not path:
            return found
        return found.get(path[0], MISSING) if len(path) == 1 else MISSING

    def with_value(self, text: str, path: Path, value: object) -> str:
        """Give `text` with `path` set to a text of one line. Raises CannotChange."""
        name = path[0] if len(path) == 1 else None
        if not isinstance(name, str) or not _NAME.fullmatch(name) or not isinstance(value, str):
            raise CannotChange("a .env file holds a text for each name, and nothing else")
        if self.value(text, path) == value:
            return text
        if span := self.span(text, path):
            new = text[: span[0]] + _quoted(value) + text[span[1] :]
        else:
            new = _with_line(text, f"{name}={_quoted(value)}")
        if self.value(new, ()) != {**_mapping(self.value(text, ())), name: value}:
            raise CannotChange("the file's layout does not allow it")
        return undoable(self, text, path, new)

    def without(self, text: str, path: Path) -> str:
        """Give `text` without any line that sets the name at `path`."""
        if not path:
            return ""
        for line in reversed(_lines(text)):
            if (line["name"],) == path:
                text = _without_line(text, *line.span())
        return text

    def span(self, text: str, path: Path) -> tuple[int, int] | None:
        """Give where the value at `path` stands: in the last line that sets it, which counts."""
        found = [line.span("value") for line in _lines(text) if (line["name"],) == path]
        return found[-1] if found else None


def _lines(text: str) -> list[re.Match[str]]:
    return list(_LINE.finditer(text))


def _mapping(found: object) -> dict[str, object]:
    return dict(found) if isinstance(found, dict) else {}


def _plain(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"`":
        inner = value[1:-1]
        return inner.replace("\\n", "\n").replace("\\r", "\r") if value[0] == '"' else inner
    return value.strip()


def _quoted(value: str) -> str:
    if _BARE.fullmatch(value) or not value:
        return value
    for quote in "'\"`":
        if quote not in value and "\n" not in value and "\\" not in value:
            return f"{quote}{value}{quote}"
    raise CannotChange("a .env file has no words for that text")


def _with_line(text: str, line: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    if text.removeprefix(BOM) and not text.endswith("\n"):
        return f"{text}{newline}{line}"
    return f"{text}{line}{newline}"


def _without_line(text: str, start: int, end: int) -> str:
    before, after = text[:start], text[end:]
    if not after and not text.endswith("\n"):
        return before.removesuffix("\n").removesuffix("\r")
    return before + after
