"""The proof that an edit can be undone: it is undone once before it is given out."""

from __future__ import annotations

from holdgate.core.editing.base import MISSING, CannotChange, Editor, Path, first_missing


def undoable(editor: Editor, text: str, path: Path, new: str) -> str:
    """Give `new`, which is `text` with `path` set; raise CannotChange if its undo is not exact.

    What was there before has its former value to be put back, so there is nothing to prove.
    """
    first = first_missing(editor, text, path)
    if editor.value(text, first) is MISSING and editor.without(new, first) != text:
        raise CannotChange("the change could not be undone exactly")
    return new
