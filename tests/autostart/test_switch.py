"""Start at login on, off and asked about: idempotent, undone exactly, nothing of others touched."""

from __future__ import annotations

import plistlib
from pathlib import Path

import pytest

from holdgate.core.autostart import Refused, autostart_here
from holdgate.core.autostart.program import Program
from holdgate.core.autostart.switch import has_systemd
from tests.autostart.machines import HERE, Machine

DESKTOP = ".config/autostart/holdgate.desktop"
UNIT = ".config/systemd/user/holdgate.service"
LINK = ".config/systemd/user/default.target.wants/holdgate.service"
AGENT = "Library/LaunchAgents/holdgate.gateway.plist"

ways = pytest.mark.parametrize(
    ("system", "tray", "files"),
    [
        ("linux", True, [DESKTOP]),
        ("linux", False, [UNIT, LINK]),
        ("darwin", True, [AGENT]),
        ("darwin", False, [AGENT]),
    ],
)


@ways
def test_on_says_what_it_wrote_and_off_undoes_it_exactly(
    tmp_path: Path, system: str, tray: bool, files: list[str]
) -> None:
    machine = Machine(tmp_path)
    (tmp_path / "kept").mkdir()
    before = machine.tree()
    switch = machine.switch(system)
    assert not switch.status().on

    change = switch.on(tray=tray)
    paths = tuple(str(tmp_path / file) for file in files)
    assert (change.wrote, change.removed) == (paths, ())
    assert {name for name, text in machine.tree().items() if text != "/"} == set(files)
    status = change.status
    assert (status.on, status.tray, status.where, status.note) == (True, tray, paths, "")
    program = HERE.tray[0] if tray else HERE.plain[0]
    assert status.command == f"{program} serve"

    off = switch.off()
    assert set(off.removed) == set(paths)
    assert machine.tree() == before
    assert not off.status.on


@ways
def test_saying_it_again_changes_nothing(
    tmp_path: Path, system: str, tray: bool, files: list[str]
) -> None:
    machine = Machine(tmp_path)
    switch = machine.switch(system)
    assert switch.off().removed == ()
    switch.on(tray=tray)
    tree, stamps = machine.tree(), [(tmp_path / file).lstat() for file in files]
    again = switch.on(tray=tray)
    assert (again.wrote, again.removed) == ((), ())
    assert machine.tree() == tree
    assert [(tmp_path / file).lstat() for file in files] == stamps
    switch.off()
    assert switch.off().removed == ()
    assert machine.tree() == {}


@pytest.mark.parametrize("system", ["linux", "darwin"])
@pytest.mark.parametrize("tray", [True, False])
def test_one_way_replaces_the_other(tmp_path: Path, system: str, tray: bool) -> None:
    machine = Machine(tmp_path)
    switch = machine.switch(system)
    switch.on(tray=tray)
    change = switch.on(tray=not tray)
    assert change.status.on and change.status.tray is not tray
    alone = Machine(tmp_path / "alone")
    alone.switch(system).on(tray=not tray)
    kept = {name for name in machine.tree() if not name.startswith("alone")}
    assert kept == set(alone.tree())
    switch.off()
    assert [name for name in machine.tree() if not name.startswith("alone")] == []


def test_folders_that_others_use_by_now_stay(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    switch = machine.switch()
    switch.on(tray=True)
    (tmp_path / ".config/autostart/other.desktop").write_text("")
    switch.off()
    assert machine.tree() == {
        ".config": "/",
        ".config/autostart": "/",
        ".config/autostart/other.desktop": "",
    }


def test_empty_folders_that_were_there_stay(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    (tmp_path / ".config/autostart").mkdir(parents=True)
    before = machine.tree()
    switch = machine.switch()
    switch.on(tray=True)
    switch.on(tray=True)
    switch.off()
    assert machine.tree() == before


@pytest.mark.parametrize(("tray", "file"), [(True, DESKTOP), (False, UNIT)])
def test_what_others_wrote_is_left_alone(tmp_path: Path, tray: bool, file: str) -> None:
    machine = Machine(tmp_path)
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text("[Service]\nExecStart=/mine serve\n")
    before = machine.tree()
    switch = machine.switch()
    with pytest.raises(Refused, match="not by gateway autostart"):
        switch.on(tray=tray)
    assert switch.off().removed == ()
    assert machine.tree() == before
    status = switch.status()
    assert not status.on
    assert str(tmp_path / file) in status.note


def test_a_refused_switch_keeps_the_way_that_is_on(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    switch = machine.switch()
    switch.on(tray=True)
    (tmp_path / UNIT).parent.mkdir(parents=True)
    (tmp_path / UNIT).write_text("")
    with pytest.raises(Refused):
        switch.on(tray=False)
    assert switch.status().on and switch.status().tray


def test_another_copy_is_noted_and_replaced(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.switch().on(tray=False)
    other = Program(("/usr/bin/gateway",), ("/usr/bin/gateway-nogui",), (Path("/usr"),))
    moved = machine.switch(program=other)
    status = moved.status()
    assert status.on
    assert status.command == "/opt/hg/bin/gateway-nogui serve"
    assert "/usr/bin/gateway-nogui serve" in status.note
    assert moved.on(tray=False).wrote == (str(tmp_path / UNIT),)
    assert moved.status().note == ""
    moved.off()
    assert machine.tree() == {}


@pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
def test_a_desktop_may_switch_it_off(tmp_path: Path, line: str) -> None:
    machine = Machine(tmp_path)
    switch = machine.switch()
    switch.on(tray=True)
    file = tmp_path / DESKTOP
    file.write_text(file.read_text().replace("Terminal", f"{line}\nTerminal"))
    status = switch.status()
    assert not status.on
    assert "switched off" in status.note
    assert switch.on(tray=True).status.on
    switch.off()
    assert machine.tree() == {}


def test_systemctl_may_switch_it_off(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    switch = machine.switch()
    switch.on(tray=False)
    (tmp_path / LINK).unlink()
    assert not switch.status().on
    assert "switched off" in switch.status().note
    assert switch.on(tray=False).status.on
    switch.off()
    assert machine.tree() == {}


def test_a_link_whose_unit_is_gone_goes_too(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    switch = machine.switch()
    switch.on(tray=False)
    (tmp_path / UNIT).unlink()
    assert not switch.status().on
    assert switch.off().removed == (str(tmp_path / LINK),)


def test_systemd_reads_its_units_again_only_if_they_changed(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    switch = machine.switch()
    reload = ("systemctl", "--user", "daemon-reload")
    switch.on(tray=True)
    assert machine.ran == []
    switch.on(tray=False)
    assert machine.ran == [reload]
    switch.on(tray=False)
    assert machine.ran == [reload]
    switch.off()
    assert machine.ran == [reload] * 2


def test_without_systemd_there_is_no_unit(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    switch = machine.switch(systemd=False)
    with pytest.raises(Refused, match="systemd does not run here"):
        switch.on(tray=False)
    assert machine.tree() == {}
    assert switch.on(tray=True).status.on


def test_a_copy_that_will_not_stay_can_only_switch_off(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.switch().on(tray=True)
    switch = machine.switch(refusal="/tmp/x is a temporary folder")
    before = machine.tree()
    for tray in (True, False):
        with pytest.raises(Refused, match="/tmp/x is a temporary folder"):
            switch.on(tray=tray)
    assert machine.tree() == before
    assert switch.status().on
    assert switch.status().refusal
    switch.off()
    assert machine.tree() == {}


def test_the_person_s_folders_are_the_same_at_login(tmp_path: Path) -> None:
    environ = {"HOLDGATE_HOME": "/srv/my files", "HOLDGATE_CONFIG": "", "OTHER": "x"}
    for system, tray, file in (("linux", True, DESKTOP), ("linux", False, UNIT)):
        machine = Machine(tmp_path)
        machine.switch(system, environ=environ).on(tray=tray)
        text = (tmp_path / file).read_text()
        assert '"HOLDGATE_HOME=/srv/my files"' in text
        assert "HOLDGATE_CONFIG" not in text and "OTHER" not in text
    machine.switch("darwin", environ=environ).on(tray=False)
    agent = plistlib.loads((tmp_path / AGENT).read_bytes())
    assert agent["EnvironmentVariables"] == {"HOLDGATE_HOME": "/srv/my files"}


@pytest.mark.parametrize(("named", "folder"), [("/srv/conf", "/srv/conf"), ("conf", "~/.config")])
def test_settings_may_lie_elsewhere(tmp_path: Path, named: str, folder: str) -> None:
    machine = Machine(tmp_path)
    inside = tmp_path / named.lstrip("/")
    environ = {"XDG_CONFIG_HOME": str(inside) if named.startswith("/") else named}
    switch = machine.switch(environ=environ)
    switch.on(tray=True)
    expected = inside if named.startswith("/") else tmp_path / ".config"
    assert switch.status().where == (str(expected / "autostart/holdgate.desktop"),)


def test_a_record_with_hyphens_does_not_break_the_agent(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "a--b--")
    machine.home.mkdir()
    switch = machine.switch("darwin")
    switch.on(tray=True)
    assert plistlib.loads((machine.home / AGENT).read_bytes())["RunAtLoad"] is True
    switch.off()
    assert machine.tree() == {}


def test_this_machine_can_be_asked(tmp_path: Path) -> None:
    status = autostart_here({"HOLDGATE_HOME": "relative"}, tmp_path).status()
    assert not status.on
    assert list(tmp_path.iterdir()) == []


def test_systemd_is_known_by_its_folders(tmp_path: Path) -> None:
    booted, runtime = tmp_path / "booted", {"XDG_RUNTIME_DIR": str(tmp_path)}
    assert not has_systemd({}, booted)
    assert not has_systemd(runtime, booted)
    (tmp_path / "systemd").mkdir()
    assert has_systemd(runtime, booted)
    assert not has_systemd({}, booted)
    booted.mkdir()
    assert has_systemd({}, booted)
