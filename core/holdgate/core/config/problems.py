"""Problems: what is wrong with a configuration, each with its place, told all at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from holdgate.core.config.masks import hides_value, mask_text, shown, type_of
from holdgate.core.editing.base import KeyPath
from holdgate.core.editing.toml_lines import Lines
from holdgate.core.values.secret import Secret

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    `line` counts from 1; 0 is the file as a whole. `key` is the dotted path, "" for the whole.
    `says` is the sentence where "found ..., allowed ..." would not do. No field ever holds a
    vendor's key.
    """

    file: str
    line: int
    key: str
    found: str = ""
    allowed: str = ""
    nearest: str = ""
    says: str = ""

    def __str__(self) -> str:
        """Give the one line that is shown to people."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        says = self.says or f"found {self.found}, allowed {self.allowed}"
        if self.nearest:
            says += f'; did you mean "{self.nearest}"?'
        elif self.says and self.allowed:
            says += f"; allowed: {self.allowed}"
        return ": ".join(part for part in (place, self.key, says) if part)

    def as_dict(self) -> dict[str, str | int]:
        """Give the fields and the line shown to people as `text`, for `--json`."""
        return {**asdict(self), "text": str(self)}


class ConfigError(Exception):
    """A configuration that is refused; `problems` holds all that was found, by line."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        """Refuse because of `problems`, at least one."""
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line))
        super().__init__("\n".join(str(problem) for problem in self.problems))


class Report:
    """The problems found so far in one file."""

    __slots__ = ("_file", "_lines", "_problems", "_secrets")

    def __init__(self, file: str, lines: Lines, secrets: tuple[Secret, ...] = ()) -> None:
        """Begin without problems; `secrets` are masked in whatever is added."""
        self._file = file
        self._lines = lines
        self._secrets = secrets
        self._problems: list[Problem] = []

    def wrong(self, path: KeyPath, value: object, allowed: str, nearest: str = "") -> None:
        """Add a value that is not allowed; a key's value is told only by its type."""
        found = type_of(value) if hides_value(path) else shown(value, self._secrets)
        self._add(path, found=found, allowed=allowed, nearest=nearest)

    def unknown(self, path: KeyPath, allowed: Iterable[str]) -> None:
        """Add a key that does not exist, with the nearest of the `allowed` ones."""
        names = tuple(allowed)
        nearest = nearest_name(str(path[-1]), names)
        self._add(path, says="no such key", allowed=", ".join(names), nearest=nearest)

    def says(self, path: KeyPath, sentence: str) -> None:
        """Add a problem that is best told in its own words."""
        self._add(path, says=sentence)

    def finish(self) -> None:
        """Raise ConfigError if anything was added."""
        if self._problems:
            raise ConfigError(self._problems)

    def _add(
        self, path: KeyPath, found: str = "", allowed: str = "", nearest: str = "", says: str = ""
    ) -> None:
        line = self._lines.line_of(path)
        key = _written_path(path, self._secrets)
        nearest, says = mask_text(nearest, self._secrets), mask_text(says, self._secrets)
        self._problems.append(Problem(self._file, line, key, found, allowed, nearest, says))


def nearest_name(word: str, names: Iterable[str]) -> str:
    """Give the one of `names` that `word` is probably a slip of, or ""."""
    from difflib import get_close_matches  # only needed when something is wrong

    by_lower = {name.lower(): name for name in names}
    word = word.lower()
    # A name cut short is no close match to difflib: "conc" is nearer to "on" than to the right one.
    begun = [name for name in by_lower if len(word) >= 3 and name.startswith(word)]
    close = begun or get_close_matches(word, by_lower, n=1)
    return by_lower[close[0]] if close else ""


def _written_path(path: KeyPath, secrets: tuple[Secret, ...]) -> str:
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        name = part if _BARE_KEY.fullmatch(part) else '"' + part.replace("\n", "\\n") + '"'
        text += ("." if text else "") + mask_text(name, secrets)
    return text
