"""The agents by name, in the order of the help."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from holdgate.core.agents.base import Agent
from holdgate.core.agents.recipes import (
    claude_code,
    cline,
    codex,
    copilot,
    gemini_cli,
    kilo,
    opencode,
    pi,
    qwen_code,
)

_ORDERED: Final = (
    claude_code.AGENT,
    codex.AGENT,
    gemini_cli.AGENT,
    opencode.AGENT,
    qwen_code.AGENT,
    pi.AGENT,
    cline.AGENT,
    copilot.AGENT,
    kilo.AGENT,
)

AGENTS: Final[Mapping[str, Agent]] = MappingProxyType({each.name: each for each in _ORDERED})


def find(name: str) -> Agent | None:
    """Give an agent by its name or one of its other names."""
    for agent in AGENTS.values():
        if name == agent.name or name in agent.aliases:
            return agent
    return None
