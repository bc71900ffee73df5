"""The commands `gateway keys add`, `list` and `revoke`, as a person types them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from holdgate.cli.commands.keys import command
from holdgate.core.store.callers import FILE_NAME, GatewayKeys


def run(home: Path, *args: str) -> Result:
    return CliRunner().invoke(command, args, env={"HOLDGATE_HOME": str(home)})


def check(home: Path, text: str) -> str | None:
    entry = GatewayKeys(home / "state", lambda: 0.0).check(text)
    return entry.name if entry else None


def test_a_key_is_made_shown_once_and_works(tmp_path: Path) -> None:
    done = run(tmp_path, "add", "second laptop")
    assert done.exit_code == 0
    assert re.fullmatch(r"hgk-[0-9a-f]{8}-[A-Za-z0-9_-]{43}\n", done.stdout)
    assert "not shown again" in done.stderr
    assert "x-api-key" in done.stderr
    assert check(tmp_path, done.stdout.strip()) == "second laptop"
    for listed in (run(tmp_path, "list"), run(tmp_path, "list", "--json")):
        assert "second laptop" in listed.stdout
        assert done.stdout.strip().rpartition("-")[2] not in listed.stdout


def test_the_list_as_json(tmp_path: Path) -> None:
    assert json.loads(run(tmp_path, "list", "--json").stdout) == {"keys": []}
    run(tmp_path, "add", "a")
    run(tmp_path, "add", "b")
    run(tmp_path, "revoke", "a")
    keys = json.loads(run(tmp_path, "list", "--json").stdout)["keys"]
    assert [set(key) for key in keys] == [{"id", "name", "created", "enabled"}] * 2
    assert [(key["name"], key["enabled"]) for key in keys] == [("a", False), ("b", True)]
    assert all(key["created"] > 1_600_000_000 for key in keys)


def test_the_list_for_people(tmp_path: Path) -> None:
    assert "gateway keys add NAME" in run(tmp_path, "list").stdout
    run(tmp_path, "add", "a")
    run(tmp_path, "add", "longer name")
    run(tmp_path, "revoke", "a")
    lines = run(tmp_path, "list").stdout.splitlines()
    assert re.fullmatch(r"[0-9a-f]{8}  a            \d{4}-\d\d-\d\d  revoked", lines[0])
    assert re.fullmatch(r"[0-9a-f]{8}  longer name  \d{4}-\d\d-\d\d  enabled", lines[1])


def test_revoked_by_name_or_id(tmp_path: Path) -> None:
    first, second = (run(tmp_path, "add", name).stdout.strip() for name in ("a", "b"))
    assert run(tmp_path, "revoke", "a").stdout.startswith("revoked a (")
    assert run(tmp_path, "revoke", second.split("-")[1]).exit_code == 0
    assert check(tmp_path, first) is None
    assert check(tmp_path, second) is None


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("add", "taken"), "already"),
        (("add", " "), "printable"),
        (("revoke", "nobody"), "gateway keys list"),
    ],
)
def test_what_fails_is_one_line_and_status_1(
    tmp_path: Path, args: tuple[str, ...], said: str
) -> None:
    run(tmp_path, "add", "taken")
    failed = run(tmp_path, *args)
    assert failed.exit_code == 1
    assert failed.stdout == ""
    assert said in failed.stderr
    assert failed.stderr.count("\n") == 1


@pytest.mark.parametrize("args", [("add", "a"), ("list",), ("list", "--json"), ("revoke", "a")])
def test_a_broken_file_is_told_and_kept(tmp_path: Path, args: tuple[str, ...]) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / FILE_NAME).write_text("{ oh")
    failed = run(tmp_path, *args)
    assert failed.exit_code == 1
    assert FILE_NAME in failed.stderr
    assert failed.stderr.count("\n") == 1
    assert (tmp_path / "state" / FILE_NAME).read_text() == "{ oh"


@pytest.mark.parametrize(
    "args", [("add",), ("revoke",), ("list", "x"), ("ad", "x"), ("add", "--x")]
)
def test_wrong_usage_is_status_2(tmp_path: Path, args: tuple[str, ...]) -> None:
    assert run(tmp_path, *args).exit_code == 2


def test_a_configuration_file_may_be_named(tmp_path: Path) -> None:
    config = str(tmp_path / "other.toml")
    assert run(tmp_path, "add", "a", "--config", config).exit_code == 0
    assert "a" in run(tmp_path, "list", "--config", config).stdout
    assert run(tmp_path, "revoke", "a", "--config", config).exit_code == 0


def test_ids_are_completed(tmp_path: Path) -> None:
    ids = [run(tmp_path, "add", name).stdout.split("-")[1] for name in ("a", "b b")]
    run(tmp_path, "revoke", "a")
    words = {"_KEYS_COMPLETE": "bash_complete", "COMP_WORDS": "keys revoke ", "COMP_CWORD": "2"}
    done = CliRunner().invoke(command, (), env={"HOLDGATE_HOME": str(tmp_path), **words})
    assert done.stdout == f"plain,{ids[1]}\n"
    (tmp_path / "state" / FILE_NAME).write_text("{", encoding="utf-8")
    done = CliRunner().invoke(command, (), env={"HOLDGATE_HOME": str(tmp_path), **words})
    assert (done.exit_code, done.output.strip()) == (0, "")


def test_help_writes_nothing(tmp_path: Path) -> None:
    for args in (("--help",), ("add", "--help"), ("list", "--help"), ("revoke", "--help")):
        assert run(tmp_path, *args).exit_code == 0
    assert run(tmp_path, "list").exit_code == 0
    assert list(tmp_path.iterdir()) == []
