"""The switches: start at login and notifications, where they are kept and how they are turned."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Protocol

from holdgate.tray.menu import Switches

FILE_NAME = "tray.json"


class Login(Protocol):
    """Start at login, as far as the icon needs it."""

    def is_on(self) -> bool:
        """Tell whether it is on."""
        ...

    def turn(self, on: bool) -> str:
        """Turn it; say why that cannot be done, or nothing."""
        ...


class Board:
    """The switches of one state folder. A file that cannot be read or written is no fault."""

    def __init__(self, state: Path, login: Login | None) -> None:
        """Take the state folder, and start at login where there is such a thing."""
        self._file, self._login = state / FILE_NAME, login
        self.now = Switches(login.is_on() if login else None, self._read())

    def turn_login(self, on: bool) -> str:
        """Turn start at login; say why that cannot be done, or nothing."""
        if self._login is None:
            return "it cannot be switched here"
        why = self._login.turn(on)
        self.now = Switches(self._login.is_on(), self.now.notices)
        return why

    def turn_notices(self, on: bool) -> None:
        """Turn notifications on or off, also for the next start."""
        self.now = Switches(self.now.login, on)
        with contextlib.suppress(OSError):
            self._file.write_text(json.dumps({"notices": on}), encoding="utf-8")

    def _read(self) -> bool:
        try:
            return json.loads(self._file.read_text(encoding="utf-8"))["notices"] is not False
        except (OSError, ValueError, KeyError, TypeError):
            return True
