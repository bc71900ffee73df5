"""Completion: what each shell offers, typed in real shells, and that it never holds a person up."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete, get_completion_class

from holdgate.cli.commands.completion import command as completion
from holdgate.cli.completing import model_names, route_names
from holdgate.cli.main import COMMANDS, build
from holdgate.core.store.instance import RUNTIME_NAME
from holdgate.core.values.clock import system_clock
from tests.cli.serving import HOLDGATE, PATIENCE, configure, environ
from tests.cli.serving import gateway as command
from tests.cli.terminals import shell
from tests.fakes.agents import post
from tests.fakes.vendor import FakeVendor, Reply
from tests.journeys.gateway import Running, asking, provider, running

SHELLS = ("bash", "zsh", "fish", "powershell")
CONFIG = """
[providers.deepseek]
preset = "deepseek"
models = ["deepseek-chat", "deepseek-reasoner"]
[providers.ollama]
preset = "ollama"
models = [{ id = "qwen3:8b" }, "qwen3:32b", "bad name", "$(reboot)"]
[routes.coder]
candidates = ["deepseek/deepseek-chat", "ollama/qwen3:8b"]
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    configure(tmp_path, CONFIG)
    monkeypatch.setenv("HOLDGATE_HOME", str(tmp_path))
    monkeypatch.delenv("HOLDGATE_CONFIG", raising=False)
    return tmp_path


def offered(*words: str) -> list[str]:
    """Give what click offers for the last word."""
    found = get_completion_class("bash")
    assert found is not None
    made: ShellComplete = found(build(gui=True), {"obj": {"gui": True}}, "gateway", "_GATEWAY")
    return [item.value for item in made.get_completions(list(words[:-1]), words[-1])]


def test_commands_and_options(home: Path) -> None:
    assert offered("") == list(COMMANDS)
    assert offered("e") == ["explain", "env"]
    assert offered("pause", "--pro") == ["--provider"]
    assert offered("usage", "--by", "") == ["agent", "model", "provider", "key", "day"]
    assert offered("completion", "") == list(SHELLS)


def test_names_of_the_configuration(home: Path) -> None:
    assert offered("pause", "--provider", "") == ["deepseek", "ollama"]
    assert offered("resume", "--provider", "o") == ["ollama"]
    assert offered("provider", "test", "d") == ["deepseek"]
    assert offered("provider", "test", "ollama", "-m", "") == ["qwen3:8b", "qwen3:32b"]
    assert offered("provider", "test", "ollama", "--model=qwen3:3") == ["qwen3:32b"]
    assert offered("provider", "test", "nobody", "-m", "") == []


def test_models_and_routes(home: Path) -> None:
    import click

    asked = click.Command(
        "ask",
        params=[
            click.Argument(["model"], shell_complete=model_names),
            click.Option(["--route"], shell_complete=route_names),
        ],
    )
    found = get_completion_class("zsh")
    assert found is not None
    made: ShellComplete = found(asked, {}, "ask", "_ASK")
    assert [item.value for item in made.get_completions([], "")] == [
        "coder", "deepseek/deepseek-chat", "deepseek/deepseek-reasoner",
        "ollama/qwen3:8b", "ollama/qwen3:32b",
    ]  # fmt: skip
    (route,) = made.get_completions(["--route"], "c")
    assert (route.value, route.help) == ("coder", "deepseek/deepseek-chat, ollama/qwen3:8b")


def test_another_configuration(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("[providers.other]\npreset = 'deepseek'\n[providers.wrong]\nkey = 3\n")
    args = ("pause", "--config", str(other), "--provider", "")
    assert offered(*args) == ["other", "wrong"]
    for broken in ("[providers", "providers = 3", "[providers]\nx = 1\n[providers.y]\nmodels = 3"):
        other.write_text(broken)
        assert offered(*args) == (["y"] if "y" in broken else [])
    other.unlink()
    assert offered(*args) == []


@asynccontextmanager
async def queued(home: Path) -> AsyncIterator[list[str]]:
    """Run a gateway; give the ids of a request that waits, one that is served, and a past one."""
    go = asyncio.Event()
    async with FakeVendor() as vendor:
        vendor.script(Reply(), Reply(until=go))
        config = provider(vendor.url, "concurrency = 1")
        async with running(home, config) as gateway, asyncio.TaskGroup() as group:
            path, upload = asking("chat", words="past")
            await post(gateway.url + path, upload=upload)
            path, upload = asking("chat", words="served")
            group.create_task(post(gateway.url + path, upload=upload))
            await vendor.arrived(2)
            path, upload = asking("chat", words="waits")
            group.create_task(post(gateway.url + path, upload=upload))
            await gateway.waiting(1)
            try:
                yield await ids_of(gateway)
            finally:
                go.set()


async def test_ids_of_the_running_gateway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDGATE_HOME", str(tmp_path))
    async with queued(tmp_path) as (waits, served, past):
        assert await asyncio.to_thread(offered, "cancel", "") == [waits, served]
        assert await asyncio.to_thread(offered, "cancel", served) == [served]
        assert await asyncio.to_thread(offered, "first", "hg-") == [waits]
        assert await asyncio.to_thread(offered, "explain", "") == [waits, served, past]
        assert await asyncio.to_thread(offered, "explain", "no") == []


async def ids_of(gateway: Running) -> list[str]:
    return [each["id"] for each in (await gateway.control("/api/requests"))["requests"]]


def test_without_a_gateway_nothing_is_offered_at_once(home: Path) -> None:
    assert quickest(home) < 0.5


def test_a_gateway_that_hangs_is_not_waited_for(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        announce(home, silent.getsockname()[1])
        assert quickest(home) < 0.5


def test_a_dead_gateways_address_is_no_error(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    announce(home, port)
    assert quickest(home) < 0.5


def announce(home: Path, port: int) -> None:
    (home / "state").mkdir(exist_ok=True)
    (home / "state" / RUNTIME_NAME).write_text(
        f'{{"url": "http://127.0.0.1:{port}", "pid": 1, "token": "t", "version": "0"}}'
    )


def quickest(home: Path) -> float:
    """Give the least time that an offer of ids took of a few, each of which must be silent."""
    clock, times = system_clock(), []
    for _ in range(3):
        began = clock.monotonic()
        assert offered("explain", "") == []
        times.append(clock.monotonic() - began)
    more = {
        "_GATEWAY_COMPLETE": "bash_complete",
        "COMP_WORDS": "gateway explain ",
        "COMP_CWORD": "2",
    }
    done = subprocess.run(
        [sys.executable, "-c", "from holdgate.cli.main import main; main(prog_name='gateway')"],
        env=environ(home, more), capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")
    return min(times)


def test_an_offer_imports_little(home: Path) -> None:
    code = "import sys; from holdgate.cli.main import main\ntry: main(prog_name='gateway')\n"
    code += "except SystemExit: print(*sys.modules, file=sys.stderr)"
    more = {"_GATEWAY_COMPLETE": "zsh_complete", "COMP_WORDS": "gateway ", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environ(home, more), capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    assert "explain" in done.stdout
    loaded = set(done.stderr.split())
    assert loaded.isdisjoint({"rich", "aiohttp", "sqlite3", "holdgate.cli.commands.serve"})


# The scripts.


@pytest.mark.parametrize("name", SHELLS)
async def test_the_script_names_the_program(tmp_path: Path, name: str) -> None:
    done = await command(tmp_path, "completion", name)
    assert (done.code, done.err) == (0, "")
    assert "_GATEWAY_COMPLETE" in done.out
    if name == "powershell":
        assert "Register-ArgumentCompleter -Native -CommandName gateway " in done.out
    else:
        assert "_gateway_completion" in done.out


def test_the_script_of_the_other_program(tmp_path: Path) -> None:
    from click.testing import CliRunner

    done = CliRunner().invoke(build(gui=False), ["completion", "zsh"], prog_name="gateway-nogui")
    assert "_GATEWAY_NOGUI_COMPLETE=zsh_complete gateway-nogui" in done.stdout
    assert "gateway-nogui" in done.stdout and completion.name == "completion"


async def test_unknown_shells_are_wrong_usage(tmp_path: Path) -> None:
    assert (await command(tmp_path, "completion", "tcsh")).code == 2
    assert (await command(tmp_path, "completion")).code == 2


# Real shells.


@pytest.mark.system("pty")
@pytest.mark.system("bash")
def test_bash(home: Path) -> None:
    with shell(home, "bash", "--norc", "--noprofile", "-i") as typist:
        typist.types('eval "$(gateway completion bash)"; echo is-"set"\n')
        typist.sees("is-set")
        for typed, completed in (
            ("gateway expl", "gateway explain "),
            ("gateway pause --prov", "gateway pause --provider "),
            ("gateway pause --provider deep", "--provider deepseek "),
            ("gateway pause --provider=deep", "--provider=deepseek "),
            ("gateway provider test ollama -m qwen3:3", "-m qwen3:32b "),
            ("gateway provider test ollama --model=qwen3:8", "--model=qwen3:8b "),
            ("gateway provider test ollama -m q", "-m qwen3:"),
        ):
            typist.types(f"{typed}\t")
            typist.sees(completed)
            typist.types("\x15")  # Ctrl-U: the line is gone
        typist.types("gateway provider test ollama -m qwen3:\t\t")
        assert "8b" in typist.sees("32b")


@pytest.mark.system("pty")
@pytest.mark.system("bash")
async def test_bash_completes_ids(tmp_path: Path) -> None:
    async with queued(tmp_path) as (waits, *_):
        await asyncio.to_thread(id_in_bash, tmp_path, waits)


def id_in_bash(home: Path, waits: str) -> None:
    with shell(home, "bash", "--norc", "--noprofile", "-i") as typist:
        typist.types('eval "$(gateway completion bash)"; echo is-"set"\n')
        typist.sees("is-set")
        typist.types("gateway first \t")
        typist.sees(f"gateway first {waits} ")
        typist.types("\n")
        typist.sees("is first in its lines: place 1")


@pytest.mark.system("pty")
@pytest.mark.system("zsh")
def test_zsh(home: Path) -> None:
    with shell(home, "zsh", "-f", "-i") as typist:
        typist.types(
            "autoload -Uz compinit && compinit -u -D; PS1='%% '; unsetopt zle_bracketed_paste\n"
        )
        typist.types('eval "$(gateway completion zsh)"; echo is-"set"\n')
        typist.sees("is-set")
        for typed, completed in (
            ("gateway expl", "gateway explain"),
            ("gateway pause --provider deep", "deepseek"),
            ("gateway provider test ollama -m qwen3:3", "qwen3:32b"),
        ):
            typist.types(f"{typed}\t")
            typist.sees(completed)
            typist.types("\x15")


@pytest.mark.system("fish")
def test_fish(home: Path) -> None:
    script = """
    gateway completion fish | source
    for line in "gateway expl" "gateway pause --provider deep" \\
        "gateway provider test ollama -m qwen3:3"
        complete -C $line
    end"""
    programs = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    done = subprocess.run(
        ["fish", "--no-config", "-c", script],
        env=environ(home, {"PATH": programs, "HOME": str(home)}),
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    found = [line.partition("\t")[0] for line in done.stdout.splitlines()]
    assert found == ["explain", "deepseek", "qwen3:32b"]


def test_the_programs_name_is_kept_from_python(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, *HOLDGATE, "completion", "bash"],
        env=environ(tmp_path), capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    assert "complete -o nosort -F _gateway_completion gateway\n" in done.stdout
