"""Gemini CLI: variables in a file of their own, the way to sign in and the models in another."""

from __future__ import annotations

from pathlib import Path

from holdgate.core.agents.base import Wish
from holdgate.core.agents.recipes.gemini_cli import AGENT
from tests.agents.recipes.asked import HOME, URL, connected, files, lan_wish, machine, wish

VARIABLES = HOME / ".gemini/.env"
SETTINGS = HOME / ".gemini/settings.json"
HELPERS = (
    "classifier",
    "prompt-completion",
    "fast-ack-helper",
    "edit-corrector",
    "summarizer-default",
    "summarizer-shell",
    "loop-detection",
    "loop-detection-double-check",
    "llm-edit-fixer",
    "next-speaker-checker",
    "context-snapshotter",
    "chat-compression-default",
    "agent-history-provider-summarizer",
)
SIGNED_IN = ("security", "auth", "selectedType")


def helpers(asked: Wish) -> dict[str, object]:
    """Give the models of what it asks beside the talk, by name."""
    return {
        str(path[2]): value
        for path, value in connected(AGENT, asked)[SETTINGS].items()
        if path[:2] == ("modelConfigs", "customAliases") and path[3:] == ("modelConfig", "model")
    }


def test_its_variables() -> None:
    assert AGENT.variables(wish(AGENT), machine()) == {
        "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:4653",  # without a version
        "GEMINI_API_KEY": "holdgate-gemini-cli",
        "GEMINI_MODEL": "coder",
        "GOOGLE_GENAI_USE_VERTEXAI": "",
        "GOOGLE_GENAI_USE_GCA": "",
        "GOOGLE_API_KEY": "",
    }
    assert "connect gemini-cli" in AGENT.no_run


def test_its_files() -> None:
    told = connected(AGENT, wish(AGENT))
    assert [(each.file, each.format) for each in AGENT.connect(wish(AGENT), machine())] == [
        (VARIABLES, "dotenv"),
        (SETTINGS, "json"),
    ]
    assert told[VARIABLES] == {
        ("GOOGLE_GEMINI_BASE_URL",): "http://127.0.0.1:4653",
        ("GEMINI_API_KEY",): "holdgate-gemini-cli",
    }
    assert told[SETTINGS][SIGNED_IN] == "gemini-api-key"
    assert told[SETTINGS]["model", "name"] == "coder"


def test_what_it_asks_beside_the_talk_has_a_model_too() -> None:
    assert helpers(wish(AGENT)) == dict.fromkeys(HELPERS, "coder")
    assert helpers(wish(AGENT, flash="small"))["classifier"] == "small"


def test_without_a_model_it_asks_for_its_own() -> None:
    asked = Wish(URL, "holdgate-gemini-cli", {})
    assert not AGENT.needs_model
    assert "GEMINI_MODEL" not in AGENT.variables(asked, machine())
    assert connected(AGENT, asked)[SETTINGS] == {SIGNED_IN: "gemini-api-key"}


def test_a_gateway_elsewhere() -> None:
    assert connected(AGENT, lan_wish())[VARIABLES] == {
        ("GOOGLE_GEMINI_BASE_URL",): "http://192.168.1.20:4653",
        ("GEMINI_API_KEY",): "hg_lan_0123456789",
    }


def test_its_home() -> None:
    own = Path("/srv/g/.gemini")  # the variable stands for the home
    assert files(AGENT, machine(GEMINI_CLI_HOME="/srv/g")) == (own / ".env", own / "settings.json")
    assert files(AGENT, machine("win32")) == files(AGENT, machine("darwin"))
    assert files(AGENT, machine("win32")) == (VARIABLES, SETTINGS)
