"""Asking the running gateway: what every command does that steers or shows it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from holdgate.cli.options import fail, places_of

if TYPE_CHECKING:
    from holdgate.core.client import ControlClient

T = TypeVar("T")
# Seconds for a gateway that need not be there.
_A_LOOK = 2.0


def ask(config_file: Path | None, call: Callable[[ControlClient], T]) -> T:
    """Give what `call` got from the running gateway; if it fails, the program ends and says why."""
    from holdgate.core.client import NotRunning, Refused, connect

    try:
        return call(connect(places_of(config_file).state))
    except (NotRunning, Refused) as error:
        fail(" ".join(str(error).split()))


def model_lists(state: Path) -> dict[str, list[str]]:
    """Give what the running gateway knows of each provider's models; nothing if none runs."""
    from holdgate.core.client import NotRunning, Refused, connect

    found: dict[str, list[str]] = {}
    try:
        shown = connect(state).get("/api/models", patience=_A_LOOK)["models"]
    except (NotRunning, Refused):
        return found
    for each in shown:
        name = str(each["id"]).removeprefix(f"{each['owner']}/")
        found.setdefault(str(each["owner"]), []).append(name)
    return found


def request_path(id: str) -> str:
    """Give the path of a request in the control API."""
    return f"/api/requests/{quote(id.strip(), safe='')}"


def wall_time() -> float:
    """Give the time (Unix seconds) at which a person looks."""
    return time.time()  # noqa: TID251 (the terminal's only clock)
