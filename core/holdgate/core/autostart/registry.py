"""The registry: Windows' Run entry, and the switch that the Task Manager has for it."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Protocol, cast

from holdgate.core.autostart.plans import RUN_KEY, RUN_VALUE, Found, Plan

# The Task Manager's page "Startup apps" writes here; an odd first byte means switched off.
APPROVED_KEY = r"Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"
_NO_TRAY = "nogui"


class Winreg(Protocol):
    """What is used of the standard library's module `winreg`."""

    HKEY_CURRENT_USER: int
    KEY_QUERY_VALUE: int
    KEY_SET_VALUE: int
    REG_SZ: int

    def CreateKeyEx(
        self, key: int, sub_key: str, reserved: int, access: int
    ) -> AbstractContextManager[object]:
        """Open a key, and make it if it is not there."""

    def OpenKey(
        self, key: int, sub_key: str, reserved: int, access: int
    ) -> AbstractContextManager[object]:
        """Open a key. Raises FileNotFoundError."""

    def QueryValueEx(self, key: object, name: str) -> tuple[object, int]:
        """Give a value and its type. Raises FileNotFoundError."""

    def SetValueEx(self, key: object, name: str, reserved: int, type: int, value: str) -> None:
        """Set a value."""

    def DeleteValue(self, key: object, name: str) -> None:
        """Delete a value. Raises FileNotFoundError."""


class Registry:
    """The shelf of Windows."""

    def __init__(self, winreg: Winreg) -> None:
        """Take the module, or what stands in for it."""
        self._winreg = winreg

    def find(self, plan: Plan) -> Found | None:
        """Say what is there."""
        text = self._value(RUN_KEY)
        if not isinstance(text, str):
            return None
        approved = self._value(APPROVED_KEY)
        off = isinstance(approved, bytes) and bool(approved) and approved[0] % 2 == 1
        return Found(text, _NO_TRAY not in text, not off)

    def put(self, plan: Plan) -> tuple[str, ...]:
        """Set the value, and take away the Task Manager's no, which is older."""
        found = self.find(plan)
        if found and found.active and found.text == plan.text:
            return ()
        reg = self._winreg
        with reg.CreateKeyEx(reg.HKEY_CURRENT_USER, RUN_KEY, 0, reg.KEY_SET_VALUE) as key:
            reg.SetValueEx(key, RUN_VALUE, 0, reg.REG_SZ, plan.text)
        if found and not found.active:
            self._delete(APPROVED_KEY)
        return self.places(plan)

    def take(self, plan: Plan) -> tuple[str, ...]:
        """Delete the value, whatever it starts: its name is ours."""
        if self.find(plan) is None:
            return ()
        self._delete(RUN_KEY)
        self._delete(APPROVED_KEY)
        return self.places(plan)

    def places(self, plan: Plan) -> tuple[str, ...]:
        """Give the path of the value."""
        return (f"HKEY_CURRENT_USER\\{RUN_KEY}\\{RUN_VALUE}",)

    def _value(self, path: str) -> object:
        try:
            with self._opened(path, self._winreg.KEY_QUERY_VALUE) as key:
                return self._winreg.QueryValueEx(key, RUN_VALUE)[0]
        except FileNotFoundError:
            return None

    def _delete(self, path: str) -> None:
        with (
            contextlib.suppress(FileNotFoundError),
            self._opened(path, self._winreg.KEY_SET_VALUE) as key,
        ):
            self._winreg.DeleteValue(key, RUN_VALUE)

    @contextlib.contextmanager
    def _opened(self, path: str, access: int) -> Iterator[object]:
        with self._winreg.OpenKey(self._winreg.HKEY_CURRENT_USER, path, 0, access) as key:
            yield key


def registry_here() -> Registry:
    """Give the registry of this machine, which must be one with Windows."""
    return Registry(cast(Winreg, importlib.import_module("winreg")))
