"""Edits undone: what was set goes, and what was made for it goes if nobody put more into it."""

from __future__ import annotations

from holdgate.core.editing.base import (
    MISSING,
    CannotChange,
    Editor,
    Item,
    Path,
    first_missing,
)


def undone(editor: Editor, text: str, path: Path, first: Path) -> str:
    """Give `text` without `path`, and without the mappings and lists that were made for it.

    `first` is what `first_missing` gave before `path` was set. Between it and `path`, what is empty
    goes, from below; an item that was made for an Item is so with nothing but its member. Directly
    behind `with_value` this gives the former text, byte for byte. What else has been put into the
    text since stays. Raises BrokenText and CannotChange.
    """
    return pruned(editor, editor.without(text, path), path, first)


def pruned(editor: Editor, text: str, path: Path, first: Path) -> str:
    """Give `text` without what is hollow above `path`, from below, up to and with `first`."""
    for length in range(len(path) - 1, len(first) - 1, -1):
        above = path[:length]
        if not is_hollow(editor.value(text, above), above):
            break
        text = editor.without(text, above)
    return text


def is_hollow(value: object, path: Path) -> bool:
    """Tell whether nothing stands at a path but what leads there."""
    step = path[-1] if path else None
    if isinstance(step, Item):
        return value in ({}, {step.member: step.value})
    return value is MISSING or value in ({}, [])


def undoable(editor: Editor, text: str, path: Path, new: str) -> str:
    """Give `new`, which is `text` with `path` set; raise CannotChange if its undo is not exact.

    What was there before has its former value to be put back, so there is nothing to prove.
    """
    first = first_missing(editor, text, path)
    if editor.value(text, first) is not MISSING:
        return new
    back = [editor.without(new, first)]
    if first != path:
        back.append(undone(editor, new, path, first))
    if any(each != text for each in back):
        raise CannotChange("the change could not be undone exactly")
    return new
