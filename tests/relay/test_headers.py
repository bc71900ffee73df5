"""Headers: what goes on to a vendor, and what comes back."""

from __future__ import annotations

import pytest

from holdgate.core.relay.headers import for_agent, for_vendor, key_header, merged


@pytest.mark.parametrize(
    "name",
    [
        "user-agent",
        "accept",
        "content-type",
        "anthropic-version",
        "anthropic-beta",
        "openai-beta",
        "openai-organization",
        "x-stainless-lang",
        "x-app",
        "x-goog-api-client",
        "x-claude-code-session-id",
        "session-id",
        "x-custom",
        "idempotency-key",
        "traceparent",
    ],
)
def test_goes_on(name: str) -> None:
    assert for_vendor({name: "v"}) == ((name, "v"),)


@pytest.mark.parametrize(
    "name",
    [
        "authorization",
        "x-api-key",
        "x-goog-api-key",
        "api-key",
        "cookie",
        "proxy-authorization",
        "host",
        "content-length",
        "content-encoding",
        "accept-encoding",
        "transfer-encoding",
        "connection",
        "keep-alive",
        "te",
        "trailer",
        "upgrade",
        "expect",
        "proxy-connection",
        "via",
        "forwarded",
        "x-forwarded-for",
        "x-forwarded-proto",
        "x-real-ip",
        "cf-connecting-ip",
        "true-client-ip",
        "tailscale-user-login",
        "origin",
        "referer",
        "sec-fetch-site",
        "sec-websocket-key",
        "access-control-request-method",
        "x-holdgate-request",
        "x-codex-turn-metadata",
    ],
)
def test_stays_here(name: str) -> None:
    assert for_vendor({"accept": "a", name: "v"}) == (("accept", "a"),)


def test_the_order_is_kept() -> None:
    headers = {"b": "1", "host": "h", "a": "2", "c": "3"}
    assert for_vendor(headers) == (("b", "1"), ("a", "2"), ("c", "3"))


@pytest.mark.parametrize("connection", ["X-Hop, close", "close,x-hop", "X-HOP", " x-hop "])
def test_what_connection_names_stays_too(connection: str) -> None:
    headers = {"x-hop": "1", "connection": connection, "x-app": "2"}
    assert for_vendor(headers) == (("x-app", "2"),)


@pytest.mark.parametrize("connection", ["", "close", "Keep-Alive"])
def test_what_connection_says_mostly_names_nothing(connection: str) -> None:
    assert for_vendor({"connection": connection, "close": "1"})[-1:] != (
        ("connection", connection),
    )


@pytest.mark.parametrize(
    "name",
    [
        "content-type",
        "content-language",
        "request-id",
        "x-request-id",
        "apim-request-id",
        "retry-after",
        "retry-after-ms",
        "x-should-retry",
        "cf-ray",
        "anthropic-ratelimit-requests-remaining",
        "anthropic-organization-id",
        "openai-processing-ms",
        "openai-model",
        "x-ratelimit-reset-tokens",
        "ratelimit-limit",
        "ratelimit",
        "server-timing",
    ],
)
def test_comes_back(name: str) -> None:
    assert for_agent(((name, "v"),)) == ((name, "v"),)


@pytest.mark.parametrize(
    "name",
    [
        "set-cookie",
        "server",
        "date",
        "content-length",
        "content-encoding",
        "transfer-encoding",
        "connection",
        "keep-alive",
        "strict-transport-security",
        "access-control-allow-origin",
        "content-security-policy",
        "alt-svc",
        "www-authenticate",
        "location",
        "x-holdgate-provider",
        "x-powered-by",
        "cache-control",
    ],
)
def test_does_not_come_back(name: str) -> None:
    assert for_agent(((name, "v"), ("request-id", "r"))) == (("request-id", "r"),)


def test_a_header_that_comes_twice_comes_back_twice() -> None:
    twice = (("x-request-id", "1"), ("x-request-id", "2"))
    assert for_agent(twice) == twice


@pytest.mark.parametrize(
    ("place", "header"),
    [
        ("bearer", ("authorization", "Bearer k")),
        ("x-api-key", ("x-api-key", "k")),
        ("x-goog-api-key", ("x-goog-api-key", "k")),
    ],
)
def test_the_key(place: str, header: tuple[str, str]) -> None:
    assert key_header(place, "k") == header


def test_a_later_layer_replaces_an_earlier_one() -> None:
    first = (("a", "1"), ("b", "1"), ("c", "1"))
    assert merged(first, (("B", "2"), ("d", "2")), (("D", "3"),)) == (
        ("a", "1"),
        ("c", "1"),
        ("b", "2"),
        ("d", "3"),
    )


def test_nothing_over_it_changes_nothing() -> None:
    first = (("a", "1"), ("a", "2"))
    assert merged(first) == merged(first, (), ()) == first
