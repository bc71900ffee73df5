"""What must hold for every editor, every text and every change."""

from __future__ import annotations

import pytest

from holdgate.core.editing.base import (
    MISSING,
    BrokenText,
    CannotChange,
    Editor,
    Item,
    Path,
    first_missing,
)
from holdgate.core.editing.plain import changed, found, reduced, same
from holdgate.core.editing.undoing import undone


def check_edit(editor: Editor, text: str, path: Path, value: object) -> str | None:
    """Check all that is promised of one change; give the new text, None if it was refused."""
    data = editor.value(text, ())
    old = editor.value(text, path)
    try:
        new = editor.with_value(text, path, value)
    except CannotChange:
        return None
    assert same(editor.value(new, ()), changed({} if data is MISSING else data, path, value))
    assert editor.with_value(new, path, value) == new
    if old is MISSING:
        assert is_within(text, new), "an addition takes nothing away"
        undo = first_missing(editor, text, path)
        assert editor.value(text, undo) is MISSING
        assert editor.without(new, undo) == text
        assert undone(editor, new, path, undo) == text
        check_meanwhile(editor, text, new, path)
    elif same(old, editor.value(new, path)):
        assert new == text
    else:
        assert first_missing(editor, text, path) == path
        check_former(editor, text, new, path)
    return new


def check_former(editor: Editor, text: str, new: str, path: Path) -> None:
    """Check that one span was replaced: the former value, as it was written, can come back."""
    former, now = editor.source(text, path), editor.source(new, path)
    if former is not None and now is not None:
        assert editor.with_source(new, path, former) == text


def check_meanwhile(editor: Editor, text: str, new: str, path: Path) -> None:
    """Check that what somebody else puts beside it stays when an addition is undone."""
    beside = (*path[:-1], "theirs")
    try:
        both = editor.with_value(new, beside, "x")
        left = undone(editor, both, path, first_missing(editor, text, path))
    except CannotChange:
        return
    data = editor.value(text, ())
    wanted = changed({} if data is MISSING else data, beside, "x")
    assert same(editor.value(left, ()), wanted)


def check_removal(editor: Editor, text: str, path: Path) -> str | None:
    """Check a removal; give the new text, None if it was refused."""
    data = editor.value(text, ())
    try:
        new = editor.without(text, path)
    except CannotChange:
        return None
    if found(data, path) is MISSING:
        assert new == text
        return new
    assert takes_only(new, text), "a removal adds nothing"
    left, above = reduced(data, path), path
    while not same(editor.value(new, ()), left):  # a table that no header names is gone when empty
        above = above[:-1]
        assert above, "nothing else goes away"
        assert found(left, above) in ({}, [])
        left = reduced(data, above)
    return new


def takes_only(new: str, text: str) -> bool:
    """Tell whether a text has only lost something, and perhaps got an empty block's brackets."""
    places = (at for at in range(len(new)) if new[at : at + 2] in ("{}", "[]"))
    bare = (new[:at].removesuffix(" ") + new[at + 2 :] for at in places)
    return any(is_within(each, text) for each in (new, *bare))


def is_within(short: str, long: str) -> bool:
    """Tell whether a text is another one with characters taken out."""
    rest = iter(long)
    return all(character in rest for character in short)


def check_broken(editor: Editor, text: str) -> None:
    """Check that a text is taken, or refused as broken by all methods, and nothing else."""
    path: Path = ("a", Item("id", "b"), "c")
    try:
        editor.value(text, ())
    except BrokenText as error:
        assert "line " in str(error)
        with pytest.raises(BrokenText):
            editor.with_value(text, path, 1)
        with pytest.raises(BrokenText):
            editor.without(text, path)
        return
    check_edit(editor, text, path, 1)
    check_removal(editor, text, path)
