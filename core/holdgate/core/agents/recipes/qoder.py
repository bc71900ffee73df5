"""Qoder CLI, by Alibaba: known, but it cannot be pointed anywhere from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from holdgate.core.agents.base import Agent, Machine

# Read in its program (1.1.52): models of a person's own are used only after a login at its host and
# where the account is allowed to; its pages warn against writing them into settings.json.
_WHY: Final = (
    "Qoder CLI asks models of your own only after a login at its host, where the account may: "
    "log in, then add the gateway's address and a key in it (/model, Custom)"
)


def _home(machine: Machine) -> Path:
    return machine.folder("QODER_CONFIG_DIR", ".qoder")


AGENT: Final = Agent(
    name="qoder",
    title="Qoder CLI",
    programs=("qodercli", "qoder"),
    dialect="chat",
    source="docs.qoder.com/cli/custom-models, read in November 2026; Qoder CLI 1.1.52 was started, "
    "but answers nothing without a login",
    aliases=("qodercli",),
    traces=lambda machine: (_home(machine),),
    no_run=_WHY,
    no_connect=_WHY,
)
