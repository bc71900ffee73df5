"""A secret: a text that shows itself only when asked by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MASK = "***"
# Shorter texts than this would mask ordinary words.
SHORTEST_MASKED = 6


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """A vendor's key. `str()` and `repr()` never show it; `reveal()` does."""

    _value: str

    def reveal(self) -> str:
        """Give the text itself, for the header that needs it."""
        return self._value

    def __bool__(self) -> bool:
        """Tell whether there is a text at all; local servers need none."""
        return bool(self._value)

    def __repr__(self) -> str:
        """Show the mask."""
        return f"Secret({MASK!r})"


def mask(text: str, secrets: Iterable[Secret]) -> str:
    """Give `text` with each of `secrets` replaced by the mask."""
    # The longest first: one may begin another.
    for value in sorted((secret.reveal() for secret in secrets), key=len, reverse=True):
        if len(value) >= SHORTEST_MASKED and value in text:
            text = text.replace(value, MASK)
    return text
