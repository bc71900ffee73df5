"""The pi coding agent."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Edit, FileEdits, Machine, Offered, Wish

_PATIENCE: Final = 3_600_000  # milliseconds; 600000 if nothing is said


def _home(machine: Machine) -> Path:
    return machine.folder("PI_CODING_AGENT_DIR", ".pi", "agent")


def _model(offered: Offered) -> dict[str, object]:
    numbers = {"contextWindow": offered.context, "maxTokens": offered.output}
    return {"id": offered.name} | {name: number for name, number in numbers.items() if number}


def _connect(wish: Wish, machine: Machine) -> tuple[FileEdits, ...]:
    provider = {
        "baseUrl": f"{wish.url}/v1",
        "api": "openai-completions",
        "apiKey": wish.key,
        # Not every vendor behind the gateway knows OpenAI's newer role.
        "compat": {"supportsDeveloperRole": False},
        "models": [_model(each) for each in wish.listed()],
    }
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
    connect=_connect,
    traces=lambda machine: (_home(machine),),
    no_run="pi takes a vendor's address from its models.json only: `gateway connect pi`, then `pi`",
)
