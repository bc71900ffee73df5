"""Plans: which file or value is written on which system, with a tray icon and without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

from holdgate.core.autostart.entries import (
    LABEL,
    desktop_entry,
    launch_agent,
    run_command,
    user_unit,
)
from holdgate.core.autostart.program import Program

RUN_KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"
RUN_VALUE = "Holdgate"
UNIT = "holdgate.service"

# Where the person's files are may be told by these; a session at login need not have them.
CARRIED = ("HOLDGATE_HOME", "HOLDGATE_CONFIG")


@dataclass(frozen=True, slots=True)
class FilePlan:
    """A file, and where it has one the link to it that makes it count."""

    kind: str
    tray: bool
    file: PurePath
    text: str
    link: PurePath | None = None


@dataclass(frozen=True, slots=True)
class ValuePlan:
    """The value RUN_VALUE of RUN_KEY in the person's part of the registry."""

    kind: str
    tray: bool
    text: str


Plan = FilePlan | ValuePlan


@dataclass(frozen=True, slots=True)
class Found:
    """What is there in the place of a plan.

    `tray` is None for what others wrote; `active`: nobody switched it off without taking it away.
    """

    text: str
    tray: bool | None
    active: bool


class Shelf(Protocol):
    """Where entries of one sort are kept."""

    def find(self, plan: Plan) -> Found | None:
        """Say what is there. Raises OSError."""

    def put(self, plan: Plan) -> tuple[str, ...]:
        """Make it so, and say what was written: nothing if it was so. Raises OSError."""

    def take(self, plan: Plan) -> tuple[str, ...]:
        """Take away what `put` wrote, and say what that was. Raises OSError."""

    def places(self, plan: Plan) -> tuple[str, ...]:
        """Say where it is, for people."""


@dataclass(frozen=True, slots=True)
class Person:
    """Whose login it is: the system as `sys.platform` has it, the home, the environment."""

    system: str
    home: PurePath
    environ: Mapping[str, str]

    @property
    def config(self) -> PurePath:
        """Give the folder of settings by the XDG rules: relative paths do not count."""
        named = PurePath(self.environ.get("XDG_CONFIG_HOME", ""))
        return named if named.is_absolute() else self.home / ".config"

    def carried(self) -> dict[str, str]:
        """Give what the gateway must know at login too."""
        return {name: text for name in CARRIED if (text := self.environ.get(name))}


def plans(person: Person, program: Program) -> tuple[Plan, Plan]:
    """Give what would be written with a tray icon, and what without."""
    if person.system == "win32":
        return _windows(program, tray=True), _windows(program, tray=False)
    if person.system == "darwin":
        return _mac(person, program, tray=True), _mac(person, program, tray=False)
    return _desktop(person, program), _systemd(person, program)


def _desktop(person: Person, program: Program) -> FilePlan:
    return FilePlan(
        "XDG autostart entry",
        True,
        person.config / "autostart" / "holdgate.desktop",
        desktop_entry(program.words(tray=True), person.carried()),
    )


def _systemd(person: Person, program: Program) -> FilePlan:
    units = person.config / "systemd" / "user"
    return FilePlan(
        "systemd user unit",
        False,
        units / UNIT,
        user_unit(program.words(tray=False), person.carried()),
        # What `systemctl --user enable` makes; it needs no manager that runs.
        units / "default.target.wants" / UNIT,
    )


def _mac(person: Person, program: Program, *, tray: bool) -> FilePlan:
    library = person.home / "Library"
    errors = str(library / "Logs" / "holdgate-at-login.log")
    words, carried = program.words(tray=tray), person.carried()
    return FilePlan(
        "launchd agent",
        tray,
        library / "LaunchAgents" / f"{LABEL}.plist",
        launch_agent(words, carried, tray=tray, errors=errors),
    )


def _windows(program: Program, *, tray: bool) -> ValuePlan:
    return ValuePlan("Run entry", tray, run_command(program.words(tray=tray)))
