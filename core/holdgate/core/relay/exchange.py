"""The exchange: one request from its arrival to its end.

Theory. Whatever happens - an answer, a fault, an agent that hung up, a shutdown - all ends meet in
one `finally`: the try is broken off, the ticket leaves the gate, the record closes. So no slot is
ever leaked, however a request ends.
"""

from __future__ import annotations

import asyncio
import logging
from hashlib import blake2b
from typing import Any

from holdgate.core.dialects.base import End, Opening
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay import limits, outgoing
from holdgate.core.relay.context import Relay
from holdgate.core.relay.headers import reply_headers, stream_headers
from holdgate.core.relay.hold import StreamHold
from holdgate.core.relay.live import LiveRequest
from holdgate.core.relay.ports import Sink
from holdgate.core.relay.telling import NoRoom, TurnedAway, tell_plainly, turned_away
from holdgate.core.relay.trying import Ended, Patience, Scene, Trying
from holdgate.core.traffic.affinity import Answered
from holdgate.core.traffic.attempts import Absorb, Failed, Try, attempts, give_up
from holdgate.core.traffic.routing import Plan
from holdgate.core.traffic.standing import stands_of
from holdgate.core.traffic.ticket import Stand, Ticket
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.inbound import Candidate, Inbound
from holdgate.core.values.kinds import format_duration
from holdgate.core.values.records import Record, State, TryRecord
from holdgate.core.values.settings import Provider
from holdgate.core.values.usage import Usage

log = logging.getLogger(__name__)

# A rough count of tokens before the vendor has told the true one.
BYTES_A_TOKEN = 4


class Exchange:
    """One request being served. `run` ends when the reply has been given to the sink."""

    __slots__ = (
        "_dialect",
        "_hold",
        "_inbound",
        "_keep",
        "_live",
        "_record",
        "_relay",
        "_sink",
        "_treatment",
        "_trying",
        "_waiter",
    )

    def __init__(self, relay: Relay, inbound: Inbound, sink: Sink) -> None:
        """Take the request and where its reply goes."""
        self._relay, self._inbound, self._sink = relay, inbound, sink
        self._dialect = DIALECTS[inbound.dialect]
        self._waiter: asyncio.Future[Any] | None = None
        self._trying: Trying | None = None
        self._treatment = relay.planner.treatment(inbound.caller, inbound.model)
        self._keep = self._treatment.hold.place
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
        opening = Opening(False, inbound.id, inbound.model, int(now), inbound.framing)
        self._hold = StreamHold(
            sink,
            self._dialect,
            self._record,
            opening,
            self._treatment.hold,
            relay.clock,
            relay.wheel,
            lambda: stream_headers(inbound),
            self._why,
        )

    async def run(self) -> None:
        """Serve the request. Raises only CancelledError, when the agent hung up."""
        state: State = "failed"
        self._relay.live.open(self._live)
        if self._inbound.streamed:
            self._hold.watch()
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
            self._hold.close()
            self._relay.live.close(self._live, state)

    def _stop(self, fault: Fault) -> None:
        """End the request from outside with a fault; its place is not kept then."""
        self._keep = 0.0
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(fault)

    async def _plan(self) -> Plan:
        ask = self._inbound
        made = await self._relay.planner.plan(ask.model, ask.dialect, ask.task)
        self._record.note(self._record.arrived, "arrived", made.summary)
        return made

    async def _serve(self, made: Plan) -> None:
        steps, ticket = attempts(made.candidates), self._ticket(made)
        step = next(steps)
        while True:
            answered = False
            try:
                assert isinstance(step, Try)
                answered = (failed := await self._try(step, ticket, made)) is None
                if failed is None:
                    return
                step = steps.send(failed)
                if isinstance(step, Absorb):
                    # Before its place is free: else the next in line would be sent into the same.
                    limits.absorb(self._relay.scheduler, step)
                    step = next(steps)
            except StopIteration as end:
                raise end.value from None
            except NoRoom:
                self._estimate(ticket.tokens)
                return
            except TurnedAway as turned:
                raise give_up(steps, turned.fault) from None
            finally:
                self._relay.scheduler.leave(ticket, aborted=not answered, keep=self._keep)

    def _estimate(self, tokens: int) -> None:
        """Answer a count of tokens by a guess: nobody waits a minute for a count."""
        headers = (("content-type", "application/json"), ("x-holdgate-request", self._inbound.id))
        self._hold.whole(200, headers, self._dialect.token_count(tokens))
        self._record.status = 200
        self._record.note(
            self._relay.clock.wall(), "estimated", f"{tokens} tokens, without a place"
        )

    def _ticket(self, made: Plan) -> Ticket:
        ask, treatment = self._inbound, self._treatment
        ticket = Ticket(
            ask.id,
            (),
            caller=ask.caller.key or ask.caller.agent,
            conversation=ask.conversation,
            body_of=lambda: blake2b(ask.body, digest_size=16).hexdigest(),
            background=treatment.background,
            tokens=len(ask.body) // BYTES_A_TOKEN,
            wait=None if ask.streamed else treatment.queue.wait_whole,
        )
        self._live.ticket = ticket
        return ticket

    async def _try(self, step: Try, ticket: Ticket, made: Plan) -> Failed | None:
        """Wait for a place and ask whoever has it; the place is the caller's to give back.

        Gives None if it answered, how it failed while nothing was shown; raises Fault otherwise.
        """
        ticket.stands = self._stands(step, made)
        ended: Ended | None = None
        try:
            await self._place(ticket, front=step.front)
            candidate = next(c for c in step.candidates if c.lane == ticket.lane)
            ended = await self._ask(candidate, ticket, step)
        finally:
            if self._trying is not None and ended is None:
                self._trying.quit()
            self._trying = None
        return self._outcome(candidate, ticket, ended, made)

    def _stands(self, step: Try, made: Plan) -> tuple[Stand, ...]:
        """Say in which lanes to stand; who was turned back goes to whoever is free."""
        if step.last:
            return (Stand(step.candidates[0].lane),)
        if step.front:
            return stands_of(step.candidates, "any")
        relay = self._relay
        home = relay.affinity.home(
            made.name, self._inbound.conversation, made.affinity, relay.clock.monotonic()
        )
        resting = relay.scheduler.resting()
        return stands_of(step.candidates, made.order, home, made.affinity, resting)

    async def _place(self, ticket: Ticket, *, front: bool) -> None:
        """Wait until the ticket runs. Raises Fault(QUEUE) when it is turned away."""
        relay = self._relay
        waiter: asyncio.Future[None] = relay.loop.create_future()
        relay.scheduler.enter(ticket, lambda: _settle(waiter, None), front=front)
        if ticket.state == "waiting":
            if self._inbound.task == "count_tokens":
                raise NoRoom
            self._waiter = waiter
            began = relay.clock.monotonic()
            where = " or ".join(dict.fromkeys(stand.lane[0] for stand in ticket.stands))
            self._enter("waiting", f"waits for {where}")
            self._record.note(self._record.since, "in line", where)
            try:
                await waiter
            finally:
                self._record.waited += relay.clock.monotonic() - began
        if ticket.state == "turned":
            raise TurnedAway(turned_away(ticket))

    async def _ask(self, candidate: Candidate, ticket: Ticket, step: Try) -> Ended:
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
            request = outgoing.relayed(
                self._inbound, candidate, roster, fresh=candidate in step.fresh
            )
            trying = self._trying = Trying(
                self._scene(candidate),
                attempt,
                roster.key(candidate.lane),
                self._patience(roster.provider(candidate.provider), last=step.last),
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

    def _patience(self, provider: Provider, *, last: bool) -> Patience:
        hold = self._treatment.hold
        return Patience(
            provider.first_byte_timeout or hold.longest,
            provider.idle_timeout or hold.longest,
            0.0 if last else hold.first_token,
        )

    def _scene(self, candidate: Candidate) -> Scene:
        now = self._relay.clock.wall
        return Scene(
            self._sink,
            self._hold,
            self._relay.clock,
            self._relay.wheel,
            DIALECTS[candidate.dialect],
            self._inbound.framing,
            self._record,
            lambda head: reply_headers(head, self._inbound, candidate),
            lambda head: limits.heard(self._relay.scheduler, candidate.lane, head, now),
        )

    def _outcome(
        self, candidate: Candidate, ticket: Ticket, ended: Ended, made: Plan
    ) -> Failed | None:
        """Say what came of a try. Raises its Fault if some of its answer was shown already."""
        if ended.fault is not None:
            self._record.note(self._relay.clock.wall(), "fault", ended.fault.message)
            if self._record.state == "passing":
                raise ended.fault
            return Failed(candidate, ended.fault, ended.lost)
        assert ended.ending is not None
        usage = self._record.usage = ended.ending.usage
        self._relay.scheduler.answered(ticket, usage.tokens if usage is not None else None)
        self._record.status = 200 if self._hold.started else self._record.tries[-1].status
        if ended.ending.end is End.ERROR:
            self._record.fault = FaultKind.SERVER
            self._record.message = f"{candidate.provider}: {ended.ending.message}"
        elif self._inbound.task == "generate" and len(made.candidates) > 1:
            self._remember(candidate, usage, made)
        if self._hold.started:
            self._hold.end()
        return None

    def _remember(self, candidate: Candidate, usage: Usage | None, made: Plan) -> None:
        """A conversation stays with who answered it while its cache is warm."""
        answered = Answered(
            candidate.lane, self._relay.clock.monotonic(), bool(usage and usage.cache_read)
        )
        self._relay.affinity.note(made.name, self._inbound.conversation, answered)

    def _tell(self, fault: Fault) -> None:
        """Tell the agent a fault in its own dialect."""
        record = self._record
        record.fault, record.message = fault.kind, fault.message
        record.note(self._relay.clock.wall(), "told", fault.message)
        if fault.kind is FaultKind.READER:
            self._sink.abort()
        elif not self._hold.started:
            record.status = tell_plainly(self._sink, self._dialect, fault, record.id)
        else:
            record.status = 200
            self._hold.fail(fault)

    def _why(self) -> str:
        """Say in a few words why the agent waits, and for how long still."""
        if self._record.state != "waiting" or self._live.ticket is None:
            return self._record.reason
        place = self._relay.scheduler.place(self._live.ticket)
        if place is None:
            return self._record.reason
        words = f"{self._record.reason}, place {place.position}"
        if place.eta is None:
            return words
        soon = max(1, round(place.eta - self._relay.clock.monotonic()))
        return f"{words}, about {format_duration(soon)}"

    def _enter(self, state: State, reason: str) -> None:
        self._record.enter(state, self._relay.clock.wall(), reason)


def _settle(waiter: asyncio.Future[Any], result: object) -> None:
    if not waiter.done():
        waiter.set_result(result)
