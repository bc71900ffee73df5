"""The undo journal: for each agent a file that tells how to undo what was written for it.

It is written ahead: what it does not name yet was not touched. Each of its phases but "connected"
is one that a crash left behind, and all that it names is then taken back.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from holdgate.core.agents.base import Edit, FormatName
from holdgate.core.editing.base import Item
from holdgate.core.editing.base import Path as ValuePath

FOLDER = "agents"
_VERSION = 1

Phase = Literal["connecting", "connected", "disconnecting"]


class JournalBroken(Exception):
    """A journal that cannot be read; `str()` says which and what to do."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What is needed to undo one file.

    `original` is its text before us, None where there was no file; `made` are the folders that
    were not there either, outermost first. `known` are digests of texts that are the original but
    for our values: from them it is undone exactly. `edits` are our values, `earlier` those that a
    connection before this one may have left while this one is being made.
    """

    file: Path
    format: FormatName
    original: str | None
    made: tuple[Path, ...]
    known: tuple[str, ...]
    edits: tuple[Edit, ...]
    earlier: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Journal:
    """How an agent was pointed at a gateway: where that is, with which models, in which files.

    `remote`: it is another machine's gateway, as the person said.
    """

    agent: str
    phase: Phase
    url: str
    models: Mapping[str, str]
    files: tuple[FileRecord, ...]
    remote: bool = False

    def record(self, file: Path) -> FileRecord | None:
        """Give what is kept of a file."""
        return next((each for each in self.files if each.file == file), None)


def digest(text: str | None) -> str:
    """Give what tells a text from others; "" for no file."""
    return "" if text is None else hashlib.sha256(text.encode()).hexdigest()


def encoded(journal: Journal) -> str:
    """Give a journal as the text of its file."""
    shape = {
        "version": _VERSION,
        "agent": journal.agent,
        "phase": journal.phase,
        "url": journal.url,
        "remote": journal.remote,
        "models": dict(journal.models),
        "files": [_file_shape(each) for each in journal.files],
    }
    return json.dumps(shape, indent=1) + "\n"


def decoded(text: str, where: Path) -> Journal:
    """Give the journal that a file at `where` holds. Raises JournalBroken."""
    try:
        shape = json.loads(text)
        if isinstance(shape["version"], int) and shape["version"] > _VERSION:
            raise JournalBroken(f"{where} was written by a newer Holdgate: use that one")
        if shape["version"] != _VERSION:
            raise ValueError(f"its version is {shape['version']}, this program reads {_VERSION}")
        if shape["phase"] not in get_args(Phase):
            raise ValueError("its phase is none")
        return Journal(
            str(shape["agent"]), shape["phase"], str(shape["url"]), dict(shape["models"]),
            tuple(map(_file_of, shape["files"])), bool(shape["remote"]),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        why = " ".join(str(error).split()) or type(error).__name__
        raise JournalBroken(
            f"{where} is damaged ({why}): what was written for that agent must be undone by hand; "
            "then remove this file"
        ) from error


def _file_shape(record: FileRecord) -> dict[str, Any]:
    return {
        "file": str(record.file),
        "format": record.format,
        "original": record.original,
        "made": [str(each) for each in record.made],
        "known": list(record.known),
        "edits": [_edit_shape(each) for each in record.edits],
        "earlier": [_edit_shape(each) for each in record.earlier],
    }


def _file_of(shape: dict[str, Any]) -> FileRecord:
    if shape["format"] not in get_args(FormatName):
        raise ValueError("a format is none")
    original = shape["original"]
    return FileRecord(
        Path(shape["file"]), cast(FormatName, shape["format"]),
        None if original is None else str(original),
        tuple(map(Path, shape["made"])), tuple(map(str, shape["known"])),
        tuple(map(_edit_of, shape["edits"])), tuple(map(_edit_of, shape["earlier"])),
    )  # fmt: skip


def _edit_shape(edit: Edit) -> dict[str, Any]:
    older = {"older": _path_shape(edit.older)} if edit.older else {}
    renewed = {"renewed": True} if edit.renewed else {}
    return {"path": _path_shape(edit.path), "value": edit.value, **older, **renewed}


def _path_shape(path: ValuePath) -> list[Any]:
    return [
        {"member": step.member, "value": step.value} if isinstance(step, Item) else step
        for step in path
    ]


def _edit_of(shape: dict[str, Any]) -> Edit:
    older, renewed = _path_of(shape.get("older", [])), bool(shape.get("renewed"))
    return Edit(_path_of(shape["path"]), shape["value"], renewed=renewed, older=older)


def _path_of(steps: list[Any]) -> ValuePath:
    return tuple(
        Item(str(step["member"]), str(step["value"])) if isinstance(step, dict) else step
        for step in steps
    )
