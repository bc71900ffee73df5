"""aider: each of its options has a variable and a line in its file."""

from __future__ import annotations

from holdgate.core.agents.recipes.aider import AGENT
from tests.agents.recipes.asked import HOME, connected, files, lan_wish, machine, wish

FILE = HOME / ".aider.conf.yml"


def test_it_is_started_with_a_model() -> None:
    assert AGENT.variables(wish(AGENT), machine()) == {
        "AIDER_MODEL": "openai/coder",
        "AIDER_OPENAI_API_BASE": "http://127.0.0.1:4653/v1",
        "AIDER_OPENAI_API_KEY": "holdgate-aider",
        "AIDER_TIMEOUT": "3600",
    }
    assert AGENT.arguments(wish(AGENT), machine()) == ()


def test_its_further_models() -> None:
    asked = wish(AGENT, weak="claude/haiku", editor="claude/sonnet")
    variables = AGENT.variables(asked, machine())
    assert variables["AIDER_WEAK_MODEL"] == "openai/claude/haiku"
    assert variables["AIDER_EDITOR_MODEL"] == "openai/claude/sonnet"
    edits = connected(AGENT, asked)[FILE]
    assert edits["weak-model",] == "openai/claude/haiku"
    assert edits["editor-model",] == "openai/claude/sonnet"
    assert AGENT.tiers == ("weak", "editor")


def test_its_file() -> None:
    assert connected(AGENT, lan_wish()) == {
        FILE: {
            ("model",): "openai/coder",
            ("openai-api-base",): "http://192.168.1.20:4653/v1",
            ("openai-api-key",): "hg_lan_0123456789",
            ("timeout",): 3600,
        }
    }
    assert files(AGENT, machine("win32")) == files(AGENT, machine("darwin")) == (FILE,)
