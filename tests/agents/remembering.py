"""Editors that remember: the same edit of the same text is made once, since they are pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from holdgate.core.editing.base import Editor, Path
from holdgate.core.editing.table import EDITORS

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Remembering:
    """An editor, and what it has given so far. Errors are not remembered."""

    editor: Editor
    given: dict[str, object] = field(default_factory=dict)

    def value(self, text: str, path: Path) -> object:
        return self._once(self.editor.value, text, path)

    def with_value(self, text: str, path: Path, value: object) -> str:
        return self._once(self.editor.with_value, text, path, value)

    def without(self, text: str, path: Path) -> str:
        return self._once(self.editor.without, text, path)

    def source(self, text: str, path: Path) -> str | None:
        return self._once(self.editor.source, text, path)

    def with_source(self, text: str, path: Path, source: str) -> str:
        return self._once(self.editor.with_source, text, path, source)

    def _once(self, do: Callable[..., T], *asked: object) -> T:
        key = f"{do.__name__} {asked!r}"
        if key not in self.given:
            self.given[key] = do(*asked)
        found: T = self.given[key]  # type: ignore[assignment]
        return found


def remembering() -> Mapping[str, Editor]:
    """Give all editors anew, with nothing remembered yet."""
    return {name: Remembering(editor) for name, editor in EDITORS.items()}
