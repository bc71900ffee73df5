"""Zed, the editor with an agent of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Offered, Wish
from holdgate.core.agents.recipes.entries import context, known, title

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
    return [
        {
            "name": each.name,
            "display_name": title(each.name),
            "max_tokens": context(each),
            **known(max_output_tokens=each.output),
        }
        for each in offered
    ]


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    provider = {"api_url": f"{wish.url}/v1", "available_models": _models(wish.listed())}
    edits = (
        Edit(("language_models", "openai_compatible", _PROVIDER), provider),
        Edit(("agent", "default_model"), {"provider": _PROVIDER, "model": wish.model}),
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
