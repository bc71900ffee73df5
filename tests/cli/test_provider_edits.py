"""`gateway provider add|set|remove|list|test --all` and `gateway route`, as edits of a file."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from holdgate.cli.adding import (
    Given,
    Refused,
    filled_bases,
    find_preset,
    preset_at,
    questions,
    table_of,
)
from holdgate.cli.completing import candidate_names, provider_settings
from holdgate.core.catalog import Ask, Preset
from tests.cli.inside import inside
from tests.cli.serving import HOLDGATE, PATIENCE, Finished, configure
from tests.cli.terminals import Typist, at_terminal, terminal
from tests.fakes.vendor import FakeVendor
from tests.journeys.gateway import provider

KEY = "sk-typed-5e1f70c2aa"
CONFIG = """\
# mine
[providers.a]   # the first
preset = 'ollama'
models = ["one", "two"]
rpm =   5 # few

[providers.b]
preset = "deepseek"
headers = { "X-Team" = "t" }   # ours

# what I use
[routes.both]
candidates = ["a/one", "b/deepseek-chat"]  # in this order
[routes.alone]
candidates = ["b/deepseek-chat"]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return configure(tmp_path, CONFIG)


async def run(file: Path, *args: str, typed: str = "", **more: str) -> Finished:
    return await inside(file.parents[1], *args, typed=typed, more=more)


def text(file: Path) -> str:
    """Give what a file holds, "" if there is none."""
    return file.read_bytes().decode() if file.exists() else ""


async def refused(file: Path, *args: str, code: int = 2, typed: str = "") -> str:
    """Give what a command said that must change nothing."""
    before = text(file)
    done = await run(file, *args, typed=typed)
    assert done.code == code, done
    assert text(file) == before
    assert not (file.parent / "keys").exists()
    assert KEY not in done.out + done.err
    return done.err


# add: what is said before anything is asked.


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("a", "--chat", "http://127.0.0.1:9"), "a is there already: gateway provider set a"),
        (("anthropc",), "did you mean anthropic; or"),
        (("x", "--preset", "anthropc"), "did you mean anthropic"),
        (("nothing-like-it",), "gateway presets lists them. Anything else has an address:"),
        (("x", "--url", "http://127.0.0.1:9", "--chat", "http://127.0.0.1:9"), "--url finds out"),
        (("x", "--url", "http://127.0.0.1:9", "--preset", "openai"), "has its own URLs"),
        (("x", "--url", "http://127.0.0.1:9", "--no-test"), "--no-test say it"),
        (("x", "--url", "ftp://x"), "--url 'ftp://x': it takes an http://"),
        (("x y", "--chat", "http://127.0.0.1:9"), "a name of letters"),
        (("deepseek", "--proxy", "nonsense"), "providers.deepseek.proxy: found"),
        (("deepseek", "--header", "secret"), "--header 'NAME: TEXT'"),
        (("deepseek", "--answer", "resource=x"), "does not ask for it"),
        (("deepseek", "--key-env", "A", "--key-stdin"), "name one key"),
        (("deepseek", "--key-env", "A", "--keyring"), "--keyring keeps a key that is typed"),
        (("deepseek", "--key", "env:A"), "use --key-env"),
    ],
)
async def test_what_add_refuses(file: Path, args: tuple[str, ...], words: str) -> None:
    said = await refused(file, "provider", "add", *args)
    assert words.replace("; or", "") in said


async def test_a_presets_name_beside_a_url_is_told_of(tmp_path: Path) -> None:
    file = tmp_path / "config" / "config.toml"
    words = ("provider", "add", "deepseek", "--chat", "http://127.0.0.1:9", "--no-test")
    assert "--preset deepseek" in (await run(file, *words)).err
    words = ("provider", "add", "mine", "--chat", "http://127.0.0.1:9", "--no-test")
    assert not (await run(file, *words)).err


@pytest.mark.parametrize(
    ("args", "typed", "words"),
    [
        (("deepseek",), "", "or set DEEPSEEK_API_KEY; it gives keys at https://platform.deepseek"),
        (("deepseek", "--key-stdin"), "\n", "no key on stdin"),
        (("deepseek", "--key-stdin"), "two words\n", "which no key does"),
        (("deepseek", "--key-env", "NOT_SET"), "", "--no-test"),
        (("deepseek", "--key-file", "/no/such/file"), "", "does not exist"),
    ],
)
async def test_a_key_that_is_not_there(
    file: Path, args: tuple[str, ...], typed: str, words: str
) -> None:
    assert words in await refused(file, "provider", "add", *args, code=1, typed=typed)


async def test_a_key_goes_into_a_file_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "config" / "config.toml"
    args = ("provider", "add", "deepseek", "--no-test")
    done = await run(file, *args, "--key-stdin", typed=f"{KEY}\n", HOME=str(tmp_path))
    assert done.code == 0 and KEY not in done.out + done.err
    ref = "~/config/keys/deepseek"
    assert text(file) == f'[providers.deepseek]\npreset = "deepseek"\nkey = "file:{ref}"\n'
    kept = file.parent / "keys" / "deepseek"
    assert text(kept) == f"{KEY}\n" and stat.S_IMODE(kept.stat().st_mode) == 0o600
    # Another key takes its place, and goes with its provider.
    done = await run(file, "provider", "set", "deepseek", "--key", "sk-2nd-1", HOME=str(tmp_path))
    assert "shell's history" in done.err
    assert sorted(each.name for each in kept.parent.iterdir()) == [".gitignore", "deepseek-2"]
    done = await run(file, "provider", "remove", "deepseek", HOME=str(tmp_path))
    assert "its key is gone, too" in done.out
    assert [each.name for each in file.parent.iterdir()] == ["config.toml"]
    assert text(file).strip() == ""


async def test_a_key_that_another_provider_uses_stays(tmp_path: Path) -> None:
    file, home = tmp_path / "config" / "config.toml", str(tmp_path)
    await run(file, "provider", "add", "zai", "--no-test", "--key", "sk-1st-1", HOME=home)
    table = text(file).replace("[providers.zai]", "[providers.more]")
    file.write_text(f"{text(file)}\n{table}", encoding="utf-8")
    assert (await run(file, "provider", "set", "zai", "--key", "sk-2nd-1", HOME=home)).code == 0
    assert text(file.parent / "keys" / "zai") == "sk-1st-1\n"
    assert (await run(file, "provider", "remove", "zai", HOME=home)).code == 0
    assert [each.name for each in (file.parent / "keys").glob("zai*")] == ["zai"]


async def test_the_vendors_own_variable_needs_no_word(tmp_path: Path) -> None:
    file = tmp_path / "config" / "config.toml"
    done = await run(file, "provider", "add", "deepseek", "--no-test", DEEPSEEK_API_KEY=KEY)
    assert done.code == 0 and "DEEPSEEK_API_KEY" in done.err
    assert text(file) == '[providers.deepseek]\npreset = "deepseek"\n'
    done = await run(file, "provider", "add", "two", "--preset", "openai", "--no-test",
                     "--key-env", "NOT_SET")  # fmt: skip
    assert done.code == 0 and "warning: the environment variable NOT_SET" in done.err
    assert 'key = "env:NOT_SET"' in text(file)


async def test_a_key_is_typed_unseen(tmp_path: Path) -> None:
    async with FakeVendor(keys=[KEY]) as vendor:
        seen = await asyncio.to_thread(typing, tmp_path, "relay", "--url", vendor.url)
    assert "added relay" in seen and "looking for lists of models" in seen
    assert KEY not in seen
    assert (tmp_path / "config" / "keys" / "relay").read_text() == f"{KEY}\n"


def typing(home: Path, *args: str) -> str:
    """Add a provider at a terminal, typing the key; give all that was on the screen."""
    with terminal(100) as made:
        process = subprocess.Popen(
            [sys.executable, *HOLDGATE, "provider", "add", *args],
            stdin=made.program, stdout=made.program, stderr=made.program,
            env=at_terminal(home, {"NO_COLOR": "1"}), start_new_session=True,
        )  # fmt: skip
        typist = Typist(made.screen)
        try:
            typist.sees("it is not shown")
            os.write(made.screen, f"{KEY}\n".encode())
            typist.sees("then, for instance")
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
            process.wait()
    return typist.seen


# What a preset asks.

AZURE = Preset(
    "azure",
    "Azure",
    {"chat": "https://{resource}.example/v1"},
    "AZURE_KEY",
    asks={"resource": Ask("name of the resource")},
)


def test_a_preset_that_asks() -> None:
    assert [each.name for each in questions(AZURE)] == ["resource"]
    asked: list[str] = []

    def ask(name: str, text: str, default: str) -> str:
        asked.append(name)
        return "typed"

    assert filled_bases(AZURE, Given("x"), ask) == {"chat": "https://typed.example/v1"}
    given = Given("x", answers=("resource=named",))
    assert filled_bases(AZURE, given, ask) == {"chat": "https://named.example/v1"}
    assert asked == ["resource"]
    assert table_of(given, AZURE, filled_bases(AZURE, given, ask)) == {
        "preset": "azure",
        "chat": "https://named.example/v1",
    }
    for wrong in ("region=x", "resource=https://x.example"):
        with pytest.raises(Refused):
            filled_bases(AZURE, Given("x", answers=(wrong,)), ask)


def test_which_preset_is_meant() -> None:
    found = find_preset(Given("deepseek"))
    assert found is not None and found.name == "deepseek"
    named = Given("deepseek", bases={"chat": "http://127.0.0.1"})
    assert find_preset(named) is None  # the name alone says nothing of another address
    assert preset_at("https://api.deepseek.com/v1") == "deepseek"
    assert preset_at("http://127.0.0.1:11434") == preset_at("nonsense") == ""


# set


@pytest.mark.parametrize(
    ("pairs", "before", "after"),
    [
        (("rpm=7",), "rpm =   5 # few", "rpm =   7 # few"),
        (("rpm=",), "rpm =   5 # few\n", ""),
        (("models=x, y",), 'models = ["one", "two"]', 'models = ["x", "y"]'),
        (('models=["x"]',), 'models = ["one", "two"]', 'models = ["x"]'),
        (("window=30s",), "# few\n", '# few\nwindow = "30s"\n'),
        (("rpm=7", "proxy=direct"), "rpm =   5 # few\n", 'rpm =   7 # few\nproxy = "direct"\n'),
    ],
)
async def test_set(file: Path, pairs: tuple[str, ...], before: str, after: str) -> None:
    done = await run(file, "provider", "set", "a", *pairs)
    assert (done.code, done.err) == (0, "")
    assert text(file) == CONFIG.replace(before, after)


async def test_set_one_header(file: Path) -> None:
    assert (await run(file, "provider", "set", "b", "headers.X-Team=u")).code == 0
    assert text(file) == CONFIG.replace('"t"', '"u"')


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("a", "rpm=many"), 'providers.a.rpm: found "many", allowed a whole number'),
        (("a", "rmp=7"), 'no such key; did you mean "rpm"'),
        (("a", "rpm=7", "proxy=nonsense"), "providers.a.proxy"),
        (("a", "preset="), "needs a preset"),
        (("a", "headers={"), "write a list as"),
        (("a", KEY), "say KEY=VALUE"),
        (("a", f"key={KEY}"), "an API key comes by"),
        (("a",), "nothing to set"),
        (("c", "rpm=7"), "c: no such provider"),
    ],
)
async def test_what_set_refuses(file: Path, args: tuple[str, ...], words: str) -> None:
    assert words in await refused(file, "provider", "set", *args)


async def test_a_wrong_setting_keeps_no_key(file: Path) -> None:
    args = ("provider", "set", "a", "rpm=many", "--key-stdin")
    assert "providers.a.rpm" in await refused(file, *args, typed=f"{KEY}\n")


# remove


async def test_remove(file: Path) -> None:
    said = await refused(file, "provider", "remove", "b", code=1)
    assert "stands in routes (both, alone): --force" in said
    done = await run(file, "provider", "remove", "b", "--force")
    assert done.out.splitlines()[:2] == [
        "route both: now a/one",
        "route alone: gone, it named nobody else",
    ]
    assert text(file) == (
        CONFIG.partition("\n[providers.b]")[0]
        + '\n# what I use\n[routes.both]\ncandidates = ["a/one"]  # in this order\n'
    )
    assert "did you mean" in await refused(file, "provider", "remove", "aa")


# list and test --all


async def test_list(file: Path) -> None:
    shown = (await run(file, "provider", "list")).out.splitlines()
    assert shown[0].split() == ["PROVIDER", "PRESET", "DIALECTS", "KEY", "LIMITS", "MODELS"]
    assert "5 a minute" in shown[1] and shown[1].endswith("2") and "its list" in shown[2]


async def test_test_all(tmp_path: Path) -> None:
    assert (await inside(tmp_path, "provider", "test", "--all")).out.startswith("no provider yet")
    for wrong in ((), ("a", "--all"), ("--all", "-m", "x")):
        assert (await inside(tmp_path, "provider", "test", *wrong)).code == 2
    async with FakeVendor() as vendor:
        good, bad = (provider(vendor.url, name=name, dialects=("chat",)) for name in "gb")
        configure(tmp_path, bad.replace("FAKE_KEY", "NOT_SET") + good)
        done = await inside(tmp_path, "provider", "test", "--all", more={"FAKE_KEY": KEY})
        assert done.code == 1
        assert [line.split()[0] for line in done.out.splitlines()] == ["b:", "FAIL", "g:", "ok"]
        configure(tmp_path, good)
        args = ("provider", "test", "--all", "--json")
        shown = json.loads((await inside(tmp_path, *args, more={"FAKE_KEY": KEY})).out)
        assert shown["passed"] and [each["provider"] for each in shown["providers"]] == ["g"]


# route


async def test_routes(file: Path) -> None:
    assert (await run(file, "route", "add", "r", "b/x", "a/two", "--order", "rotate")).code == 0
    added = '\n[routes.r]\ncandidates = ["b/x", "a/two"]\norder = "rotate"\n'
    assert text(file) == CONFIG + added
    assert "--replace changes it" in await refused(file, "route", "add", "both", "a/one")
    done = await run(file, "route", "add", "both", "a/two", "--replace")
    assert done.out.startswith("changed both")
    shown = json.loads((await run(file, "route", "list", "--json")).out)["routes"]
    assert shown[0] == {
        "name": "both", "candidates": ["a/two"], "order": "given", "affinity": "auto",
    }  # fmt: skip
    assert "# in this order" in text(file)
    for name in ("both", "alone", "r"):
        assert (await run(file, "route", "remove", name)).code == 0
    assert (await run(file, "route", "list")).out.startswith("no route yet")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("r", "c/one"), 'found "c/one", allowed a provider of this file (a, b)'),
        (("r", "a/tow"), "a lists no such model; did you mean a/two?"),
        (("r", "one"), 'found "one", allowed "provider/model"'),
        (("a", "b/x"), "a name that no provider has"),
        (("r/s", "b/x"), "without spaces and slashes"),
    ],
)
async def test_what_route_add_refuses(file: Path, args: tuple[str, ...], words: str) -> None:
    assert words in await refused(file, "route", "add", *args)


async def test_a_model_that_no_list_has(file: Path) -> None:
    assert (await run(file, "route", "add", "r", "a/tow", "--no-check")).code == 0
    assert "no such route; did you mean both?" in await refused(file, "route", "remove", "boht")


def test_completion(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import click

    monkeypatch.setenv("HOLDGATE_HOME", str(file.parents[1]))
    argument = click.Argument(["pairs"])
    ctx = click.Context(click.Command("x", params=[argument]))

    def offered(found: list[click.shell_completion.CompletionItem[str]]) -> list[str]:
        return [item.value for item in found]

    assert offered(candidate_names(ctx, argument, "")) == ["a/one", "a/two", "b/"]
    assert offered(provider_settings(ctx, argument, "rp")) == ["rpm="]
    assert offered(provider_settings(ctx, click.Argument(["name"]), "")) == ["a", "b"]
