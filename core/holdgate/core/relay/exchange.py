"""The exchange: one request from its arrival to its end.

Theory. Whatever happens - an answer, a fault, an agent that hung up, a shutdown - all ends meet in
one `finally`: the try is broken off, the ticket leaves the gate, the record closes. So no slot is
ever leaked, however a request ends.
"""

from __future__ import annotations

import asyncio
import logging

from holdgate.core.relay.asking import ask
from holdgate.core.relay.chaining import chained
from holdgate.core.relay.context import Relay
from holdgate.core.relay.live import LiveRequest
from holdgate.core.relay.ports import Sink
from holdgate.core.relay.served import begin, digest, settle
from holdgate.core.relay.telling import NoRoom, TurnedAway, tell_plainly, turned_away
from holdgate.core.traffic.affinity import Answered
from holdgate.core.traffic.attempts import (
    Attempts,
    Failed,
    Pause,
    RestKey,
    Step,
    Try,
    attempts,
    give_up,
)
from holdgate.core.traffic.repeats import Talk
from holdgate.core.traffic.routing import Plan
from holdgate.core.traffic.standing import in_turn, stands_of
from holdgate.core.traffic.ticket import Stand, Ticket
from holdgate.core.values.errors import POLICIES, Fault, FaultKind
from holdgate.core.values.inbound import Candidate, Inbound
from holdgate.core.values.kinds import format_duration
from holdgate.core.values.records import State

log = logging.getLogger(__name__)

# A rough count of tokens before the vendor has told the true one.
BYTES_A_TOKEN = 4


class Exchange:
    """One request being served. `run` ends when the reply has been given to the sink."""

    __slots__ = ("_asked", "_began", "_body", "_culprit", "_keep", "_live", "_served", "_talk")

    def __init__(self, relay: Relay, inbound: Inbound, sink: Sink) -> None:
        """Take the request and where its reply goes."""
        self._served = begin(relay, inbound, sink, self._why)
        self._keep = self._served.treatment.hold.place
        self._live = LiveRequest(self._served.record, self._stop)
        self._talk: Talk = (inbound.caller.key or inbound.caller.agent, inbound.conversation)
        self._body = ""
        self._culprit: Candidate | None = None
        self._asked: Candidate | None = None
        self._began = relay.clock.monotonic()

    async def run(self) -> None:
        """Serve the request. Raises only CancelledError, when the agent hung up."""
        served, live = self._served, self._served.relay.live
        state: State = "failed"
        live.open(self._live)
        if served.inbound.streamed:
            served.hold.watch()
        try:
            await self._serve(await self._plan())
            state = "failed" if served.record.fault else "done"
        except Fault as fault:
            self._tell(fault)
            state = "cancelled" if fault.kind is FaultKind.CANCELLED else "failed"
        except asyncio.CancelledError:
            state = "gone"
            raise
        except Exception:
            log.exception("request %s failed", served.record.id)
            self._tell(Fault(FaultKind.INTERNAL, "internal error; the log file says more"))
        finally:
            served.hold.close()
            self._remember_end(state)
            live.close(self._live, state)

    def _stop(self, fault: Fault) -> None:
        """End the request from outside with a fault; its place is not kept then."""
        self._keep = 0.0
        self._served.stop(fault)

    async def _plan(self) -> Plan:
        served, inbound = self._served, self._served.inbound
        made = await served.relay.planner.plan(inbound.model, inbound.dialect, inbound.task)
        served.record.note(served.record.arrived, "arrived", made.summary)
        return made

    async def _serve(self, made: Plan) -> None:
        served, relay = self._served, self._served.relay
        if not made.candidates:
            self._estimate()
            return
        if served.inbound.dialect == "responses":
            made = await chained(served, made)
        candidates = self._allowed(made)
        pause = relay.repeats.pause(self._talk, self._digest, relay.clock.monotonic())
        if pause > 0:
            self._check_patience(pause)
            words = format_duration(round(pause, 1))
            await served.pause(pause, f"asked again soon after an error: waits {words} first")
        steps = attempts(
            candidates,
            relay.resting.is_ready,
            relay.dice.random,
            alone=_is_alone(made),
        )
        ticket = self._ticket()
        step: Step | None = next(steps)
        while step is not None:
            match step:
                case Try():
                    step = await self._turn(steps, step, ticket, made)
                case Pause():
                    words = format_duration(round(step.seconds, 1))
                    await served.pause(
                        step.seconds, f"asks {step.candidate.provider} again in {words}"
                    )
                    step = next(steps)
                case RestKey():
                    raise AssertionError("rests are dealt with while the place is held")

    def _check_patience(self, pause: float) -> None:
        """A repeat's pause is bounded as any wait is. Raises Fault(QUEUE)."""
        inbound, queue = self._served.inbound, self._served.treatment.queue
        patience = queue.wait if inbound.streamed else queue.wait_whole
        if patience and pause > patience:
            words = format_duration(round(pause, 1))
            raise Fault(
                FaultKind.QUEUE,
                f"asked again soon after an error: may be asked in {words}",
                retry_after=pause,
            )

    def _allowed(self, made: Plan) -> tuple[Candidate, ...]:
        """Leave out whose key was refused; give the rest in turn. Raises Fault if none is left."""
        relay = self._served.relay
        candidates = made.candidates
        if len(candidates) > 1:
            candidates = self._ordered(made)
        if not relay.resting.has_rests:
            return candidates
        refused = [relay.resting.refusal(candidate) for candidate in candidates]
        if None not in refused:
            assert refused[-1] is not None
            raise refused[-1]
        return tuple(c for c, fault in zip(candidates, refused, strict=True) if fault is None)

    def _ordered(self, made: Plan) -> tuple[Candidate, ...]:
        """Give the candidates in turn; by whose fault the same request just ended goes last."""
        relay = self._served.relay
        candidates = made.candidates
        if made.order == "rotate":
            candidates = in_turn(candidates, relay.turns.next(made.name))
        now = relay.clock.monotonic()
        self._culprit = relay.repeats.culprit(self._talk, self._digest, now)
        return tuple(sorted(candidates, key=lambda each: each == self._culprit))

    async def _turn(self, steps: Attempts, step: Try, ticket: Ticket, made: Plan) -> Step | None:
        """Wait for a place and ask who has it; give the next step, None after an answer."""
        answered = False
        try:
            self._enters(ticket, self._stands(step, made), front=step.front)
            if ticket.state != "running":
                await self._waits(ticket)
            candidate = next(c for c in step.candidates if c.lane == ticket.lane)
            self._asked = candidate
            failed = await ask(self._served, candidate, ticket, step)
            answered = failed is None
            if failed is None:
                self._remember(candidate, made)
                return None
            return self._after(steps, failed, made)
        except NoRoom:
            self._estimate()
            return None
        except TurnedAway as turned:
            raise give_up(steps, turned.fault) from None
        finally:
            self._served.relay.scheduler.leave(ticket, aborted=not answered, keep=self._keep)

    def _after(self, steps: Attempts, failed: Failed, made: Plan) -> Step:
        """Tell what came of a try; give the next step. Raises the fault to tell if there is none.

        Keys rest before the place is free: else the next in line would be sent into the same.
        """
        served, resting = self._served, self._served.relay.resting
        try:
            step = steps.send(failed)
            while isinstance(step, RestKey):
                rest = resting.failed(step, alone=_is_alone(made))
                if rest is not None and served.record.tries:
                    served.record.tries[-1].rest = rest
                    until = format_duration(max(1, round(rest.until - served.relay.clock.wall())))
                    served.note("rest", f"{rest.provider}, key {rest.key}: {until}, {rest.kind}")
                step = next(steps)
        except StopIteration as end:
            fault: Fault = end.value
            resting.told(fault, failed.candidate.lane)
            raise fault from None
        return step

    def _estimate(self) -> None:
        """Answer a count of tokens by a guess: nobody waits a minute for a count."""
        served = self._served
        tokens = len(served.inbound.body) // BYTES_A_TOKEN
        headers = (("content-type", "application/json"), ("x-holdgate-request", served.inbound.id))
        served.hold.whole(200, headers, served.dialect.token_count(tokens))
        served.record.status = 200
        served.note("estimated", f"{tokens} tokens, without asking a vendor")

    def _ticket(self) -> Ticket:
        inbound, treatment = self._served.inbound, self._served.treatment
        ticket = Ticket(
            inbound.id,
            (),
            caller=self._talk[0],
            conversation=inbound.conversation,
            body_of=self._digest,
            background=treatment.background,
            tokens=len(inbound.body) // BYTES_A_TOKEN,
            wait=None if inbound.streamed else treatment.queue.wait_whole,
        )
        self._live.ticket = ticket
        return ticket

    def _digest(self) -> str:
        """Give what tells this body from others; made only where it is needed."""
        if not self._body:
            self._body = digest(self._served.inbound)
        return self._body

    def _stands(self, step: Try, made: Plan) -> tuple[Stand, ...]:
        """Say in which lanes to stand; who was turned back goes to whoever is free."""
        if step.last:
            return (Stand(step.candidates[0].lane),)
        relay = self._served.relay
        resting, loads = relay.scheduler.resting(), relay.scheduler.loads()
        if step.front:
            return stands_of(step.candidates, "any", resting=resting, loads=loads)
        home = relay.affinity.home(made.name, self._talk[1], made.affinity, relay.clock.monotonic())
        if self._culprit is not None and self._culprit.lane == home:
            home = None
        return stands_of(step.candidates, made.order, home, made.affinity, resting, loads)

    def _enters(self, ticket: Ticket, stands: tuple[Stand, ...], *, front: bool) -> None:
        """Let the ticket run at once, or stand in line."""
        served = self._served
        ticket.stands = stands
        served.relay.scheduler.enter(ticket, lambda: settle(served.waiter, None), front=front)

    async def _waits(self, ticket: Ticket) -> None:
        """Wait until the ticket runs. Raises TurnedAway, or NoRoom for what nobody waits for."""
        served, relay = self._served, self._served.relay
        if ticket.state == "waiting":
            waiter = served.waits()
            if served.inbound.task == "count_tokens":
                raise NoRoom
            began = relay.clock.monotonic()
            where = " or ".join(dict.fromkeys(stand.lane[0] for stand in ticket.stands))
            served.enter("waiting", f"waits for {where}")
            served.note("in line", where)
            try:
                await waiter
            finally:
                served.record.waited += relay.clock.monotonic() - began
        if ticket.state == "turned":
            raise TurnedAway(turned_away(ticket))

    def _remember(self, candidate: Candidate, made: Plan) -> None:
        """A conversation stays with who answered it while its cache is warm."""
        served = self._served
        if len(made.candidates) == 1 or served.record.fault or served.inbound.task != "generate":
            return
        usage = served.record.usage
        answered = Answered(
            candidate.lane, served.relay.clock.monotonic(), bool(usage and usage.cache_read)
        )
        served.relay.affinity.note(made.name, self._talk[1], answered)

    def _remember_end(self, state: State) -> None:
        """What ended badly is asked again less and less often."""
        record, relay = self._served.record, self._served.relay
        if state == "done":
            relay.repeats.answered(self._talk)
        elif state == "gone" or (record.fault and POLICIES[record.fault].whose == "vendor"):
            relay.repeats.failed(
                self._talk,
                self._digest(),
                relay.clock.monotonic(),
                began=self._began,
                asked=bool(record.tries),
                hung_up=state == "gone",
                by=None if state == "gone" else self._asked,
            )

    def _tell(self, fault: Fault) -> None:
        """Tell the agent a fault in its own dialect."""
        served, record = self._served, self._served.record
        record.fault, record.message = fault.kind, fault.message
        served.note("told", fault.message)
        if fault.kind is FaultKind.READER:
            served.sink.abort()
        elif not served.hold.started:
            record.status = tell_plainly(served.sink, served.dialect, fault, record.id)
        else:
            record.status = 200
            served.hold.fail(fault)

    def _why(self) -> str:
        """Say in a few words why the agent waits, and for how long still."""
        record, scheduler = self._served.record, self._served.relay.scheduler
        if record.state != "waiting" or self._live.ticket is None:
            return record.reason
        place = scheduler.place(self._live.ticket)
        if place is None:
            return record.reason
        words = f"{record.reason}, place {place.position}"
        if place.eta is None:
            return words
        soon = max(1, round(place.eta - self._served.relay.clock.monotonic()))
        return f"{words}, about {format_duration(soon)}"


def _is_alone(made: Plan) -> bool:
    """Whether all candidates are models of one key: none could answer while it rests."""
    first = made.candidates[0].lane
    return all(each.lane == first for each in made.candidates)
