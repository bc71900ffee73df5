"""`gateway models`, as a person types it, with a gateway and without one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from holdgate.cli.lines import cells, plain
from holdgate.cli.main import build
from holdgate.cli.offer_table import lines_of
from holdgate.core.catalog.model_facts import bundled_facts
from holdgate.core.client import Refused, connect
from holdgate.core.config.places import find_places
from holdgate.core.store.facts_file import FILE_NAME as FACTS
from holdgate.core.store.lists_file import FILE_NAME as LISTS
from holdgate.core.store.lists_file import ListsFile
from holdgate.core.values.kept_lists import KeptList
from holdgate.core.values.settings import Model
from tests.cli.serving import configure
from tests.cli.test_completion import offered
from tests.fakes.agents import get
from tests.fakes.vendor import FakeVendor, Reply
from tests.journeys.gateway import ENVIRON, VENDOR_KEY, provider, running

CLAUDE = """
[providers.claude]
preset = "anthropic"
key = "x"
models = ["claude-haiku-4-5", { id = "mine", context = 5000, output = 70 }]
[routes.coder]
candidates = ["claude/claude-haiku-4-5", "claude/mine"]
"""


def run(home: Path, *args: str) -> Result:
    env = {**ENVIRON, "HOLDGATE_HOME": str(home), "HOLDGATE_CONFIG": ""}
    return CliRunner().invoke(build(gui=False), ["models", *args], env=env)


async def ran(home: Path, *args: str) -> Result:
    """Run it beside the vendors of this loop."""
    return await asyncio.to_thread(run, home, *args)


def names(result: Result) -> list[str]:
    assert result.exit_code == 0, result.output
    return [each["id"] for each in json.loads(result.stdout)["models"]]


def unlisted(url: str, name: str = "fake") -> str:
    return provider(url, name=name, dialects=("chat",)).replace("models =", "# models =")


def test_a_table(tmp_path: Path) -> None:
    configure(tmp_path, CLAUDE)
    done = run(tmp_path)
    assert done.exit_code == 0, done.output
    head, route, haiku, mine = done.stdout.splitlines()
    assert head.split()[:3] == ["NAME", "CONTEXT", "OUTPUT"]
    assert route.split()[:6] == ["coder", "200,000", "64,000", "1", "5", "0.1"]
    assert route.endswith("claude/claude-haiku-4-5, claude/mine")
    assert haiku.split()[-2:] == ["messages", "models.dev"]
    assert mine.split() == ["claude/mine", "5,000", "70", "messages", "config"]


def test_words_and_a_provider_choose(tmp_path: Path) -> None:
    configure(tmp_path, CLAUDE)
    assert names(run(tmp_path, "MINE", "--json", "coder")) == ["coder", "claude/mine"]
    assert names(run(tmp_path, "--provider", "claude", "--json", "haiku")) == [
        "claude/claude-haiku-4-5"
    ]
    assert "no name has that" in run(tmp_path, "nothing").stdout
    wrong = run(tmp_path, "-p", "claud")
    assert wrong.exit_code == 2 and "did you mean claude?" in wrong.stderr
    configure(tmp_path, "")
    assert "no model is known yet" in run(tmp_path).stdout


def test_json(tmp_path: Path) -> None:
    configure(tmp_path, CLAUDE)
    found = json.loads(run(tmp_path, "mine", "--json").stdout)
    assert found == {
        "models": [
            {
                "id": "claude/mine",
                "owner": "claude",
                "dialects": ["chat", "responses", "messages", "gemini"],
                "spoken": ["messages"],
                "candidates": None,
                "context": 5000,
                "output": 70,
                "prices": None,
                "sources": ["config"],
            }
        ],
        "failed": [],
        "models_dev": bundled_facts().date,
    }


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_it_fits_the_screen(tmp_path: Path, width: int) -> None:
    configure(tmp_path, CLAUDE)
    found: list[dict[str, Any]] = json.loads(run(tmp_path, "--json").stdout)["models"]
    lines = [plain(line) for line in lines_of(found, "2026-01-01", width, filtered=False)]
    assert max(map(cells, lines[:-1])) <= width
    assert "coder" in "".join(lines) and "2026-01-01" in lines[-1]


def test_names_stay_whole_where_sizes_are_told_of_nobody() -> None:
    name = "openrouter/some-maker/a-model-of-a-very-long-name:free"
    offer = {"id": name, "spoken": ["chat"], "candidates": None, "sources": []}
    nothing = {"context": None, "output": None, "prices": None}
    lines = lines_of([{**offer, **nothing}], "2026-01-01", 80, filtered=False)
    assert [plain(line).split() for line in lines] == [["NAME", "DIALECTS"], [name, "chat"]]
    known = {"context": 200000, "output": 9000, "prices": {"input": 1.5, "output": 2.5}}
    lines = lines_of([{**offer, **known}], "2026-01-01", 80, filtered=False)
    assert plain(lines[1]).split() == [name, "200,000", "1.5", "2.5"]


async def test_a_vendor_is_asked_once_and_its_list_is_kept(tmp_path: Path) -> None:
    async with FakeVendor(models=("a", "b")) as vendor:
        configure(tmp_path, unlisted(vendor.url))
        first = await ran(tmp_path, "--json")
        assert names(first) == ["fake/a", "fake/b"] and "fake" in first.stderr
        vendor.models = ("c",)
        again = await ran(tmp_path, "--json")
        assert names(again) == ["fake/a", "fake/b"] and not again.stderr
        assert len(vendor.requests) == 1
        assert names(await ran(tmp_path, "--refresh", "--json")) == ["fake/c"]
    kept = (tmp_path / "cache" / LISTS).read_text()
    assert VENDOR_KEY not in kept and "fake" in kept


async def test_a_vendor_that_gives_no_list_is_told_and_no_harm(tmp_path: Path) -> None:
    async with FakeVendor(models=("a",)) as vendor:
        vendor.script(Reply(401), path="*/models")
        config = unlisted(vendor.url, "bad") + CLAUDE
        configure(tmp_path, config)
        done = await ran(tmp_path, "--json")
        assert names(done)[0] == "coder"
        (line,) = [line for line in done.stderr.splitlines() if line.startswith("bad:")]
        assert "HTTP 401" in line and json.loads(done.stdout)["failed"][0]["provider"] == "bad"
        # Nobody asks others for a provider's models.
        one = await ran(tmp_path, "-p", "claude", "--json")
        assert len(names(one)) == 2 and not one.stderr


async def test_with_a_gateway_it_tells(tmp_path: Path) -> None:
    async with FakeVendor(models=("a",)) as vendor:
        async with running(tmp_path, unlisted(vendor.url) + CLAUDE) as gateway:
            assert vendor.requests == []
            found = await ran(tmp_path, "--json")
            assert names(found) == ["coder", "fake/a", *names(found)[2:]] and not found.stderr
            vendor.models = ("b",)
            assert "fake/a" in names(await ran(tmp_path, "--json"))
            told = await ran(tmp_path, "--refresh", "-p", "fake", "--json")
            assert names(told) == ["fake/b"]
            assert (await ran(tmp_path, "-p", "nobody")).exit_code == 2
            assert len(vendor.requests) == 2
            await gateway.free()
        # The next one, and the commands, need not ask.
        assert names(await ran(tmp_path, "fake", "--json")) == ["fake/b"]
        async with running(tmp_path, unlisted(vendor.url)):
            assert names(await ran(tmp_path, "--json")) == ["fake/b"]
        assert len(vendor.requests) == 2


async def test_agents_are_told_sizes_where_they_look_for_them(tmp_path: Path) -> None:
    async with running(tmp_path, CLAUDE) as gateway:
        listed = (await get(gateway.url + "/v1/models")).json
        coder, _, mine = listed["data"]
        names = ("context_length", "max_input_tokens", "max_tokens")
        assert [coder[name] for name in names] == [200_000, 200_000, 64_000]
        assert [mine[name] for name in names] == [5000, 5000, 70]
        gemini = listed["models"][2]
        assert (gemini["inputTokenLimit"], gemini["outputTokenLimit"]) == (5000, 70)
        with pytest.raises(Refused, match="ask:"):
            await asyncio.to_thread(connect(gateway.places.state).get, "/api/models?ask=x")


def test_completion_offers_kept_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(tmp_path, unlisted("http://127.0.0.1:9") + CLAUDE)
    monkeypatch.setenv("HOLDGATE_HOME", str(tmp_path))
    monkeypatch.delenv("HOLDGATE_CONFIG", raising=False)
    ListsFile(tmp_path / "cache" / LISTS).put(KeptList("fake", "u", 1.0, (Model("a"),)))
    assert offered("models", "") == ["coder", "fake/a", "claude/claude-haiku-4-5", "claude/mine"]
    assert offered("provider", "test", "fake", "-m", "") == ["a"]
    assert offered("models", "--pro") == ["--provider"]


# gateway models update


@pytest.fixture(scope="module")
def api() -> bytes:
    """A catalogue as models.dev has it, of the day after everything."""
    entry = {
        "modalities": {"input": ["text"], "output": ["text"]},
        "limit": {"context": 4321, "output": 21},
        "last_updated": "2026-09-30",
    }
    models = {"claude-haiku-4-5": entry, **{f"m{number}": entry for number in range(100)}}
    return json.dumps({"anthropic": {"models": models}}).encode()


@pytest.fixture
def cached(tmp_path: Path) -> Iterator[Path]:
    yield find_places({"HOLDGATE_HOME": str(tmp_path)}).cache / FACTS


def test_an_update_from_a_file(tmp_path: Path, cached: Path, api: bytes) -> None:
    configure(tmp_path, CLAUDE)
    file = tmp_path / "api.json"
    file.write_bytes(api)
    done = run(tmp_path, "update", "--from", str(file))
    assert done.exit_code == 0, done.output
    assert "101 models of 1 vendors" in done.stdout and cached.exists()
    if bundled_facts().date <= "2026-09-30":
        assert str(cached) in done.stdout
        assert "4,321" in run(tmp_path).stdout
    else:
        assert "newer and stays in use" in done.stdout


async def test_an_update_from_an_address(tmp_path: Path, cached: Path, api: bytes) -> None:
    async with FakeVendor() as vendor:
        vendor.script(Reply(text=api.decode()), Reply(404), path="*/api.json")
        url = f"{vendor.url}/api.json?token=7f0c-mirror".replace("://", "://me:51d0-mirror@")
        done = await ran(tmp_path, "update", "--from", url)
        assert done.exit_code == 0, done.output
        kept = await asyncio.to_thread(cached.read_bytes)
        host = vendor.url.partition("://")[2]
        assert json.loads(kept)["origin"] == f"http://***@{host}/api.json?***"
        failed = await ran(tmp_path, "update", "--from", url)
        assert "-mirror" not in failed.output
        assert failed.exit_code == 1 and "HTTP 404" in failed.stderr and "--from" in failed.stderr
    assert await asyncio.to_thread(cached.read_bytes) == kept


@pytest.mark.parametrize("text", [b"<html>hotel</html>", b"{}", None])
def test_an_update_from_something_else_changes_nothing(
    tmp_path: Path, cached: Path, text: bytes | None
) -> None:
    file = tmp_path / "api.json"
    if text is not None:
        file.write_bytes(text)
    done = run(tmp_path, "update", "--from", str(file))
    assert done.exit_code == 1 and not cached.exists()
    assert len(done.stderr.splitlines()) == 1 and bundled_facts().date in done.stderr
