"""The agents' API: from an admitted HTTP request to the exchange that serves it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from urllib.parse import unquote

from aiohttp import web

from holdgate.core.dialects.base import Peek
from holdgate.core.dialects.reading import words_of
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay.exchange import Exchange
from holdgate.core.relay.headers import for_vendor
from holdgate.core.server.bodies import query_keys, read_body
from holdgate.core.server.context import App
from holdgate.core.server.guard import Admission, keys_of
from holdgate.core.server.paths import Endpoint
from holdgate.core.server.sink import HttpSink
from holdgate.core.traffic.recognise import conversation_header, recognise_agent
from holdgate.core.values.caller import Caller
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.inbound import Framing, Inbound, Task

# Of a query string these do not go on: keys, and what the target's own address says.
_QUERY_STAYS = frozenset({"key", "alt", "$alt"})
_LONGEST_MODEL = 300

_TASKS: Mapping[str, Task] = {
    "generate": "generate",
    "count_tokens": "count_tokens",
    "embeddings": "embeddings",
}


async def relay(
    app: App,
    request: web.BaseRequest,
    endpoint: Endpoint,
    admission: Admission,
    headers: Mapping[str, str],
    request_id: str,
) -> web.StreamResponse:
    """Serve a request that goes to a vendor. Raises Fault for one that cannot be."""
    settings = app.relay.current.roster.settings
    body = await read_body(request, settings.server.max_body)
    agent = recognise_agent(headers, keys_of(headers, query_keys(request)))
    caller = Caller(agent, admission.key_name, admission.address)
    inbound = understand(endpoint, caller, headers, _query(request), body, request_id)
    sink = HttpSink(request, admission.headers, app.tasks)
    await Exchange(app.relay, inbound, sink).run()
    assert sink.response is not None
    return sink.response


def understand(
    endpoint: Endpoint,
    caller: Caller,
    headers: Mapping[str, str],
    query: str,
    body: bytes,
    request_id: str,
) -> Inbound:
    """Give the request as the gateway understands it. Raises Fault(REQUEST)."""
    dialect = DIALECTS[endpoint.dialect]
    peek = dialect.peek(body)
    return Inbound(
        id=request_id,
        caller=caller,
        conversation=conversation_header(headers) or peek.session or _hashed(caller.agent, peek),
        dialect=endpoint.dialect,
        task=_TASKS[endpoint.kind],
        model=_model(endpoint.model or peek.model),
        framing=_framing(endpoint, peek),
        body=body,
        headers=for_vendor(headers),
        query=query,
    )


def _framing(endpoint: Endpoint, peek: Peek) -> Framing:
    if endpoint.kind != "generate":
        return "whole"
    if endpoint.stream is None:
        return "sse" if peek.stream else "whole"
    if not endpoint.stream:
        return "whole"
    return "sse" if endpoint.alt_sse else "array"


def _model(name: str) -> str:
    if not name.strip():
        raise Fault(FaultKind.REQUEST, "the request names no model")
    if len(name) > _LONGEST_MODEL or not name.isprintable():
        raise Fault(FaultKind.REQUEST, "the model's name is no name")
    return name


def _hashed(agent: str, peek: Peek) -> str:
    digest = hashlib.blake2b(words_of(peek.first_user), digest_size=8, person=b"conversation")
    digest.update(agent.encode())
    return digest.hexdigest()


def _query(request: web.BaseRequest) -> str:
    """Give the query string without keys."""
    raw = request.rel_url.raw_query_string
    if not raw:
        return ""
    pairs = (pair for pair in raw.split("&") if pair)
    return "&".join(p for p in pairs if unquote(p.partition("=")[0]) not in _QUERY_STAYS)
