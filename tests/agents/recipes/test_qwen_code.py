"""Qwen Code: variables for a start, an entry of a list for good."""

from __future__ import annotations

from pathlib import Path

from holdgate.core.agents.recipes.qwen_code import AGENT
from holdgate.core.editing.base import Item
from tests.agents.recipes.asked import HOME, OFFERED, connected, files, lan_wish, machine, wish

FILE = HOME / ".qwen/settings.json"
LIST = ("modelProviders", "openai")


def test_a_start() -> None:
    assert AGENT.variables(wish(AGENT), machine()) == {
        "OPENAI_BASE_URL": "http://127.0.0.1:4653/v1",
        "OPENAI_API_KEY": "holdgate-qwen-code",
        "OPENAI_MODEL": "coder",
        "QWEN_CODE_API_TIMEOUT_MS": "3600000",
    }
    flags = ("--auth-type", "openai", "--model", "coder")
    assert AGENT.arguments(wish(AGENT), machine()) == flags


def test_its_file() -> None:
    assert connected(AGENT, wish(AGENT)) == {
        FILE: {
            (*LIST, Item("id", "coder")): {
                "id": "coder",
                "name": "Holdgate: coder",
                "envKey": "HOLDGATE_API_KEY",
                "baseUrl": "http://127.0.0.1:4653/v1",
                "generationConfig": {"timeout": 3_600_000},
            },
            ("env", "HOLDGATE_API_KEY"): "holdgate-qwen-code",
            ("security", "auth", "selectedType"): "openai",
            ("model", "name"): "coder",
        }
    }


def test_all_that_is_offered_is_listed() -> None:
    told = connected(AGENT, wish(AGENT, offered=OFFERED))[FILE]
    listed = [path[-1] for path in told if path[:2] == LIST]
    assert listed == [Item("id", name) for name in ("coder", "deepseek/chat", "claude/haiku")]
    entry = told[*LIST, Item("id", "deepseek/chat")]
    assert isinstance(entry, dict)
    assert entry["generationConfig"] == {"timeout": 3_600_000, "contextWindowSize": 131_072}


def test_a_gateway_elsewhere() -> None:
    told = connected(AGENT, lan_wish())[FILE]
    entry = told[*LIST, Item("id", "coder")]
    assert isinstance(entry, dict)
    assert entry["baseUrl"] == "http://192.168.1.20:4653/v1"
    assert told["env", "HOLDGATE_API_KEY"] == "hg_lan_0123456789"


def test_its_home() -> None:
    assert files(AGENT, machine(QWEN_HOME="/srv/qwen")) == (Path("/srv/qwen/settings.json"),)
    assert files(AGENT, machine("win32")) == files(AGENT, machine("darwin")) == (FILE,)
