"""One request being served: what all who work on it share."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from holdgate.core.dialects.base import Dialect
from holdgate.core.relay.context import Relay
from holdgate.core.relay.hold import StreamHold
from holdgate.core.relay.ports import Sink
from holdgate.core.traffic.profiles import Treatment
from holdgate.core.values.errors import Fault
from holdgate.core.values.inbound import Inbound
from holdgate.core.values.records import Record, State


class Served(msgspec.Struct, eq=False):
    """A request with its record, its stream, and what it waits for just now."""

    relay: Relay
    inbound: Inbound
    sink: Sink
    dialect: Dialect
    treatment: Treatment
    record: Record
    hold: StreamHold
    waiter: asyncio.Future[Any] | None = None

    def waits(self) -> asyncio.Future[Any]:
        """Give the future that the request waits for from now on."""
        self.waiter = self.relay.loop.create_future()
        return self.waiter

    def stop(self, fault: Fault) -> None:
        """End what the request waits for with a fault."""
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_exception(fault)

    def enter(self, state: State, reason: str) -> None:
        """Change the record's state."""
        self.record.enter(state, self.relay.clock.wall(), reason)

    def note(self, what: str, detail: str) -> None:
        """Add a moment to the record's time line."""
        self.record.note(self.relay.clock.wall(), what, detail)

    async def pause(self, seconds: float, reason: str) -> None:
        """Ask nobody for so many seconds. Raises the fault that ends the request meanwhile."""
        waiter = self.waits()
        self.enter("waiting", reason)
        self.note("pause", reason)
        timer = self.relay.loop.call_later(seconds, settle, waiter, None)
        began = self.relay.clock.monotonic()
        try:
            await waiter
        finally:
            timer.cancel()
            self.record.waited += self.relay.clock.monotonic() - began


def settle(waiter: asyncio.Future[Any], result: object) -> None:
    """Give a result to who waits, unless that is over."""
    if not waiter.done():
        waiter.set_result(result)
