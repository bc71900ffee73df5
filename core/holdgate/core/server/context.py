"""The context of the server: everything a request may need, built in one place and passed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdgate.core.relay.context import Relay
from holdgate.core.relay.model_lists import ModelLists
from holdgate.core.relay.tasks import Tasks
from holdgate.core.server.guard import Guard
from holdgate.core.server.history import History
from holdgate.core.store.callers import GatewayKeys
from holdgate.core.store.facts_file import FactsFile
from holdgate.core.store.ledger import Ledger


class Doors:
    """What may change while the server runs: its guard, and whether it still serves."""

    def __init__(self, guard: Guard) -> None:
        """Start open, with `guard`."""
        self.guard = guard
        self.closing = False
        self.address = ""


@dataclass(frozen=True, slots=True)
class App:
    """The parts of a running gateway. `started` is Unix seconds, `new_id` gives request ids."""

    relay: Relay
    lists: ModelLists
    facts: FactsFile
    ledger: Ledger
    keys: GatewayKeys
    history: History
    doors: Doors
    tasks: Tasks
    token: str
    version: str
    started: float
    new_id: Callable[[], str]
