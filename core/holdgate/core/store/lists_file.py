"""The lists file: the vendors' own lists of models outlast a restart, and serve the commands.

No key and no reply stands in it, only the ids of models and how much fits in.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from holdgate.core.editing.files import make_folders, replace_file
from holdgate.core.values.kept_lists import KeptList
from holdgate.core.values.settings import Model

log = logging.getLogger(__name__)

FILE_NAME = "model_lists.json"
_VERSION = 1
# Seconds after which a list that nobody renewed is left out: its provider is gone.
_KEPT = 90 * 86400.0


class _Model(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    context: int = 0
    output: int = 0


class _Entry(msgspec.Struct, frozen=True):
    provider: str
    url: str
    at: float
    models: list[_Model]


class _File(msgspec.Struct, frozen=True):
    """The lists are read one by one: one that does not fit spoils no other."""

    version: int
    lists: list[msgspec.Raw]


class ListsFile:
    """The kept lists of one cache folder. What cannot be read is asked for again: no error."""

    def __init__(self, path: Path) -> None:
        """Take the file; neither it nor its folder need exist."""
        self._path = path
        self._changing = threading.Lock()
        self._failed = False

    def load(self) -> list[KeptList]:
        """Give the kept lists; none where the file is missing or cannot be used."""
        try:
            file = msgspec.json.decode(self._path.read_bytes(), type=_File)
        except (OSError, ValueError, RecursionError):
            return []
        return list(_fitting(file.lists)) if file.version == _VERSION else []

    def put(self, fresh: KeptList) -> None:
        """Keep a list in the place of the provider's earlier one; may take its time.

        Lists that others wrote meanwhile stay. What cannot be written is told to the log.
        """
        with self._changing:
            kept = [
                each
                for each in self.load()
                if each.provider != fresh.provider and fresh.at - each.at < _KEPT
            ]
            try:
                make_folders(self._path.parent)
                replace_file(self._path, _text([*kept, fresh]))
                self._failed = False
            except OSError as error:
                if not self._failed:
                    log.warning("lists of models cannot be kept: %s", error)
                self._failed = True


def _text(lists: Iterable[KeptList]) -> bytes:
    entries = [
        _Entry(
            each.provider,
            each.url,
            each.at,
            [_Model(model.id, model.context, model.output) for model in each.models],
        )
        for each in sorted(lists, key=lambda each: each.provider)
    ]
    raw = [msgspec.Raw(msgspec.json.encode(entry)) for entry in entries]
    return msgspec.json.encode(_File(_VERSION, raw)) + b"\n"


def _fitting(entries: Iterable[msgspec.Raw]) -> Iterator[KeptList]:
    for raw in entries:
        with contextlib.suppress(ValueError):
            entry = msgspec.json.decode(raw, type=_Entry)
            models = tuple(
                Model(id=each.id, context=max(0, each.context), output=max(0, each.output))
                for each in entry.models
                if each.id
            )
            if models:
                yield KeptList(entry.provider, entry.url, entry.at, models)
