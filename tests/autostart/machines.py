"""Machines for start at login: real folders as a home, and a registry that only seems to be one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath

from holdgate.core.autostart import Autostart
from holdgate.core.autostart.files import Files
from holdgate.core.autostart.plans import Person, Shelf
from holdgate.core.autostart.program import Program
from holdgate.core.autostart.registry import Registry
from holdgate.core.autostart.switch import Surroundings

HERE = Program(("/opt/hg/bin/gateway",), ("/opt/hg/bin/gateway-nogui",), (Path("/opt/hg"),))
PYTHONW = r"C:\Users\A B\pipx\venvs\holdgate\Scripts\pythonw.exe"
WINDOWS = Program(
    (PYTHONW, "-m", "holdgate"),
    (PYTHONW, "-m", "holdgate.cli.nogui"),
    (PureWindowsPath(PYTHONW).parent,),
)


@dataclass(slots=True)
class Machine:
    """A home folder, and what was run on it."""

    home: Path
    ran: list[tuple[str, ...]] = field(default_factory=list)

    def switch(
        self,
        system: str = "linux",
        *,
        program: Program = HERE,
        environ: Mapping[str, str] | None = None,
        refusal: str = "",
        systemd: bool = True,
        shelf: Shelf | None = None,
    ) -> Autostart:
        """Give the switch of this machine."""
        person = Person(system, self.home, environ or {})
        return Autostart(
            Surroundings(person, program, refusal, shelf or Files(), systemd, self._run)
        )

    def tree(self) -> dict[str, str]:
        """Give all that is below the home: what files say, where links lead, which folders are."""
        return {str(path.relative_to(self.home)): _shown(path) for path in self.home.rglob("*")}

    def _run(self, command: Sequence[str]) -> None:
        self.ran.append(tuple(command))


def _shown(path: Path) -> str:
    if path.is_symlink():
        return f"-> {os.readlink(path)}"
    return path.read_text() if path.is_file() else "/"


class FakeWinreg:
    """Keys as dictionaries; behaves like the module where the switch looks."""

    HKEY_CURRENT_USER = 1
    KEY_QUERY_VALUE = 2
    KEY_SET_VALUE = 4
    REG_SZ = 1

    def __init__(self) -> None:
        self.keys: dict[str, dict[str, object]] = {}

    @contextlib.contextmanager
    def CreateKeyEx(self, key: int, sub_key: str, reserved: int, access: int) -> Iterator[object]:
        self.keys.setdefault(sub_key, {})
        with self.OpenKey(key, sub_key, reserved, access) as opened:
            yield opened

    @contextlib.contextmanager
    def OpenKey(self, key: int, sub_key: str, reserved: int, access: int) -> Iterator[object]:
        assert (key, reserved) == (self.HKEY_CURRENT_USER, 0)
        if sub_key not in self.keys:
            raise FileNotFoundError(2, "The system cannot find the file specified")
        yield (sub_key, access)

    def QueryValueEx(self, key: object, name: str) -> tuple[object, int]:
        values = self._values(key, self.KEY_QUERY_VALUE)
        if name not in values:
            raise FileNotFoundError(2, "The system cannot find the file specified")
        return values[name], self.REG_SZ

    def SetValueEx(self, key: object, name: str, reserved: int, type: int, value: str) -> None:
        assert (reserved, type) == (0, self.REG_SZ)
        self._values(key, self.KEY_SET_VALUE)[name] = value

    def DeleteValue(self, key: object, name: str) -> None:
        values = self._values(key, self.KEY_SET_VALUE)
        if name not in values:
            raise FileNotFoundError(2, "The system cannot find the file specified")
        del values[name]

    def _values(self, key: object, needed: int) -> dict[str, object]:
        assert isinstance(key, tuple)
        path, access = key
        if access != needed:
            raise PermissionError(5, "Access is denied")
        return self.keys[str(path)]


def windows(home: Path, winreg: FakeWinreg, program: Program = WINDOWS) -> Autostart:
    """Give the switch of a machine with that registry."""
    return Machine(home).switch("win32", program=program, shelf=Registry(winreg))
