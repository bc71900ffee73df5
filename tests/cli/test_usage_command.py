"""`gateway usage`, as a person types it; no gateway runs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from holdgate.cli.commands import usage
from holdgate.cli.main import build
from holdgate.core.store.ledger import FILE_NAME, Ledger
from holdgate.core.store.usage import BY
from holdgate.core.values.caller import Caller
from holdgate.core.values.clock import system_clock
from holdgate.core.values.errors import FaultKind
from holdgate.core.values.records import Record, TryRecord
from holdgate.core.values.usage import Usage


def run(home: Path, *args: str) -> Result:
    return CliRunner().invoke(build(gui=False), ["usage", *args], env={"HOLDGATE_HOME": str(home)})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two requests: one of now that needed two tries, and one of ten days ago."""
    now = system_clock().wall()
    ledger = Ledger(tmp_path / "state" / FILE_NAME, 0.0)
    for number, (agent, ago) in enumerate((("=evil()\x1b[31m", 0.0), ("aider", 10 * 86400.0))):
        at = now - ago
        record = Record(f"hg-{number}", Caller(agent=agent), "talk", "coder", "chat", True, at)
        fault = FaultKind.SERVER if number == 0 else None
        record.tries = [
            TryRecord("one", "k", "m", "chat", at, None, at, 500, fault),
            TryRecord("two", "k", "n", "chat", at, None, at, 200),
        ]
        record.state, record.candidate, record.waited = "done", "two/n", 61.0
        record.usage = Usage(input=12345, output=678, cache_read=9)
        ledger.closed(record)
    ledger.close(30.0)
    return tmp_path


def test_a_table(home: Path) -> None:
    done = run(home)
    assert done.exit_code == 0, done.output
    head, *rows = (line.split() for line in done.stdout.splitlines())
    assert head == [
        "MODEL", "REQUESTS", "DONE", "FAILED", "INPUT", "CACHE-READ", "CACHE-WRITE", "OUTPUT",
        "REASONING", "TRIES", "FAILED-TRIES", "WAITED",
    ]  # fmt: skip
    assert rows[0] == ["two/n", "1", "1", "0", "12,345", "9", "0", "678", "0", "1", "0", "1m1s"]
    assert rows[1][:1] + rows[1][-3:] == ["one/m", "1", "1", "0s"]
    assert rows[2][:2] == ["all", "1"] and len(rows) == 3


def test_how_far_back(home: Path) -> None:
    assert run(home, "--since", "30d").stdout.splitlines()[-1].split()[1] == "2"
    assert run(home, "--since", "0").stdout.splitlines()[-1].split()[1] == "2"
    assert json.loads(run(home, "--since", "0", "--json").stdout)["since"] == 0
    ago = system_clock().wall() - json.loads(run(home, "--since", "1h", "--json").stdout)["since"]
    assert 3590 < ago < 3700


@pytest.mark.parametrize("by", BY)
def test_told_apart_by(home: Path, by: str) -> None:
    shape = json.loads(run(home, "--by", by, "--since", "30d", "--json").stdout)
    assert shape["by"] == by
    assert (shape["total"]["requests"], shape["total"]["failed_tries"]) == (2, 1)
    assert run(home, "--by", by).stdout.startswith(by.upper())


def test_the_ledgers_words_are_known_to_the_command() -> None:
    assert usage._BY == BY


def test_csv(home: Path) -> None:
    done = run(home, "--by", "agent", "--csv")
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert row["name"] == "'=evil()"
    assert (row["requests"], row["input"], row["failed_tries"]) == ("1", "12345", "1")
    assert done.stdout.count("\n") == 2


def test_what_an_agent_calls_itself_acts_on_no_terminal(home: Path) -> None:
    for args in ((), ("--json",), ("--csv",)):
        assert "\x1b" not in run(home, "--by", "agent", *args).stdout


def test_no_ledger_is_told(tmp_path: Path) -> None:
    assert run(tmp_path).stdout == "no requests in that time\n"
    assert json.loads(run(tmp_path, "--json").stdout)["rows"] == []
    assert run(tmp_path, "--csv").stdout.startswith("name,requests,")
    assert not list(tmp_path.iterdir())


def test_a_broken_ledger_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / FILE_NAME).write_bytes(b"no database at all" * 100)
    done = run(tmp_path)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "cannot be read" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "args", [("--since", "soon"), ("--by", "moon"), ("--csv", "--json"), ("--sinse", "7d")]
)
def test_wrong_usage(tmp_path: Path, args: tuple[str, ...]) -> None:
    assert run(tmp_path, *args).exit_code == 2
