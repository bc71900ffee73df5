"""Claude Code: the same variables for a start and for its settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdgate.core.agents.base import Wish
from holdgate.core.agents.recipes.claude_code import AGENT
from tests.agents.recipes.asked import HOME, URL, connected, files, lan_wish, machine, wish

FILE = HOME / ".claude/settings.json"
ALWAYS = {
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:4653",  # without /v1
    "ANTHROPIC_AUTH_TOKEN": "holdgate-claude-code",
    "ANTHROPIC_API_KEY": "",
    "CLAUDE_CODE_USE_BEDROCK": "",
    "CLAUDE_CODE_USE_VERTEX": "",
    "CLAUDE_CODE_USE_FOUNDRY": "",
    "CLAUDE_CODE_USE_MANTLE": "",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS": "",
    "CLAUDE_STREAM_IDLE_TIMEOUT_MS": "3600000",
    "API_TIMEOUT_MS": "3600000",
    "API_FORCE_IDLE_TIMEOUT": "0",
}
TIERS = {
    "ANTHROPIC_DEFAULT_OPUS_MODEL": "coder",
    "ANTHROPIC_DEFAULT_SONNET_MODEL": "coder",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL": "coder",
    "ANTHROPIC_SMALL_FAST_MODEL": "coder",
    "ANTHROPIC_DEFAULT_FABLE_MODEL": "coder",
}


def told(**models: str) -> dict[str, str]:
    """Give what it is told about models, `main` being the main one."""
    named = {"" if tier == "main" else tier: model for tier, model in models.items()}
    variables = AGENT.variables(Wish(URL, "holdgate-claude-code", named), machine())
    assert variables.items() >= ALWAYS.items()
    return {name: value for name, value in variables.items() if name not in ALWAYS}


def test_a_main_model_is_all_models() -> None:
    all_models = {"ANTHROPIC_MODEL": "coder", "CLAUDE_CODE_SUBAGENT_MODEL": "coder", **TIERS}
    assert told(main="coder") == all_models


def test_a_tier_has_its_own_and_subagents_follow_their_tiers() -> None:
    small = {"ANTHROPIC_DEFAULT_HAIKU_MODEL": "small", "ANTHROPIC_SMALL_FAST_MODEL": "small"}
    assert told(main="coder", haiku="small") == {"ANTHROPIC_MODEL": "coder", **TIERS, **small}


def test_a_tier_without_a_main_model_is_all_that_changes() -> None:
    assert told(opus="big") == {"ANTHROPIC_DEFAULT_OPUS_MODEL": "big"}
    assert told(subagent="sub") == {"CLAUDE_CODE_SUBAGENT_MODEL": "sub"}
    assert told() == {}


@pytest.mark.parametrize(
    ("tier", "variable"),
    [
        ("sonnet", "ANTHROPIC_DEFAULT_SONNET_MODEL"),
        ("fable", "ANTHROPIC_DEFAULT_FABLE_MODEL"),
        ("subagent", "CLAUDE_CODE_SUBAGENT_MODEL"),
    ],
)
def test_each_tier_is_told(tier: str, variable: str) -> None:
    assert told(main="coder", **{tier: "other"})[variable] == "other"


def test_its_settings_hold_the_same() -> None:
    variables = AGENT.variables(wish(AGENT), machine())
    assert connected(AGENT, wish(AGENT)) == {
        FILE: {("env", name): value for name, value in variables.items()}
    }
    assert settings_told(wish(AGENT), "linux") == {"env": variables}


def settings_told(asked: Wish, system: str) -> dict[str, object]:
    option, text = AGENT.arguments(asked, machine(system))
    assert option == "--settings"
    told: dict[str, object] = json.loads(text)
    return told


def test_a_real_key_is_in_no_list_of_processes() -> None:
    """And yet a key in the person's own settings.json goes nowhere, but on Windows."""
    variables = dict(AGENT.variables(lan_wish(), machine()))
    assert variables.pop("HOLDGATE_API_KEY") == variables.pop("ANTHROPIC_AUTH_TOKEN")
    assert settings_told(lan_wish(), "linux") == {
        "env": variables | {"ANTHROPIC_AUTH_TOKEN": ""},
        "apiKeyHelper": "printenv HOLDGATE_API_KEY",
    }
    assert settings_told(lan_wish(), "win32") == {"env": variables}


def test_a_gateway_elsewhere() -> None:
    variables = AGENT.variables(lan_wish(), machine())
    assert variables["ANTHROPIC_BASE_URL"] == "http://192.168.1.20:4653"
    assert variables["ANTHROPIC_AUTH_TOKEN"] == "hg_lan_0123456789"


def test_its_home() -> None:
    own = machine(CLAUDE_CONFIG_DIR="/srv/claude")
    assert files(AGENT, own) == (Path("/srv/claude/settings.json"),)
    assert AGENT.traces(own) == (Path("/srv/claude"),)
    assert files(AGENT, machine("win32")) == files(AGENT, machine("darwin")) == (FILE,)
