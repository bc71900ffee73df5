"""Wording: an agent's request told in the dialect of a candidate that speaks another one."""

from __future__ import annotations

from functools import partial

import msgspec

from holdgate.core.dialects.translation.base import Target, Telling, Written
from holdgate.core.dialects.translation.responses.references import may_refer
from holdgate.core.dialects.translation.restoring import Restorer
from holdgate.core.dialects.translation.sampling_defaults import telling_losses
from holdgate.core.dialects.translation.table import TRANSLATORS
from holdgate.core.relay.keepsakes import Gathering
from holdgate.core.relay.served import Served
from holdgate.core.relay.translating import Translation
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.inbound import Candidate
from holdgate.core.values.neutral import Loss, Request

# An answer of at most so many tokens takes seconds, so one that is wanted whole is asked for whole.
# Longer ones are asked for as streams: many a proxy on the way cuts what is silent for a minute,
# and a vendor that stalls is seen early.
SHORT = 4096


class Worded(msgspec.Struct, frozen=True):
    """A request as a vendor gets it, if as a stream, and how its reply is told to the agent."""

    written: Written
    translation: Translation
    streamed: bool = True


def worded(served: Served, candidate: Candidate) -> Worded:
    """Word a request for a candidate.

    Raises Fault: REQUEST if it is none, LOSS if what it means cannot be said there, MODEL if the
    provider is gone.
    """
    request = _understood(served)
    target = _target(served, candidate, request)
    written = TRANSLATORS[candidate.dialect].write_request(request, target)
    # What reading lost is told by some writers too; once is enough.
    served.record.losses = telling_losses(request, (*request.losses, *written.losses))
    _check(candidate, served.record.losses)
    return Worded(written, _translation(served, request, target, written), target.streamed)


def _translation(served: Served, request: Request, target: Target, written: Written) -> Translation:
    inbound, keepsakes = served.inbound, served.relay.keepsakes
    return Translation(
        target.provider,
        TRANSLATORS[target.dialect].reply_reader(target),
        Restorer(written.names),
        TRANSLATORS[inbound.dialect],
        Telling(
            inbound.id.removeprefix("hg-"),
            inbound.model,
            int(served.record.arrived),
            inbound.framing,
            request,
        ),
        # All other dialects have a slot in which agents carry what is opaque. Some do not (Qwen
        # Code over Messages), and Gemini does worse without.
        Gathering(keepsakes, inbound.conversation)
        if inbound.dialect == "chat" or target.dialect == "gemini"
        else None,
        partial(keepsakes.items.keep, inbound.conversation) if may_refer(request) else None,
    )


def _understood(served: Served) -> Request:
    """Read the request, once for all candidates."""
    if served.neutral is None:
        inbound = served.inbound
        translator = TRANSLATORS[inbound.dialect]
        keepsakes, body = served.relay.keepsakes, inbound.body
        if inbound.dialect == "responses":
            body = keepsakes.items.give_back(inbound.conversation, body)
        request = translator.read_request(body, inbound.model, inbound.framing)
        messages = keepsakes.give_back(inbound.conversation, request.messages)
        served.neutral = msgspec.structs.replace(request, messages=messages)
    return served.neutral


def _target(served: Served, candidate: Candidate, request: Request) -> Target:
    provider = served.relay.current.roster.provider(candidate.provider)
    return Target(
        candidate.provider,
        candidate.dialect,
        candidate.vendor_model,
        frozenset(provider.quirks),
        candidate.output,
        served.relay.refused.of(candidate.provider, candidate.vendor_model),
        frozenset(provider.hosted.get(candidate.dialect, ())),
        served.inbound.streamed or not _is_short(request),
    )


def _is_short(request: Request) -> bool:
    """Whether the answer can take no more than seconds."""
    thinks = request.effort is not None and request.effort.level not in ("", "none")
    return 0 < request.max_output <= SHORT and not thinks


def _check(candidate: Candidate, losses: tuple[Loss, ...]) -> None:
    """Refuse a wording in which something else would be asked than the agent meant."""
    grave = [loss for loss in losses if loss.grave]
    if grave:
        more = f" (and {len(grave) - 1} more)" if len(grave) > 1 else ""
        raise Fault(
            FaultKind.LOSS,
            f"{candidate.provider}: is asked in the dialect {candidate.dialect}, which cannot say "
            f"{grave[0].path}: {grave[0].why}{more}; use a model of a provider that speaks "
            "the agent's own dialect, or leave it out",
        )
