"""`gateway autostart on`, `off` and `status`, as a person types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from holdgate.cli.main import main
from tests.autostart.machines import FakeWinreg, Machine, windows
from tests.cli.serving import gateway, untouched

UNIT = ".config/systemd/user/holdgate.service"
LINK = ".config/systemd/user/default.target.wants/holdgate.service"
DESKTOP = ".config/autostart/holdgate.desktop"
SCREEN = {"DISPLAY": ":0"}


def run(
    machine: Machine,
    *args: str,
    gui: bool = True,
    refusal: str = "",
    systemd: bool = True,
    screen: bool = False,
) -> Result:
    switch = machine.switch(refusal=refusal, systemd=systemd)
    none = dict.fromkeys(("DISPLAY", "WAYLAND_DISPLAY"))
    return CliRunner().invoke(
        main,
        ["autostart", *args],
        obj={"gui": gui, "autostart": switch},
        env={**none, **SCREEN} if screen else none,
    )


def test_it_says_what_it_wrote_and_what_it_removed(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    assert run(machine, "status").stdout == "off: nothing starts at login\n"
    on = run(machine, "on", "--no-tray")
    assert on.exit_code == 0, on.output
    lines = on.stdout.splitlines()
    assert lines[:2] == [f"wrote {tmp_path / UNIT}", f"wrote {tmp_path / LINK}"]
    starts = "starts at login without a tray icon (systemd user unit): "
    assert lines[2] == starts + "/opt/hg/bin/gateway-nogui serve"
    assert "systemctl --user start holdgate" in on.stdout
    assert "loginctl enable-linger" in on.stdout
    status = run(machine, "status").stdout.splitlines()
    assert status == [f"on: {lines[2]}", f"  {tmp_path / UNIT}", f"  {tmp_path / LINK}"]
    assert "on already" in run(machine, "on", "--no-tray").stdout
    off = run(machine, "off").stdout.splitlines()
    assert sorted(off) == [f"removed {tmp_path / LINK}", f"removed {tmp_path / UNIT}"]
    assert "off already" in run(machine, "off").stdout
    assert machine.tree() == {}


def test_as_json(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    change = json.loads(run(machine, "on", "--no-tray", "--json").stdout)
    assert change["wrote"] == [str(tmp_path / UNIT), str(tmp_path / LINK)]
    assert change["removed"] == []
    status = json.loads(run(machine, "status", "--json").stdout)
    assert status == change["status"]
    assert status == {
        "on": True,
        "tray": False,
        "kind": "systemd user unit",
        "where": change["wrote"],
        "command": "/opt/hg/bin/gateway-nogui serve",
        "note": "",
        "refusal": "",
    }
    assert json.loads(run(machine, "off", "--json").stdout)["status"]["on"] is False


@pytest.mark.parametrize(
    ("args", "gui", "screen", "file"),
    [
        ((), True, True, DESKTOP),
        ((), True, False, UNIT),
        ((), False, True, UNIT),
        (("--tray",), True, True, DESKTOP),
        (("--no-tray",), True, True, UNIT),
        (("--no-tray",), False, False, UNIT),
    ],
)
def test_the_icon_comes_where_it_can_be_had(
    tmp_path: Path, args: tuple[str, ...], gui: bool, screen: bool, file: str
) -> None:
    machine = Machine(tmp_path)
    done = run(machine, "on", *args, gui=gui, screen=screen)
    assert done.exit_code == 0, done.output
    assert {UNIT, DESKTOP} & set(machine.tree()) == {file}


@pytest.mark.parametrize(
    ("args", "gui", "refusal", "systemd", "said"),
    [
        (("--tray",), False, "", True, "gateway-nogui has no tray icon"),
        (("--tray",), True, "", True, "no screen here"),
        (("--no-tray",), True, "/tmp/x is a temporary folder", True, "/tmp/x is a temporary"),
        ((), False, "", False, "systemd does not run here"),
    ],
)
def test_what_is_refused_is_one_line_and_status_1(
    tmp_path: Path, args: tuple[str, ...], gui: bool, refusal: str, systemd: bool, said: str
) -> None:
    machine = Machine(tmp_path)
    failed = run(machine, "on", *args, gui=gui, refusal=refusal, systemd=systemd)
    assert failed.exit_code == 1
    assert failed.stdout == ""
    assert said in failed.stderr
    assert failed.stderr.count("\n") == 1
    assert machine.tree() == {}


def test_a_copy_that_will_not_stay_says_so(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    said = run(machine, "status", refusal="/tmp/x is a temporary folder").stdout
    assert "cannot be switched on by this copy: /tmp/x is a temporary folder" in said


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / ".config").write_text("in the way")
    failed = run(Machine(tmp_path), "on", "--no-tray")
    assert failed.exit_code == 1
    assert ".config" in failed.stderr
    assert failed.stderr.count("\n") == 1


def test_on_windows(tmp_path: Path) -> None:
    winreg = FakeWinreg()
    obj = {"gui": False, "autostart": windows(tmp_path, winreg)}
    done = CliRunner().invoke(main, ["autostart", "on", "--no-tray"], obj=obj)
    assert done.stdout.startswith("wrote HKEY_CURRENT_USER\\Software\\")
    assert "systemctl" not in done.stdout


async def test_the_program_itself_says_what_is_so(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": ""}
    done = await gateway(tmp_path, "autostart", "status", "--json", more=home)
    assert done.code == 0, done.err
    assert json.loads(done.out)["on"] is False
    off = await gateway(tmp_path, "autostart", "off", more=home)
    assert "off already" in off.out
    assert untouched(tmp_path)
