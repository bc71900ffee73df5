"""Droid: a list of models in JSON, each with an id of its own."""

from __future__ import annotations

from pathlib import Path

from holdgate.core.agents.recipes.droid import AGENT
from holdgate.core.editing.base import Item
from tests.agents.recipes.asked import HOME, OFFERED, connected, files, lan_wish, machine, wish

FILE = HOME / ".factory/settings.json"


def test_it_lists_and_chooses_the_model() -> None:
    assert connected(AGENT, wish(AGENT)) == {
        FILE: {
            ("customModels", Item("displayName", "Holdgate: coder")): {
                "displayName": "Holdgate: coder",
                "id": "custom:holdgate/coder",
                "model": "coder",
                "baseUrl": "http://127.0.0.1:4653/v1",
                "apiKey": "holdgate-droid",
                "provider": "generic-chat-completion-api",
                "maxOutputTokens": 16_384,
            },
            ("sessionDefaultSettings", "model"): "custom:holdgate/coder",
        }
    }


def test_all_that_is_offered_is_listed() -> None:
    edits = connected(AGENT, wish(AGENT, offered=OFFERED))[FILE]
    assert edits["customModels", Item("displayName", "Holdgate: deepseek/chat")] == {
        "displayName": "Holdgate: deepseek/chat",
        "id": "custom:holdgate/deepseek/chat",
        "model": "deepseek/chat",
        "baseUrl": "http://127.0.0.1:4653/v1",
        "apiKey": "holdgate-droid",
        "provider": "generic-chat-completion-api",
        "maxOutputTokens": 8_192,
        "maxContextLimit": 131_072,
    }
    assert len(edits) == len(OFFERED) + 1
    assert edits["sessionDefaultSettings", "model"] == "custom:holdgate/coder"


def test_a_gateway_elsewhere() -> None:
    edits = connected(AGENT, lan_wish())[FILE]
    model = edits["customModels", Item("displayName", "Holdgate: coder")]
    assert isinstance(model, dict)
    assert (model["baseUrl"], model["apiKey"]) == (
        "http://192.168.1.20:4653/v1",
        "hg_lan_0123456789",
    )


def test_its_home() -> None:
    own = machine(FACTORY_HOME_OVERRIDE="/srv/droid")
    assert files(AGENT, own) == (Path("/srv/droid/.factory/settings.json"),)
    assert files(AGENT, machine("win32")) == files(AGENT, machine("darwin")) == (FILE,)


def test_it_cannot_be_started_without_its_file() -> None:
    assert "gateway connect droid" in AGENT.no_run
