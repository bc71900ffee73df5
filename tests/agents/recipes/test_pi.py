"""pi: a provider in an extension for a start, in its models file for good."""

from __future__ import annotations

import json
from pathlib import Path

from holdgate.core.agents.base import Offered
from holdgate.core.agents.recipes.pi import AGENT
from tests.agents.recipes.asked import HOME, OFFERED, connected, files, lan_wish, machine, wish

MODELS = HOME / ".pi/agent/models.json"
SETTINGS = HOME / ".pi/agent/settings.json"
PROVIDER = {
    "baseUrl": "http://127.0.0.1:4653/v1",
    "api": "openai-completions",
    "apiKey": "holdgate-pi",
}


def test_a_start_by_an_extension() -> None:
    flag, extension, *rest = AGENT.arguments(wish(AGENT), machine())
    assert flag == "--extension"
    assert rest == ["--provider", "holdgate", "--model", "coder"]
    source = Path(extension).read_text(encoding="utf-8")
    assert 'registerProvider("holdgate"' in source
    (variable,) = AGENT.variables(wish(AGENT), machine())
    assert f"process.env.{variable}" in source


def test_what_the_extension_is_told() -> None:
    (told,) = AGENT.variables(wish(AGENT, offered=OFFERED[:2]), machine()).values()
    usual = {
        "reasoning": False,
        "input": ["text"],
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
    }
    assert json.loads(told) == PROVIDER | {
        "models": [
            usual | {"id": "coder", "name": "coder", "contextWindow": 128_000, "maxTokens": 16_384},
            usual
            | {
                "id": "deepseek/chat",
                "name": "deepseek/chat",
                "contextWindow": 131_072,
                "maxTokens": 8_192,
            },
        ]
    }


def test_a_variable_stays_short() -> None:
    many = tuple(Offered(f"some-vendor/some-model-of-it-{number}", 1, 1) for number in range(1000))
    (told,) = AGENT.variables(wish(AGENT, offered=many), machine()).values()
    assert len(told) < 32_767


def test_its_files() -> None:
    assert connected(AGENT, wish(AGENT, offered=OFFERED)) == {
        MODELS: {
            ("providers", "holdgate"): PROVIDER
            | {
                "models": [
                    {"id": "coder"},
                    {"id": "deepseek/chat", "contextWindow": 131_072, "maxTokens": 8_192},
                    {"id": "claude/haiku", "contextWindow": 200_000},
                ]
            }
        },
        SETTINGS: {
            ("defaultProvider",): "holdgate",
            ("defaultModel",): "coder",
            ("retry", "provider", "timeoutMs"): 3_600_000,
        },
    }


def test_a_gateway_elsewhere() -> None:
    told = connected(AGENT, lan_wish())[MODELS]["providers", "holdgate"]
    assert isinstance(told, dict)
    assert told["baseUrl"] == "http://192.168.1.20:4653/v1"
    assert told["apiKey"] == "hg_lan_0123456789"


def test_its_home() -> None:
    own = Path("/srv/pi")
    assert files(AGENT, machine(PI_CODING_AGENT_DIR="/srv/pi")) == (
        own / "models.json",
        own / "settings.json",
    )
    assert files(AGENT, machine("win32")) == files(AGENT, machine("darwin")) == (MODELS, SETTINGS)
