"""Asking: one try of a request at the candidate that has a place, and what came of it."""

from __future__ import annotations

from holdgate.core.dialects.base import End
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay import limits, outgoing
from holdgate.core.relay.headers import reply_headers
from holdgate.core.relay.served import Served, settle
from holdgate.core.relay.trying import Ended, Patience, Scene, Trying
from holdgate.core.traffic.attempts import Failed, Try
from holdgate.core.traffic.ticket import Ticket
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.inbound import Candidate
from holdgate.core.values.records import TryRecord
from holdgate.core.values.settings import Provider


async def ask(served: Served, candidate: Candidate, ticket: Ticket, step: Try) -> Failed | None:
    """Ask a candidate; its place is the caller's to give back.

    Gives None if it answered, how it failed while nothing was shown. Raises Fault if some of its
    answer was shown already, or the request was ended from outside.
    """
    resting = served.relay.resting
    if (refused := resting.refusal(candidate)) is not None:
        return Failed(candidate, refused)
    probe = resting.asks(candidate)
    ended = await _try(served, candidate, ticket, step)
    if ended.fault is None:
        _answered(served, candidate, ticket, ended)
        return None
    served.note("fault", ended.fault.message)
    if served.record.state == "passing":
        raise ended.fault
    return Failed(candidate, ended.fault, ended.lost, probe)


async def _try(served: Served, candidate: Candidate, ticket: Ticket, step: Try) -> Ended:
    record, clock = served.record, served.relay.clock
    attempt = TryRecord(
        candidate.provider, candidate.key, candidate.model, candidate.dialect, clock.wall()
    )
    record.tries.append(attempt)
    record.candidate = f"{candidate.provider}/{candidate.model}"
    served.enter("trying", f"{candidate.provider} was asked")
    try:
        ended = await _send(served, candidate, ticket, attempt, step)
    finally:
        attempt.ended = clock.wall()
    attempt.fault = ended.fault.kind if ended.fault is not None else None
    return ended


async def _send(
    served: Served, candidate: Candidate, ticket: Ticket, attempt: TryRecord, step: Try
) -> Ended:
    relay, roster = served.relay, served.relay.current.roster
    waiter = served.waits()
    try:
        request = outgoing.relayed(served.inbound, candidate, roster, fresh=candidate in step.fresh)
        trying = Trying(
            _scene(served, candidate, ticket),
            attempt,
            roster.key(candidate.lane),
            _patience(served, roster.provider(candidate.provider), last=step.last),
            lambda: relay.scheduler.sent(ticket),
            lambda ended: settle(waiter, ended),
        )
    except Fault as fault:  # its provider or key is gone
        return Ended(fault=fault)
    try:
        trying.begin(relay.upstream.send(request, trying))
        ended: Ended = await waiter
    except BaseException:
        trying.quit()
        raise
    return ended


def _patience(served: Served, provider: Provider, *, last: bool) -> Patience:
    hold = served.treatment.hold
    return Patience(
        provider.first_byte_timeout or hold.longest,
        provider.idle_timeout or hold.longest,
        0.0 if last else hold.first_token,
    )


def _scene(served: Served, candidate: Candidate, ticket: Ticket) -> Scene:
    relay = served.relay
    return Scene(
        served.sink,
        served.hold,
        relay.clock,
        relay.wheel,
        DIALECTS[candidate.dialect],
        served.inbound.framing,
        served.record,
        lambda head: reply_headers(head, served.inbound, candidate),
        lambda head: limits.heard(relay.scheduler, candidate.lane, head, relay.clock.wall),
        lambda: _began(served, candidate, ticket),
    )


def _began(served: Served, candidate: Candidate, ticket: Ticket) -> None:
    """The answer is being shown: the key is well, and a probe has passed."""
    served.relay.scheduler.began(ticket)
    served.relay.resting.began(candidate)


def _answered(served: Served, candidate: Candidate, ticket: Ticket, ended: Ended) -> None:
    """A try was answered to its end."""
    assert ended.ending is not None
    record = served.record
    usage = record.usage = ended.ending.usage
    served.relay.scheduler.answered(ticket, usage.tokens if usage is not None else None)
    record.status = 200 if served.hold.started else record.tries[-1].status
    if ended.ending.end is End.ERROR:
        record.fault = FaultKind.SERVER
        record.message = f"{candidate.provider}: {ended.ending.message}"
    if served.hold.started:
        served.hold.end()
