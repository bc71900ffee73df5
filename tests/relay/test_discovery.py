"""Which dialects a bare URL speaks, and what is wrong, by what its places answered."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.relay.answers import Answer, likely_models, listed_models
from holdgate.core.relay.diagnosis import (
    HOPELESS,
    Cause,
    advice,
    cause_of,
    cause_of_list,
    reason_of,
    worst,
)
from holdgate.core.relay.discovery import bases, list_places, passes, speaks
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.names import DIALECT_NAMES, DialectName

NOW = 1_800_000_000.0
PAGE = b"<!DOCTYPE html><html><body>Welcome</body></html>"

ANSWERS: dict[DialectName, object] = {
    "chat": {"choices": [{"message": {"content": "hi"}}]},
    "responses": {"object": "response", "output": []},
    "messages": {"type": "message", "content": [], "stop_reason": "end_turn"},
    "gemini": {"candidates": [{"content": {"parts": []}}]},
}


def openai(message: str, code: str | None = None, kind: str = "invalid_request_error") -> object:
    return {"error": {"message": message, "type": kind, "code": code, "param": None}}


def anthropic(message: str, kind: str) -> object:
    return {"type": "error", "error": {"type": kind, "message": message}}


def google(code: int, status: str, message: str) -> object:
    return {"error": {"code": code, "message": message, "status": status}}


def answer(status: int, body: object, kind: str = "application/json", location: str = "") -> Answer:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(status, kind, raw, location)


def lost(message: str) -> Answer:
    return Answer(None, fault=Fault(FaultKind.NETWORK, message))


@pytest.mark.parametrize(
    ("url", "chat", "messages", "gemini"),
    [
        ("https://x.example", "/v1 ", " /anthropic", ""),
        ("https://x.example/", "/v1 ", " /anthropic", ""),
        ("https://x.example/v1", "/v1 ", " /anthropic", ""),
        ("https://x.example/v1/chat/completions", "/v1 ", " /anthropic", ""),
        ("https://x.example/v1/messages?beta=true", "/v1 ", " /anthropic", ""),
        ("https://x.example/anthropic", "/v1 ", "/anthropic", ""),
        ("https://x.example/v1beta/models", "/v1 ", " /anthropic", ""),
        ("https://x.example/api/paas/v4", "/api/paas/v4 /api/paas", "/api/paas /api/paas/anthropic",
         "/api/paas"),
        ("https://x.example/api/paas/v4/chat/completions", "/api/paas/v4 /api/paas",
         "/api/paas /api/paas/anthropic", "/api/paas"),
    ],
)  # fmt: skip
def test_where_to_look(url: str, chat: str, messages: str, gemini: str) -> None:
    def full(ends: str) -> tuple[str, ...]:
        return tuple(f"https://x.example{end}" for end in ends.split(" "))

    found = bases(url)
    assert found["chat"] == found["responses"] == full(chat)
    assert found["messages"] == full(messages)
    assert found["gemini"] == full(gemini)
    places = list_places(url)
    assert len(places) == len(set(places)) <= 5


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_an_answer_is_of_its_own_dialect(dialect: DialectName) -> None:
    for other in DIALECT_NAMES:
        told = answer(200, ANSWERS[other])
        assert (speaks(dialect, told) == "yes") == passes(dialect, told) == (dialect == other)
        assert cause_of(dialect, told, NOW) == (Cause.NONE if dialect == other else Cause.URL)


@pytest.mark.parametrize(
    ("dialect", "told", "how", "cause"),
    [
        # What speaks the dialect and does not like the request.
        ("chat", answer(401, openai("Incorrect API key", "invalid_api_key")), "perhaps", "KEY"),
        ("chat", answer(404, openai("The model `x` does not exist", "model_not_found")), "yes",
         "MODEL"),
        ("chat", answer(404, {"object": "error", "message": "The model `x` does not exist.",
                              "type": "NotFoundError", "code": 404}), "yes", "MODEL"),
        ("chat", answer(400, openai("Unsupported parameter: 'max_tokens'")), "yes", "REQUEST"),
        ("chat", answer(402, openai("Insufficient Balance", "invalid_request_error")), "perhaps",
         "CREDIT"),
        ("chat", answer(429, openai("You exceeded your current quota", "insufficient_quota")),
         "perhaps", "CREDIT"),
        ("chat", answer(429, openai("Rate limit reached", "rate_limit_exceeded")), "perhaps",
         "LIMIT"),
        ("chat", answer(403, openai("Country, region, or territory not supported",
                                    "unsupported_country_region_territory")), "perhaps",
         "FORBIDDEN"),
        ("chat", answer(503, openai("overloaded")), "perhaps", "SERVER"),
        ("messages", answer(401, anthropic("invalid x-api-key", "authentication_error")), "yes",
         "KEY"),
        ("messages", answer(404, anthropic("model: x", "not_found_error")), "yes", "MODEL"),
        ("messages", answer(401, openai("no such key")), "perhaps", "KEY"),
        ("gemini", answer(404, google(404, "NOT_FOUND", "models/x is not found for v1beta")), "yes",
         "MODEL"),
        ("gemini", answer(400, google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a "
                                      "valid API key.")), "yes", "KEY"),
        # What does not.
        ("chat", answer(404, anthropic("Not found", "not_found_error")), "no", "URL"),
        ("chat", answer(404, b"404 page not found", "text/plain"), "no", "URL"),
        ("chat", answer(404, {"detail": "Not Found"}), "no", "URL"),
        ("chat", answer(200, {"error": "Unexpected endpoint or method. (POST /x)"}), "no", "URL"),
        ("chat", answer(200, {"status": "ok"}), "no", "URL"),
        ("chat", answer(200, b"ok", "text/plain"), "no", "URL"),
        ("chat", answer(404, PAGE, "text/html"), "no", "URL"),
        ("chat", answer(405, {"detail": "Method Not Allowed"}), "no", "URL"),
        ("gemini", answer(404, {"message": "Cannot POST /v1beta/models/x:generateContent",
                                "error": "Not Found", "statusCode": 404}), "no", "URL"),
        ("gemini", answer(404, openai("Invalid URL (POST /v1beta/models/x:generateContent)")),
         "no", "URL"),
        # What is no API at all.
        ("chat", answer(200, PAGE, "text/html"), "no", "PAGE"),
        ("chat", answer(200, PAGE, ""), "no", "PAGE"),
        ("chat", answer(511, PAGE, "text/html"), "no", "PAGE"),
        ("chat", answer(302, b"", "", "http://login.hotel.example/?u=1"), "no", "PAGE"),
        ("chat", answer(301, b"", "", "https://x.example/v1"), "no", "REDIRECT"),
        ("chat", answer(407, b""), "no", "PROXY"),
    ],
)  # fmt: skip
def test_what_an_answer_tells(dialect: DialectName, told: Answer, how: str, cause: str) -> None:
    assert (speaks(dialect, told), cause_of(dialect, told, NOW).name) == (how, cause)
    assert reason_of(dialect, told)


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("cannot reach x:443: the name x is not found (DNS)", "NO_HOST"),
        ("cannot reach x:443: no answer to the name x (DNS); is this machine online?",
         "NO_NETWORK"),
        ("cannot reach x:443: [Errno 101] Network is unreachable", "NO_NETWORK"),
        ("cannot reach x:443: no network leads to x:443; is this machine online?", "NO_NETWORK"),
        ("cannot reach x:1: the connection is refused; is it running?", "REFUSED"),
        ("cannot reach [::1]:1: nothing listens at [::1]:1 (connection refused); is it running?",
         "REFUSED"),
        ("cannot reach x:1: x:1 refuses the connection; is the port right?", "REFUSED"),
        ("cannot reach x:1: TLS failed: WRONG_VERSION_NUMBER", "TLS"),
        ("cannot reach x:1: what answers there does not speak TLS; is it http://?", "TLS"),
        ("cannot reach x:443: its TLS certificate is not accepted: expired", "TLS"),
        ("cannot reach x:443: no authority that is trusted here vouches for its certificate (self-"
         "signed); if it is a company's proxy or an own server, name its authority's PEM", "TLS"),
        ("cannot reach x:443: connected, but TLS was not ready within 10s, its connect_timeout; "
         "does a firewall or proxy in between swallow it?", "TLS"),
        ("cannot reach x:443 through the proxy http://p:1: the connection is refused", "PROXY"),
        ("cannot reach x:443 through the proxy http://p:1: nothing listens at p:1", "PROXY"),
        ("cannot reach x:443 through the proxy http://p:1: the proxy's name p is not found (DNS)",
         "PROXY"),
        ("cannot reach x:443 through the proxy http://p:1: the proxy refuses x:443: 407", "PROXY"),
        ("cannot reach x:443 through the proxy http://p:1: its certificate has expired; is this "
         "machine's clock right?", "TLS"),
        ("cannot reach x:443: no connection within 10s, its connect_timeout", "TIMEOUT"),
        ("cannot reach x:443: no connection to x:443 within 10s, its connect_timeout; is the "
         "address right, and does a firewall or VPN let it through?", "TIMEOUT"),
        ("no reply within 60s", "TIMEOUT"),
        ("the connection broke", "BROKEN"),
    ],
)  # fmt: skip
def test_what_keeps_from_a_connection(message: str, cause: str) -> None:
    told = lost(message)
    assert (speaks("chat", told), cause_of("chat", told, NOW).name) == ("no", cause)
    assert cause_of_list("chat", told, NOW).name == cause


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(DIALECT_NAMES),
    st.integers(100, 599),
    st.sampled_from(["", "text/html", "application/json"]),
    st.one_of(
        st.binary(max_size=40),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=9),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        ["error", "message", "data", "id", "choices", "status", "type"]
                    ),
                    inner,
                    max_size=3,
                )
            ),
            max_leaves=6,
        ).map(lambda value: json.dumps(value).encode()),
    ),
)
def test_anything_is_told_something_of(
    dialect: DialectName, status: int, kind: str, body: bytes
) -> None:
    told = Answer(status, kind, body)
    cause = cause_of(dialect, told, NOW)
    assert (cause is Cause.NONE) == passes(dialect, told)
    assert passes(dialect, told) <= (speaks(dialect, told) == "yes")
    if listed_models(told) is None:
        assert advice(cause_of_list(dialect, told, NOW))


def test_every_cause_says_what_to_do() -> None:
    assert all(advice(cause) for cause in Cause if cause)
    assert worst([]) == worst([Cause.NONE]) == Cause.NONE
    assert worst([Cause.URL, Cause.KEY, Cause.NONE]) is Cause.KEY
    # A relay shows its own page for what it does not know.
    assert worst([Cause.PAGE, Cause.KEY]) is Cause.KEY
    assert worst([Cause.PAGE, Cause.URL]) is Cause.PAGE
    assert Cause.REFUSED in HOPELESS and Cause.KEY not in HOPELESS


def test_where_a_redirect_leads_is_told_without_its_query() -> None:
    told = answer(302, b"", "", "http://login.hotel.example/in?mac=00:11")
    assert reason_of("chat", told) == "HTTP 302 to http://login.hotel.example/in"


def test_lists_of_models() -> None:
    assert listed_models(answer(200, {"data": [{"id": "a"}, {"id": "a"}, {}]})) == ("a",)
    assert listed_models(answer(200, [{"id": "a"}])) == ("a",)
    gemini = [
        {"name": "models/g", "supportedGenerationMethods": ["generateContent"]},
        {"name": "models/e", "supportedGenerationMethods": ["embedContent"]},
    ]
    assert listed_models(answer(200, {"models": gemini})) == ("g",)
    assert listed_models(answer(200, {"data": []})) == ()
    for told in (
        answer(200, {"object": "list"}),
        answer(200, PAGE, "text/html"),
        answer(200, b"[1]"),
        answer(401, {"data": []}),
        answer(200, b"\xff"),
    ):
        assert listed_models(told) is None


def test_the_models_to_try() -> None:
    models = ("text-embedding-3", "gpt-5", "glm-5", "claude-sonnet-5", "kimi-k3")
    assert likely_models(models, "") == ("gpt-5", "kimi-k3", "claude-sonnet-5")
    assert likely_models(models, "claude") == ("claude-sonnet-5",)
    assert likely_models(models, "gemini")[0] == "gpt-5"
    assert likely_models(("whisper-1",), "") == ("whisper-1",)
    assert likely_models((), "") == ()
