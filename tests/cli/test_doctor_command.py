"""`gateway doctor`, as a person types it."""

from __future__ import annotations

import json
import os
from pathlib import Path

from click.testing import CliRunner, Result

from holdgate.cli.commands.doctor import lines_of, summary
from holdgate.cli.lines import plain
from holdgate.cli.main import build
from holdgate.core.doctor import Examined, Finding
from tests.cli.serving import configure

DEAD = '[server]\nport = 0\n[providers.dead]\nchat = "http://127.0.0.1:1/v1"\nmodels = ["m"]\n'


def types(home: Path, *args: str, gui: bool = True, **more: str) -> Result:
    gone = {name: None for name in os.environ if name.startswith(("XDG_", "HOLDGATE_"))}
    gone |= {name: None for name in os.environ if name.lower().endswith("_proxy")}
    mine = {"HOME": str(home), "HOLDGATE_HOME": str(home / "hg"), "PATH": "/usr/bin:/bin", **more}
    env: dict[str, str | None] = {**gone, **mine}
    return CliRunner().invoke(build(gui=gui), ["doctor", *args], env=env)


def test_nothing_failed(tmp_path: Path) -> None:
    configure(tmp_path / "hg", "[server]\nport = 0\n")  # somebody's own gateway has the usual one
    done = types(tmp_path, "--offline")
    assert done.exit_code == 0, done.output
    assert "no gateway is running" in done.stdout and "-> gateway serve" in done.stdout
    assert done.stdout.splitlines()[-1] == "all is well"


def test_something_failed(tmp_path: Path) -> None:
    configure(tmp_path / "hg", DEAD).chmod(0o600)
    done = types(tmp_path, "dead")
    assert done.exit_code == 1
    assert "nothing listens at 127.0.0.1:1 (connection refused)" in done.stdout
    assert done.stdout.splitlines()[-1] == "1 failed, 0 to look at"


def test_the_shape_of_json(tmp_path: Path) -> None:
    configure(tmp_path / "hg", DEAD)
    done = types(tmp_path, "--json", gui=False)
    shape = json.loads(done.stdout)
    assert done.exit_code == 1 and set(shape) == {"version", "checks", "failed", "warned"}
    assert all(set(each) == {"group", "name", "state", "found", "todo"} for each in shape["checks"])
    assert shape["failed"] == 1
    icons = [each["found"] for each in shape["checks"] if each["name"] == "tray icon"]
    assert icons == ["gateway-nogui has none"]


def test_a_broken_configuration(tmp_path: Path) -> None:
    configure(tmp_path / "hg", "[providers.dead]\nchatt = 1\n")
    done = types(tmp_path, "--offline")
    assert done.exit_code == 1
    assert 'did you mean "chat"?' in done.stdout and "-> gateway config edit" in done.stdout


def test_a_name_that_nobody_has(tmp_path: Path) -> None:
    configure(tmp_path / "hg", DEAD)
    done = types(tmp_path, "deda")
    assert done.exit_code == 2 and "did you mean dead?" in done.stderr


def test_lines_and_the_summary() -> None:
    findings = (
        Finding("port", "fail", "taken\x1b[2J", "end it"),
        Finding("a rather long name", "ok", "x"),
    )
    shown = [plain(line) for line in lines_of(Examined("gateway", findings), None)]
    assert shown == [
        "gateway",
        "  fail  port                taken",
        "                            -> end it",
        "  ok    a rather long name  x",
    ]
    narrow = [plain(line) for line in lines_of(Examined("gateway", findings), 40)]
    assert all(len(line) <= 40 for line in narrow)
    assert (summary(0, 0), summary(0, 2)) == ("all is well", "0 failed, 2 to look at")
