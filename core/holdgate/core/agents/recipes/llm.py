"""The `llm` command, by Simon Willison."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Offered, Wish
from holdgate.core.agents.recipes.entries import entry, listed
from holdgate.core.editing.base import Item

_FOLDER: Final = "io.datasette.llm"


def _home(machine: Machine) -> Path:
    # Where click's get_app_dir() has it.
    if machine.environ.get("LLM_USER_PATH"):
        return machine.folder("LLM_USER_PATH", ".config", _FOLDER)
    if machine.system == "win32":
        return machine.folder("APPDATA", "AppData", "Roaming") / _FOLDER
    if machine.system == "darwin":
        return machine.home / "Library" / "Application Support" / _FOLDER
    return machine.config / _FOLDER


def _model(wish: Wish, model: Offered) -> Edit:
    members = {
        "model_name": model.name,
        "api_base": f"{wish.url}/v1",
        "api_key_name": "holdgate",
        "supports_tools": True,
        "supports_schema": True,
    }
    return entry((), Item("model_id", f"holdgate/{model.name}"), members)


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    home = _home(machine)
    models = tuple(_model(wish, each) for each in listed(wish))
    key = (Edit(("holdgate",), wish.key),)
    return (
        FileEdits(home / "extra-openai-models.yaml", "yaml", models),
        FileEdits(home / "keys.json", "json", key),
    )


AGENT: Final = Agent(
    name="llm",
    title="llm",
    programs=("llm",),
    dialect="chat",
    source="measured with llm 0.36",
    connect=_connect,
    traces=lambda machine: (_home(machine),),
    no_run="llm takes models from its own files only: `gateway connect llm`, "
    "then `llm -m holdgate/MODEL`",
    note="its models are called holdgate/MODEL; `llm models default holdgate/MODEL` makes one "
    "the usual one",
)
