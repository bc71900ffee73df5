"""Spans: a value read and written as its own source, by where it stands in the text."""

from __future__ import annotations

from abc import ABC, abstractmethod

from holdgate.core.editing.base import MISSING, BrokenText, CannotChange, Path
from holdgate.core.editing.plain import changed, same


class Spanned(ABC):
    """The half of an Editor that is the same in all formats: `source` and `with_source`."""

    @abstractmethod
    def value(self, text: str, path: Path) -> object:
        """See Editor.value."""

    @abstractmethod
    def span(self, text: str, path: Path) -> tuple[int, int] | None:
        """Give where the value at `path` stands, None if it has no source. Raises CannotChange."""

    def source(self, text: str, path: Path) -> str | None:
        """Give how the value at `path` is written, or None."""
        try:
            span = self.span(text, path)
        except CannotChange:
            return None
        return text[slice(*span)] if span else None

    def with_source(self, text: str, path: Path, source: str) -> str:
        """Give `text` with the value at `path` written as `source`.

        Raises CannotChange if there is no value, or if anything else would mean something else.
        """
        span = self.span(text, path)
        if span is None:
            raise CannotChange("there is no value that could be written so")
        new = text[: span[0]] + source + text[span[1] :]
        try:
            value = self.value(new, path)
            wanted = changed(self.value(text, ()), path, value)
            if value is not MISSING and same(self.value(new, ()), wanted):
                return new
        except BrokenText as error:
            raise CannotChange("the file's layout does not allow it") from error
        raise CannotChange("the file's layout does not allow it")
