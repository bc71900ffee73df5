"""The CLI of Cline."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Wish

_PROVIDER: Final = "openai-compatible"
_PATIENCE: Final = 3_600_000  # milliseconds; 300000 if nothing is said
_NEVER_USED: Final = "2026-01-01T00:00:00.000Z"  # a time that it wants, and puts right by itself


def _home(machine: Machine) -> Path:
    return machine.folder("CLINE_DIR", ".cline")


def _file(machine: Machine) -> Path:
    named = Path(machine.environ.get("CLINE_PROVIDER_SETTINGS_PATH", ""))
    if named.is_absolute():
        return named
    data = Path(machine.environ.get("CLINE_DATA_DIR", ""))
    return (data if data.is_absolute() else _home(machine) / "data") / "settings/providers.json"


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    entry = ("providers", _PROVIDER)
    settings = {
        "provider": _PROVIDER,
        "apiKey": wish.key,
        "model": wish.model,
        "baseUrl": f"{wish.url}/v1",
        "timeout": _PATIENCE,
    }
    edits = (
        Edit(("version",), 1, only_new=True),
        Edit(("lastUsedProvider",), _PROVIDER),
        Edit(("modes",), {}, only_new=True),
        *(Edit((*entry, "settings", name), value) for name, value in settings.items()),
        Edit((*entry, "updatedAt"), _NEVER_USED, renewed=True),
        Edit((*entry, "tokenSource"), "manual", only_new=True),
    )
    return (FileEdits(_file(machine), "json", edits),)


AGENT: Final = Agent(
    name="cline",
    title="Cline CLI",
    programs=("cline",),
    dialect="chat",
    source="measured with 3.0.65",
    connect=_connect,
    traces=lambda machine: (_home(machine),),
    no_run="Cline takes a vendor's address from its settings only: "
    "`gateway connect cline`, then `cline`",
)
