"""Plans: what each file of an agent becomes, decided from the files as they are.

A plan for connecting starts from each file without our values: so connecting again, with the same
wish or another one, ends where connecting once would have, and the files as they were before us
stay known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from holdgate.core.agents.base import Edit, FileEdits, Wish
from holdgate.core.agents.journal import FileRecord, Journal, digest
from holdgate.core.agents.texts import Undone, applied, intact, needed, undone
from holdgate.core.editing.base import BrokenText, CannotChange, Editor, OtherKind
from holdgate.core.editing.base import Path as ValuePath

T = TypeVar("T")
Editors = Mapping[str, Editor]


class Refused(Exception):
    """What was asked for cannot be done; `str()` says why and what to do."""


class Failed(Refused):
    """A change that the disk did not take to its end; `str()` says what became of it."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it is: its text, None for no file, and its missing folders, outermost first."""

    text: str | None
    missing: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a file becomes; `left`: the paths in it that somebody set since and that stay so."""

    file: Path
    before: str | None
    after: str | None
    left: tuple[ValuePath, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What connecting or disconnecting does.

    `changes` has all files of the agent, also those that stay as they are; `ahead` is the journal
    that is written before any of them, `done` the one that is written after all, None for none.
    `nothing`: all is as it is to be already.
    """

    changes: tuple[FileChange, ...]
    ahead: Journal
    done: Journal | None
    nothing: bool = False

    @property
    def moves(self) -> tuple[FileChange, ...]:
        """The changes that change anything."""
        return tuple(each for each in self.changes if each.before != each.after)


def merged(files: Iterable[FileEdits]) -> tuple[FileEdits, ...]:
    """Give the edits with each file once. Raises ValueError for one file in two formats."""
    found: dict[Path, FileEdits] = {}
    for each in files:
        known = found.setdefault(each.file, replace(each, edits=()))
        if known.format != each.format:
            raise ValueError(f"{each.file} is {known.format} and {each.format}")
        found[each.file] = replace(known, edits=known.edits + each.edits)
    return tuple(found.values())


def plan_connect(
    agent: str,
    wish: Wish,
    wanted: tuple[FileEdits, ...],
    old: Journal | None,
    found: Mapping[Path, Found],
    editors: Editors,
    *,
    remote: bool = False,
) -> Plan:
    """Plan to set what an agent's files are to hold.

    `wanted` has each file once; `old` is the agent's journal, in any phase; `found` has all files
    of both. Raises Refused.
    """
    parts = [_connected(each, old, found[each.file], editors) for each in wanted]
    gone = [each for each in old.files if each.file not in found_of(wanted)] if old else []
    parts += [_leaving(each, found[each.file], editors) for each in gone]
    ahead = Journal(
        agent, "connecting", wish.url, wish.models, tuple(ahead for _, ahead, _ in parts), remote
    )
    kept = tuple(done for _, _, done in parts if done is not None)
    done = replace(ahead, phase="connected", files=kept)
    changes = tuple(change for change, _, _ in parts)
    return Plan(changes, ahead, done, nothing=done == old)


def plan_disconnect(old: Journal, found: Mapping[Path, Found], editors: Editors) -> Plan:
    """Plan to put back what stood in an agent's files before us. Raises Refused."""
    changes = []
    for record in old.files:
        text = found[record.file].text
        after = without_ours(record, text, editors)
        changes.append(FileChange(record.file, text, after.text, after.left))
    return Plan(tuple(changes), replace(old, phase="disconnecting"), None)


def without_ours(record: FileRecord, text: str | None, editors: Editors) -> Undone:
    """Give a recorded file's text without our values. Raises Refused."""
    if text is None:
        return Undone(None)
    if digest(text) in record.known:
        return Undone(record.original)
    edits = (*record.earlier, *record.edits)
    return _told(
        record.file,
        lambda: undone(editors[record.format], text, record.original, edits),
    )


def found_of(wanted: Iterable[FileEdits]) -> set[Path]:
    """Give the files that edits are for."""
    return {each.file for each in wanted}


# A file's change, its record while that is being made, and its record from then on.
_Part = tuple[FileChange, FileRecord, FileRecord | None]


def _connected(each: FileEdits, old: Journal | None, found: Found, editors: Editors) -> _Part:
    record = old.record(each.file) if old else None
    editor, file = editors[each.format], each.file
    base = without_ours(record, found.text, editors).text if record else found.text
    edits = _told(file, lambda: needed(editor, base or "", each.edits))
    if record and old and old.phase == "connected" and _stands(record, edits, found.text, editor):
        return FileChange(file, found.text, found.text), record, record
    after = _told(file, lambda: applied(editor, base or "", edits))
    earlier: tuple[Edit, ...] = (*record.earlier, *record.edits) if record else ()
    made = tuple(dict.fromkeys((*(record.made if record else ()), *found.missing)))
    # What is undone exactly meanwhile: the file as it is now, and as it will be.
    known = tuple(digest(text) for text in (found.text, after) if text is not None)
    ahead = FileRecord(file, each.format, base, made, known, edits, earlier)
    done = replace(ahead, known=(digest(after),), earlier=())
    return FileChange(file, found.text, after), ahead, done


def _stands(record: FileRecord, edits: tuple[Edit, ...], text: str | None, editor: Editor) -> bool:
    """Tell whether a file holds already all that it is to hold, whatever else changed in it."""
    if text is None or record.edits != edits:
        return False
    return _told(record.file, lambda: all(intact(editor, text, edits)))


def _leaving(record: FileRecord, found: Found, editors: Editors) -> _Part:
    """Plan for a file that is no longer the agent's, as its home is another one now."""
    after = without_ours(record, found.text, editors)
    return FileChange(record.file, found.text, after.text, after.left), record, None


def _told(file: Path, change: Callable[[], T]) -> T:
    try:
        return change()
    except BrokenText as error:
        raise Refused(f"{file} cannot be understood: {error}; mend it and try again") from error
    except OtherKind as error:
        raise Refused(f"{file} cannot be changed: {error}; change that by hand") from error
    except CannotChange as error:
        raise Refused(
            f"{file} cannot be changed without disturbing something else in it"
            f"{f' ({error})' if str(error) else ''}; change it by hand"
        ) from error
