"""Tests that need a part of the system: left out and counted, or failed when asked so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CONFTEST = Path(__file__).with_name("conftest.py")
SETTINGS = "[pytest]\naddopts = --strict-markers\nmarkers = system(part): as in pyproject.toml\n"
PARTS = 'PARTS |= {"teapot": lambda: False, "air": lambda: True}\n'
TESTS = """
import pytest

@pytest.mark.system("teapot")
def test_tea(): ...

@pytest.mark.system("teapot")
@pytest.mark.system("air")
@pytest.mark.parametrize("cup", [1, 2])
def test_cups(cup): ...

@pytest.mark.system("air")
def test_breath(): ...

def test_plain(): ...
"""


def run(folder: Path, tests: str, *arguments: str) -> tuple[int, str]:
    """Run pytest on one file in a folder of its own; give its exit code and what it said."""
    (folder / "pytest.ini").write_text(SETTINGS)
    (folder / "conftest.py").write_text(CONFTEST.read_text(encoding="utf-8") + PARTS)
    (folder / "test_made_up.py").write_text(tests)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    return ended.returncode, ended.stdout + ended.stderr


def test_what_cannot_run_is_left_out_named_and_counted(tmp_path: Path) -> None:
    code, said = run(tmp_path, TESTS)
    assert code == 0, said
    assert "left out for want of teapot: test_made_up.py: 3" in said.splitlines()
    assert "2 passed, 3 deselected" in said
    assert "skipped" not in said


def test_it_is_counted_once_where_several_processes_share_the_tests(tmp_path: Path) -> None:
    code, said = run(tmp_path, TESTS, "--numprocesses", "2")
    assert code == 0, said
    assert "left out for want of teapot: test_made_up.py: 3" in said.splitlines()
    assert "2 passed" in said


def test_what_cannot_run_fails_when_strict(tmp_path: Path) -> None:
    code, said = run(tmp_path, TESTS, "--strict-system")
    assert code == 1, said
    assert said.count("this system has no teapot (--strict-system)") >= 3
    assert "2 passed, 3 errors" in said
    assert "left out" not in said


def test_nothing_is_said_where_nothing_is_missing(tmp_path: Path) -> None:
    code, said = run(tmp_path, "def test_plain(): ...\n", "--strict-system")
    assert code == 0, said
    assert "left out" not in said


def test_an_unknown_part_is_a_mistake_of_the_test(tmp_path: Path) -> None:
    code, said = run(tmp_path, TESTS.replace("air", "aether"))
    assert code == 4, said
    assert "no check for 'aether'" in said
