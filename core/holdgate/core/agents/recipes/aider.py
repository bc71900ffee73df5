"""aider, which asks through LiteLLM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Wish

_PATIENCE: Final = 3600  # seconds that a request may take; aider has 600
_TIERS: Final = ("weak", "editor")


def _options(wish: Wish) -> Mapping[str, str]:
    """Give aider's options. Without a weak and an editor model it takes the main one for both."""
    named = {"model": wish.model}
    named |= {f"{tier}-model": wish.models.get(tier, "") for tier in _TIERS}
    return {option: f"openai/{model}" for option, model in named.items() if model} | {
        "openai-api-base": f"{wish.url}/v1",
        "openai-api-key": wish.key,
    }


def _variables(wish: Wish, machine: Machine) -> Mapping[str, str]:
    # Each option has such a variable. It comes before aider's own files, and unlike OPENAI_API_BASE
    # and OPENAI_API_KEY also before the .env file of a project.
    options = {**_options(wish), "timeout": str(_PATIENCE)}
    return {f"AIDER_{name.replace('-', '_').upper()}": value for name, value in options.items()}


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    options: dict[str, object] = {**_options(wish), "timeout": _PATIENCE}
    edits = tuple(Edit((name,), value) for name, value in options.items())
    return (FileEdits(machine.home / ".aider.conf.yml", "yaml", edits),)


AGENT: Final = Agent(
    name="aider",
    title="aider",
    programs=("aider",),
    dialect="chat",
    source="measured with aider 0.86.2",
    tiers=_TIERS,
    variables=_variables,
    connect=_connect,
    traces=lambda machine: (machine.home / ".aider",),
    note="an .aider.conf.yml in a project comes before the one in your home",
)
