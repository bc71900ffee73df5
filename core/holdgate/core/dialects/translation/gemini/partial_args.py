"""Arguments that Vertex streams in pieces: `partialArgs`, each at a JSONPath, put together.

Source: Vertex AI, "Streaming function call arguments": a text may come in several pieces, all other
values come whole; a call goes on until a part of it without `willContinue`.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from holdgate.core.dialects.translation.json_texts import dumps

_STEP = re.compile(
    r"\.(?P<name>[^.\[\]]+)|\[(?P<at>\d+)\]|\[(?P<quote>['\"])(?P<quoted>.*?)(?P=quote)\]"
)
_FARTHEST = 10_000
_DEEPEST = 100
_EXACT = 2.0**53
_VALUES = ("stringValue", "numberValue", "boolValue", "nullValue")


class PartialArgs:
    """A feed object: pieces of one call's arguments in, their JSON text out at the end."""

    __slots__ = ("_found", "_texts")

    def __init__(self) -> None:
        """Start without arguments."""
        self._found: dict[str, Any] = {}
        # The pieces of texts by their path: joined once, at the end.
        self._texts: dict[tuple[str | int, ...], list[str]] = {}

    def take(self, piece: object) -> bool:
        """Take one piece; tell whether it could be understood."""
        if not isinstance(piece, dict) or not isinstance(piece.get("jsonPath"), str):
            return False
        path = _steps(piece["jsonPath"])
        kind = next((name for name in _VALUES if name in piece), None)
        if path is None or kind is None:
            return False
        value = None if kind == "nullValue" else piece[kind]
        if kind == "stringValue" and isinstance(value, str):
            pieces = self._texts.setdefault(path, [])
            pieces.append(value)
            return len(pieces) > 1 or _put(self._found, path, "")
        if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT:
            value = int(value)  # Google knows doubles only
        return _put(self._found, path, value)

    def close(self) -> str:
        """Give the arguments."""
        for path, pieces in self._texts.items():
            _put(self._found, path, "".join(pieces))
        return dumps(self._found).decode()


def _steps(path: str) -> tuple[str | int, ...] | None:
    """Give the steps of a path as Vertex writes it, None if it is another."""
    if not path.startswith("$"):
        return None
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            return None
        at = match.end()
        if match["at"] is not None:
            steps.append(int(match["at"]))
        else:
            steps.append(match["name"] if match["name"] is not None else match["quoted"])
    return tuple(steps) if steps and len(steps) < _DEEPEST and isinstance(steps[0], str) else None


def _put(root: dict[str, Any], path: tuple[str | int, ...], value: object) -> bool:
    """Put a value at its path; tell whether there is such a place."""
    found: Any = root
    for step, following in pairwise(path):
        made: Any = [] if isinstance(following, int) else {}
        inner = _at(found, step)
        if not isinstance(inner, type(made)):
            if not _set(found, step, made):
                return False
            inner = made
        found = inner
    return _set(found, path[-1], value)


def _at(found: Any, step: str | int) -> Any:
    if isinstance(found, list) and isinstance(step, int):
        return found[step] if step < len(found) else None
    return found.get(step) if isinstance(found, dict) else None


def _set(found: Any, step: str | int, value: object) -> bool:
    if isinstance(found, dict) and isinstance(step, str):
        found[step] = value
        return True
    if not isinstance(found, list) or not isinstance(step, int) or step > _FARTHEST:
        return False
    found += [None] * (step + 1 - len(found))
    found[step] = value
    return True
