"""The pi coding agent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Offered, Wish

_PATIENCE: Final = 3_600_000  # milliseconds; 600000 if nothing is said
_MOST: Final = 100  # models in a variable, which may have 32767 characters on Windows

# An extension of pi. It is how a provider comes into pi without a file of the person's own.
_EXTENSION: Final = Path(__file__).with_name("pi_provider.js")

# What pi takes for granted in its models.json, and an extension has to tell.
_USUAL: Final = {
    "reasoning": False,
    "input": ["text"],
    "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
    "contextWindow": 128_000,
    "maxTokens": 16_384,
}


def _home(machine: Machine) -> Path:
    return machine.folder("PI_CODING_AGENT_DIR", ".pi", "agent")


def _model(offered: Offered) -> dict[str, object]:
    numbers = {"contextWindow": offered.context, "maxTokens": offered.output}
    return {"id": offered.name} | {name: number for name, number in numbers.items() if number}


def _provider(wish: Wish, models: list[dict[str, object]]) -> dict[str, object]:
    return {
        "baseUrl": f"{wish.url}/v1",
        "api": "openai-completions",
        "apiKey": wish.key,
        "models": models,
    }


def _variables(wish: Wish, machine: Machine) -> Mapping[str, str]:
    del machine
    models = [{"name": each.name} | _USUAL | _model(each) for each in wish.listed()[:_MOST]]
    return {"HOLDGATE_PI_PROVIDER": json.dumps(_provider(wish, models), ensure_ascii=False)}


def _arguments(wish: Wish, machine: Machine) -> tuple[str, ...]:
    del machine
    return ("--extension", str(_EXTENSION), "--provider", "holdgate", "--model", wish.model)


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    provider = _provider(wish, [_model(each) for each in wish.listed()])
    settings = (
        Edit(("defaultProvider",), "holdgate"),
        Edit(("defaultModel",), wish.model),
        Edit(("retry", "provider", "timeoutMs"), _PATIENCE),
    )
    home = _home(machine)
    return (
        FileEdits(home / "models.json", "json", (Edit(("providers", "holdgate"), provider),)),
        FileEdits(home / "settings.json", "json", settings),
    )


AGENT: Final = Agent(
    name="pi",
    title="pi",
    programs=("pi",),
    dialect="chat",
    source="measured with 0.73.1",
    variables=_variables,
    arguments=_arguments,
    connect=_connect,
    traces=lambda machine: (_home(machine),),
)
