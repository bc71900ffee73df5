"""`gateway config`."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
import trustme
from click.testing import CliRunner, Result

from holdgate.cli.commands.config import command

GOOD = "[providers.a]\npreset = 'zai'\nmodels = ['m']\n[routes.r]\ncandidates = ['a/m']\n"
WRONG = "[server]\nprot = 1\n[hold]\nafter = 'soon'\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "config.toml"


def gateway(home: Path, *args: str, **environ: str) -> Result:
    env = {"HOLDGATE_HOME": str(home), "HOLDGATE_CONFIG": None, "VISUAL": None, **environ}
    return CliRunner().invoke(command, args, env=env, prog_name="gateway config")


def written(file: Path, text: str) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def editor(text: str) -> str:
    """Give an $EDITOR that writes `text` into the file it is given."""
    script = f"import sys, pathlib; pathlib.Path(sys.argv[1]).write_text({text!r})"
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(script)}"


def test_path(tmp_path: Path, file: Path) -> None:
    result = gateway(tmp_path, "path")
    assert (result.exit_code, result.stdout) == (0, f"{file}\n")
    assert not file.parent.exists()


def test_path_as_json(tmp_path: Path, file: Path) -> None:
    data = json.loads(gateway(tmp_path, "path", "--json").stdout)
    assert data == {
        "config": str(file),
        "exists": False,
        "state": str(tmp_path / "state"),
        "cache": str(tmp_path / "cache"),
        "log": str(tmp_path / "log"),
    }


def test_path_of_another_file(tmp_path: Path) -> None:
    other = str(tmp_path / "other.toml")
    assert gateway(tmp_path, "path", "--config", other).stdout == other + "\n"
    assert gateway(tmp_path, "path", HOLDGATE_CONFIG=other).stdout == other + "\n"


def test_a_right_file(tmp_path: Path, file: Path) -> None:
    written(file, GOOD)
    result = gateway(tmp_path, "check")
    assert (result.exit_code, result.stderr) == (0, "")
    first, *names = result.stdout.splitlines()
    assert first == f"{file}: fine: 1 provider, 1 route"
    assert any(line.split()[0] == "r" for line in names)
    assert any(line.split()[0] == "a/m" for line in names)


def test_a_right_file_as_json(tmp_path: Path, file: Path) -> None:
    written(file, GOOD)
    data = json.loads(gateway(tmp_path, "check", "--json").stdout)
    assert (data["fine"], data["providers"], data["routes"]) == (True, 1, 1)
    assert data["problems"] == []
    assert {"r", "a/m"} <= {name["name"] for name in data["names"]}


def test_no_file_is_fine(tmp_path: Path, file: Path) -> None:
    result = gateway(tmp_path, "check")
    assert result.exit_code == 0
    assert result.stdout == f"{file}: fine: 0 providers, 0 routes (there is no such file yet)\n"


def test_a_wrong_file(tmp_path: Path, file: Path) -> None:
    written(file, WRONG)
    result = gateway(tmp_path, "check")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        f'{file}:2: server.prot: no such key; did you mean "port"?',
        f'{file}:4: hold.after: found "soon", '
        'allowed a duration such as "500ms", "15s", "2m" or "1h"',
    ]


def test_a_wrong_file_as_json(tmp_path: Path, file: Path) -> None:
    written(file, WRONG)
    result = gateway(tmp_path, "check", "--json")
    data = json.loads(result.stdout)
    assert (result.exit_code, data["fine"]) == (2, False)
    assert [(problem["line"], problem["key"]) for problem in data["problems"]] == [
        (2, "server.prot"),
        (4, "hold.after"),
    ]


def test_show(tmp_path: Path, file: Path) -> None:
    written(file, GOOD + "[providers.b]\npreset = 'openai'\nkey = 'sk-1234567890'\n")
    result = gateway(tmp_path, "show")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert "server.port = 4653" in lines
    assert 'hold.after = "15s"' in lines
    assert 'routes.r.candidates = ["a/m"]' in lines
    assert "sk-1234567890" not in result.stdout
    assert '"***"' in result.stdout


def test_show_as_json(tmp_path: Path, file: Path) -> None:
    written(file, GOOD)
    data = json.loads(gateway(tmp_path, "show", "--json").stdout)
    assert data["providers"]["a"]["keys"][0]["value"] == "env:ZAI_API_KEY"


def test_show_of_a_wrong_file(tmp_path: Path, file: Path) -> None:
    written(file, WRONG)
    result = gateway(tmp_path, "show")
    assert (result.exit_code, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 2


def test_edit_begins_a_file(tmp_path: Path, file: Path) -> None:
    result = gateway(tmp_path, "edit", EDITOR=f"{shlex.quote(sys.executable)} -c pass")
    assert (result.exit_code, result.stdout) == (0, f"{file}: fine: 0 providers, 0 routes\n")
    assert file.read_text(encoding="utf-8").startswith("# The configuration of Holdgate.")


def test_edit_keeps_what_the_person_wrote_and_tells_what_is_wrong(
    tmp_path: Path, file: Path
) -> None:
    written(file, GOOD)
    result = gateway(tmp_path, "edit", EDITOR=editor(WRONG))
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 2
    assert file.read_text(encoding="utf-8") == WRONG


def test_an_editor_that_fails(tmp_path: Path, file: Path) -> None:
    script = shlex.quote("import sys; sys.exit(3)")
    result = gateway(tmp_path, "edit", EDITOR=f"{shlex.quote(sys.executable)} -c {script}")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1


def test_edit_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file, no folder", encoding="utf-8")
    result = gateway(tmp_path, "edit", EDITOR="false")
    assert result.exit_code == 1
    assert "cannot be written" in result.stderr


def test_help_writes_nothing(tmp_path: Path) -> None:
    result = gateway(tmp_path, "--help")
    assert result.exit_code == 0
    assert list(tmp_path.iterdir()) == []
    for name in ("path", "check", "show", "edit"):
        assert name in result.stdout


def test_check_looks_at_the_files_of_authorities(tmp_path: Path, file: Path) -> None:
    company = tmp_path / "company.pem"
    text = f"[providers.a]\npreset = 'zai'\nca = '{company}'\n"
    written(file, text)
    for says, content in (
        ("cannot be read: No such file or directory", None),
        ("holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)", b"hello\n"),
        ("", trustme.CA().cert_pem.bytes()),
    ):
        if content is not None:
            company.write_bytes(content)
        result = gateway(tmp_path, "check")
        assert result.exit_code == (2 if says else 0)
        told = f"{file}:3: providers.a.ca: {company}: {says}\n" if says else ""
        assert result.stderr == told


def test_show_masks_a_proxys_password(tmp_path: Path, file: Path) -> None:
    written(file, "[providers.a]\npreset = 'zai'\nproxy = 'socks5h://me:secret@a.example:1'\n")
    result = gateway(tmp_path, "show")
    assert result.exit_code == 0 and "secret" not in result.output
    assert 'providers.a.proxy = "socks5h://***@a.example:1"' in result.output
