"""The outgoing request: an agent's, made fit for one candidate with as few changes as possible."""

from __future__ import annotations

import msgspec

from holdgate.core.dialects.table import DIALECTS
from holdgate.core.dialects.translation.base import Written
from holdgate.core.dialects.translation.foreign_seals import without_foreign_seals
from holdgate.core.relay.ports import Outgoing
from holdgate.core.relay.roster import Roster
from holdgate.core.values.inbound import Candidate, Framing, Inbound
from holdgate.core.values.names import DialectName
from holdgate.core.wire.json_span import replace_model


def relayed(
    inbound: Inbound, candidate: Candidate, roster: Roster, *, fresh: bool = False
) -> Outgoing:
    """Give the request of a same-dialect relay: the agent's bytes, the model's name replaced.

    Raises Fault(AUTH) if the candidate's key could not be read.
    """
    dialect = DIALECTS[candidate.dialect]
    provider = roster.provider(candidate.provider)
    letterhead = roster.letterhead(candidate.lane, candidate.dialect)
    base = provider.base(candidate.dialect)
    url = dialect.url(base, inbound.task, candidate.vendor_model, inbound.framing)
    body = inbound.body
    if inbound.task == "generate":
        body = without_foreign_seals(inbound.dialect, body)
    if candidate.dialect != "gemini" and candidate.vendor_model != inbound.model:
        body = replace_model(body, candidate.vendor_model, inbound.model)
    return Outgoing(
        "POST",
        _with_query(url, inbound.query),
        letterhead.over(inbound.headers),
        body,
        roster.proxies.get((provider.name, base), ""),
        provider.connect_timeout,
        fresh,
        provider.ca,
    )


def translated(
    candidate: Candidate,
    written: Written,
    roster: Roster,
    *,
    streamed: bool,
    fresh: bool = False,
) -> Outgoing:
    """Give the request of a translation; nothing of the agent's own headers goes with it.

    Raises Fault(AUTH) if the candidate's key could not be read.
    """
    base = roster.provider(candidate.provider).base(candidate.dialect)
    framing: Framing = "sse" if streamed else "whole"
    url = DIALECTS[candidate.dialect].url(base, "generate", candidate.vendor_model, framing)
    made = own("POST", url, written.body, roster, candidate.lane, candidate.dialect, fresh=fresh)
    return msgspec.structs.replace(made, headers=(*made.headers, *written.headers))


def own(
    method: str,
    url: str,
    body: bytes,
    roster: Roster,
    lane: tuple[str, str],
    dialect: DialectName,
    *,
    fresh: bool = False,
) -> Outgoing:
    """Give a request of the gateway's own, such as for a list of models. Raises Fault(AUTH)."""
    provider = roster.provider(lane[0])
    headers = (("content-type", "application/json"), ("user-agent", "holdgate"))
    return Outgoing(
        method,
        url,
        roster.letterhead(lane, dialect).over(headers),
        body,
        roster.proxies.get((provider.name, provider.base(dialect)), ""),
        provider.connect_timeout,
        fresh,
        provider.ca,
    )


def _with_query(url: str, query: str) -> str:
    if not query:
        return url
    return f"{url}{'&' if '?' in url else '?'}{query}"
