"""The Copilot CLI: variables, and nothing but them."""

from __future__ import annotations

from pathlib import Path

from holdgate.core.agents.base import Wish
from holdgate.core.agents.recipes.copilot import AGENT
from tests.agents.recipes.asked import HOME, OFFERED, URL, lan_wish, machine, wish

UNSET = {
    "COPILOT_PROVIDER_BEARER_TOKEN",
    "COPILOT_PROVIDER_API_KEY_COMMAND",
    "COPILOT_PROVIDER_TRANSPORT",
    "COPILOT_PROVIDER_MODEL_ID",
    "COPILOT_PROVIDER_WIRE_MODEL",
}
NUMBERS = {"COPILOT_PROVIDER_MAX_PROMPT_TOKENS", "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS"}


def test_a_start() -> None:
    assert AGENT.variables(wish(AGENT), machine()) == {
        "COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1:4653/v1",
        "COPILOT_PROVIDER_API_KEY": "holdgate-copilot",
        "COPILOT_MODEL": "coder",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_WIRE_API": "completions",
        **dict.fromkeys(UNSET | NUMBERS, ""),
    }
    assert AGENT.arguments(wish(AGENT), machine()) == ()


def test_the_window_is_told_where_it_is_known() -> None:
    told = AGENT.variables(Wish(URL, "k", {"": "deepseek/chat"}, OFFERED), machine())
    assert told["COPILOT_PROVIDER_MAX_PROMPT_TOKENS"] == str(131_072 - 8_192)
    assert told["COPILOT_PROVIDER_MAX_OUTPUT_TOKENS"] == "8192"


def test_it_has_no_file_for_it() -> None:
    assert AGENT.connect(wish(AGENT), machine()) == ()
    assert "gateway run copilot" in AGENT.no_connect


def test_a_gateway_elsewhere() -> None:
    told = AGENT.variables(lan_wish(), machine())
    assert told["COPILOT_PROVIDER_BASE_URL"] == "http://192.168.1.20:4653/v1"
    assert told["COPILOT_PROVIDER_API_KEY"] == "hg_lan_0123456789"


def test_its_traces() -> None:
    assert AGENT.traces(machine(COPILOT_HOME="/srv/copilot")) == (Path("/srv/copilot"),)
    assert AGENT.traces(machine("win32")) == AGENT.traces(machine()) == (HOME / ".copilot",)
