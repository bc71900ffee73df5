"""goose, which began at Block."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Machine, Wish

_PATIENCE: Final = 3600  # seconds that a request may take; goose has 600


def _home(machine: Machine) -> Path:
    if machine.system == "win32":
        return machine.folder("APPDATA", "AppData", "Roaming") / "Block" / "goose"
    return machine.config / "goose"


def _variables(wish: Wish, machine: Machine) -> Mapping[str, str]:
    return {
        "GOOSE_PROVIDER": "openai",
        "GOOSE_MODEL": wish.model,
        "OPENAI_HOST": wish.url,
        "OPENAI_BASE_PATH": "v1/chat/completions",
        "OPENAI_API_KEY": wish.key,
        "OPENAI_TIMEOUT": str(_PATIENCE),
    }


AGENT: Final = Agent(
    name="goose",
    title="goose",
    programs=("goose",),
    dialect="chat",
    source="goose-docs.ai, guides on configuration files and environment variables, read in "
    "November 2026; not run",
    variables=_variables,
    traces=lambda machine: (_home(machine),),
    no_connect="goose takes keys from its keyring and its environment only: `gateway run goose`, "
    "or `goose configure` with the provider openai and the gateway's address as its host",
)
