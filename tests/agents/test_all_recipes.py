"""Every agent of the table, there and back again over configs of all kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Offered, Wish
from holdgate.core.agents.finding import sight
from holdgate.core.agents.plan import Refused, merged
from holdgate.core.agents.recipes.table import AGENTS
from holdgate.core.agents.wiring import Wiring
from holdgate.core.editing.base import CannotChange, Editor, Item
from holdgate.core.editing.base import Path as ValuePath
from holdgate.core.editing.table import EDITORS
from tests.agents.configs import texts
from tests.agents.houses import URL, Crash, crashes

MACHINE = Machine("linux", Path("/home/p"), {})
CONNECTABLE = [each for each in AGENTS.values() if not each.no_connect]
agents = pytest.mark.parametrize("agent", CONNECTABLE, ids=lambda agent: agent.name)


@dataclass(slots=True)
class MemoryDisk:
    """Files in memory; at change number `at` the program is gone."""

    files: dict[Path, str]
    at: int = -1
    count: int = field(default=0)

    def text(self, file: Path) -> str | None:
        return self.files.get(file)

    def missing(self, file: Path) -> tuple[Path, ...]:
        return ()

    def check(self, file: Path) -> None:
        return

    def write(self, file: Path, text: str) -> None:
        self._step()
        self.files[file] = text

    def remove(self, file: Path) -> None:
        self._step()
        self.files.pop(file, None)

    def drop(self, folder: Path) -> None:
        raise AssertionError("no folder was made")

    def tidy(self, file: Path) -> None:
        return

    def _step(self) -> None:
        if self.count == self.at:
            raise Crash
        self.count += 1


@dataclass(frozen=True, slots=True)
class Desk:
    """A disk and the wiring on it; the locks are in a folder of their own."""

    disk: MemoryDisk
    state: Path

    @property
    def wiring(self) -> Wiring:
        return Wiring(self.state, EDITORS, self.disk)

    def configs(self) -> Mapping[Path, str]:
        return {
            file: text for file, text in self.disk.files.items() if self.state not in file.parents
        }

    def wired(self, agent: Agent) -> str:
        return sight(agent, MACHINE, self.wiring, EDITORS, URL).wired.state


def wish(agent: Agent, model: str = "coder", url: str = URL) -> Wish:
    tiers = {tier: f"vendor/{tier}" for tier in agent.tiers[:1]}
    offered = (Offered("coder", 200_000, 8_000), Offered("deepseek/deepseek-chat"))
    return Wish(url, f"holdgate-{agent.name}", {"": model, **tiers}, offered)


def files_of(agent: Agent) -> tuple[FileEdits, ...]:
    return merged(agent.connect(wish(agent), MACHINE))


def others(agent: Agent, file: Path) -> tuple[Edit, ...]:
    """Give values that somebody may have had there, as of a gateway at another address."""
    found = merged(agent.connect(wish(agent, "older", "http://old:1"), MACHINE))
    return next((each.edits for each in found if each.file == file), ())


def drawn(data: st.DataObject, agent: Agent) -> dict[Path, str]:
    found = {e.file: data.draw(texts(e, others(agent, e.file))) for e in files_of(agent)}
    return {file: text for file, text in found.items() if text is not None}


@agents
@given(data=st.data())
@settings(max_examples=5, deadline=None)
def test_disconnecting_gives_the_original_bytes(
    tmp_path_factory: pytest.TempPathFactory, agent: Agent, data: st.DataObject
) -> None:
    before = drawn(data, agent)
    desk = Desk(MemoryDisk(dict(before)), tmp_path_factory.getbasetemp() / "all-state")
    wiring = desk.wiring
    try:
        wiring.connect(agent, wish(agent), MACHINE)
    except Refused as error:
        assert "cannot be changed" in str(error)
        assert desk.configs() == before
        return
    connected = desk.configs()
    assert desk.wired(agent) == "wired"
    assert wiring.connect(agent, wish(agent), MACHINE).nothing
    assert desk.configs() == connected
    wiring.connect(agent, wish(agent, "vendor/other"), MACHINE)
    wiring.connect(agent, wish(agent), MACHINE)
    assert desk.configs() == connected
    wiring.disconnect(agent.name)
    assert desk.configs() == before


@agents
@given(data=st.data())
@settings(max_examples=3, deadline=None)
def test_what_was_written_around_our_values_stays_to_the_byte(
    tmp_path_factory: pytest.TempPathFactory, agent: Agent, data: st.DataObject
) -> None:
    desk = Desk(MemoryDisk({}), tmp_path_factory.getbasetemp() / "around-state")
    before = {e.file: data.draw(texts(e, ())) or "" for e in files_of(agent)}
    desk.disk.files |= before
    if not connected(desk, agent):
        return
    for each in files_of(agent):
        for texts_now in (before, desk.disk.files):
            text = texts_now[each.file]
            mark = "\ufeff" if text.startswith("\ufeff") else ""
            end = "\r\n" if "\r\n" in text else "\n"
            comment = ("// mine" if each.format == "json" else "# mine") + end
            texts_now[each.file] = mark + comment + text.removeprefix(mark)
    desk.wiring.disconnect(agent.name)
    assert written(desk.configs()) == written(before)


@agents
@given(data=st.data())
@settings(max_examples=3, deadline=None)
def test_what_the_person_set_meanwhile_stays(
    tmp_path_factory: pytest.TempPathFactory, agent: Agent, data: st.DataObject
) -> None:
    """One value of ours is set by the person, and one that is not ours is added."""
    before = drawn(data, agent)
    desk = Desk(MemoryDisk(dict(before)), tmp_path_factory.getbasetemp() / "set-state")
    if not connected(desk, agent):
        return
    file = data.draw(st.sampled_from(files_of(agent)))
    editor, changed = (
        EDITORS[file.format],
        data.draw(st.sampled_from([e for e in file.edits if not (e.only_new or e.renewed)])),
    )
    theirs = a_text_in(changed.path, changed.value)
    try:
        text = editor.with_value(desk.disk.files[file.file], theirs, "theirs")
        can_add = isinstance(editor.value(text, ()), dict) and file.format != "dotenv"
        if can_add:
            text = editor.with_value(text, ("added", "since"), [1])
        desk.disk.files[file.file] = text
    except CannotChange:
        return
    assert desk.wired(agent) == "drifted"
    done = desk.wiring.disconnect(agent.name)
    assert done is not None
    left = {(each.file, path) for each in done.changes for path in each.left}
    assert left == {(file.file, theirs)}
    for other in files_of(agent):
        if other.file != file.file:
            assert desk.disk.files.get(other.file) == before.get(other.file)
    now = desk.disk.files[file.file]
    assert editor.value(now, theirs) == "theirs"
    assert not can_add or editor.value(now, ("added",)) == {"since": [1]}
    for edit in file.edits:
        if edit.path != changed.path:
            assert editor.value(now, edit.path) == former(editor, before, file, edit)


@agents
def test_a_crash_between_any_two_writes_is_repaired(tmp_path: Path, agent: Agent) -> None:
    first = files_of(agent)[0]
    shapes = {
        "json": '{\n  "a" : 1 // mine\n}',
        "toml": "a=1",
        "yaml": "a:   1\n",
        "dotenv": "A=1\n",
    }
    is_list = isinstance(first.edits[0].path[0], Item)
    before = {first.file: "- a: 1 # mine" if is_list else shapes.get(first.format, "A=1\n")}

    def attempt(at: int) -> None:
        desk = Desk(MemoryDisk(dict(before), at), tmp_path / str(at))
        repairing = Desk(MemoryDisk(desk.disk.files), tmp_path / str(at))
        seen = [before]
        try:
            for each in (wish(agent), wish(agent, "vendor/other")):
                desk.wiring.connect(agent, each, MACHINE)
                seen.append(dict(desk.configs()))
            desk.wiring.disconnect(agent.name)
        finally:
            repairing.wiring.repair(agent.name)
            assert repairing.configs() in seen
            assert repairing.wired(agent) in ("wired", "not wired")
            repairing.wiring.connect(agent, wish(agent), MACHINE)
            repairing.wiring.disconnect(agent.name)
            assert repairing.configs() == before

    assert crashes(attempt) >= 2 * 3 + 3


@agents
@pytest.mark.parametrize("damage", ["{", "[a\n", 'a: "\n', "a = [\n"])
def test_a_broken_file_is_left_as_it_is(tmp_path: Path, agent: Agent, damage: str) -> None:
    for each in files_of(agent):
        if each.format == "dotenv" or (each.format == "yaml" and damage == "a = [\n"):
            continue  # such a file is never broken; for YAML that is a text
        before = {each.file: damage}
        desk = Desk(MemoryDisk(dict(before)), tmp_path)
        with pytest.raises(Refused, match=f"{each.file} cannot be understood: .*line"):
            desk.wiring.connect(agent, wish(agent), MACHINE)
        assert desk.disk.files == before


def test_every_wish_is_told_to_every_agent() -> None:
    """Somewhere each agent is told the address, the key and the model."""
    for agent in AGENTS.values():
        told = agent.variables(wish(agent), MACHINE), agent.arguments(wish(agent), MACHINE)
        written = agent.connect(wish(agent), MACHINE)
        assert bool(agent.no_connect) == (not written), agent.name
        for words in [told] * (not agent.no_run) + [written] * (not agent.no_connect):
            assert URL in str(words) and "coder" in str(words), agent.name


def written(files: Mapping[Path, str]) -> dict[Path, list[str]]:
    """Give the lines of files, but for blank ones."""
    return {
        file: [line for line in text.splitlines(keepends=True) if line.strip()]
        for file, text in files.items()
    }


def connected(desk: Desk, agent: Agent) -> bool:
    try:
        desk.wiring.connect(agent, wish(agent), MACHINE)
    except Refused:
        return False
    return True


def former(editor: Editor, before: Mapping[Path, str], file: FileEdits, edit: Edit) -> object:
    return editor.value(before.get(file.file, ""), edit.path)


def a_text_in(path: ValuePath, value: object) -> ValuePath:
    """Give the path of a text in a value, other than the one by which its item is known."""
    if not isinstance(value, dict):
        return path
    known = path[-1].member if isinstance(path[-1], Item) else ""
    name = next(name for name, each in value.items() if name != known)
    return a_text_in((*path, name), value[name])
