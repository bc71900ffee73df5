"""The program: how this copy of Holdgate is started, and whether it will be there tomorrow."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path, PurePath

# Folders that uv and pipx keep environments in only until somebody cleans their caches.
_CACHES = re.compile(r"(archive|builds|environments)-v\d+|\.cache|Caches|Cache", re.ASCII)
_TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm", "/run/user", "/private/tmp", "/private/var/folders")


class Refused(Exception):
    """Start at login cannot be switched on here; `str()` says why and what to do."""


@dataclass(frozen=True, slots=True)
class Program:
    """The words that start it with a tray icon and without; `folders` is where it is installed.

    Nothing of it may be thrown away, else the entry leads nowhere.
    """

    tray: tuple[str, ...]
    plain: tuple[str, ...]
    folders: tuple[PurePath, ...]

    def words(self, *, tray: bool) -> tuple[str, ...]:
        """Give the whole command."""
        return (*(self.tray if tray else self.plain), "serve")


def program_here(system: str = sys.platform) -> Program:
    """Give how this very copy is started. Raises Refused if it has no programs of its own."""
    if getattr(sys, "frozen", False):
        folder = Path(sys.executable).parent
        return _scripts(folder / _file("gateway", system), folder / _file("gateway-nogui", system))
    windowless = Path(sys.executable).with_name("pythonw.exe")
    if system == "win32" and windowless.is_file():
        # A console program would open a window at each login.
        python = (str(windowless), "-m")
        return Program((*python, "holdgate"), (*python, "holdgate.cli.nogui"), _lasting(windowless))
    return _scripts(_script("gateway", system), _script("gateway-nogui", system))


def refusal(program: Program, temporary: Iterable[PurePath]) -> str:
    """Say why this copy will not be there at the next login; nothing if it probably will."""
    remedy = "install it to stay (pipx install, uv tool install) and use that one"
    for folder in program.folders:
        if any(folder.is_relative_to(parent) for parent in temporary):
            return f"{folder} is a temporary folder; {remedy}"
        if any(_CACHES.fullmatch(part) for part in folder.parts):
            return f"{folder} is a cache that may be emptied; {remedy}"
    return ""


def temporary_folders() -> tuple[PurePath, ...]:
    """Give the folders in which nothing lasts."""
    named = {Path(tempfile.gettempdir()), *map(Path, _TEMPORARY)}
    return tuple({*named, *(folder.resolve() for folder in named)})


def _scripts(gateway: Path, nogui: Path) -> Program:
    return Program((str(gateway),), (str(nogui),), _lasting(gateway))


def _lasting(program: Path) -> tuple[Path, ...]:
    """Give the folders that must last: the program's and its environment's."""
    folders = (program.parent, Path(sys.prefix))
    return (*folders, *(folder.resolve() for folder in folders))


def _script(name: str, system: str) -> Path:
    """Give our own console script, wherever pip, pipx or uv has put it."""
    scripts = Path(sysconfig.get_path("scripts"))
    for path in (*_installed(_file(name, system)), scripts / _file(name, system)):
        if path.is_file():
            return path
    raise Refused(
        f"this copy of Holdgate has no program {name} in {scripts}; "
        "install it (pipx install, uv tool install) and use that one"
    )


def _installed(name: str) -> list[Path]:
    try:
        files = metadata.files("holdgate") or []
    except metadata.PackageNotFoundError:
        return []
    # Not resolve(): a link from a folder of programs keeps its own name.
    return [Path(os.path.normpath(str(file.locate()))) for file in files if file.name == name]


def _file(name: str, system: str) -> str:
    return f"{name}.exe" if system == "win32" else name
