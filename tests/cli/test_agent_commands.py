"""`gateway agents`, `run`, `connect`, `disconnect` and `env`, as a person types them."""

from __future__ import annotations

import json
import shlex
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from holdgate.cli.commands.run import child_environ
from holdgate.cli.launching import run_through
from holdgate.cli.main import build
from holdgate.core.agents.recipes.table import AGENTS
from holdgate.core.store.instance import RUNTIME_NAME
from tests.cli.inside import of_nobody
from tests.cli.serving import configure
from tests.cli.serving import gateway as process

CONFIG = """
[providers.deepseek]
preset = "deepseek"
models = [{ id = "deepseek-chat", context = 64000 }]
[providers.ollama]
preset = "ollama"
[routes.coder]
candidates = ["deepseek/deepseek-chat"]
"""
LOCAL = "http://127.0.0.1:4653"
_PROGRAM = (
    "#!/bin/sh\necho \"$0 $*\"\nenv | grep -E '^(OPENAI|AIDER|NO)_'\n"
    "grep -s SigIgn /proc/self/status\nexit 7\n"
)


@dataclass(frozen=True, slots=True)
class Person:
    """A person with a home, programs, and a configuration of the gateway."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    def environ(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "PATH": f"{self.root / 'bin'}:/usr/bin:/bin",
            "SHELL": "/bin/bash",
            "HOLDGATE_HOME": str(self.root / "hg"),
            "OPENAI_API_KEY": "mine",
        }

    def types(self, *args: str, stdin: str = "", **more: str) -> Result:
        env = of_nobody(**(self.environ() | more))
        return CliRunner().invoke(build(gui=True), args, env=env, input=stdin)

    def said(self, *args: str, **more: str) -> str:
        done = self.types(*args, **more)
        assert done.exit_code == 0, done.output
        return done.stdout

    def fails(self, code: int, *args: str, **more: str) -> str:
        done = self.types(*args, **more)
        assert done.exit_code == code, done.output
        return done.stderr.strip()


@pytest.fixture
def person(tmp_path: Path) -> Person:
    (tmp_path / "home").mkdir()
    (tmp_path / "bin").mkdir()
    configure(tmp_path / "hg", CONFIG)
    aider = tmp_path / "bin/aider"
    aider.write_text(_PROGRAM, encoding="utf-8")
    aider.chmod(0o755)
    return Person(tmp_path)


class _Answers(BaseHTTPRequestHandler):
    """What little of a gateway these commands ask for."""

    def do_GET(self) -> None:
        known = self.headers["Authorization"] != "Bearer wrong"
        found: object = {"error": {"message": "no such key"}}
        if known and self.path == "/healthz":
            found = {"name": "holdgate"}
        elif known:
            found = {"data": [{"id": "far"}, {"id": "vendor/model"}]}
        body = json.dumps(found).encode()
        self.send_response(200 if known else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def running(person: Person, url: str) -> None:
    """Let it look as if this person's gateway ran there."""
    file = person.root / "hg/state" / RUNTIME_NAME
    file.parent.mkdir(parents=True, exist_ok=True)
    shape = {"url": url, "pid": 1, "token": "t", "version": "0"}
    file.write_text(json.dumps(shape), encoding="utf-8")


def listed(person: Person, name: str = "codebuddy") -> dict[str, object]:
    found = json.loads(person.said("agents", "--json"))["agents"]
    return next(each for each in found if each["name"] == name)


def test_the_agents_of_this_machine(person: Person) -> None:
    (person.home / ".codebuddy").mkdir()
    lines = person.said("agents").splitlines()
    rows = {line.split()[0]: line for line in lines[1:]}
    assert lines[0].split() == ["AGENT", "TITLE", "STATE", "MODEL", "FOUND"]
    assert "not wired" in rows["codebuddy"] and "~/.codebuddy" in rows["codebuddy"]
    assert str(person.root / "bin/aider") in rows["aider"]
    assert "zed" in next(line for line in lines if line.startswith("not found here: "))
    assert lines[-1] == "start one with: gateway run AGENT; for good: gateway connect AGENT"
    names = [each["name"] for each in json.loads(person.said("agents", "--json"))["agents"]]
    assert names == list(AGENTS)
    assert not (person.root / "hg/state").exists()


def test_connecting_shows_what_changes_and_how_to_undo_it(person: Person) -> None:
    dry = person.said("connect", "codebuddy", "--dry-run")
    assert dry.splitlines()[0] == "model: coder (the only route; -m takes another)"
    assert dry.splitlines()[-1] == "nothing was written"
    assert list(person.home.iterdir()) == []
    done = person.said("connect", "codebuddy")
    assert '+      "apiKey": "holdgate-codebuddy",' in done.splitlines()
    assert f"codebuddy is connected to {LOCAL}; undo: gateway disconnect codebuddy" in done
    assert "no gateway is running now; start it with: gateway serve" in done
    assert "already; nothing had to be written" in person.said("connect", "codebuddy")
    assert listed(person)["state"] == "wired"
    assert listed(person)["models"] == {"": "coder"}


def test_connecting_as_json(person: Person) -> None:
    shape = json.loads(person.said("connect", "cbc", "-m", "ollama/x", "-m", "big=coder", "--json"))
    assert {name: shape[name] for name in ("agent", "url", "models", "why", "dry_run")} == {
        "agent": "codebuddy",
        "url": LOCAL,
        "models": {"": "ollama/x", "big": "coder"},
        "why": None,
        "dry_run": False,
    }
    assert [Path(each["file"]).name for each in shape["changed"]] == [
        "models.json",
        "settings.json",
    ]
    again = json.loads(person.said("connect", "codebuddy", "--json"))
    assert (again["models"], again["why"], again["changed"]) == (shape["models"], "as before", [])


def test_disconnecting(person: Person) -> None:
    file = person.home / ".codebuddy/settings.json"
    file.parent.mkdir()
    file.write_text('{"model": "o"}', encoding="utf-8")
    person.said("connect", "codebuddy")
    person.said("connect", "aider")
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"coder"', '"mine"'), encoding="utf-8")
    assert "no longer as it was set: model in" in person.said("agents")
    lines = person.said("disconnect", "cbc").splitlines()
    assert f"left as you set it since: model in {file}" in lines
    assert lines[-1] == "codebuddy is no longer connected"
    assert file.read_text(encoding="utf-8") == '{"model": "mine"}'
    shape = json.loads(person.said("disconnect", "--all", "--json"))
    changed = [str(person.home / ".aider.conf.yml")]
    assert shape == {"agents": [{"agent": "aider", "changed": changed, "left": [], "error": None}]}
    assert person.said("disconnect", "--all") == "no agent is connected\n"
    assert person.said("disconnect", "aider") == "aider is not connected\n"


def test_one_failure_stops_no_other(person: Person) -> None:
    person.said("connect", "codebuddy")
    person.said("connect", "aider")
    (person.home / ".codebuddy/models.json").write_text("{", encoding="utf-8")
    done = person.types("disconnect", "--all")
    assert done.exit_code == 1
    assert "aider is no longer connected" in done.stdout
    assert "codebuddy is still connected: " in done.stderr and "mend it" in done.stderr
    assert "cannot be understood" in person.fails(1, "connect", "codebuddy", "-m", "x")


def test_wrong_usage(person: Person) -> None:
    assert person.fails(2, "disconnect") == "give an AGENT, or --all"
    assert person.fails(2, "disconnect", "aider", "--all") == "give an AGENT, or --all"
    assert person.fails(2, "connect", "codebudy").endswith("did you mean codebuddy?")
    assert person.fails(2, "run", "cluade").endswith("did you mean claude?")
    assert "has small, big" in person.fails(2, "connect", "codebuddy", "-m", "x=y")
    assert "has one model" in person.fails(2, "connect", "zed", "-m", "x=y")
    assert "no model is named" in person.fails(2, "connect", "codebuddy", "-m", "big=")
    assert "NOT_SET is not set" in person.fails(2, "env", "openai", "--key-env", "NOT_SET")
    assert "no key came" in person.fails(2, "env", "openai", "--key-stdin")
    hint = "behind --: gateway run claude -- --resume"
    assert hint in person.fails(2, "run", "claude", "--resume", "-m", "x")
    for wrong in (
        "laptop:4653",
        "http://a/b",
        "http://u:p@a",
        "ftp://a",
        "http://a:x",
        "http://a b",
        "http://a\nb:1",
        "http://a:",
        "http://a'b",
        "http://[::1",
        "http://a$(b):1",
    ):
        assert "nothing behind" in person.fails(2, "env", "openai", "--url", wrong)
    for right in ("http://[::1]:1", "https://a-b.example", "http://a:1/v1/", "HTTP://ü.example:1"):
        assert person.types("env", "openai", "-m", "x", "--url", right).exit_code == 0


def test_agents_that_cannot(person: Person) -> None:
    configure(person.root / "hg", "")  # what cannot be at all comes before what is missing
    assert "gateway connect droid" in person.fails(1, "run", "droid")
    assert "goose is not installed" in person.fails(1, "run", "goose")
    configure(person.root / "hg", CONFIG)
    assert "only after a login" in person.fails(1, "connect", "qoder")
    assert "gateway connect continue" in person.fails(1, "env", "continue")


def test_which_model(person: Person) -> None:
    configure(person.root / "hg", CONFIG + '[routes.b]\ncandidates = ["ollama/x"]\n')
    assert "model: coder (the first route; " in person.said("run", "aider", "--dry-run")
    configure(person.root / "hg", CONFIG.partition("[routes")[0])
    one = "model: deepseek/deepseek-chat (the only model; "
    assert one in person.said("run", "aider", "--dry-run")
    configure(person.root / "hg", '[providers.ollama]\npreset = "ollama"\n')
    assert "say -m MODEL, or start it" in person.fails(1, "run", "aider", "--dry-run")
    configure(person.root / "hg", "")
    assert "gateway provider add NAME" in person.fails(1, "run", "aider", "--dry-run")


@pytest.mark.parametrize(
    ("model", "warning"),
    [
        ("coder", ""), ("deepseek-chat", ""), ("deepseek/deepseek-chat", ""), ("ollama/any", ""),
        ("codr", "did you mean coder?"),
        ("deepseek/deepseek-cat", "did you mean deepseek/deepseek-chat?"),
        ("zzz", "gateway models lists"),
    ],
)  # fmt: skip
def test_names_that_nobody_knows_are_warned_of(person: Person, model: str, warning: str) -> None:
    done = person.types("run", "aider", "-m", model, "--dry-run")
    assert done.exit_code == 0
    assert (warning in done.stderr) if warning else not done.stderr
    assert f"AIDER_MODEL=openai/{model}" in done.stdout


def test_an_agent_with_models_of_its_own(person: Person) -> None:
    configure(person.root / "hg", CONFIG.replace('preset = "ollama"', 'chat = "http://o"'))
    told = person.said("run", "claude", "--dry-run")
    assert "export ANTHROPIC_MODEL=coder" in told
    configure(person.root / "hg", CONFIG + '[providers.a]\npreset = "anthropic"\n')
    assert "ANTHROPIC_MODEL" not in person.said("run", "claude", "--dry-run")
    for nobody_has_them in ("", '[providers.c]\nchat = "http://127.0.0.1:1"\n'):
        configure(person.root / "hg", nobody_has_them)
        assert "claude-code must be told a model" in person.fails(1, "run", "claude", "--dry-run")


def test_what_would_be_started(person: Person) -> None:
    lines = person.said("run", "aider", "-m", "coder", "--dry-run", "--", "-m", "a b").splitlines()
    assert f"export AIDER_OPENAI_API_BASE={LOCAL}/v1" in lines
    assert "export AIDER_OPENAI_API_KEY=holdgate-aider" in lines
    words = shlex.split(lines[-1])
    assert words[0] == "aider" and words[-2:] == ["-m", "a b"]


async def test_an_agent_takes_over(person: Person, url: str) -> None:
    running(person, url)
    hg = person.root / "hg"
    words = ("run", "aider", "-m", "coder", "--", "--message", "a")
    done = await process(hg, *words, more=person.environ())
    assert (done.code, done.err) == (7, "")
    lines = done.out.splitlines()
    assert lines[0] == f"{person.root / 'bin/aider'} --message a"
    assert f"AIDER_OPENAI_API_BASE={url}/v1" in lines and "AIDER_MODEL=openai/coder" in lines
    # Python ignores SIGPIPE and SIGXFSZ; the agent and its tools would, too. Others may be ignored
    # by whoever runs the tests.
    told = [line.split()[1] for line in lines if line.startswith("SigIgn:")]  # Linux tells them
    ours = 1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1)
    assert [mask for mask in told if int(mask, 16) & ours] == []
    assert not any(line.startswith("NO_PROXY") for line in lines)


def test_a_proxy_does_not_stand_between(person: Person) -> None:
    behind = {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "a.example"}
    told = "NO_PROXY=a.example,127.0.0.1,localhost"
    for command in (("run", "aider", "--dry-run"), ("env", "aider")):
        lines = person.said(*command, **behind).splitlines()
        assert {f"export {told}", f"export {told.replace('NO_PROXY', 'no_proxy')}"} <= {*lines}
    done = person.types("connect", "codebuddy", **behind)
    assert done.exit_code == 0 and f"start it with {told}" in done.stderr
    assert "PROXY" not in person.types("connect", "codebuddy").stderr
    # One that asks the proxy whatever NO_PROXY says has none, but keeps the shell's.
    assert "unset HTTPS_PROXY" in person.said("run", "qwen", "--dry-run", **behind)
    assert "unset HTTPS_PROXY" not in (shown := person.said("env", "qwen", **behind))
    assert "start it without HTTPS_PROXY" in shown


def test_what_keeps_an_agent_from_being_started(person: Person, url: str) -> None:
    no_gateway = "no gateway is running; start it with: gateway serve"
    assert person.fails(1, "run", "aider", "-m", "coder") == no_gateway
    running(person, "http://127.0.0.1:1")
    assert person.fails(1, "run", "aider", "-m", "coder") == no_gateway
    elsewhere = ("run", "aider", "-m", "far", "--url")
    assert "no gateway answers at" in person.fails(1, *elsewhere, "http://127.0.0.1:1")
    wrong = person.fails(1, *elsewhere, url, "--key-env", "K", K="wrong")
    assert "no such key" in wrong and "gateway keys add NAME" in wrong
    (person.root / "bin/aider").unlink()
    assert "aider is not installed" in person.fails(1, "run", "aider", "-m", "coder")


def test_a_gateway_elsewhere(person: Person, url: str) -> None:
    options = ("--url", f"{url}/v1/", "--key-stdin")
    done = person.types("connect", "codebuddy", *options, stdin="hgk-secret-1\n")
    assert done.exit_code == 0, done.output
    assert "model: far (the first route" not in done.stdout
    assert "model: far (the only route; " in done.stdout
    assert "hgk-secret-1" not in done.stdout and '"apiKey": "***"' in done.stdout
    models = (person.home / ".codebuddy/models.json").read_text(encoding="utf-8")
    assert '"hgk-secret-1"' in models and f'"{url}/v1/chat/completions"' in models
    assert listed(person)["state"] == "wired"
    dry = ("run", "aider", "--dry-run", "--url", url, "-m", "far", "--key-env", "K")
    for key in ("hgk-secret-1", "hgk's-secret-1"):
        assert "secret-1" not in person.said(*dry, K=key)


def test_wiring_to_a_port_of_before_is_stale(person: Person, url: str) -> None:
    running(person, url)
    person.said("connect", "codebuddy")
    assert listed(person)["state"] == "wired"
    (person.root / "hg/state" / RUNTIME_NAME).unlink()
    assert listed(person)["note"] == f"it asks {url}, but the gateway is at {LOCAL}"
    assert "mend one with: gateway connect AGENT" in person.said("agents")
    person.said("connect", "codebuddy")
    assert listed(person)["state"] == "wired"


def test_a_gateway_without_a_configuration_says_itself_what_it_serves(
    person: Person, url: str
) -> None:
    configure(person.root / "hg", "[server]\nport = 0\n")
    assert "any free port" in person.fails(1, "env", "openai")
    running(person, url)
    assert "model: far (the only route" in person.said("connect", "codebuddy")


@pytest.mark.parametrize(
    ("server", "address"),
    [
        ('host = "127.0.0.2"\nport = 9', "http://127.0.0.2:9"),
        ("lan = true", LOCAL),
        ('host = "::"\nlan = true', LOCAL),
        ('host = "::1"', "http://[::1]:4653"),
    ],
)
def test_where_the_gateway_would_be(person: Person, server: str, address: str) -> None:
    configure(person.root / "hg", f"[server]\n{server}\n")
    assert f"OPENAI_BASE_URL={address}/v1" in person.said("env", "openai").replace("'", "")


def test_lines_for_a_shell(person: Person) -> None:
    assert person.said("env", "anthropic", "-m", "coder").splitlines() == [
        '# for programs with Anthropic\'s libraries; use: eval "$(gateway env anthropic -m coder)"',
        f"export ANTHROPIC_BASE_URL={LOCAL}",
        "export ANTHROPIC_API_KEY=holdgate",
        "unset ANTHROPIC_AUTH_TOKEN",
        "export ANTHROPIC_MODEL=coder",
    ]
    fish = person.said("env", "gemini", "--shell", "fish").splitlines()
    assert fish[0].endswith("; use: gateway env gemini --shell fish | source")
    assert f"set -gx GOOGLE_GEMINI_BASE_URL '{LOCAL}'" in fish
    aider = person.said("env", "aider", SHELL="/usr/bin/fish").splitlines()
    assert "set -gx AIDER_OPENAI_API_KEY 'holdgate-aider'" in aider


def test_half_done_work_is_put_back_by_whatever_comes_next(person: Person) -> None:
    def half() -> None:
        person.said("connect", "codebuddy")
        journal = person.root / "hg/state/agents/codebuddy.json"
        text = journal.read_text(encoding="utf-8").replace('"connected"', '"connecting"')
        journal.write_text(text, encoding="utf-8")

    words: list[tuple[str, ...]] = [
        ("agents",), ("run", "codebuddy", "--dry-run"), ("env", "codebuddy"),
        ("connect", "codebuddy", "--dry-run"),
    ]  # fmt: skip
    for each in words:
        half()
        done = person.types(*each)
        assert done.exit_code == 0 and "its files are put back" in done.stderr
        assert list(person.home.iterdir()) == []


def test_a_journal_that_cannot_be_read_keeps_nobody_from_working(person: Person) -> None:
    person.said("connect", "codebuddy")
    (person.root / "hg/state/agents/codebuddy.json").write_text("{", encoding="utf-8")
    done = person.types("run", "codebuddy", "--dry-run")
    assert (done.exit_code, done.stderr) == (0, "")
    told = person.fails(1, "connect", "codebuddy").splitlines()
    assert len(told) == 1 and "is damaged" in told[0]


def test_files_that_are_gone_are_told(person: Person) -> None:
    person.said("connect", "codebuddy")
    file = person.home / ".codebuddy/models.json"
    file.unlink()
    assert f"not there any more: {file}" in person.said("disconnect", "codebuddy")


def test_no_secret_is_shown_by_connecting(person: Person) -> None:
    file = person.home / ".codebuddy/models.json"
    file.parent.mkdir()
    file.write_text('{"models": [], "mcp": {"headers": {"X": "Sec0ndVALUE"}}}', encoding="utf-8")
    shown = person.said("connect", "codebuddy")
    assert "Sec0nd" not in shown and '{"X": "***"}' in shown and "holdgate-codebuddy" in shown


def test_a_child_has_what_it_is_told_and_not_what_would_go_before() -> None:
    before = {"A": "1", "B": "2", "EMPTY": ""}
    assert child_environ(before, {"B": "", "C": "3", "D": ""}) == {"A": "1", "EMPTY": "", "C": "3"}


def test_a_child_hears_signals_alone(tmp_path: Path) -> None:
    program = tmp_path / "child"
    program.write_text('#!/bin/sh\nkill -INT "$PPID"; exit "$1"\n', encoding="utf-8")
    program.chmod(0o755)
    assert run_through(program, ("5",), {"PATH": "/usr/bin:/bin"}) == 5


def completions(person: Person, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    from click.shell_completion import ShellComplete, get_completion_class

    for name, text in person.environ().items():
        monkeypatch.setenv(name, text)

    def offered(*words: str) -> list[str]:
        found = get_completion_class("bash")
        assert found is not None
        made: ShellComplete = found(build(gui=True), {"obj": {"gui": True}}, "gateway", "_G")
        return [item.value for item in made.get_completions(list(words[:-1]), words[-1])]

    return offered


def test_names_are_completed(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    person.said("connect", "codebuddy")
    offered = completions(person, monkeypatch)
    assert offered("run", "code") == [name for name in AGENTS if name.startswith("code")]
    assert offered("env", "open")[0] == "openai"
    assert offered("disconnect", "") == ["codebuddy"]
    assert offered("connect", "codebuddy", "-m", "co") == ["coder"]
    assert "powershell" in offered("env", "openai", "--shell", "p")
