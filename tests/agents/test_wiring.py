"""Connecting and disconnecting made-up agents, on real files."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Wish
from holdgate.core.agents.finding import sight
from holdgate.core.agents.plan import Refused
from holdgate.core.agents.recipes.cline import AGENT as CLINE
from holdgate.core.agents.wiring import Wiring, disconnect_all
from holdgate.core.editing.table import EDITORS
from tests.agents.houses import JAY, MADE_UP, TEE, URL, WHY, CrashingDisk, House, crashes, wish

TEXTS = {
    "jay": (
        "{}",
        '{\n  // mine\n  "env": {"A": "1", "TOKEN" : "old"},   "x": [1, 2,],\n}\n',
        '\ufeff{\r\n\t"provider": {"holdgate": "a text", "other": {}}\r\n}',
        "",
        "{\n}\n",
        '{"env":{},"provider":{"holdgate":{"url":"u","mine":1}},"z":null}',
    ),
    "tee": (
        '# mine\nmodel = "o"   # why\n\n[other]\na = 1\n',
        "[model_providers.mine]\nname='x'\r\n",
        'model_provider = "mine"\n[model_providers]\n[model_providers.holdgate]\nname = "old"',
        "\n",
    ),
    "why": (
        "# mine\nname: x\nmodels:\n  - name: other\n    model: m\n",
        "models: []\n",
        "default: old # why\nmodels:\n- name: Holdgate\n  apiBase: http://old\n",
        "",
    ),
}
CASES = [
    pytest.param(agent, text, id=f"{agent.name}-{number}")
    for agent in MADE_UP
    for number, text in enumerate((None, *TEXTS[agent.name]))
]
agents = pytest.mark.parametrize("agent", MADE_UP, ids=lambda agent: agent.name)


@pytest.fixture
def house(tmp_path: Path) -> House:
    (tmp_path / "home").mkdir()
    return House(tmp_path)


def prepared(house: House, agent: Agent, text: str | None) -> Path:
    """Give the agent's first file, with that text."""
    file = house.files_of(agent)[0]
    if text is not None:
        house.put(str(file.relative_to(house.home)), text)
    return file


def state(house: House, agent: Agent, url: str = URL) -> str:
    return sight(agent, house.machine, house.wiring(), EDITORS, url).wired.state


@pytest.mark.parametrize(("agent", "text"), CASES)
def test_there_and_back_again(house: House, agent: Agent, text: str | None) -> None:
    prepared(house, agent, text)
    before, wiring = house.seen(), house.wiring()
    assert state(house, agent) == "not wired"
    wiring.connect(agent, wish(), house.machine)
    assert state(house, agent) == "wired"
    connected = house.seen()
    assert connected != before
    assert wiring.connect(agent, wish(), house.machine).nothing
    assert house.seen() == connected
    wiring.connect(agent, wish("other", "http://127.0.0.1:9"), house.machine)
    assert state(house, agent) == "stale"
    wiring.connect(agent, wish(), house.machine)
    assert house.seen() == connected
    done = wiring.disconnect(agent.name)
    assert done is not None and not any(each.left for each in done.changes)
    assert house.seen() == before
    assert wiring.names() == ()
    assert wiring.disconnect(agent.name) is None


@agents
def test_a_crash_anywhere_is_repaired_by_whatever_comes_next(tmp_path: Path, agent: Agent) -> None:
    """Each time: connect, connect otherwise, disconnect, with the crash in one of them."""

    def attempt(at: int) -> None:
        house = House(tmp_path / str(at))
        prepared(house, agent, TEXTS[agent.name][0])
        before, disk = house.seen(), CrashingDisk(at)
        wiring, repairing = house.wiring(disk), house.wiring()
        seen = [before]
        try:
            for each in (wish(), wish("other")):
                wiring.connect(agent, each, house.machine)
                seen.append(house.seen())
            wiring.disconnect(agent.name)
        finally:
            was_half = state(house, agent) == "half"
            assert repairing.repair() == ({agent.name: ""} if was_half else {})
            assert house.seen() in seen
            assert state(house, agent) in ("wired", "not wired")
            repairing.connect(agent, wish(), house.machine)
            assert state(house, agent) == "wired"
            repairing.disconnect(agent.name)
            assert house.seen() == before

    assert crashes(attempt) >= 3 * 3


@pytest.mark.parametrize("torn", [False, True])
def test_a_crash_is_repaired_by_connecting_or_disconnecting_again(
    tmp_path: Path, torn: bool
) -> None:
    def attempt(at: int) -> None:
        house = House(tmp_path / str(at))
        prepared(house, JAY, TEXTS["jay"][1])
        before = house.seen()
        try:
            crashing = CrashingDisk(at, torn=torn)
            house.wiring(crashing).connect(JAY, wish("first"), house.machine)
        finally:
            house.wiring().connect(JAY, wish(), house.machine)
            assert state(house, JAY) == "wired"
            try:
                house.wiring(CrashingDisk(at, torn=torn)).disconnect("jay")
            finally:
                house.wiring().disconnect("jay")
                assert house.seen() == before
                assert list((house.root / "state/agents").iterdir()) == []

    assert crashes(attempt) >= 4


def test_what_the_person_changed_meanwhile_stays(house: House) -> None:
    file = prepared(house, JAY, '{\n  "env": {"TOKEN": "old", "A": "1"}\n}\n')
    house.wiring().connect(JAY, wish(), house.machine)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"A": "1"', '"A": "2", "B": [] /* new */'), encoding="utf-8")
    assert state(house, JAY) == "wired"
    assert house.wiring().connect(JAY, wish(), house.machine).nothing
    done = house.wiring().disconnect("jay")
    assert done is not None and not any(each.left for each in done.changes)
    after = '{\n  "env": {"TOKEN": "old", "A": "2", "B": [] /* new */}\n}\n'
    assert file.read_text(encoding="utf-8") == after


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        (JAY, '{"env": {"TOKEN": "\\u006fld" /* why */}}'),
        (TEE, 'model = \'o\'   # why\nmodel_provider="""mine"""\n'),
        (WHY, "default: 'o' # why\n"),
    ],
)
def test_what_comes_back_is_spelled_as_before(house: House, agent: Agent, text: str) -> None:
    file = prepared(house, agent, text)
    house.wiring().connect(agent, wish(), house.machine)
    mark = "// since\n" if agent is JAY else "# since\n"
    file.write_bytes((mark + file.read_bytes().decode()).encode())
    house.wiring().disconnect(agent.name)
    assert file.read_bytes().decode() == mark + text


def test_what_the_person_set_since_is_left(house: House) -> None:
    file = prepared(house, JAY, '{"env": {"TOKEN": "old"}}')
    house.wiring().connect(JAY, wish(), house.machine)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"holdgate-x"', '"mine"'), encoding="utf-8")
    seen = sight(JAY, house.machine, house.wiring(), EDITORS, URL)
    assert seen.wired.state == "drifted"
    assert seen.wired.note == f"no longer as it was set: env.TOKEN in {file}"
    done = house.wiring().disconnect("jay")
    assert done is not None
    assert [each.left for each in done.changes] == [(("env", "TOKEN"),), ()]
    assert file.read_text(encoding="utf-8") == '{"env": {"TOKEN": "mine"}}'


def test_what_the_person_set_since_is_what_a_new_connection_gives_back(house: House) -> None:
    file = prepared(house, JAY, '{"env": {"TOKEN": "old"}}')
    house.wiring().connect(JAY, wish(), house.machine)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"holdgate-x"', '"mine"'), encoding="utf-8")
    house.wiring().connect(JAY, wish("other"), house.machine)
    assert state(house, JAY) == "wired"
    house.wiring().disconnect("jay")
    assert file.read_text(encoding="utf-8") == '{"env": {"TOKEN": "mine"}}'


@pytest.mark.parametrize(
    "text",
    [
        None,
        '{"version":1, "lastUsedProvider": "anthropic"}',
        '{ "providers": {"openai-compatible": {"settings": {"model": "m"},\n "updatedAt":"26"} } }',
    ],
)
def test_what_the_agent_itself_renews_goes_all_the_same(house: House, text: str | None) -> None:
    file = prepared(house, CLINE, text)
    before, wiring = house.seen(), house.wiring()
    wiring.connect(CLINE, wish(agent="cline"), house.machine)
    path = ("providers", "openai-compatible", "updatedAt")
    file.write_text(EDITORS["json"].with_value(file.read_text(), path, "2026-11-30T12:00:00Z"))
    assert state(house, CLINE) == "wired"
    done = wiring.disconnect("cline")
    assert done is not None and not any(each.left for each in done.changes)
    assert house.seen() == before


def test_members_that_the_person_added_to_a_mapping_of_ours_stay(house: House) -> None:
    file = prepared(house, JAY, None)
    house.wiring().connect(JAY, wish(), house.machine)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"coder": {', '"mine": {}, "coder": {'), encoding="utf-8")
    assert state(house, JAY) == "wired"
    house.wiring().disconnect("jay")
    value = EDITORS["json"].value(file.read_text(encoding="utf-8"), ())
    assert value == {"provider": {"holdgate": {"models": {"mine": {}}}}}


def test_what_the_agent_moved_meanwhile_is_put_where_it_is_now(house: House) -> None:
    def edits(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
        edit = Edit(("auth", "kind"), "ours", older=("kind",))
        return (FileEdits(machine.home / "kay.json", "json", (edit,)),)

    kay = replace(JAY, name="kay", connect=edits)
    file = house.put("kay.json", '{"kind": "mine", "a": 1}')
    for moved, then in (
        ('{"a": 1, "auth": {"kind": "ours"}}', '{"a": 1, "auth": {"kind": "mine"}}'),
        ('{"a": 1, "auth": {"kind": "yours"}}', '{"a": 1, "auth": {"kind": "yours"}}'),
        ('{"a":1,"kind": "mine", "auth": {"kind": "ours"}}', '{"a":1,"kind": "mine"}'),
    ):
        house.wiring().connect(kay, wish(), house.machine)
        house.wiring().connect(kay, wish("other"), house.machine)
        file.write_text(moved, encoding="utf-8")
        house.wiring().disconnect("kay")
        assert file.read_text(encoding="utf-8") == then
        file.write_text('{"kind": "mine", "a": 1}', encoding="utf-8")


def test_files_that_vanished_stay_away(house: House) -> None:
    before = house.seen()
    house.wiring().connect(JAY, wish(), house.machine)
    settings, auth = house.files_of(JAY)
    auth.unlink()
    assert state(house, JAY) == "drifted"
    house.wiring().disconnect("jay")
    assert house.seen() == before
    house.put(".jay/settings.json", "{}")
    house.wiring().connect(JAY, wish(), house.machine)
    settings.unlink()
    house.wiring().disconnect("jay")
    assert [path.name for path in house.home.rglob("*")] == [".jay"]


def test_another_home_of_the_agent_takes_the_wiring_along(house: House, tmp_path: Path) -> None:
    prepared(house, JAY, "{ }")
    before = house.seen()
    house.wiring().connect(JAY, wish(), house.machine)
    moved = House(house.root, {"JAY_HOME": str(house.home / "else/where")})
    moved.wiring().connect(JAY, wish(), moved.machine)
    assert house.files_of(JAY)[0].read_text(encoding="utf-8") == "{ }"
    assert all(file.exists() for file in moved.files_of(JAY))
    house.wiring().disconnect("jay")
    assert house.seen() == before


def test_links_are_followed_and_stay(house: House) -> None:
    real = house.put("dotfiles/jay.json", '{"a": 1}')
    link, dangling = house.files_of(JAY)
    dangling.parent.mkdir(parents=True)
    link.symlink_to(real)
    dangling.symlink_to(house.home / "dotfiles/new/auth.json")
    before = house.seen()
    house.wiring().connect(JAY, wish(), house.machine)
    assert state(house, JAY) == "wired"
    assert link.is_symlink() and dangling.is_symlink() and dangling.exists()
    assert URL in real.read_text(encoding="utf-8")
    house.wiring().disconnect("jay")
    assert house.seen() == before


def test_the_mode_stays_and_what_is_new_is_private(house: House) -> None:
    file = prepared(house, JAY, "{}")
    file.chmod(0o644)
    house.wiring().connect(JAY, wish(), house.machine)
    new = house.files_of(JAY)[1]
    journal = house.root / "state/agents/jay.json"
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (file, new, journal)]
    assert modes == [0o644, 0o600, 0o600]


def _break(file: Path) -> None:
    file.write_text('{"a": 1,\n "b" }', encoding="utf-8")


def _lock(file: Path) -> None:
    file.chmod(0o444)


def _lock_folder(file: Path) -> None:
    file.parent.chmod(0o555)


def _other_kind(file: Path) -> None:
    file.write_text('{"env": null}' if file.stem == "settings" else "[]", encoding="utf-8")


def _latin(file: Path) -> None:
    file.write_bytes(b'{"a":\n "\xe9"}')


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _loop(file: Path) -> None:
    file.unlink()
    file.symlink_to(file)


def _pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


WRONGS = [
    (_break, "line 2"), (_lock, "read-only"), (_lock_folder, "read-only"), (_latin, ":2: not UTF"),
    (_folder, "is a folder"), (_loop, "cannot be read"),
    (_pipe, "is a pipe"),
    (_other_kind, "what should hold .* is (empty .null.|a list); change that by hand"),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "says"), WRONGS)
@pytest.mark.parametrize("number", [0, 1])
def test_what_cannot_be_done_for_one_file_is_done_for_none(
    house: House, damage: object, says: str, number: int
) -> None:
    assert callable(damage)
    file = house.files_of(JAY)[number]
    house.put(str(file.relative_to(house.home)), "{}")
    damage(file)
    before = house.seen()
    try:
        with pytest.raises(Refused, match=says) as refused:
            house.wiring().connect(JAY, wish(), house.machine)
        assert str(file) in str(refused.value)
        assert house.seen() == before
        assert house.wiring().names() == ()
    finally:
        file.parent.chmod(0o755)


def test_a_file_in_the_way_of_a_folder(house: House) -> None:
    house.put(".jay", "no folder")
    with pytest.raises(Refused, match="a file stands where"):
        house.wiring().connect(JAY, wish(), house.machine)


def test_a_file_that_was_broken_meanwhile_is_not_touched(house: House) -> None:
    file = prepared(house, JAY, "{}")
    house.wiring().connect(JAY, wish(), house.machine)
    good = file.read_bytes()
    _break(file)
    before = house.seen()
    assert state(house, JAY) == "unclear"
    with pytest.raises(Refused, match="line 2"):
        house.wiring().disconnect("jay")
    assert house.seen() == before
    file.write_bytes(good)
    house.wiring().disconnect("jay")
    assert file.read_text(encoding="utf-8") == "{}"


def test_one_that_fails_keeps_no_other_from_being_disconnected(house: House) -> None:
    for agent in MADE_UP:
        house.wiring().connect(agent, wish(), house.machine)
    _break(house.files_of(JAY)[0])
    ended = disconnect_all(house.wiring())
    assert [(each.agent, bool(each.error)) for each in ended] == [
        ("jay", True), ("tee", False), ("why", False),
    ]  # fmt: skip
    assert house.wiring().names() == ("jay",)


def test_two_agents_in_one_file(house: House) -> None:
    from dataclasses import replace

    other = replace(TEE, name="other", connect=WHY.connect)
    file = prepared(house, WHY, TEXTS["why"][0])
    before = house.seen()
    house.wiring().connect(WHY, wish(), house.machine)
    house.wiring().connect(other, wish("other"), house.machine)
    house.wiring().disconnect("other")
    assert state(house, WHY) == "wired"
    house.wiring().disconnect("why")
    assert house.seen() == before and file.exists()


def test_a_full_disk_leaves_all_as_it_was(house: House) -> None:
    class Full(CrashingDisk):
        def write(self, file: Path, text: str) -> None:
            if file.name == "auth.json":
                raise OSError(28, "No space left on device", str(file))
            super().write(file, text)

    prepared(house, JAY, "{}")
    before = house.seen()
    with pytest.raises(Refused, match=r"auth.json cannot be written: No space .* as they were"):
        house.wiring(Full()).connect(JAY, wish(), house.machine)
    assert house.seen() == before
    assert house.wiring().names() == ()


def test_a_damaged_journal_is_told(house: House) -> None:
    house.wiring().connect(TEE, wish(), house.machine)
    journal = house.root / "state/agents/tee.json"
    for text in ("{", "[]", '{"version": 0}', journal.read_text().replace("connected", "odd")):
        journal.write_text(text, encoding="utf-8")
        with pytest.raises(Refused, match=f"{journal} is damaged"):
            house.wiring().disconnect("tee")
    assert state(house, TEE) == "unclear"
    assert house.wiring().repair() == {}
    # No program and no folder of it: the journal alone says that something was written once.
    seen = sight(TEE, Machine("linux", house.root / "empty", {}), house.wiring(), EDITORS, URL)
    assert (seen.wired.state, seen.is_here) == ("unclear", True)
    journal.write_text('{"version": 2}', encoding="utf-8")
    with pytest.raises(Refused, match="written by a newer Holdgate"):
        house.wiring().disconnect("tee")


def test_nothing_is_written_where_nothing_was_connected(house: House) -> None:
    wiring = house.wiring()
    assert wiring.repair() == {}
    assert wiring.disconnect("jay") is None
    assert disconnect_all(wiring) == ()
    assert wiring.plan(JAY, wish(), house.machine).moves
    assert os.listdir(house.root) == ["home"]


def test_one_command_at_a_time(house: House) -> None:
    from filelock import FileLock

    (house.root / "state").mkdir()
    with FileLock(house.root / "state/agents.lock"):
        hurried = Wiring(house.root / "state", EDITORS, patience=0.0)
        with pytest.raises(Refused, match="another gateway command"):
            hurried.connect(JAY, wish(), house.machine)
