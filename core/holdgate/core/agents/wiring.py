"""Wiring: agents' own files pointed at the gateway, and put back, whatever happens in between.

The journal is written ahead of the first change and taken away after the last. What a crash left
half done is taken back by whatever command comes next.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from holdgate.core.agents.base import Agent, Machine, Wish
from holdgate.core.agents.disk import Disk, RealDisk
from holdgate.core.agents.journal import FOLDER, Journal, JournalBroken, decoded, encoded
from holdgate.core.agents.plan import (
    Editors,
    Failed,
    FileChange,
    Found,
    Plan,
    Refused,
    merged,
    plan_connect,
    plan_disconnect,
)
from holdgate.core.editing.files import NEW_FILE_MODE, make_folders

_LOCK_NAME = "agents.lock"
_LOCK_WAIT = 10.0  # seconds for another command to finish its edits


class Wiring:
    """The agents that are pointed at the gateway of one state folder."""

    def __init__(
        self,
        state: Path,
        editors: Editors,
        disk: Disk | None = None,
        patience: float = _LOCK_WAIT,
    ) -> None:
        """Take the state folder, which need not exist; `patience`: seconds to wait for others."""
        self._patience = patience
        self._state = state
        self._editors = editors
        self._disk = disk or RealDisk()

    def names(self) -> tuple[str, ...]:
        """Give the agents that have a journal."""
        return tuple(sorted(each.stem for each in (self._state / FOLDER).glob("*.json")))

    def journal(self, agent: str) -> Journal | None:
        """Give an agent's journal. Raises Refused for one that cannot be read."""
        file = self._file(agent)
        text = self._disk.text(file)
        try:
            return None if text is None else decoded(text, file)
        except JournalBroken as error:
            raise Refused(str(error)) from error

    def text(self, file: Path) -> str | None:
        """Give a file's text. Raises Refused."""
        return self._disk.text(file)

    def plan(self, agent: Agent, wish: Wish, machine: Machine, *, remote: bool = False) -> Plan:
        """Plan to connect an agent, and write nothing. Raises Refused."""
        if agent.no_connect:
            raise Refused(f"{agent.name} cannot be connected: {agent.no_connect}")
        old = self.journal(agent.name)
        wanted = merged(agent.connect(wish, machine))
        files = [each.file for each in wanted] + [each.file for each in (old.files if old else ())]
        found = {file: self._found(file) for file in files}
        plan = plan_connect(agent.name, wish, wanted, old, found, self._editors, remote=remote)
        self._check(plan)
        return plan

    def connect(self, agent: Agent, wish: Wish, machine: Machine, *, remote: bool = False) -> Plan:
        """Connect an agent, and give what was done.

        Raises Refused, where nothing is changed, and Failed, which says what was.
        """
        with self._locked():
            plan = self.plan(agent, wish, machine, remote=remote)
            if not plan.nothing:
                self._do(plan)
        return plan

    def disconnect(self, agent: str) -> Plan | None:
        """Put back what stood in an agent's files before us; None if it was not connected.

        Raises Refused; the journal stays then.
        """
        with self._locked_if_any():
            old = self.journal(agent)
            if old is None:
                return None
            plan = plan_disconnect(old, self._found_of(old), self._editors)
            self._check(plan)
            self._do(plan)
        return plan

    def repair(self, agent: str = "") -> Mapping[str, str]:
        """Take back what a crash left half done, of one agent or of all.

        Gives the agents that were repaired, each with "", or with why it could not be. A journal
        that cannot be read tells of nothing half done.
        """
        found: dict[str, str] = {}
        for name in [agent] if agent else self.names():
            try:
                if self._is_half(name):
                    found[name] = ""
                    with self._locked():
                        self._finish(name)
            except Refused as error:
                found[name] = str(error)
        return found

    def _is_half(self, agent: str) -> bool:
        with contextlib.suppress(Refused):
            journal = self.journal(agent)
            return journal is not None and journal.phase != "connected"
        return False

    def _finish(self, agent: str) -> None:
        old = self.journal(agent)  # another command may have been quicker
        if old is not None and old.phase != "connected":
            plan = plan_disconnect(old, self._found_of(old), self._editors)
            self._check(plan)
            self._do(plan)

    def _do(self, plan: Plan) -> None:
        try:
            self._disk.write(self._file(plan.ahead.agent), encoded(plan.ahead))
            for change in plan.moves:
                self._move(change)
            self._sweep(plan)
        except OSError as error:
            raise Failed(self._failed(plan, error)) from error

    def _move(self, change: FileChange) -> None:
        if change.after is None:
            self._disk.remove(change.file)
        else:
            self._disk.write(change.file, change.after)

    def _sweep(self, plan: Plan) -> None:
        """Remove what a crash left and empty folders of ours; then write what is so now."""
        file = self._file(plan.ahead.agent)
        for each in (file, *(record.file for record in plan.ahead.files)):
            self._disk.tidy(each)
        kept = plan.done.files if plan.done else ()
        stay = {each.file for each in kept}
        gone = [each for each in plan.ahead.files if each.file not in stay]
        for record in gone:
            for folder in reversed(record.made):
                self._disk.drop(folder)
        if plan.done and plan.done.files:
            self._disk.write(file, encoded(plan.done))
        else:
            self._disk.remove(file)

    def _failed(self, plan: Plan, error: OSError) -> str:
        """Take back what a failed plan has done so far, if that can be; say what happened."""
        where = error.filename2 or error.filename or plan.ahead.agent
        why = f"{where} cannot be written: {error.strerror or error}"
        if plan.done is None:
            return f"{why}; try again: the rest is put back then"
        try:
            self._finish(plan.ahead.agent)
        except (Refused, OSError):
            return f"{why}; what was written so far is taken back by the next command"
        return f"{why}; all files are as they were before {plan.ahead.agent} was connected"

    def _check(self, plan: Plan) -> None:
        for change in plan.moves:
            self._disk.check(change.file)

    def _found(self, file: Path) -> Found:
        text = self._disk.text(file)
        return Found(text, self._disk.missing(file) if text is None else ())

    def _found_of(self, journal: Journal) -> dict[Path, Found]:
        return {each.file: Found(self._disk.text(each.file)) for each in journal.files}

    def _file(self, agent: str) -> Path:
        return self._state / FOLDER / f"{agent}.json"

    @contextlib.contextmanager
    def _locked_if_any(self) -> Iterator[None]:
        """Hold the lock; where nothing was ever connected nothing is made for it."""
        if not (self._state / FOLDER).is_dir():
            yield
            return
        with self._locked():
            yield

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            make_folders(self._state)
            with FileLock(self._state / _LOCK_NAME, timeout=self._patience, mode=NEW_FILE_MODE):
                yield
        except Timeout as error:
            raise Refused(
                "another gateway command is changing agents' files; try again when it is done"
            ) from error
        except OSError as error:
            raise Refused(
                f"the folder {self._state} cannot be used: {error.strerror or error}"
            ) from error


@dataclass(frozen=True, slots=True)
class Ended:
    """How disconnecting one of several agents went: what was done, or why not."""

    agent: str
    plan: Plan | None
    error: str = ""


def disconnect_all(wiring: Wiring) -> tuple[Ended, ...]:
    """Disconnect every agent that is connected; one that fails keeps no other from it."""
    ended = []
    for name in wiring.names():
        try:
            ended.append(Ended(name, wiring.disconnect(name)))
        except Refused as error:
            ended.append(Ended(name, None, str(error)))
    return tuple(ended)
