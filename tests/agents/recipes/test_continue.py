"""Continue: a list of models in YAML."""

from __future__ import annotations

from pathlib import Path

from holdgate.core.agents.recipes.continue_cli import AGENT
from holdgate.core.editing.base import Item
from tests.agents.recipes.asked import HOME, OFFERED, connected, files, lan_wish, machine, wish

FILE = HOME / ".continue/config.yaml"
GREETED = HOME / ".continue/.onboarding_complete"


def entry(name: str, url: str, key: str) -> dict[str, object]:
    return {
        "name": f"Holdgate: {name}",
        "provider": "openai",
        "model": name,
        "apiBase": f"{url}/v1",
        "apiKey": key,
        "roles": ["chat", "edit", "apply", "summarize"],
        "capabilities": ["tool_use"],
    }


def test_it_lists_the_model() -> None:
    assert connected(AGENT, wish(AGENT)) == {
        FILE: {
            ("name",): "Local Config",
            ("version",): "1.0.0",
            ("schema",): "v1",
            ("models", Item("name", "Holdgate: coder")): entry(
                "coder", "http://127.0.0.1:4653", "holdgate-continue"
            ),
        },
        GREETED: {("HOLDGATE",): "connected"},
    }


def test_a_file_that_is_there_keeps_its_header() -> None:
    file, _greeted = AGENT.connect(wish(AGENT), machine())
    assert file.format == "yaml"
    assert [each.path for each in file.edits if each.only_new] == [
        ("name",),
        ("version",),
        ("schema",),
    ]


def test_all_that_is_offered_is_listed_with_its_window() -> None:
    edits = connected(AGENT, wish(AGENT, offered=OFFERED))[FILE]
    models = {path[1]: value for path, value in edits.items() if path[0] == "models"}
    url, key = "http://127.0.0.1:4653", "holdgate-continue"
    window = {"defaultCompletionOptions": {"contextLength": 131_072}}
    assert list(models) == [
        Item("name", f"Holdgate: {name}") for name in ("coder", "deepseek/chat", "claude/haiku")
    ]
    assert models[Item("name", "Holdgate: deepseek/chat")] == (
        entry("deepseek/chat", url, key) | window
    )


def test_a_gateway_elsewhere() -> None:
    edits = connected(AGENT, lan_wish())[FILE]
    assert edits["models", Item("name", "Holdgate: coder")] == entry(
        "coder", "http://192.168.1.20:4653", "hg_lan_0123456789"
    )


def test_its_home() -> None:
    own = machine(CONTINUE_GLOBAL_DIR="/srv/continue")
    assert files(AGENT, own) == (
        Path("/srv/continue/config.yaml"),
        Path("/srv/continue/.onboarding_complete"),
    )
    assert AGENT.traces(own) == (Path("/srv/continue"),)
    assert files(AGENT, machine("win32")) == files(AGENT, machine("darwin")) == (FILE, GREETED)


def test_it_cannot_be_started_without_its_file() -> None:
    assert "gateway connect continue" in AGENT.no_run
    assert AGENT.variables(wish(AGENT), machine()) == {}
