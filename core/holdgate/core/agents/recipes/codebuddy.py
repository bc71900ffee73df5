"""CodeBuddy and WorkBuddy, by Tencent: the same core in a terminal and as a desktop program."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Offered, Wish
from holdgate.core.agents.recipes.entries import entry, known, listed, title
from holdgate.core.editing.base import Item

_NAME: Final = "codebuddy"
# Milliseconds to the first token and between tokens; the program has 20 minutes.
_PATIENCE: Final[Mapping[str, str]] = {
    "CODEBUDDY_FIRST_TOKEN_TIMEOUT_MS": "3600000",
    "CODEBUDDY_STREAM_TIMEOUT_MS": "3600000",
}


def _home(machine: Machine) -> Path:
    return machine.folder("CODEBUDDY_CONFIG_DIR", ".codebuddy")


def _work_home(machine: Machine) -> Path:
    return machine.folder("WORKBUDDY_CONFIG_DIR", ".workbuddy")


def _variables(wish: Wish, machine: Machine) -> Mapping[str, str]:
    return {
        "CODEBUDDY_BASE_URL": f"{wish.url}/v1",
        "CODEBUDDY_API_KEY": wish.key,
        "CODEBUDDY_MODEL": wish.model,
        # Its own names for these mean nothing to the gateway.
        "CODEBUDDY_SMALL_FAST_MODEL": wish.models.get("small") or wish.model,
        "CODEBUDDY_BIG_SLOW_MODEL": wish.models.get("big") or wish.model,
        **_PATIENCE,
    }


def _arguments(wish: Wish, machine: Machine) -> tuple[str, ...]:
    # The `env` of a person's settings.json comes before the environment, this before both. A real
    # key is not for a list of processes.
    told = dict(_variables(wish, machine))
    if not wish.key_is_public(_NAME):
        del told["CODEBUDDY_API_KEY"]
    return ("--settings", json.dumps({"env": told}, ensure_ascii=False, separators=(",", ":")))


def _model(wish: Wish, model: Offered) -> Edit:
    members = {
        "name": title(model.name),
        "vendor": "Holdgate",
        "url": f"{wish.url}/v1/chat/completions",  # the whole address
        "apiKey": wish.key,
        "supportsToolCall": True,
        **known(maxInputTokens=model.context, maxOutputTokens=model.output),
    }
    # The id is also what is asked for.
    return entry(("models",), Item("id", model.name), members)


def _models(wish: Wish, folder: Path) -> FileEdits:
    edits = tuple(_model(wish, each) for each in listed(wish))
    return FileEdits(folder / "models.json", "json", edits)


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    patience = tuple(Edit(("env", name), value) for name, value in _PATIENCE.items())
    settings = (Edit(("model",), wish.model), *patience)
    return (
        _models(wish, _home(machine)),
        FileEdits(_home(machine) / "settings.json", "json", settings),
    )


AGENT: Final = Agent(
    name=_NAME,
    title="CodeBuddy Code",
    programs=("codebuddy", "cbc", "codebuddy-headless"),
    dialect="chat",
    source="measured with codebuddy-headless 2.163.0",
    aliases=("cbc",),
    tiers=("small", "big"),
    variables=_variables,
    arguments=_arguments,
    connect=_connect,
    traces=lambda machine: (_home(machine),),
    note="a list `availableModels` in its models.json hides all other models, so add Holdgate's "
    "to it",
)

WORK_AGENT: Final = Agent(
    name="workbuddy",
    title="WorkBuddy",
    programs=("workbuddy",),
    dialect="chat",
    source="models.json measured with the core that it shares with CodeBuddy (2.163.0); the "
    "desktop program was not run",
    connect=lambda wish, machine: (_models(wish, _work_home(machine)),),
    traces=lambda machine: (_work_home(machine),),
    no_run="WorkBuddy is a desktop program: `gateway connect workbuddy`",
    note="choose the model in WorkBuddy's list of models; it asks for its own login all the same",
)
