"""llm: a file that is a list, and one with keys."""

from __future__ import annotations

from pathlib import Path

from holdgate.core.agents.recipes.llm import AGENT
from holdgate.core.editing.base import Item
from tests.agents.recipes.asked import HOME, OFFERED, connected, files, lan_wish, machine, wish

FOLDER = HOME / ".config/io.datasette.llm"


def test_its_files() -> None:
    assert connected(AGENT, wish(AGENT, offered=OFFERED[:2])) == {
        FOLDER / "extra-openai-models.yaml": {
            (Item("model_id", f"holdgate/{name}"),): {
                "model_id": f"holdgate/{name}",
                "model_name": name,
                "api_base": "http://127.0.0.1:4653/v1",
                "api_key_name": "holdgate",
                "supports_tools": True,
                "supports_schema": True,
            }
            for name in ("coder", "deepseek/chat")
        },
        FOLDER / "keys.json": {("holdgate",): "holdgate-llm"},
    }


def test_a_gateway_elsewhere() -> None:
    found = connected(AGENT, lan_wish())
    model = found[FOLDER / "extra-openai-models.yaml"][(Item("model_id", "holdgate/coder"),)]
    assert isinstance(model, dict)
    assert model["api_base"] == "http://192.168.1.20:4653/v1"
    assert found[FOLDER / "keys.json"] == {("holdgate",): "hg_lan_0123456789"}


def test_its_homes() -> None:
    names = ("extra-openai-models.yaml", "keys.json")
    library = HOME / "Library/Application Support/io.datasette.llm"
    roaming = HOME / "AppData/Roaming/io.datasette.llm"
    for where, folder in (
        (machine(LLM_USER_PATH="/srv/llm"), Path("/srv/llm")),
        (machine(XDG_CONFIG_HOME="/srv/config"), Path("/srv/config/io.datasette.llm")),
        (machine("darwin"), library),
        (machine("win32"), roaming),
        (machine("win32", LLM_USER_PATH="/srv/llm"), Path("/srv/llm")),
    ):
        assert files(AGENT, where) == tuple(folder / name for name in names)


def test_it_cannot_be_started_without_its_files() -> None:
    assert "gateway connect llm" in AGENT.no_run
