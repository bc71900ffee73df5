"""The CLI of Kilo Code, which is made from opencode."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, FileEdits, Machine, Wish
from holdgate.core.agents.recipes.opencode import chosen, content, edited


def _home(machine: Machine) -> Path:
    return machine.config / "kilo"


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    names = ("kilo.jsonc", "kilo.json")
    file = chosen(machine, "KILO_CONFIG", _home(machine), names)
    return edited(file, wish, "https://app.kilo.ai/config.json")


AGENT: Final = Agent(
    name="kilo",
    title="Kilo CLI",
    programs=("kilo", "kilocode"),
    dialect="chat",
    source="measured with 7.7.9",
    aliases=("kilocode",),
    tiers=("small",),
    variables=lambda wish, machine: {"KILO_CONFIG_CONTENT": content(wish)},
    connect=_connect,
    traces=lambda machine: (_home(machine),),
    note="a project's own kilo.json, and an agent in it that names a model, come first",
)
