"""The log file: rotating, UTF-8 whatever the locale, and without any secret.

Secrets are taken out of the finished text of every record, whichever logger wrote it and also out
of tracebacks; no level and no switch turns that off.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable
from logging.handlers import RotatingFileHandler
from pathlib import Path

from holdgate.core.editing.files import make_folders
from holdgate.core.values.secret import MASK, Secret, mask

FILE_NAME = "gateway.log"
_LARGEST = 5 << 20
_KEPT = 3
# Shapes of keys, for those that are nobody's configured key: an agent's own, a wrong one.
_SHAPES = re.compile(
    r"\b(?:sk-|hgk-|AIza|gsk_|xai-)[A-Za-z0-9_-]{8,}"
    r"|(?<=[Bb]earer )[^\s\"',]{6,}"
    r"|(?<=[?&]key=)[^\s&\"']+"
)


class MaskingFormatter(logging.Formatter):
    """Formats a record and masks what is secret in it."""

    def __init__(self, secrets: Callable[[], Iterable[Secret]]) -> None:
        """Take who knows the secrets in force."""
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        """Give the text of a record, its traceback too, without secrets."""
        return _SHAPES.sub(MASK, mask(super().format(record), self._secrets()))


def open_log(folder: Path, secrets: Callable[[], Iterable[Secret]]) -> logging.Handler | None:
    """Send all loggers to a file in `folder`; None if it cannot be written."""
    try:
        make_folders(folder)
        handler = RotatingFileHandler(
            folder / FILE_NAME,
            maxBytes=_LARGEST,
            backupCount=_KEPT,
            encoding="utf-8",
            errors="backslashreplace",
        )
    except OSError:
        return None
    handler.setFormatter(MaskingFormatter(secrets))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    return handler


def close_log(handler: logging.Handler | None) -> None:
    """Stop writing to the file."""
    if handler is not None:
        logging.getLogger().removeHandler(handler)
        handler.close()
