"""Windows' Run entry, against a registry that only seems to be one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from holdgate.core.autostart.plans import RUN_KEY
from holdgate.core.autostart.registry import APPROVED_KEY
from tests.autostart.machines import PYTHONW, WINDOWS, FakeWinreg, windows

COMMANDS = {
    True: f'"{PYTHONW}" -m holdgate serve',
    False: f'"{PYTHONW}" -m holdgate.cli.nogui serve',
}
ways = pytest.mark.parametrize("tray", [True, False])


@ways
def test_on_and_off(tmp_path: Path, tray: bool) -> None:
    winreg = FakeWinreg()
    winreg.keys[RUN_KEY] = {"Other": "other.exe"}
    switch = windows(tmp_path, winreg)
    assert not switch.status().on
    change = switch.on(tray=tray)
    assert winreg.keys[RUN_KEY] == {"Other": "other.exe", "Holdgate": COMMANDS[tray]}
    assert change.wrote == (rf"HKEY_CURRENT_USER\{RUN_KEY}\Holdgate",)
    assert (change.status.on, change.status.tray) == (True, tray)
    assert change.status.command == COMMANDS[tray]
    assert change.status.note == ""
    assert switch.on(tray=tray).wrote == ()
    assert switch.off().removed == change.wrote
    assert winreg.keys[RUN_KEY] == {"Other": "other.exe"}
    assert switch.off().removed == ()
    assert list(tmp_path.iterdir()) == []


@ways
def test_one_way_replaces_the_other(tmp_path: Path, tray: bool) -> None:
    winreg = FakeWinreg()
    switch = windows(tmp_path, winreg)
    switch.on(tray=tray)
    assert switch.on(tray=not tray).status.tray is not tray
    assert winreg.keys[RUN_KEY] == {"Holdgate": COMMANDS[not tray]}


def test_the_task_manager_may_switch_it_off(tmp_path: Path) -> None:
    winreg = FakeWinreg()
    switch = windows(tmp_path, winreg)
    switch.on(tray=True)
    winreg.keys[APPROVED_KEY] = {"Holdgate": bytes([2, 0]), "Other": bytes([3])}
    assert switch.status().on
    winreg.keys[APPROVED_KEY]["Holdgate"] = bytes([3, 0])
    assert not switch.status().on
    assert "switched off" in switch.status().note
    assert switch.on(tray=True).status.on
    assert winreg.keys[APPROVED_KEY] == {"Other": bytes([3])}


def test_another_copy_is_noted_and_replaced(tmp_path: Path) -> None:
    winreg = FakeWinreg()
    windows(tmp_path, winreg).on(tray=True)
    other = windows(tmp_path, winreg, replace(WINDOWS, tray=(r"D:\new\gateway.exe",)))
    assert r"D:\new\gateway.exe serve" in other.status().note
    other.on(tray=True)
    assert other.status().note == ""
    assert winreg.keys[RUN_KEY]["Holdgate"] == r"D:\new\gateway.exe serve"
