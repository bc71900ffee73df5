"""Codex: flags for a start, a table of TOML for good."""

from __future__ import annotations

import tomllib
from pathlib import Path

from holdgate.core.agents.base import Wish
from holdgate.core.agents.recipes.codex import AGENT
from tests.agents.recipes.asked import (
    HOME,
    OFFERED,
    URL,
    connected,
    files,
    lan_wish,
    machine,
    wish,
)

FILE = HOME / ".codex/config.toml"
TABLE = {
    "name": "Holdgate",
    "base_url": "http://127.0.0.1:4653/v1",
    "wire_api": "responses",
    "request_max_retries": 2,
    "stream_idle_timeout_ms": 3_600_000,
}
NO_MODEL = Wish(URL, "holdgate-codex", {})


def test_a_start_by_flags_and_a_variable() -> None:
    assert AGENT.variables(wish(AGENT), machine()) == {"HOLDGATE_API_KEY": "holdgate-codex"}
    assert AGENT.arguments(wish(AGENT), machine()) == (
        *("-c", "model_provider='holdgate'"),
        *("-c", "model='coder'"),
        *("-c", "model_providers.holdgate.name='Holdgate'"),
        *("-c", "model_providers.holdgate.base_url='http://127.0.0.1:4653/v1'"),
        *("-c", "model_providers.holdgate.wire_api='responses'"),
        *("-c", "model_providers.holdgate.request_max_retries=2"),
        *("-c", "model_providers.holdgate.stream_idle_timeout_ms=3600000"),
        *("-c", "model_providers.holdgate.env_key='HOLDGATE_API_KEY'"),
    )


def test_its_flags_are_toml() -> None:
    flags = AGENT.arguments(wish(AGENT, offered=OFFERED), machine())[1::2]
    read = tomllib.loads("\n".join(flags))
    assert read == {
        "model_provider": "holdgate",
        "model": "coder",
        "model_providers": {"holdgate": TABLE | {"env_key": "HOLDGATE_API_KEY"}},
    }


def test_its_file_holds_the_key() -> None:
    assert connected(AGENT, wish(AGENT)) == {
        FILE: {
            ("model_provider",): "holdgate",
            ("model",): "coder",
            ("model_providers", "holdgate"): TABLE
            | {"experimental_bearer_token": "holdgate-codex"},
        }
    }


def test_the_window_of_the_model_is_told_where_it_is_known() -> None:
    known = Wish(URL, "holdgate-codex", {"": "deepseek/chat"}, OFFERED)
    assert connected(AGENT, known)[FILE]["model_context_window",] == 131_072
    assert "model_context_window=131072" in AGENT.arguments(known, machine())


def test_without_a_model_it_asks_for_its_own() -> None:
    assert not AGENT.needs_model
    assert ("model",) not in connected(AGENT, NO_MODEL)[FILE]
    assert not [each for each in AGENT.arguments(NO_MODEL, machine()) if each.startswith("model=")]


def test_a_gateway_elsewhere() -> None:
    table = connected(AGENT, lan_wish())[FILE]["model_providers", "holdgate"]
    assert isinstance(table, dict)
    assert table["base_url"] == "http://192.168.1.20:4653/v1"
    assert table["experimental_bearer_token"] == "hg_lan_0123456789"


def test_its_home() -> None:
    assert files(AGENT, machine(CODEX_HOME="/srv/codex")) == (Path("/srv/codex/config.toml"),)
    assert files(AGENT, machine("win32")) == files(AGENT, machine("darwin")) == (FILE,)


def test_strange_names_are_toml_all_the_same() -> None:
    words = AGENT.arguments(Wish(URL, "k", {"": "o'\n\"x"}), machine())
    text = "\n".join(words[1::2])
    assert tomllib.loads(text)["model"] == "o'\n\"x"
