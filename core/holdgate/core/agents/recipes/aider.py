"""aider, which asks through LiteLLM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Wish

_PATIENCE: Final = 3600  # seconds that a request may take; aider has 600
_TIERS: Final = ("weak", "editor")


def _chosen(wish: Wish) -> Mapping[str, str]:
    """Give the model for each option; the weak and the editor model follow the main one."""
    named = {"model": wish.model}
    named |= {f"{tier}-model": wish.models.get(tier, "") for tier in _TIERS}
    return {option: f"openai/{model}" for option, model in named.items() if model}


def _variables(wish: Wish, machine: Machine) -> Mapping[str, str]:
    return {
        "OPENAI_API_BASE": f"{wish.url}/v1",
        "OPENAI_API_KEY": wish.key,
        "AIDER_TIMEOUT": str(_PATIENCE),
    }


def _arguments(wish: Wish, machine: Machine) -> tuple[str, ...]:
    # The address again, since a .env file of the project comes before the environment.
    base = ("--openai-api-base", f"{wish.url}/v1")
    return base + tuple(
        word for option, model in _chosen(wish).items() for word in (f"--{option}", model)
    )


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    values: dict[str, object] = {
        **_chosen(wish),
        "openai-api-base": f"{wish.url}/v1",
        "openai-api-key": wish.key,
        "timeout": _PATIENCE,
    }
    edits = tuple(Edit((option,), value) for option, value in values.items())
    return (FileEdits(machine.home / ".aider.conf.yml", "yaml", edits),)


AGENT: Final = Agent(
    name="aider",
    title="aider",
    programs=("aider",),
    dialect="chat",
    source="measured with aider 0.86.2",
    tiers=_TIERS,
    variables=_variables,
    arguments=_arguments,
    connect=_connect,
    traces=lambda machine: (machine.home / ".aider",),
    note="an .aider.conf.yml in a project comes before the one in your home",
)
