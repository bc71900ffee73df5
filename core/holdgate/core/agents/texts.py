"""Texts of an agent's file: with our values in, and with them out again.

Taking out compares three things: what stood there before us, what we set, and what stands there
now. Only what is still as we set it is taken back; whatever somebody set since stays.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from holdgate.core.agents.base import Edit
from holdgate.core.editing.base import BOM, MISSING, CannotChange, Editor, Item, first_missing
from holdgate.core.editing.base import Path as ValuePath
from holdgate.core.editing.plain import same
from holdgate.core.editing.undoing import is_hollow, pruned


@dataclass(frozen=True, slots=True)
class Undone:
    """A file's text without our values, None for no file; `left`: the paths that were left alone.

    Those are values that were ours and that somebody set since.
    """

    text: str | None
    left: tuple[ValuePath, ...] = ()


def applied(editor: Editor, text: str, edits: Iterable[Edit]) -> str:
    """Give `text` with all edits made. Raises BrokenText and CannotChange."""
    for edit in edits:
        text = editor.with_value(text, edit.path, edit.value)
    return text


def needed(editor: Editor, text: str, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Give the edits that a text needs: not those of values that only it may set.

    Raises BrokenText.
    """
    return tuple(
        replace(each, only_new=False)
        for each in edits
        if not each.only_new or editor.value(text, each.path) is MISSING
    )


def intact(editor: Editor, text: str, edits: Iterable[Edit]) -> tuple[bool, ...]:
    """Tell of each edit whether its value still stands there. Raises BrokenText.

    Members that somebody added to a mapping of ours change nothing.
    """
    return tuple(
        edit.renewed or _covers(editor.value(text, edit.path), edit.value) for edit in edits
    )


def undone(editor: Editor, text: str, original: str | None, edits: Iterable[Edit]) -> Undone:
    """Give `text` with what stood before us in the place of our values.

    `original` is the file as it was, None where there was none; `edits` all values that we may have
    set, also several for one path. Mappings and lists that came with us go once they are empty, and
    so does a file that came with us. Raises BrokenText and CannotChange.
    """
    taking = _Taking(editor, text, original or "")
    made = taking.replayed(edits)
    renewed = {each.edit.path for each in made if each.edit.renewed}
    ours: dict[ValuePath, list[object]] = {}
    for each in made:
        ours.setdefault(each.edit.path, []).append(each.edit.value)
    for each in reversed(made):
        path = each.edit.path
        if not (taking.moved(each.edit) or taking.took_whole(each)):
            now = [taking.now(path)] if path in renewed else []
            taking.take(path, ours[path] + now, taking.before(path))
    for path in ours:
        taking.prune(path)
    is_ours = original is None and taking.text.removeprefix(BOM).strip() in ("", "{}", "[]")
    left = tuple(reversed(dict.fromkeys(taking.left)))
    return Undone(None if is_ours else taking.text, left)


@dataclass(frozen=True, slots=True)
class _Made:
    """What an edit made: the topmost path that was not there before, and what stood there then."""

    edit: Edit
    first: ValuePath
    value: object  # MISSING where nothing new was made


class _Taking:
    """One undoing: the text so far, and what was left in it."""

    def __init__(self, editor: Editor, text: str, original: str) -> None:
        self._editor = editor
        self._original = original
        self.text = text
        self.left: list[ValuePath] = []

    def before(self, path: ValuePath) -> object:
        return self._editor.value(self._original, path)

    def now(self, path: ValuePath) -> object:
        return self._editor.value(self.text, path)

    def replayed(self, edits: Iterable[Edit]) -> list[_Made]:
        """Make the edits once more, to see what each of them made."""
        text, found = self._original, []
        for edit in edits:
            first = first_missing(self._editor, text, edit.path)
            was = self._editor.value(text, first)
            text = self._editor.with_value(text, edit.path, edit.value)
            made = self._editor.value(text, first) if was is MISSING else MISSING
            found.append(_Made(edit, first, made))
        return found

    def moved(self, edit: Edit) -> bool:
        """Put what the agent has taken from an older place meanwhile into the place of ours."""
        if not edit.older or self.before(edit.path) is not MISSING:
            return False
        former, now = self.before(edit.older), self._editor.value(self.text, edit.path)
        gone = self._editor.value(self.text, edit.older) is MISSING
        if former is MISSING or not gone or not same(now, edit.value):
            return False
        self.text = self._editor.with_value(self.text, edit.path, former)
        return True

    def took_whole(self, made: _Made) -> bool:
        """Take out in one piece what an edit made, if it stands there still: that is exact."""
        now = self._editor.value(self.text, made.first)
        if made.value is MISSING or now is MISSING or not same(now, made.value):
            return False
        self.text = self._editor.without(self.text, made.first)
        return True

    def take(self, path: ValuePath, ours: list[object], former: object) -> None:
        now = self._editor.value(self.text, path)
        mappings = [each for each in ours if isinstance(each, Mapping)]
        if now is MISSING or same(now, former):
            return
        if any(same(now, each) for each in ours):
            self._put(path, former)
        elif isinstance(now, Mapping) and mappings:
            self._take_members(path, now, mappings, former)
        else:
            self.left.append(path)

    def prune(self, path: ValuePath) -> None:
        """Take away what is empty above a path and was not there before, from below upwards."""
        first = first_missing(self._editor, self._original, path)
        self.text = pruned(self._editor, self.text, path, first)

    def _take_members(
        self,
        path: ValuePath,
        now: Mapping[str, object],
        ours: list[Mapping[str, object]],
        former: object,
    ) -> None:
        """Take out of a mapping that somebody changed what is still ours in it."""
        old: Mapping[str, object] = former if isinstance(former, Mapping) else {}
        named = path[-1].member if isinstance(path[-1], Item) else None  # it goes last, if at all
        names = dict.fromkeys(name for each in ours for name in each if name != named)
        for name in names:
            values = [each[name] for each in ours if name in each]
            self.take((*path, name), values, old.get(name, MISSING))
        for name in old:
            if name not in names and name not in now:
                self._put((*path, name), old[name])
        if former is MISSING and is_hollow(self._editor.value(self.text, path), path):
            self.text = self._editor.without(self.text, path)

    def _put(self, path: ValuePath, value: object) -> None:
        """Put back what stood at a path, as it was written there if that can be."""
        if value is MISSING:
            self.text = self._editor.without(self.text, path)
            return
        source = self._editor.source(self._original, path)
        if source is not None:
            with contextlib.suppress(CannotChange):
                self.text = self._editor.with_source(self.text, path, source)
                return
        self.text = self._editor.with_value(self.text, path, value)


def _covers(now: object, ours: object) -> bool:
    if isinstance(now, Mapping) and isinstance(ours, Mapping):
        return all(_covers(now.get(key, MISSING), value) for key, value in ours.items())
    return same(now, ours)
