"""Crush, by Charm."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Offered, Wish
from holdgate.core.agents.recipes.entries import context, output, title

_PATIENCE: Final = 3600  # seconds of silence after which Crush gives up; it has one or two minutes


def _home(machine: Machine) -> Path:
    # The variable names the folder, not the file. It is the same place on Windows.
    if machine.environ.get("CRUSH_GLOBAL_CONFIG"):
        return machine.folder("CRUSH_GLOBAL_CONFIG", ".config", "crush")
    return machine.config / "crush"


def _models(offered: tuple[Offered, ...]) -> list[object]:
    return [
        {
            "id": model.name,
            "name": title(model.name),
            "context_window": context(model),
            "default_max_tokens": output(model),
        }
        for model in offered
    ]


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    provider = {
        "name": "Holdgate",
        "type": "openai-compat",
        "base_url": f"{wish.url}/v1",
        "api_key": wish.key,
        "models": _models(wish.listed()),
    }
    # The small model writes titles and summaries. Left alone it would stay at another vendor.
    small = wish.models.get("small") or wish.model
    edits = (
        Edit(("providers", "holdgate"), provider),
        Edit(("models", "large"), {"provider": "holdgate", "model": wish.model}),
        Edit(("models", "small"), {"provider": "holdgate", "model": small}),
        Edit(("options", "request_timeout"), _PATIENCE),
    )
    return (FileEdits(_home(machine) / "crush.json", "json", edits),)


AGENT: Final = Agent(
    name="crush",
    title="Crush",
    programs=("crush",),
    dialect="chat",
    source="its crush.json schema and crush-config page in github.com/charmbracelet/crush, "
    "read in November 2026; not run",
    tiers=("small",),
    connect=_connect,
    traces=lambda machine: (_home(machine),),
    no_run="Crush takes models from its crush.json only: `gateway connect crush`, then `crush`",
    note="a crushrc beside crush.json and a model that was chosen inside Crush come first: "
    "choose Holdgate's there",
)
