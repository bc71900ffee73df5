"""Headers: which of an agent's go on to the vendor, and which of a vendor's come back.

An agent's headers go on unless there is a reason (vendors look at User-Agent, beta headers switch
on what the body uses). A vendor's come back only if an agent reads them: others would speak for the
gateway (cookies, CORS, transport security).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from holdgate.core.relay.ports import Head
from holdgate.core.values.inbound import Candidate, Headers, Inbound

_HOP_BY_HOP = frozenset(
    {"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "expect"}
)
_OF_THE_BODY = frozenset({"host", "content-length", "content-encoding", "accept-encoding"})
_KEYS = frozenset({"authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie"})
_OF_THE_WAY = frozenset(
    {
        "via",
        "forwarded",
        "x-real-ip",
        "cf-connecting-ip",
        "true-client-ip",
        "tailscale-user-login",
        "origin",
        "referer",
    }
)
# Codex writes the user's folder paths into it (clients, 1.13).
_PRIVATE = frozenset({"x-codex-turn-metadata"})
_STAY = _HOP_BY_HOP | _OF_THE_BODY | _KEYS | _OF_THE_WAY | _PRIVATE
_STAY_PREFIXES = ("proxy-", "x-forwarded-", "sec-", "x-holdgate-", "access-control-")

_COME_BACK = frozenset(
    {
        "content-type",
        "content-language",
        "request-id",
        "x-request-id",
        "cf-ray",
        "retry-after",
        "retry-after-ms",
        "x-should-retry",
        "server-timing",
    }
)
_COME_BACK_PREFIXES = ("anthropic-", "openai-", "x-ratelimit-", "ratelimit", "x-goog-")
_COME_BACK_SUFFIXES = ("-request-id", "-trace-id", "-requestid", "-traceid")

_STREAM: Headers = (
    ("content-type", "text/event-stream; charset=utf-8"),
    ("cache-control", "no-cache"),
    ("x-accel-buffering", "no"),
)


def for_vendor(headers: Mapping[str, str]) -> Headers:
    """Give those of an agent's headers that go on; `headers` by lower-case name, order kept."""
    connection = headers.get("connection", "").lower()
    if connection in ("", "keep-alive", "close"):
        return tuple(pair for pair in headers.items() if _goes_on(pair[0]))
    named = {token.strip() for token in connection.split(",")}
    return tuple(pair for pair in headers.items() if _goes_on(pair[0]) and pair[0] not in named)


def for_agent(headers: Headers) -> Headers:
    """Give those of a vendor's headers (lower case) that come back."""
    return tuple(pair for pair in headers if _comes_back(pair[0]))


@lru_cache(maxsize=1024)
def _goes_on(name: str) -> bool:
    return name not in _STAY and not name.startswith(_STAY_PREFIXES)


@lru_cache(maxsize=1024)
def _comes_back(name: str) -> bool:
    return (
        name in _COME_BACK
        or name.startswith(_COME_BACK_PREFIXES)
        or name.endswith(_COME_BACK_SUFFIXES)
    )


def key_header(place: str, key: str) -> tuple[str, str]:
    """Give the header that carries a vendor's key at `place`."""
    return ("authorization", f"Bearer {key}") if place == "bearer" else (place, key)


def merged(first: Headers, *later: Iterable[tuple[str, str]]) -> Headers:
    """Give headers of several layers, names in lower case; a later one replaces an earlier."""
    over = [(name.lower(), value) for layer in later for name, value in layer]
    if not over:
        return first
    taken = {name for name, _ in over}
    last = {name: place for place, (name, _) in enumerate(over)}
    return tuple(pair for pair in first if pair[0] not in taken) + tuple(
        pair for place, pair in enumerate(over) if last[pair[0]] == place
    )


def translated_headers(inbound: Inbound, candidate: Candidate) -> Headers:
    """Give the headers of a reply that is told in another dialect than the vendor's."""
    stream = _STREAM if inbound.framing == "sse" else (("content-type", "application/json"),)
    return (
        *stream,
        ("x-holdgate-request", inbound.id),
        ("x-holdgate-provider", candidate.provider),
        ("x-holdgate-model", candidate.model),
    )


def reply_headers(head: Head, inbound: Inbound, candidate: Candidate) -> Headers:
    """Give the headers of a reply that a candidate's answer passes with."""
    headers = for_agent(head.headers)
    if inbound.framing == "sse" and _is_stream(head):
        headers = _STREAM + tuple(pair for pair in headers if pair[0] != "content-type")
    return (
        *headers,
        ("x-holdgate-request", inbound.id),
        ("x-holdgate-provider", candidate.provider),
        ("x-holdgate-model", candidate.model),
    )


def stream_headers(inbound: Inbound) -> Headers:
    """Give the headers of a stream that the gateway begins itself."""
    request = ("x-holdgate-request", inbound.id)
    if inbound.framing == "array":
        return (("content-type", "application/json"), *_STREAM[1:], request)
    return (*_STREAM, request)


def _is_stream(head: Head) -> bool:
    kind = head.get("content-type").partition(";")[0].strip()
    return 200 <= head.status < 300 and kind != "application/json"
