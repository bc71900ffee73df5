"""The Cline CLI: one provider of its settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdgate.core.agents.recipes.cline import AGENT
from tests.agents.recipes.asked import HOME, connected, files, lan_wish, machine, wish

FILE = HOME / ".cline/data/settings/providers.json"
ENTRY = ("providers", "openai-compatible")


def test_its_file() -> None:
    assert connected(AGENT, wish(AGENT)) == {
        FILE: {
            ("version",): 1,
            ("lastUsedProvider",): "openai-compatible",
            ("modes",): {},
            (*ENTRY, "settings", "provider"): "openai-compatible",
            (*ENTRY, "settings", "apiKey"): "holdgate-cline",
            (*ENTRY, "settings", "model"): "coder",
            (*ENTRY, "settings", "baseUrl"): "http://127.0.0.1:4653/v1",
            (*ENTRY, "settings", "timeout"): 3_600_000,
            (*ENTRY, "updatedAt"): "2026-01-01T00:00:00.000Z",
            (*ENTRY, "tokenSource"): "manual",
        }
    }


def test_what_only_a_new_file_needs_is_left_alone_otherwise() -> None:
    (told,) = AGENT.connect(wish(AGENT), machine())
    assert [edit.path[-1] for edit in told.edits if edit.only_new] == [
        "version",
        "modes",
        "tokenSource",
    ]


def test_it_cannot_be_started_without_its_file() -> None:
    assert AGENT.variables(wish(AGENT), machine()) == {}
    assert "connect cline" in AGENT.no_run


def test_a_gateway_elsewhere() -> None:
    told = connected(AGENT, lan_wish())[FILE]
    assert told[*ENTRY, "settings", "baseUrl"] == "http://192.168.1.20:4653/v1"
    assert told[*ENTRY, "settings", "apiKey"] == "hg_lan_0123456789"


@pytest.mark.parametrize(
    ("variable", "value", "file"),
    [
        ("CLINE_DIR", "/srv/c", "/srv/c/data/settings/providers.json"),
        ("CLINE_DATA_DIR", "/srv/d", "/srv/d/settings/providers.json"),
        ("CLINE_PROVIDER_SETTINGS_PATH", "/srv/p.json", "/srv/p.json"),
    ],
)
def test_its_home(variable: str, value: str, file: str) -> None:
    assert files(AGENT, machine(**{variable: value})) == (Path(file),)


def test_its_home_on_other_systems() -> None:
    assert files(AGENT, machine("win32")) == files(AGENT, machine("darwin")) == (FILE,)
