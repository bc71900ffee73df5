"""One request being served: what all who work on it share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import msgspec

from holdgate.core.dialects.base import Dialect, Opening
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay.context import Relay
from holdgate.core.relay.headers import stream_headers
from holdgate.core.relay.hold import StreamHold
from holdgate.core.relay.ports import Sink
from holdgate.core.traffic.profiles import Treatment
from holdgate.core.values.errors import Fault
from holdgate.core.values.inbound import Inbound
from holdgate.core.values.neutral import Request
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
    neutral: Request | None = None  # the request as it is meant, once a translation needed it

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


def digest(inbound: Inbound) -> str:
    """Give what a request has in common with the same one asked again.

    Codex writes the members of its metadata in another order each time, so order does not count;
    and Gemini's model stands in the path, not in the body.
    """
    try:
        body = msgspec.json.encode(msgspec.json.decode(inbound.body), order="sorted")
    except (msgspec.DecodeError, RecursionError):
        body = inbound.body
    return blake2b(inbound.model.encode() + b"\0" + body, digest_size=16).hexdigest()


def settle(waiter: asyncio.Future[Any] | None, result: object) -> None:
    """Give a result to who waits, unless that is over."""
    if waiter is not None and not waiter.done():
        waiter.set_result(result)


def begin(relay: Relay, inbound: Inbound, sink: Sink, why: Callable[[], str]) -> Served:
    """Open a record and a hold for a request."""
    now = relay.clock.wall()
    dialect = DIALECTS[inbound.dialect]
    treatment = relay.planner.treatment(inbound.caller, inbound.model)
    record = Record(
        inbound.id,
        inbound.caller,
        inbound.conversation,
        inbound.model,
        inbound.dialect,
        inbound.streamed,
        now,
        since=now,
    )
    hold = StreamHold(
        sink,
        dialect,
        record,
        Opening(False, inbound.id, inbound.model, int(now), inbound.framing),
        treatment.hold,
        relay.clock,
        relay.wheel,
        lambda: stream_headers(inbound),
        why,
    )
    return Served(relay, inbound, sink, dialect, treatment, record, hold)
