"""opencode, and what the agents made from it have in common."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Offered, Wish

_PATIENCE: Final = 3_600_000  # milliseconds; 300000 if nothing is said
_MOST: Final = 100  # models in a variable, which may have 32767 characters on Windows


def settings(wish: Wish, most: int | None = None) -> Mapping[tuple[str, ...], object]:
    """Give what such an agent is told in its configuration, by path; at most so many models.

    It is told to speak Chat Completions: that is what most vendors speak, so that most answers come
    through untouched, and what carries the thoughts of models of every maker. Over Gemini's dialect
    it repeats an error without a pause.
    """
    small = wish.models.get("small") or wish.model  # titles; else one of another vendor is taken
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Holdgate",
        "options": {
            "baseURL": f"{wish.url}/v1",
            "apiKey": wish.key,
            "headerTimeout": _PATIENCE,
            "chunkTimeout": _PATIENCE,
        },
        "models": {each.name: _model(each) for each in wish.listed()[:most]},
    }
    return {
        ("provider", "holdgate"): provider,
        ("model",): f"holdgate/{wish.model}",
        ("small_model",): f"holdgate/{small}",
    }


def content(wish: Wish) -> str:
    """Give the same as a whole text of JSON, short enough for a variable."""
    whole: dict[str, object] = {}
    for path, value in settings(wish, _MOST).items():
        whole[path[0]] = {path[1]: value} if len(path) > 1 else value
    return json.dumps(whole, ensure_ascii=False)


def edited(file: Path, wish: Wish, schema: str) -> tuple[FileEdits, ...]:
    """Give the same as edits of a file, with the schema that the agent would add to it.

    It writes that into any file without one, and so the file would not be as it was.
    """
    edits = (Edit(path, value) for path, value in settings(wish).items())
    return (FileEdits(file, "json", (Edit(("$schema",), schema, only_new=True), *edits)),)


def chosen(machine: Machine, variable: str, folder: Path, names: tuple[str, ...]) -> Path:
    """Give the file to edit: the one that the variable names, else the first name that is there.

    This is the one look at the disk that a recipe takes: all names are read if they are there, and
    what the first of them says comes last. Where there is none it is to be the last name.
    """
    named = Path(machine.environ.get(variable, ""))
    if named.is_absolute():
        return named
    return next((folder / name for name in names if (folder / name).is_file()), folder / names[-1])


def _model(offered: Offered) -> dict[str, object]:
    if not offered.context:
        return {}
    return {"limit": {"context": offered.context, "output": offered.output}}  # both or none


def _home(machine: Machine) -> Path:
    return machine.config / "opencode"


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    names = ("opencode.jsonc", "opencode.json")
    file = chosen(machine, "OPENCODE_CONFIG", _home(machine), names)
    return edited(file, wish, "https://opencode.ai/config.json")


AGENT: Final = Agent(
    name="opencode",
    title="opencode",
    programs=("opencode",),
    dialect="chat",
    source="measured with 1.18.33",
    tiers=("small",),
    variables=lambda wish, machine: {"OPENCODE_CONFIG_CONTENT": content(wish)},
    connect=_connect,
    traces=lambda machine: (
        _home(machine),
        machine.folder("XDG_DATA_HOME", ".local", "share") / "opencode",
    ),
    note="a project's own opencode.json, and an agent in it that names a model, come first",
)
