"""The CLI of GitHub Copilot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdgate.core.agents.base import Agent, Machine, Wish


def _variables(wish: Wish, machine: Machine) -> Mapping[str, str]:
    del machine
    offered = next((each for each in wish.listed() if each.name == wish.model), None)
    numbers = {
        "COPILOT_PROVIDER_MAX_PROMPT_TOKENS": offered.context - offered.output if offered else 0,
        "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS": offered.output if offered else 0,
    }
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{wish.url}/v1",
        "COPILOT_PROVIDER_API_KEY": wish.key,
        "COPILOT_MODEL": wish.model,
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_WIRE_API": "completions",
        **{name: str(number) if number > 0 else "" for name, number in numbers.items()},
        # Each of these would go before ours, or change what is sent.
        "COPILOT_PROVIDER_BEARER_TOKEN": "",
        "COPILOT_PROVIDER_API_KEY_COMMAND": "",
        "COPILOT_PROVIDER_TRANSPORT": "",
        "COPILOT_PROVIDER_MODEL_ID": "",
        "COPILOT_PROVIDER_WIRE_MODEL": "",
    }


AGENT: Final = Agent(
    name="copilot",
    title="Copilot CLI",
    programs=("copilot",),
    dialect="chat",
    source="measured with 1.0.102",
    variables=_variables,
    traces=lambda machine: (machine.folder("COPILOT_HOME", ".copilot"),),
    no_connect="Copilot CLI takes a vendor from its environment only: `gateway run copilot`, or "
    "the lines of `gateway env copilot` in your shell's profile",
)
