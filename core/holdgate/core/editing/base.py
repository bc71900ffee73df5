"""What an editor of one format promises: values by path, and texts in which just one changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol


@dataclass(frozen=True, slots=True)
class Item:
    """A step into a list: to the mapping in it whose member `member` has the text `value`."""

    member: str
    value: str


# A text steps into a mapping, a number or an Item into a list.
Path = tuple[str | int | Item, ...]
KeyPath = tuple[str | int, ...]  # a path with numbers for its items


class Missing:
    """The class of MISSING."""


MISSING: Final = Missing()  # no value: null is one
BOM: Final = "\ufeff"  # some editors begin a text with it


class BrokenText(Exception):
    """A text that is not in its format; `str()` says what is wrong and in which line."""


class CannotChange(Exception):
    """A layout in which the change cannot be made without disturbing something else."""


class OtherKind(CannotChange):
    """A place where something of another kind stands than a change needs; `str()` says what."""


class Editor(Protocol):
    """Edits texts of one format. All methods raise BrokenText for a text that is not in it.

    An empty or blank text is an empty mapping. Line ends, indentation, comments, order, a missing
    last line end and a BOM stay as they are; every result was parsed again and means just what was
    asked for.

    An undo is exact: where nothing stood at `path`, and `first` is `first_missing(editor, text,
    path)`, `without(with_value(text, path, value), first)` is `text`, byte for byte; an edit of
    which that is not so is refused. Where the mappings and lists above `path` were there already,
    `first` is `path` itself. To undo a text that others have changed since: `undoing.undone`.
    """

    def value(self, text: str, path: Path) -> object:
        """Give the plain value at `path`, or MISSING; it is for reading, not to be changed.

        The whole of a JSON text without any value is MISSING, too: an edit must make its braces.
        """

    def with_value(self, text: str, path: Path, value: object) -> str:
        """Give `text` with `path` set to a text, number, flag, None, list or dict.

        Mappings and lists on the way are made, and an Item that is not there is added last, with
        its member; so is the item behind the last one that a number asks for. A value that is there
        already is left as it is written. Raises CannotChange.
        """

    def without(self, text: str, path: Path) -> str:
        """Give `text` without what stands at `path`; as it is if nothing does. Raises CannotChange.

        Mappings and lists that become empty stay.
        """

    def source(self, text: str, path: Path) -> str | None:
        """Give how the value at `path` is written: quotes, digits, and comments in its brackets.

        None if nothing is there, nothing is written, it is a table or block with lines of its own,
        or it cannot be changed.
        """

    def with_source(self, text: str, path: Path, source: str) -> str:
        """Give `text` with the value at `path` written as `source`, which `source()` gave.

        What else is in the text means what it did. Where `with_value` has replaced a value that has
        a source by one that has a source, too, this gives the former text, byte for byte. Raises
        CannotChange, also where nothing is at `path`: the plain value is then to be set.
        """


def first_missing(editor: Editor, text: str, path: Path) -> Path:
    """Give the topmost step of `path` that is not in `text`, as a path; `path` if all is there.

    This is what an undo of `with_value(text, path, ...)` must remove: () is the whole of a JSON
    text that was empty. Raises BrokenText.
    """
    for length in range(len(path)):
        if editor.value(text, path[:length]) is MISSING:
            return path[:length]
    return path
