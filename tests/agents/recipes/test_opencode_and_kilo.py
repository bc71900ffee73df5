"""opencode, and Kilo's CLI that is made from it: one configuration, in a variable or in a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdgate.core.agents.base import Agent, Machine, Offered
from holdgate.core.agents.recipes import kilo, opencode
from tests.agents.recipes.asked import HOME, OFFERED, connected, files, lan_wish, machine, wish

FILES = {
    "opencode": HOME / ".config/opencode/opencode.json",
    "kilo": HOME / ".config/kilo/kilo.json",
}
# What each writes into a file without one.
SCHEMAS = {
    "opencode": "https://opencode.ai/config.json",
    "kilo": "https://app.kilo.ai/config.json",
}
both = pytest.mark.parametrize("agent", [opencode.AGENT, kilo.AGENT], ids=lambda each: each.name)


def content(agent: Agent, offered: tuple[Offered, ...] = ()) -> dict[str, dict[str, object]]:
    (value,) = agent.variables(wish(agent, offered=offered), machine()).values()
    read: dict[str, dict[str, object]] = json.loads(value)
    return read


def provider(agent: Agent) -> dict[str, object]:
    return {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Holdgate",
        "options": {
            "baseURL": "http://127.0.0.1:4653/v1",
            "apiKey": f"holdgate-{agent.name}",
            "headerTimeout": 3_600_000,
            "chunkTimeout": 3_600_000,
        },
        "models": {"coder": {}},
    }


@both
def test_its_file(agent: Agent) -> None:
    assert connected(agent, wish(agent)) == {
        FILES[agent.name]: {
            ("$schema",): SCHEMAS[agent.name],
            ("provider", "holdgate"): provider(agent),
            ("model",): "holdgate/coder",
            ("small_model",): "holdgate/coder",
        }
    }


@both
def test_its_variable_holds_the_same(agent: Agent) -> None:
    assert list(agent.variables(wish(agent), machine())) == [f"{agent.name.upper()}_CONFIG_CONTENT"]
    assert agent.arguments(wish(agent), machine()) == ()
    assert content(agent) == {
        "provider": {"holdgate": provider(agent)},
        "model": "holdgate/coder",
        "small_model": "holdgate/coder",
    }


@both
def test_a_small_model_of_its_own(agent: Agent) -> None:
    told = connected(agent, wish(agent, small="claude/haiku"))[FILES[agent.name]]
    assert told["model",] == "holdgate/coder"
    assert told["small_model",] == "holdgate/claude/haiku"


@both
def test_windows_are_told_where_they_are_known(agent: Agent) -> None:
    told = connected(agent, wish(agent, offered=OFFERED))[FILES[agent.name]]["provider", "holdgate"]
    assert isinstance(told, dict)
    assert told["models"] == {
        "coder": {},
        "deepseek/chat": {"limit": {"context": 131_072, "output": 8_192}},
        "claude/haiku": {"limit": {"context": 200_000, "output": 0}},
    }


@both
def test_a_variable_stays_short(agent: Agent) -> None:
    many = tuple(Offered(f"some-vendor/some-model-of-it-{number}", 1, 1) for number in range(1000))
    told = json.dumps(content(agent, many))
    assert len(told) < 32_767
    assert '"coder"' in told


@both
def test_a_gateway_elsewhere(agent: Agent) -> None:
    told = connected(agent, lan_wish())[FILES[agent.name]]["provider", "holdgate"]
    assert isinstance(told, dict)
    assert told["options"]["baseURL"] == "http://192.168.1.20:4653/v1"
    assert told["options"]["apiKey"] == "hg_lan_0123456789"


@both
def test_its_home(agent: Agent) -> None:
    name = agent.name
    own = machine(XDG_CONFIG_HOME="/srv/config")
    assert files(agent, own) == (Path(f"/srv/config/{name}/{name}.json"),)
    named = machine(**{f"{name.upper()}_CONFIG": "/srv/own.json"})
    assert files(agent, named) == (Path("/srv/own.json"),)
    assert files(agent, machine("win32")) == files(agent, machine("darwin")) == (FILES[name],)


@both
def test_the_file_that_is_read_last_is_the_one(agent: Agent, tmp_path: Path) -> None:
    folder = tmp_path / ".config" / agent.name
    folder.mkdir(parents=True)
    here = Machine("linux", tmp_path, {})
    for ending in ("json", "jsonc"):
        file = folder / f"{agent.name}.{ending}"
        file.write_text("{}", encoding="utf-8")
        assert files(agent, here) == (file,)
