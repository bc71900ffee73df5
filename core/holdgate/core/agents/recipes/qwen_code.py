"""Qwen Code, by Alibaba."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Offered, Wish
from holdgate.core.agents.recipes.entries import listed
from holdgate.core.editing.base import Item

_KEY_VARIABLE: Final = "HOLDGATE_API_KEY"
_PATIENCE: Final = 3_600_000  # milliseconds; 120000 if nothing is said


def _home(machine: Machine) -> Path:
    return machine.folder("QWEN_HOME", ".qwen")


def _variables(wish: Wish, machine: Machine) -> Mapping[str, str]:
    del machine
    return {
        "OPENAI_BASE_URL": f"{wish.url}/v1",
        "OPENAI_API_KEY": wish.key,
        "OPENAI_MODEL": wish.model,
        "QWEN_CODE_API_TIMEOUT_MS": str(_PATIENCE),
    }


def _entry(wish: Wish, model: Offered) -> dict[str, object]:
    window = {"contextWindowSize": model.context} if model.context else {}
    return {
        "id": model.name,
        "name": f"Holdgate: {model.name}",
        "envKey": _KEY_VARIABLE,
        "baseUrl": f"{wish.url}/v1",
        "generationConfig": {"timeout": _PATIENCE, **window},
    }


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    # An entry of this list goes before OPENAI_BASE_URL and its kin in somebody's environment. The
    # key has to be told by a variable; the file's own `env` is good for that.
    models = tuple(
        Edit(("modelProviders", "openai", Item("id", each.name)), _entry(wish, each))
        for each in listed(wish)
    )
    edits = (
        *models,
        Edit(("env", _KEY_VARIABLE), wish.key),
        Edit(("security", "auth", "selectedType"), "openai", older=("selectedAuthType",)),
        Edit(("model", "name"), wish.model),
    )
    return (FileEdits(_home(machine) / "settings.json", "json", edits),)


AGENT: Final = Agent(
    name="qwen-code",
    title="Qwen Code",
    programs=("qwen",),
    dialect="chat",
    source="measured with 0.15.10",
    aliases=("qwen",),
    variables=_variables,
    # The first is for those who signed in otherwise, the second for those who chose a model.
    arguments=lambda wish, machine: ("--auth-type", "openai", "--model", wish.model),
    connect=_connect,
    heeds_no_proxy=False,  # whatever it asks goes to the proxy
    traces=lambda machine: (_home(machine),),
)
