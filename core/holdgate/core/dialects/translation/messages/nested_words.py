"""Finds what can be read in blocks that no other dialect knows."""

from __future__ import annotations

from collections.abc import Iterator

from holdgate.core.dialects.translation.json_texts import loads

_READ = ("title", "url", "text", "stdout", "stderr", "content", "error_code")
_DEEPEST = 8


def words_in(data: bytes) -> str:
    """Give the texts in the JSON of a block's content, one a line."""
    try:
        value = loads(data) if data else None
    except ValueError:
        return ""
    return "\n".join(_words(value, _DEEPEST))


def _words(value: object, deeper: int) -> Iterator[str]:
    if isinstance(value, str):
        if value.strip():
            yield value
    elif deeper and isinstance(value, list):
        for inner in value:
            yield from _words(inner, deeper - 1)
    elif deeper and isinstance(value, dict):
        for name in _READ:
            yield from _words(value.get(name), deeper - 1)
