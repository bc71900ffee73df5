"""Droid, by Factory."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Offered, Wish
from holdgate.core.agents.recipes.entries import entry, known, listed, output, title
from holdgate.core.editing.base import Item


def _home(machine: Machine) -> Path:
    # The variable stands for the home, not for the folder in it.
    return machine.folder("FACTORY_HOME_OVERRIDE") / ".factory"


def _id(model: str) -> str:
    # Without one Droid makes an id from the shown name and the place in the list, which moves.
    return f"custom:holdgate/{model}"


def _model(wish: Wish, model: Offered) -> Edit:
    members = {
        "id": _id(model.name),
        "model": model.name,
        "baseUrl": f"{wish.url}/v1",
        "apiKey": wish.key,
        "provider": "generic-chat-completion-api",
        # Without it Droid asks for 32,000 tokens, which some vendors refuse.
        "maxOutputTokens": output(model),
        **known(maxContextLimit=model.context),
    }
    return entry(("customModels",), Item("displayName", title(model.name)), members)


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    models = tuple(_model(wish, each) for each in listed(wish))
    chosen = Edit(("sessionDefaultSettings", "model"), _id(wish.model))
    return (FileEdits(_home(machine) / "settings.json", "json", (*models, chosen)),)


AGENT: Final = Agent(
    name="droid",
    title="Droid",
    programs=("droid",),
    dialect="chat",
    source="measured with Droid 0.225.2",
    aliases=("factory",),
    connect=_connect,
    traces=lambda machine: (_home(machine),),
    no_run="Droid takes models from its settings.json only: `gateway connect droid`, then `droid`",
    note="`droid exec` needs no login with it; in a terminal Droid may ask for one at Factory",
)
