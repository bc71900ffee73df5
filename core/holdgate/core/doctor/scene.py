"""The scene: what the doctor looks at, and from where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from holdgate.core.agents.base import Machine
from holdgate.core.config.places import Places
from holdgate.core.values.clock import Clock


@dataclass(frozen=True, slots=True)
class Scene:
    """Where everything is.

    `tray`: why there can be no icon, "" if there can, None for a program without one. `offline`:
    no vendor is asked. `only`: a provider's or an agent's name, "" for all.
    """

    places: Places
    machine: Machine
    clock: Clock
    tray: str | None = None
    offline: bool = False
    only: str = ""
    proc: Path = Path("/proc")

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment of this shell, which need not be the gateway's."""
        return self.machine.environ
