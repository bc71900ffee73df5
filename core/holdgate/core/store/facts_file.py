"""The facts file: a newer extract of models.dev than the shipped one, which the person fetched."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from holdgate.core.catalog.model_facts import Facts, bundled_facts, read_facts
from holdgate.core.editing.files import make_folders, replace_file

log = logging.getLogger(__name__)

FILE_NAME = "models_dev.json"


class FactsFile:
    """The facts in force: the shipped ones, or the fetched ones unless they are older.

    They are read when first asked for, and again after the file changed.
    """

    def __init__(self, path: Path) -> None:
        """Take the file; neither it nor its folder need exist."""
        self._path = path
        self._reading = threading.Lock()
        self._stamp: tuple[int, int] | None = None
        self._facts: Facts | None = None

    @property
    def path(self) -> Path:
        """Where the fetched extract is."""
        return self._path

    def facts(self) -> Facts:
        """Give the facts in force; may read a file."""
        with self._reading:
            stamp = self._stamp_now()
            if self._facts is None or stamp != self._stamp:
                self._facts, self._stamp = self._newest(), stamp
            return self._facts

    def put(self, text: bytes) -> Facts:
        """Keep an extract and give it. Raises ValueError if it is none, OSError."""
        facts = read_facts(text)
        make_folders(self._path.parent)
        replace_file(self._path, text)
        return facts

    def _newest(self) -> Facts:
        shipped = bundled_facts()
        try:
            fetched = read_facts(self._path.read_bytes())
        except FileNotFoundError:
            return shipped
        except (OSError, ValueError, RecursionError) as error:
            log.warning(
                "%s cannot be used (%s): the shipped facts of models are", self._path, error
            )
            return shipped
        return fetched if fetched.date >= shipped.date else shipped

    def _stamp_now(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ino
