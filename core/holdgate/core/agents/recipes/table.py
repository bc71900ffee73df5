"""The agents by name, in the order of the help."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from holdgate.core.agents.base import Agent
from holdgate.core.agents.recipes import (
    aider,
    claude_code,
    cline,
    codebuddy,
    codex,
    continue_cli,
    copilot,
    crush,
    droid,
    gemini_cli,
    goose,
    kilo,
    kimi_code,
    llm,
    opencode,
    pi,
    qoder,
    qwen_code,
    zed,
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
