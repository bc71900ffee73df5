"""The outgoing request: an agent's, made fit for one candidate with as few changes as possible."""

from __future__ import annotations

from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay.headers import key_header, merged
from holdgate.core.relay.ports import Outgoing
from holdgate.core.relay.roster import Roster
from holdgate.core.values.inbound import Candidate, Headers, Inbound
from holdgate.core.values.names import DialectName
from holdgate.core.values.settings import Provider
from holdgate.core.wire.json_span import replace_model

_IDENTITY = (("accept-encoding", "identity"),)


def relayed(
    inbound: Inbound, candidate: Candidate, roster: Roster, *, fresh: bool = False
) -> Outgoing:
    """Give the request of a same-dialect relay: the agent's bytes, the model's name replaced.

    Raises Fault(AUTH) if the candidate's key could not be read.
    """
    dialect = DIALECTS[candidate.dialect]
    provider = roster.provider(candidate.provider)
    url = dialect.url(
        provider.base(candidate.dialect), inbound.task, candidate.vendor_model, inbound.framing
    )
    body = inbound.body
    if candidate.dialect != "gemini" and candidate.vendor_model != inbound.model:
        body = replace_model(body, candidate.vendor_model)
    present = {name for name, _ in inbound.headers}
    missing = [pair for pair in dialect.required_headers if pair[0] not in present]
    headers = merged(
        inbound.headers, missing, provider.headers, _IDENTITY, _key(roster, candidate, provider)
    )
    return Outgoing(
        "POST",
        _with_query(url, inbound.query),
        headers,
        body,
        roster.proxies.get(provider.base(candidate.dialect), ""),
        provider.connect_timeout,
        fresh,
    )


def own(
    method: str, url: str, body: bytes, roster: Roster, lane: tuple[str, str], dialect: DialectName
) -> Outgoing:
    """Give a request of the gateway's own, such as for a list of models. Raises Fault(AUTH)."""
    provider = roster.provider(lane[0])
    table = DIALECTS[dialect]
    place = provider.auth.get(dialect, table.key_place)
    key = roster.key(lane)
    return Outgoing(
        method,
        url,
        merged(
            (("content-type", "application/json"), ("user-agent", "holdgate")),
            table.required_headers,
            provider.headers,
            _IDENTITY,
            (key_header(place, key.reveal()),) if key else (),
        ),
        body,
        roster.proxies.get(provider.base(dialect), ""),
        provider.connect_timeout,
    )


def _key(roster: Roster, candidate: Candidate, provider: Provider) -> Headers:
    key = roster.key(candidate.lane)
    place = provider.auth.get(candidate.dialect, DIALECTS[candidate.dialect].key_place)
    return (key_header(place, key.reveal()),) if key else ()


def _with_query(url: str, query: str) -> str:
    if not query:
        return url
    return f"{url}{'&' if '?' in url else '?'}{query}"
