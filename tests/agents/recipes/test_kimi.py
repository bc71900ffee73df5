"""Kimi Code, whose variables make a model, and the older kimi-cli."""

from __future__ import annotations

from pathlib import Path

from holdgate.core.agents.recipes.kimi_code import AGENT, OLD_AGENT
from tests.agents.recipes.asked import HOME, OFFERED, connected, files, lan_wish, machine, wish

FILE = HOME / ".kimi-code/config.toml"
OLD_FILE = HOME / ".kimi/config.toml"


def test_it_is_started_with_a_model() -> None:
    assert AGENT.variables(wish(AGENT), machine()) == {
        "KIMI_MODEL_NAME": "coder",
        "KIMI_MODEL_PROVIDER_TYPE": "openai",
        "KIMI_MODEL_BASE_URL": "http://127.0.0.1:4653/v1",
        "KIMI_MODEL_API_KEY": "holdgate-kimi-code",
        "KIMI_MODEL_DISPLAY_NAME": "Holdgate: coder",
        "KIMI_MODEL_MAX_CONTEXT_SIZE": "128000",
        "KIMI_MODEL_MAX_OUTPUT_SIZE": "16384",
    }
    assert AGENT.arguments(wish(AGENT), machine()) == ()


def test_it_is_told_how_much_the_model_takes() -> None:
    asked = wish(AGENT, offered=OFFERED)
    variables = AGENT.variables(
        type(asked)(asked.url, asked.key, {"": "deepseek/chat"}, OFFERED), machine()
    )
    assert variables["KIMI_MODEL_MAX_CONTEXT_SIZE"] == "131072"
    assert variables["KIMI_MODEL_MAX_OUTPUT_SIZE"] == "8192"


def test_a_gateway_elsewhere() -> None:
    variables = AGENT.variables(lan_wish(), machine())
    assert variables["KIMI_MODEL_BASE_URL"] == "http://192.168.1.20:4653/v1"
    assert variables["KIMI_MODEL_API_KEY"] == "hg_lan_0123456789"
    assert connected(AGENT, lan_wish())[FILE]["providers", "holdgate"] == {
        "type": "openai",
        "base_url": "http://192.168.1.20:4653/v1",
        "api_key": "hg_lan_0123456789",
    }


def test_its_settings() -> None:
    assert connected(AGENT, wish(AGENT, offered=OFFERED[:2])) == {
        FILE: {
            ("default_model",): "holdgate/coder",
            ("providers", "holdgate"): {
                "type": "openai",
                "base_url": "http://127.0.0.1:4653/v1",
                "api_key": "holdgate-kimi-code",
            },
            ("models", "holdgate/coder"): {
                "provider": "holdgate",
                "model": "coder",
                "max_context_size": 128_000,
                "max_output_size": 16_384,
            },
            ("models", "holdgate/deepseek/chat"): {
                "provider": "holdgate",
                "model": "deepseek/chat",
                "max_context_size": 131_072,
                "max_output_size": 8_192,
            },
        }
    }


def test_the_older_one() -> None:
    assert OLD_AGENT.variables(wish(OLD_AGENT), machine()) == {
        "KIMI_BASE_URL": "http://127.0.0.1:4653/v1",
        "KIMI_API_KEY": "holdgate-kimi-cli",
        "KIMI_MODEL_NAME": "coder",
    }
    assert connected(OLD_AGENT, wish(OLD_AGENT)) == {
        OLD_FILE: {
            ("default_model",): "holdgate/coder",
            ("providers", "holdgate"): {
                "type": "openai_legacy",
                "base_url": "http://127.0.0.1:4653/v1",
                "api_key": "holdgate-kimi-cli",
            },
            ("models", "holdgate/coder"): {
                "provider": "holdgate",
                "model": "coder",
                "max_context_size": 128_000,
            },
        }
    }


def test_their_homes() -> None:
    own = machine(KIMI_CODE_HOME="/srv/kimi", KIMI_SHARE_DIR="/srv/old")
    assert files(AGENT, own) == (Path("/srv/kimi/config.toml"),)
    assert files(OLD_AGENT, own) == (Path("/srv/old/config.toml"),)
    assert files(AGENT, machine("win32")) == (FILE,)
