"""Finding: which agents are on this machine, and whether each still points at the gateway."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from holdgate.core.agents.base import Agent, Machine
from holdgate.core.agents.journal import FileRecord, Journal
from holdgate.core.agents.plan import Editors, Refused
from holdgate.core.agents.texts import intact
from holdgate.core.agents.wiring import Wiring
from holdgate.core.editing.base import BrokenText, Editor
from holdgate.core.editing.base import Path as ValuePath

# drifted: some of our values are no longer there; stale: they lead to where no gateway of this
# machine is; half: a crash came in between; unclear: its files or its journal cannot be read.
State = Literal["not wired", "wired", "drifted", "stale", "half", "unclear"]


@dataclass(frozen=True, slots=True)
class Wired:
    """How an agent is wired: the state, and for people what is not as it should be."""

    state: State
    note: str = ""


@dataclass(frozen=True, slots=True)
class Sighting:
    """An agent on this machine.

    `program` is where it would be started, None where it is not on the PATH; `traces` are the
    folders of its that are there. `journal` tells what it was connected with.
    """

    agent: Agent
    program: Path | None
    traces: tuple[Path, ...]
    wired: Wired
    journal: Journal | None = None

    @property
    def is_here(self) -> bool:
        """Whether there is anything of it, or of ours for it."""
        ours = self.wired.state != "not wired"  # there is a journal, if perhaps a damaged one
        return self.program is not None or bool(self.traces) or ours


def program_of(agent: Agent, machine: Machine) -> Path | None:
    """Give the program that starts an agent, or None if none is on the PATH."""
    path = machine.environ.get("PATH", "")
    found = (shutil.which(name, path=path) for name in agent.programs)
    return next((Path(each) for each in found if each), None)


def sight(agent: Agent, machine: Machine, wiring: Wiring, editors: Editors, url: str) -> Sighting:
    """Look for one agent; `url` is where this machine's gateway is, "" where that is not known."""
    program = program_of(agent, machine)
    # Path.exists() raises for folders that may not be looked into.
    traces = tuple(each for each in agent.traces(machine) if os.path.exists(each))
    try:
        journal = wiring.journal(agent.name)
    except Refused as error:
        return Sighting(agent, program, traces, Wired("unclear", str(error)))
    return Sighting(agent, program, traces, _wired(journal, wiring, editors, url), journal)


def wired_state(
    journal: Journal | None, texts: Mapping[Path, str | None], editors: Editors, url: str
) -> Wired:
    """Say how an agent is wired, from its journal and the texts of the files in it."""
    if journal is None:
        return Wired("not wired")
    if journal.phase != "connected":
        return Wired("half", "a command that was changing its files did not end")
    gone: list[str] = []
    for record in journal.files:
        try:
            gone += _gone(record, texts[record.file], editors[record.format])
        except BrokenText as error:
            return Wired("unclear", f"{record.file} cannot be understood: {error}")
    if gone:
        return Wired("drifted", "no longer as it was set: " + "; ".join(gone))
    if url and not journal.remote and journal.url != url:
        return Wired("stale", f"it asks {journal.url}, but the gateway is at {url}")
    return Wired("wired")


def written_path(path: ValuePath) -> str:
    """Give a path as people write it: `provider.holdgate.models[0]`."""
    text = ""
    for step in path:
        if isinstance(step, str):
            text += f".{step}" if text else step
        else:
            text += f"[{step}]" if isinstance(step, int) else f"[{step.member}={step.value}]"
    return text


def _wired(journal: Journal | None, wiring: Wiring, editors: Editors, url: str) -> Wired:
    try:
        files = journal.files if journal else ()
        texts = {each.file: wiring.text(each.file) for each in files}
    except Refused as error:
        return Wired("unclear", str(error))
    return wired_state(journal, texts, editors, url)


def _gone(record: FileRecord, text: str | None, editor: Editor) -> Iterable[str]:
    """Tell which of our values are no longer in a file. Raises BrokenText."""
    if text is None:
        return [f"{record.file} (it is gone)"]
    there = intact(editor, text, record.edits)
    lost = [written_path(e.path) for e, still in zip(record.edits, there, strict=True) if not still]
    return [f"{', '.join(lost)} in {record.file}"] if lost else []
