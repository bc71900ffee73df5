"""Zed, the editor with an agent of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Offered, Wish
from holdgate.core.agents.recipes.entries import context, title

# The provider's name, from which Zed also makes the name of the variable with its key.
_PROVIDER: Final = "Holdgate"


def _home(machine: Machine) -> Path:
    if machine.system == "win32":
        return machine.folder("APPDATA", "AppData", "Roaming") / "Zed"
    if machine.system == "darwin":
        return machine.home / ".config" / "zed"
    if machine.environ.get("FLATPAK_XDG_CONFIG_HOME"):
        return machine.folder("FLATPAK_XDG_CONFIG_HOME", ".config") / "zed"
    return machine.config / "zed"


def _variables(wish: Wish, machine: Machine) -> Mapping[str, str]:
    return {"HOLDGATE_API_KEY": wish.key}


def _models(offered: tuple[Offered, ...]) -> list[object]:
    listed: list[object] = []
    for model in offered:
        entry: dict[str, object] = {
            "name": model.name,
            "display_name": title(model.name),
            "max_tokens": context(model),
        }
        if model.output:
            entry["max_output_tokens"] = model.output
        listed.append(entry)
    return listed


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    provider = ("language_models", "openai_compatible", _PROVIDER)
    edits = (
        Edit((*provider, "api_url"), f"{wish.url}/v1"),
        Edit((*provider, "available_models"), _models(wish.listed())),
        Edit(("agent", "default_model", "provider"), _PROVIDER),
        Edit(("agent", "default_model", "model"), wish.model),
    )
    return (FileEdits(_home(machine) / "settings.json", "json", edits),)


AGENT: Final = Agent(
    name="zed",
    title="Zed",
    programs=("zed", "zeditor"),
    dialect="chat",
    source="zed.dev/docs/ai/use-api-access and the paths in github.com/zed-industries/zed, "
    "read in November 2026; not run",
    variables=_variables,
    connect=_connect,
    traces=lambda machine: (_home(machine),),
    no_run="Zed takes models from its settings.json only: `gateway connect zed`",
    note="Zed keeps keys outside its settings. Enter one once under Agent Settings, LLM Providers, "
    "Holdgate (for a gateway on this machine `holdgate-zed` will do), or start Zed with the "
    "variable HOLDGATE_API_KEY",
)
