"""What recipes are asked for in their tests, and on which machines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from holdgate.core.agents.base import Agent, Machine, Offered, Wish
from holdgate.core.editing.base import Path as ValuePath

HOME = Path("/home/ann")
URL = "http://127.0.0.1:4653"
LAN_URL = "http://192.168.1.20:4653"
LAN_KEY = "hg_lan_0123456789"
OFFERED = (
    Offered("deepseek/chat", context=131_072, output=8_192),
    Offered("coder"),
    Offered("claude/haiku", context=200_000),
)


def machine(system: str = "linux", **environ: str) -> Machine:
    """Give a machine of a system with an environment."""
    return Machine(system, HOME, environ)


def wish(agent: Agent, *, offered: tuple[Offered, ...] = (), **tiers: str) -> Wish:
    """Give the wish for a gateway on this machine, the main model being `coder`."""
    return Wish(URL, f"holdgate-{agent.name}", {"": "coder", **tiers}, offered)


def lan_wish() -> Wish:
    """Give the wish for a gateway elsewhere, with a key of its own."""
    return Wish(LAN_URL, LAN_KEY, {"": "coder"})


def connected(
    agent: Agent, asked: Wish, where: Machine | None = None
) -> Mapping[Path, Mapping[ValuePath, object]]:
    """Give what each file is to hold, by path."""
    files = agent.connect(asked, where or machine())
    return {each.file: {edit.path: edit.value for edit in each.edits} for each in files}


def files(agent: Agent, where: Machine) -> tuple[Path, ...]:
    """Give the files that connecting changes on a machine."""
    return tuple(each.file for each in agent.connect(wish(agent), where))
