"""CodeBuddy and WorkBuddy: lists of models with whole addresses."""

from __future__ import annotations

import json
from pathlib import Path

from holdgate.core.agents.recipes.codebuddy import AGENT, WORK_AGENT
from holdgate.core.editing.base import Item
from tests.agents.recipes.asked import HOME, OFFERED, connected, files, lan_wish, machine, wish

FOLDER = HOME / ".codebuddy"
WORK_FILE = HOME / ".workbuddy/models.json"


def entry(name: str, key: str) -> dict[str, object]:
    return {
        "id": name,
        "name": f"Holdgate: {name}",
        "vendor": "Holdgate",
        "url": "http://127.0.0.1:4653/v1/chat/completions",
        "apiKey": key,
        "supportsToolCall": True,
    }


def test_it_is_started_with_a_model() -> None:
    assert AGENT.variables(wish(AGENT), machine()) == {
        "CODEBUDDY_BASE_URL": "http://127.0.0.1:4653/v1",
        "CODEBUDDY_API_KEY": "holdgate-codebuddy",
        "CODEBUDDY_MODEL": "coder",
        "CODEBUDDY_SMALL_FAST_MODEL": "coder",
        "CODEBUDDY_BIG_SLOW_MODEL": "coder",
        "CODEBUDDY_FIRST_TOKEN_TIMEOUT_MS": "3600000",
        "CODEBUDDY_STREAM_TIMEOUT_MS": "3600000",
    }


def test_its_start_goes_before_its_settings() -> None:
    option, text = AGENT.arguments(wish(AGENT), machine())
    assert option == "--settings"
    assert json.loads(text) == {"env": AGENT.variables(wish(AGENT), machine())}
    shown = AGENT.arguments(lan_wish(), machine())[1]
    assert lan_wish().url in shown and lan_wish().key not in shown


def test_its_further_models() -> None:
    variables = AGENT.variables(wish(AGENT, small="claude/haiku", big="claude/opus"), machine())
    assert variables["CODEBUDDY_MODEL"] == "coder"
    assert variables["CODEBUDDY_SMALL_FAST_MODEL"] == "claude/haiku"
    assert variables["CODEBUDDY_BIG_SLOW_MODEL"] == "claude/opus"
    assert AGENT.tiers == ("small", "big")


def test_its_settings() -> None:
    assert connected(AGENT, wish(AGENT, offered=OFFERED[:2])) == {
        FOLDER / "models.json": {
            ("models", Item("id", "coder")): entry("coder", "holdgate-codebuddy"),
            ("models", Item("id", "deepseek/chat")): entry("deepseek/chat", "holdgate-codebuddy")
            | {"maxInputTokens": 131_072, "maxOutputTokens": 8_192},
        },
        FOLDER / "settings.json": {
            ("model",): "coder",
            ("env", "CODEBUDDY_FIRST_TOKEN_TIMEOUT_MS"): "3600000",
            ("env", "CODEBUDDY_STREAM_TIMEOUT_MS"): "3600000",
        },
    }


def test_a_gateway_elsewhere() -> None:
    variables = AGENT.variables(lan_wish(), machine())
    assert variables["CODEBUDDY_BASE_URL"] == "http://192.168.1.20:4653/v1"
    assert variables["CODEBUDDY_API_KEY"] == "hg_lan_0123456789"
    model = connected(WORK_AGENT, lan_wish())[WORK_FILE]["models", Item("id", "coder")]
    assert isinstance(model, dict)
    assert model["url"] == "http://192.168.1.20:4653/v1/chat/completions"
    assert model["apiKey"] == "hg_lan_0123456789"


def test_the_desktop_program_gets_models_only() -> None:
    assert connected(WORK_AGENT, wish(WORK_AGENT)) == {
        WORK_FILE: {("models", Item("id", "coder")): entry("coder", "holdgate-workbuddy")}
    }
    assert "gateway connect workbuddy" in WORK_AGENT.no_run


def test_their_homes() -> None:
    own = machine(CODEBUDDY_CONFIG_DIR="/srv/code", WORKBUDDY_CONFIG_DIR="/srv/agents")
    assert files(AGENT, own) == (Path("/srv/code/models.json"), Path("/srv/code/settings.json"))
    assert files(WORK_AGENT, own) == (Path("/srv/agents/models.json"),)
    assert files(WORK_AGENT, machine("win32")) == (WORK_FILE,)
