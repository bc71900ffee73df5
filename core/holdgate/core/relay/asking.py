"""Asking: one try of a request at the candidate that has a place, and what came of it."""

from __future__ import annotations

import asyncio

import msgspec

from holdgate.core.dialects.base import End
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.dialects.translation.base import Written
from holdgate.core.relay import limits, outgoing
from holdgate.core.relay.headers import reply_headers, translated_headers
from holdgate.core.relay.ports import Head, Outgoing
from holdgate.core.relay.scene import Ended, Patience, Scene
from holdgate.core.relay.served import Served, settle
from holdgate.core.relay.translating import Translation
from holdgate.core.relay.trying import Trying
from holdgate.core.relay.wording import Worded, worded
from holdgate.core.traffic.attempts import Failed, Try
from holdgate.core.traffic.ticket import Ticket
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.inbound import Candidate, Headers
from holdgate.core.values.records import TryRecord
from holdgate.core.values.secret import Secret
from holdgate.core.values.settings import Provider


async def ask(served: Served, candidate: Candidate, ticket: Ticket, step: Try) -> Failed | None:
    """Ask a candidate; its place is the caller's to give back.

    Gives None if it answered, how it failed while nothing was shown. Raises Fault if some of its
    answer was shown already, or the request was ended from outside.
    """
    resting = served.relay.resting
    if (refused := resting.refusal(candidate)) is not None:
        return Failed(candidate, refused)
    try:
        words = None if candidate.dialect == served.inbound.dialect else worded(served, candidate)
        prepared = _prepared(served, candidate, step, words)
    except Fault as fault:  # its provider or key is gone, or the request cannot be said there
        return Failed(candidate, fault)
    probe = resting.asks(candidate)
    trying, waiter, attempt = _begun(served, candidate, ticket, prepared)
    try:
        ended: Ended = await waiter
    except BaseException:
        trying.quit()
        raise
    finally:
        attempt.ended = served.relay.clock.wall()
    attempt.fault = ended.fault.kind if ended.fault is not None else None
    if words is not None:
        served.record.losses = (*served.record.losses, *words.translation.losses)
    if ended.fault is None:
        _answered(served, candidate, ticket, ended)
        return None
    served.note("fault", ended.fault.message)
    if ended.fault.policy.whose == "agent" and ended.fault.reply is not None:
        _began(served, candidate, ticket)  # who finds fault with a request is well
    if served.record.state == "passing":
        raise ended.fault
    reworded = words is not None and _learned(served, candidate, words.written, ended.fault)
    return Failed(candidate, ended.fault, ended.lost, probe, reworded)


class _Prepared(msgspec.Struct, frozen=True):
    """What is sent, with which key, how long it may be silent, and what translates the reply."""

    outgoing: Outgoing
    key: Secret
    patience: Patience
    translation: Translation | None


def _prepared(served: Served, candidate: Candidate, step: Try, words: Worded | None) -> _Prepared:
    """Make all that a try needs. Raises Fault if the candidate's provider or key is gone."""
    roster, fresh = served.relay.current.roster, candidate in step.fresh
    if words is None:
        request = outgoing.relayed(served.inbound, candidate, roster, fresh=fresh)
    else:
        request = outgoing.translated(
            candidate, words.written, roster, streamed=words.streamed, fresh=fresh
        )
    return _Prepared(
        request,
        roster.key(candidate.lane),
        _patience(served, roster.provider(candidate.provider), last=step.last),
        words.translation if words is not None else None,
    )


def _begun(
    served: Served, candidate: Candidate, ticket: Ticket, prepared: _Prepared
) -> tuple[Trying, asyncio.Future[Ended], TryRecord]:
    """Send the request; what comes of it is the future's."""
    record, relay = served.record, served.relay
    attempt = TryRecord(
        candidate.provider, candidate.key, candidate.model, candidate.dialect, relay.clock.wall()
    )
    record.tries.append(attempt)
    record.candidate = f"{candidate.provider}/{candidate.model}"
    served.enter("trying", f"{candidate.provider} was asked")
    waiter = served.waits()
    trying = Trying(
        _scene(served, candidate, ticket, prepared.translation),
        attempt,
        prepared.key,
        prepared.patience,
        lambda: relay.scheduler.sent(ticket),
        lambda ended: settle(waiter, ended),
    )
    trying.begin(relay.upstream.send(prepared.outgoing, trying))
    return trying, waiter, attempt


def _learned(served: Served, candidate: Candidate, written: Written, fault: Fault) -> bool:
    """Learn of a 400 which optional member a model does not take; say whether one was learnt."""
    if fault.kind is not FaultKind.REQUEST or not written.optional:
        return False
    member = served.relay.refused.learn(
        candidate.provider, candidate.vendor_model, fault.message, written.optional
    )
    if member is not None:
        served.note("reworded", f"{candidate.provider} does not take {member}: asked without it")
    return member is not None


def _patience(served: Served, provider: Provider, *, last: bool) -> Patience:
    hold = served.treatment.hold
    return Patience(
        provider.first_byte_timeout or hold.longest,
        provider.idle_timeout or hold.longest,
        0.0 if last else hold.first_token,
    )


def _scene(
    served: Served, candidate: Candidate, ticket: Ticket, translation: Translation | None
) -> Scene:
    relay = served.relay
    return Scene(
        served.sink,
        served.hold,
        relay.clock,
        relay.wheel,
        DIALECTS[candidate.dialect],
        served.dialect,
        served.inbound.framing,
        served.record,
        lambda head: _headers(served, candidate, head),
        lambda head: limits.heard(relay.scheduler, candidate.lane, head, relay.clock.wall),
        lambda: _began(served, candidate, ticket),
        translation,
    )


def _headers(served: Served, candidate: Candidate, head: Head) -> Headers:
    if candidate.dialect == served.inbound.dialect:
        return reply_headers(head, served.inbound, candidate)
    return translated_headers(served.inbound, candidate)


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
    record.vendor_id = served.hold.vendor_id
    if served.hold.started:
        served.hold.end()
