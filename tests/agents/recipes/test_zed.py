"""Zed: a provider and the agent's model; the key comes by another way."""

from __future__ import annotations

from pathlib import Path

from holdgate.core.agents.recipes.zed import AGENT
from tests.agents.recipes.asked import HOME, OFFERED, connected, files, lan_wish, machine, wish

FILE = HOME / ".config/zed/settings.json"


def test_it_gets_a_provider() -> None:
    assert connected(AGENT, wish(AGENT, offered=OFFERED[:2])) == {
        FILE: {
            ("language_models", "openai_compatible", "Holdgate"): {
                "api_url": "http://127.0.0.1:4653/v1",
                "available_models": [
                    {"name": "coder", "display_name": "Holdgate: coder", "max_tokens": 128_000},
                    {
                        "name": "deepseek/chat",
                        "display_name": "Holdgate: deepseek/chat",
                        "max_tokens": 131_072,
                        "max_output_tokens": 8_192,
                    },
                ],
            },
            ("agent", "default_model"): {"provider": "Holdgate", "model": "coder"},
        }
    }


def test_a_gateway_elsewhere() -> None:
    provider = connected(AGENT, lan_wish())[FILE][
        "language_models", "openai_compatible", "Holdgate"
    ]
    assert isinstance(provider, dict)
    assert provider["api_url"] == "http://192.168.1.20:4653/v1"


def test_its_key_stands_in_no_file() -> None:
    asked = lan_wish()
    assert asked.key not in str(connected(AGENT, asked))
    assert AGENT.variables(asked, machine()) == {"HOLDGATE_API_KEY": "hg_lan_0123456789"}
    assert "HOLDGATE_API_KEY" in AGENT.note


def test_its_homes() -> None:
    assert files(AGENT, machine(XDG_CONFIG_HOME="/srv/config")) == (
        Path("/srv/config/zed/settings.json"),
    )
    flatpak = machine(XDG_CONFIG_HOME="/srv/config", FLATPAK_XDG_CONFIG_HOME="/srv/flat")
    assert files(AGENT, flatpak) == (Path("/srv/flat/zed/settings.json"),)
    assert files(AGENT, machine("darwin", XDG_CONFIG_HOME="/srv/config")) == (FILE,)
    assert files(AGENT, machine("win32")) == (HOME / "AppData/Roaming/Zed/settings.json",)
    assert files(AGENT, machine("win32", APPDATA="/srv/roaming")) == (
        Path("/srv/roaming/Zed/settings.json"),
    )
