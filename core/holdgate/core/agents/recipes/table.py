"""The agents by name, in the order of the help."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from holdgate.core.agents.base import Agent
from holdgate.core.agents.recipes import (
    aider,
    codebuddy,
    continue_cli,
    crush,
    droid,
    goose,
    kimi_code,
    llm,
    qoder,
    zed,
)

_ORDERED: Final = (
    continue_cli.AGENT,
    crush.AGENT,
    kimi_code.AGENT,
    kimi_code.OLD_AGENT,
    droid.AGENT,
    zed.AGENT,
    codebuddy.AGENT,
    codebuddy.WORK_AGENT,
    qoder.AGENT,
    goose.AGENT,
    aider.AGENT,
    llm.AGENT,
)

AGENTS: Final[Mapping[str, Agent]] = MappingProxyType({each.name: each for each in _ORDERED})


def find(name: str) -> Agent | None:
    """Give an agent by its name or one of its other names."""
    for agent in AGENTS.values():
        if name == agent.name or name in agent.aliases:
            return agent
    return None
