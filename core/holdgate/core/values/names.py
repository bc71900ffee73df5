"""The names of the four dialects."""

from __future__ import annotations

from typing import Final, Literal, get_args

DialectName = Literal["chat", "responses", "messages", "gemini"]

DIALECT_NAMES: Final[tuple[DialectName, ...]] = get_args(DialectName)
