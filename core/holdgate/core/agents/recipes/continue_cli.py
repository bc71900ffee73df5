"""Continue: its terminal program `cn` and its extensions, which read the same file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Offered, Wish
from holdgate.core.agents.recipes.entries import entry, listed, title
from holdgate.core.editing.base import Item


def _home(machine: Machine) -> Path:
    return machine.folder("CONTINUE_GLOBAL_DIR", ".continue")


def _model(wish: Wish, model: Offered) -> Edit:
    # No `requestOptions.timeout`: one of its two readers takes it for milliseconds, the other for
    # seconds. Without it a request waits ten minutes and is sent again, which keeps its place.
    members: dict[str, object] = {
        "provider": "openai",
        "model": model.name,
        "apiBase": f"{wish.url}/v1",
        "apiKey": wish.key,
        "roles": ["chat", "edit", "apply", "summarize"],
        "capabilities": ["tool_use"],
    }
    if model.context:
        members["defaultCompletionOptions"] = {"contextLength": model.context}
    return entry(("models",), Item("name", title(model.name)), members)


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    # A file without these three is refused as a whole; a person's own ones stay.
    header = (
        Edit(("name",), "Local Config", only_new=True),
        Edit(("version",), "1.0.0", only_new=True),
        Edit(("schema",), "v1", only_new=True),
    )
    models = tuple(_model(wish, each) for each in listed(wish))
    # Where this file is missing, `cn` in a terminal asks for a key of Anthropic's, whatever models
    # there are, and writes models of its own. What is in the file is never read.
    greeted = (Edit(("HOLDGATE",), "connected"),)
    return (
        FileEdits(_home(machine) / "config.yaml", "yaml", header + models),
        FileEdits(_home(machine) / ".onboarding_complete", "dotenv", greeted),
    )


AGENT: Final = Agent(
    name="continue",
    title="Continue",
    programs=("cn",),
    dialect="chat",
    source="measured with Continue CLI 1.5.47",
    aliases=("cn",),
    connect=_connect,
    traces=lambda machine: (_home(machine),),
    no_run="Continue takes models from its config.yaml only: `gateway connect continue`, then `cn`",
    note="Continue starts with the first model of its config.yaml: where there are others, choose "
    "Holdgate's once with /model (in an editor: in the list below the chat)",
)
