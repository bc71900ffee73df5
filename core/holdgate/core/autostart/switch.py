"""The switch: start at login turned on, off and asked about, whatever the system."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from holdgate.core.autostart.entries import shown_command
from holdgate.core.autostart.files import Files
from holdgate.core.autostart.plans import CARRIED, FilePlan, Found, Person, Plan, Shelf, plans
from holdgate.core.autostart.program import (
    Program,
    Refused,
    program_here,
    refusal,
    temporary_folders,
)
from holdgate.core.autostart.registry import registry_here

_PATIENCE = 10.0  # seconds for systemd to read its units again
_RELOAD = ("systemctl", "--user", "daemon-reload")
_NO_PROGRAM = Program((), (), ())


@dataclass(frozen=True, slots=True)
class Status:
    """What starts at login.

    `on`: it does; `tray`: with the tray icon. `kind`: what sort of entry does it; `where`: its
    files, or its value of the registry. `command`: what it starts. `note`: what is not as it would
    be written now, for people. `refusal`: why `on` would be refused here; empty if it would not.
    """

    on: bool
    tray: bool = False
    kind: str = ""
    where: tuple[str, ...] = ()
    command: str = ""
    note: str = ""
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """What was done, and what is so now; `wrote` and `removed` are empty where nothing had to."""

    wrote: tuple[str, ...]
    removed: tuple[str, ...]
    status: Status


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the switch needs of a machine.

    `program` is None, with a `refusal`, where this copy cannot be started at login. `has_systemd`
    tells whether a user unit would be started; `run` runs a command, whose failure is no matter.
    """

    person: Person
    program: Program | None
    refusal: str
    shelf: Shelf
    has_systemd: bool
    run: Callable[[Sequence[str]], None]


class Autostart:
    """Start at login for one person."""

    def __init__(self, here: Surroundings) -> None:
        """Take what is needed of the machine."""
        self._here = here
        self._plans = plans(here.person, here.program or _NO_PROGRAM)

    def status(self) -> Status:
        """Say what starts at login. Writes nothing. Raises OSError."""
        found = [(plan, self._here.shelf.find(plan)) for plan in self._plans]
        ours = [(plan, each) for plan, each in found if each and each.tray == plan.tray]
        if ours:
            # One that counts goes before one that somebody switched off.
            return self._found(*min(ours, key=lambda pair: not pair[1].active))
        for plan, other in found:
            if other and other.tray is None:
                return Status(False, note=_foreign(plan), refusal=self._here.refusal)
        return Status(False, refusal=self._here.refusal)

    def on(self, *, tray: bool) -> Change:
        """Start at login, with the tray icon or without; the other way is switched off.

        Nothing is started now. Raises Refused and OSError.
        """
        here = self._here
        plan, other = self._plans if tray else reversed(self._plans)
        self._check(plan)
        # The other goes first: what it made goes with it, and is made anew where it is needed.
        same_place = here.shelf.places(plan) == here.shelf.places(other)
        removed = () if same_place else here.shelf.take(other)
        wrote = here.shelf.put(plan)
        return self._done(wrote, removed)

    def off(self) -> Change:
        """Start nothing at login; all that `on` wrote is gone afterwards. Raises OSError."""
        removed = tuple(path for plan in self._plans for path in self._here.shelf.take(plan))
        return self._done((), removed)

    def _check(self, plan: Plan) -> None:
        if self._here.refusal:
            raise Refused(self._here.refusal)
        if plan.kind == "systemd user unit" and not self._here.has_systemd:
            raise Refused(
                "systemd does not run here, so a unit would never be started; with a desktop say "
                "--tray, else let your own init run: " + shown_command(plan.text)
            )
        found = self._here.shelf.find(plan)
        if found and found.tray is None:
            raise Refused(_foreign(plan))

    def _done(self, wrote: tuple[str, ...], removed: tuple[str, ...]) -> Change:
        if any(path.endswith(".service") for path in (*wrote, *removed)):
            self._here.run(_RELOAD)
        return Change(wrote, removed, self.status())

    def _found(self, plan: Plan, found: Found) -> Status:
        command = shown_command(found.text) or found.text
        note = ""
        if not found.active:
            note = "it is there, but switched off; gateway autostart on switches it on again"
        elif not self._here.refusal and found.text != plan.text:
            wanted = shown_command(plan.text) or plan.text
            note = "it was changed, or written by another copy or version of Holdgate" + (
                f"; this one would start {wanted}" if wanted != command else ""
            )
        where = self._here.shelf.places(plan)
        return Status(found.active, plan.tray, plan.kind, where, command, note, self._here.refusal)


def autostart_here(environ: Mapping[str, str], home: Path | None = None) -> Autostart:
    """Give the switch of this machine and this copy of Holdgate; `home` is the person's own."""
    program, why = _program()
    given = {name: _absolute(text) for name in CARRIED if (text := environ.get(name))}
    person = Person(sys.platform, home or Path.home(), {**environ, **given})
    shelf: Shelf = registry_here() if sys.platform == "win32" else Files()
    return Autostart(Surroundings(person, program, why, shelf, has_systemd(environ), _run))


def _program() -> tuple[Program | None, str]:
    try:
        program = program_here()
    except Refused as error:
        return None, str(error)
    return program, refusal(program, temporary_folders())


def _foreign(plan: Plan) -> str:
    assert isinstance(plan, FilePlan)  # a value of the registry is ours by its name
    return f"{plan.file} is not by gateway autostart, so it is left alone; move it away first"


def _absolute(path: str) -> str:
    return os.path.abspath(Path(path).expanduser())


def has_systemd(environ: Mapping[str, str], booted: Path = Path("/run/systemd/system")) -> bool:
    """Tell whether systemd started this machine, or its user manager is there."""
    runtime = environ.get("XDG_RUNTIME_DIR")
    return booted.is_dir() or (bool(runtime) and Path(str(runtime), "systemd").is_dir())


def _run(command: Sequence[str]) -> None:
    try:
        subprocess.run(command, check=False, capture_output=True, timeout=_PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        return  # it reads its units at the next login anyway
