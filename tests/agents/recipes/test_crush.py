"""Crush: a provider of its own, and a large and a small model."""

from __future__ import annotations

from pathlib import Path

from holdgate.core.agents.recipes.crush import AGENT
from tests.agents.recipes.asked import HOME, OFFERED, connected, files, lan_wish, machine, wish

FILE = HOME / ".config/crush/crush.json"


def test_it_gets_a_provider_and_two_models() -> None:
    assert connected(AGENT, wish(AGENT)) == {
        FILE: {
            ("providers", "holdgate"): {
                "name": "Holdgate",
                "type": "openai-compat",
                "base_url": "http://127.0.0.1:4653/v1",
                "api_key": "holdgate-crush",
                "models": [
                    {
                        "id": "coder",
                        "name": "Holdgate: coder",
                        "context_window": 128_000,
                        "default_max_tokens": 16_384,
                    }
                ],
            },
            ("models", "large"): {"provider": "holdgate", "model": "coder"},
            ("models", "small"): {"provider": "holdgate", "model": "coder"},
            ("options", "request_timeout"): 3600,
        }
    }


def test_the_small_model_may_be_another() -> None:
    asked = wish(AGENT, offered=OFFERED, small="claude/haiku")
    edits = connected(AGENT, asked)[FILE]
    provider = edits["providers", "holdgate"]
    assert isinstance(provider, dict)
    assert edits["models", "large"] == {"provider": "holdgate", "model": "coder"}
    assert edits["models", "small"] == {"provider": "holdgate", "model": "claude/haiku"}
    assert provider["models"] == [
        {
            "id": name,
            "name": f"Holdgate: {name}",
            "context_window": context,
            "default_max_tokens": output,
        }
        for name, context, output in (
            ("coder", 128_000, 16_384),
            ("claude/haiku", 200_000, 16_384),
            ("deepseek/chat", 131_072, 8_192),
        )
    ]
    assert AGENT.tiers == ("small",)


def test_a_gateway_elsewhere() -> None:
    provider = connected(AGENT, lan_wish())[FILE]["providers", "holdgate"]
    assert isinstance(provider, dict)
    assert provider["base_url"] == "http://192.168.1.20:4653/v1"
    assert provider["api_key"] == "hg_lan_0123456789"


def test_its_homes() -> None:
    assert files(AGENT, machine(CRUSH_GLOBAL_CONFIG="/srv/crush")) == (
        Path("/srv/crush/crush.json"),
    )
    assert files(AGENT, machine(XDG_CONFIG_HOME="/srv/config")) == (
        Path("/srv/config/crush/crush.json"),
    )
    assert files(AGENT, machine("win32")) == files(AGENT, machine("darwin")) == (FILE,)


def test_it_cannot_be_started_without_its_file() -> None:
    assert "gateway connect crush" in AGENT.no_run
