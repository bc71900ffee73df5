"""The exchange: one request from its arrival to its end.

Theory. Whatever happens - an answer, a fault, an agent that hung up, a shutdown - all ends meet in
one `finally`: the try is broken off, the ticket leaves the gate, the record closes. So no slot is
ever leaked, however a request ends.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Any

from holdgate.core.dialects.base import End, Opening
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay import outgoing
from holdgate.core.relay.headers import for_agent
from holdgate.core.relay.live import LiveRequest, LiveRequests
from holdgate.core.relay.planner import Planner
from holdgate.core.relay.ports import Head, Sink, Upstream
from holdgate.core.relay.reply import Shown
from holdgate.core.relay.roster import Current
from holdgate.core.relay.scheduler import Scheduler
from holdgate.core.relay.telling import tell_plainly
from holdgate.core.relay.trying import Ended, Patience, Scene, Trying
from holdgate.core.relay.wheel import Timer, Wheel
from holdgate.core.traffic.attempts import Attempts, Failed, Try, attempts
from holdgate.core.traffic.lane import Ticket
from holdgate.core.traffic.routing import Plan
from holdgate.core.values.clock import Clock
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.inbound import Candidate, Headers, Inbound
from holdgate.core.values.kinds import format_duration
from holdgate.core.values.records import Record, State, TryRecord

log = logging.getLogger(__name__)

_STREAM_HEADERS: Headers = (
    ("content-type", "text/event-stream; charset=utf-8"),
    ("cache-control", "no-cache"),
    ("x-accel-buffering", "no"),
)


@dataclass(frozen=True, slots=True)
class Relay:
    """What every exchange works with; built once, in one place."""

    current: Current
    planner: Planner
    scheduler: Scheduler
    upstream: Upstream
    live: LiveRequests
    wheel: Wheel
    clock: Clock
    loop: asyncio.AbstractEventLoop


class Exchange:
    """One request being served. `run` ends when the reply has been given to the sink."""

    __slots__ = (
        "_dialect",
        "_inbound",
        "_live",
        "_record",
        "_relay",
        "_shown",
        "_sink",
        "_trying",
        "_waiter",
    )

    def __init__(self, relay: Relay, inbound: Inbound, sink: Sink) -> None:
        """Take the request and where its reply goes."""
        self._relay, self._inbound, self._sink = relay, inbound, sink
        self._dialect = DIALECTS[inbound.dialect]
        self._waiter: asyncio.Future[Any] | None = None
        self._trying: Trying | None = None
        self._shown = Shown()
        now = relay.clock.wall()
        self._record = Record(
            inbound.id,
            inbound.caller,
            inbound.conversation,
            inbound.model,
            inbound.dialect,
            inbound.streamed,
            now,
            since=now,
        )
        self._live = LiveRequest(self._record, self._stop)

    async def run(self) -> None:
        """Serve the request. Raises only CancelledError, when the agent hung up."""
        state: State = "failed"
        self._relay.live.open(self._live)
        try:
            await self._serve(await self._plan())
            state = "failed" if self._record.fault else "done"
        except Fault as fault:
            self._tell(fault)
            state = "cancelled" if fault.kind is FaultKind.CANCELLED else "failed"
        except asyncio.CancelledError:
            state = "gone"
            raise
        except Exception:
            log.exception("request %s failed", self._record.id)
            self._tell(Fault(FaultKind.INTERNAL, "internal error; the log file says more"))
        finally:
            self._relay.live.close(self._live, state)

    def _stop(self, fault: Fault) -> None:
        """End the request from outside with a fault."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(fault)

    async def _plan(self) -> Plan:
        ask = self._inbound
        made = await self._relay.planner.plan(ask.model, ask.dialect, ask.task)
        self._record.note(self._record.arrived, "arrived", made.summary)
        return made

    async def _serve(self, made: Plan) -> None:
        steps: Attempts = attempts(made.candidates)
        step = next(steps)
        while True:
            failed = await self._try(step)
            if failed is None:
                return
            try:
                step = steps.send(failed)
            except StopIteration as end:
                raise end.value from None

    async def _try(self, step: Try) -> Failed | None:
        """Wait for a place and ask whoever has it.

        Gives None if it answered, how it failed while nothing was shown; raises Fault otherwise.
        """
        ticket = Ticket(self._record.id, tuple(dict.fromkeys(c.lane for c in step.candidates)))
        self._live.ticket = ticket
        ended: Ended | None = None
        try:
            await self._place(ticket)
            candidate = next(c for c in step.candidates if c.lane == ticket.lane)
            ended = await self._ask(candidate, ticket, fresh=candidate in step.fresh)
        finally:
            if self._trying is not None:
                self._shown = self._trying.shown
                if ended is None:
                    self._trying.quit()
            self._relay.scheduler.leave(ticket, aborted=ended is None or ended.fault is not None)
            self._trying = None
        return self._outcome(candidate, ended)

    async def _place(self, ticket: Ticket) -> None:
        """Wait until the ticket runs. Raises Fault(QUEUE) when it waited too long."""
        relay = self._relay
        waiter: asyncio.Future[None] = relay.loop.create_future()
        if relay.scheduler.enter(ticket, lambda: _settle(waiter, None)):
            return
        self._waiter = waiter
        began = relay.clock.monotonic()
        where = " or ".join(dict.fromkeys(provider for provider, _ in ticket.lanes))
        self._enter("waiting", f"waits for {where}")
        self._record.note(self._record.since, "in line", where)
        timer = self._give_up_timer(ticket)
        try:
            await waiter
        finally:
            self._record.waited += relay.clock.monotonic() - began
            if timer is not None:
                timer.cancel()

    def _give_up_timer(self, ticket: Ticket) -> Timer | None:
        settings = self._relay.current.roster.settings
        provider = self._relay.current.roster.provider(ticket.lanes[-1][0])
        if not self._inbound.streamed:
            most, name = settings.queue.wait_whole, "queue.wait_whole"
        elif provider.queue_wait is not None:
            most, name = provider.queue_wait, "queue_wait"
        else:
            most, name = settings.queue.wait, "queue.wait"
        if most == 0:
            return None
        waited = f"waited {format_duration(most)} for a place ({name})"
        return self._relay.wheel.after(
            most, lambda: self._stop(self._relay.scheduler.turned_away(ticket, waited))
        )

    async def _ask(self, candidate: Candidate, ticket: Ticket, *, fresh: bool) -> Ended:
        relay, roster = self._relay, self._relay.current.roster
        attempt = TryRecord(
            candidate.provider,
            candidate.key,
            candidate.model,
            candidate.dialect,
            relay.clock.wall(),
        )
        self._record.tries.append(attempt)
        self._record.candidate = f"{candidate.provider}/{candidate.model}"
        self._enter("trying", f"{candidate.provider} was asked")
        waiter = self._waiter = relay.loop.create_future()
        try:
            provider = roster.provider(candidate.provider)
            request = outgoing.relayed(self._inbound, candidate, roster, fresh=fresh)
            trying = self._trying = Trying(
                self._scene(candidate),
                attempt,
                roster.key(candidate.lane),
                Patience(provider.first_byte_timeout, provider.idle_timeout),
                lambda: relay.scheduler.sent(ticket),
                lambda ended: _settle(waiter, ended),
            )
            trying.begin(relay.upstream.send(request, trying))
            ended: Ended = await waiter
        except Fault as fault:
            if self._trying is not None:
                raise
            ended = Ended(fault=fault)
        finally:
            attempt.ended = relay.clock.wall()
        attempt.fault = ended.fault.kind if ended.fault is not None else None
        return ended

    def _scene(self, candidate: Candidate) -> Scene:
        return Scene(
            self._sink,
            self._relay.clock,
            self._relay.wheel,
            DIALECTS[candidate.dialect],
            self._inbound.framing,
            self._record,
            lambda head: self._reply_headers(head, candidate),
        )

    def _outcome(self, candidate: Candidate, ended: Ended) -> Failed | None:
        """Say what came of a try. Raises its Fault if some of its answer was shown already."""
        if ended.fault is not None:
            self._record.note(self._relay.clock.wall(), "fault", ended.fault.message)
            if self._record.state == "passing":
                raise ended.fault
            return Failed(candidate, ended.fault, ended.lost)
        assert ended.ending is not None
        self._record.usage = ended.ending.usage
        self._record.status = self._record.tries[-1].status
        if ended.ending.end is End.ERROR:
            self._record.fault = FaultKind.SERVER
            self._record.message = f"{candidate.provider}: {ended.ending.message}"
        if self._sink.started:
            self._sink.end()
        return None

    def _tell(self, fault: Fault) -> None:
        """Tell the agent a fault in its own dialect."""
        record = self._record
        record.fault, record.message = fault.kind, fault.message
        if fault.kind is FaultKind.READER:
            self._sink.abort()
        elif not self._sink.started:
            record.status = tell_plainly(self._sink, self._dialect, fault, record.id)
        else:
            if not self._shown.at_border:
                self._sink.write(b"\n\n")
            closing = self._dialect.stream_error(fault, self._opening())
            self._sink.write(closing.data)
            if closing.cut:
                self._sink.abort()
            else:
                self._sink.end()
            record.status = 200

    def _opening(self) -> Opening:
        """What the agent has seen of its stream, for the error that ends it."""
        record, shown = self._record, self._shown
        return Opening(
            True,
            shown.id or record.id,
            record.model,
            int(record.arrived),
            self._inbound.framing,
            shown.sequence,
        )

    def _reply_headers(self, head: Head, candidate: Candidate) -> Headers:
        headers = for_agent(head.headers)
        if self._inbound.framing == "sse" and _is_stream(head):
            headers = _STREAM_HEADERS + tuple(h for h in headers if h[0] != "content-type")
        return (
            *headers,
            ("x-holdgate-request", self._record.id),
            ("x-holdgate-provider", candidate.provider),
            ("x-holdgate-model", candidate.model),
        )

    def _enter(self, state: State, reason: str) -> None:
        self._record.enter(state, self._relay.clock.wall(), reason)


def _settle(waiter: asyncio.Future[Any], result: object) -> None:
    if not waiter.done():
        waiter.set_result(result)


def _is_stream(head: Head) -> bool:
    return (
        200 <= head.status < 300
        and head.get("content-type").partition(";")[0].strip() != "application/json"
    )
