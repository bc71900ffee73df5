"""Codex, by OpenAI."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Wish

_KEY_VARIABLE: Final = "HOLDGATE_API_KEY"


def _home(machine: Machine) -> Path:
    return machine.folder("CODEX_HOME", ".codex")


def _provider(wish: Wish) -> dict[str, object]:
    """Give the table of the provider, without the key."""
    return {
        "name": "Holdgate",
        "base_url": f"{wish.url}/v1",
        "wire_api": "responses",
        # Its own tries are multiplied with each other, and the gateway tries again by itself.
        "request_max_retries": 2,
        "stream_idle_timeout_ms": 3_600_000,
    }


def _settings(wish: Wish) -> dict[str, object]:
    """Give what stands at the top of the file, besides the table."""
    window = next((each.context for each in wish.listed() if each.name == wish.model), 0)
    told = {
        "model_provider": "holdgate",
        "model": wish.model,
        # Codex knows the windows of its own models only, and takes a large one for the others.
        "model_context_window": window,
    }
    return {name: value for name, value in told.items() if value}


def _arguments(wish: Wish, machine: Machine) -> tuple[str, ...]:
    del machine
    table = {"model_providers.holdgate." + name: value for name, value in _provider(wish).items()}
    table["model_providers.holdgate.env_key"] = (
        _KEY_VARIABLE  # a key is not for a list of processes
    )
    told = (_settings(wish) | table).items()
    return tuple(part for name, value in told for part in ("-c", f"{name}={_toml(value)}"))


def _toml(value: object) -> str:
    # Single quotes come through every shell's start of a program, cmd.exe's too.
    if isinstance(value, str):
        return f"'{value}'" if "'" not in value and value.isprintable() else json.dumps(value)
    return str(value)


def _variables(wish: Wish, machine: Machine) -> Mapping[str, str]:
    del machine
    return {_KEY_VARIABLE: wish.key}


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    # With env_key in its place Codex would need a variable in every shell.
    table = _provider(wish) | {"experimental_bearer_token": wish.key}
    edits = (
        *(Edit((name,), value) for name, value in _settings(wish).items()),
        Edit(("model_providers", "holdgate"), table),
    )
    return (FileEdits(_home(machine) / "config.toml", "toml", edits),)


AGENT: Final = Agent(
    name="codex",
    title="Codex",
    programs=("codex",),
    dialect="responses",
    source="measured with 0.171.0",
    needs_model=False,
    variables=_variables,
    arguments=_arguments,
    connect=_connect,
    traces=lambda machine: (_home(machine),),
    note="its /model lists OpenAI's own models, whatever the gateway has: `codex -m MODEL` asks "
    "for another; a profile (`codex --profile NAME`) that names a provider of its own stays with "
    "that",
)
