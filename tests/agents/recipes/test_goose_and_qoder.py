"""goose, which can only be started, and Qoder, which can only be told by hand."""

from __future__ import annotations

from pathlib import Path

from holdgate.core.agents.recipes import goose, qoder
from tests.agents.recipes.asked import HOME, lan_wish, machine, wish


def test_goose_is_started_with_a_model() -> None:
    assert goose.AGENT.variables(wish(goose.AGENT), machine()) == {
        "GOOSE_PROVIDER": "openai",
        "GOOSE_MODEL": "coder",
        "OPENAI_HOST": "http://127.0.0.1:4653",
        "OPENAI_BASE_PATH": "v1/chat/completions",
        "OPENAI_API_KEY": "holdgate-goose",
        "OPENAI_TIMEOUT": "3600",
    }
    variables = goose.AGENT.variables(lan_wish(), machine())
    assert variables["OPENAI_HOST"] == "http://192.168.1.20:4653"
    assert variables["OPENAI_API_KEY"] == "hg_lan_0123456789"


def test_goose_keeps_keys_where_nobody_reaches_them() -> None:
    assert goose.AGENT.connect(wish(goose.AGENT), machine()) == ()
    assert "keyring" in goose.AGENT.no_connect
    assert goose.AGENT.traces(machine()) == (HOME / ".config/goose",)
    assert goose.AGENT.traces(machine("win32")) == (HOME / "AppData/Roaming/Block/goose",)


def test_qoder_is_known_but_left_alone() -> None:
    agent = qoder.AGENT
    assert agent.variables(wish(agent), machine()) == {}
    assert agent.connect(wish(agent), machine()) == ()
    assert "login" in agent.no_run
    assert "login" in agent.no_connect
    assert agent.traces(machine(QODER_CONFIG_DIR="/srv/qoder")) == (Path("/srv/qoder"),)
