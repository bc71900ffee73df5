"""Verdicts: what vendors' bad answers mean, as vendors write them."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.traffic.verdicts import of_event, of_status
from holdgate.core.values.errors import Fault, FaultKind, VendorReply


def reply(status: int, body: Any = b"", *headers: tuple[str, str]) -> VendorReply:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return VendorReply(status, headers, data)


def verdict(status: int, body: Any = b"", words: str = "") -> Fault:
    return of_status("relay", reply(status, body), words)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (302, FaultKind.UNREADABLE),
        (304, FaultKind.UNREADABLE),
        (400, FaultKind.REQUEST),
        (401, FaultKind.AUTH),
        (402, FaultKind.CREDIT),
        (403, FaultKind.FORBIDDEN),
        (404, FaultKind.MODEL),
        (405, FaultKind.REQUEST),
        (407, FaultKind.AUTH),
        (408, FaultKind.SERVER),
        (413, FaultKind.TOO_LARGE),
        (422, FaultKind.REQUEST),
        (429, FaultKind.RATE),
        (500, FaultKind.SERVER),
        (502, FaultKind.SERVER),
        (503, FaultKind.OVERLOADED),
        (504, FaultKind.SERVER),
        (520, FaultKind.SERVER),
        (529, FaultKind.OVERLOADED),
    ],
)
def test_statuses(status: int, kind: FaultKind) -> None:
    assert verdict(status, b"no").kind is kind


def openai(code: str | None, type: str = "invalid_request_error", message: str = "no") -> Any:
    return {"error": {"message": message, "type": type, "param": None, "code": code}}


def anthropic(type: str, message: str = "no") -> Any:
    return {"type": "error", "error": {"type": type, "message": message}}


INVALID_KEY = {
    "error": {
        "code": 400,
        "message": "API key not valid. Please pass a valid API key.",
        "status": "INVALID_ARGUMENT",
        "details": [
            {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
        ],
    }
}
NO_CREDIT = (
    "Your credit balance is too low to access the Anthropic API. "
    "Please go to Plans & Billing to upgrade or purchase credits."
)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (429, openai("insufficient_quota", "insufficient_quota"), FaultKind.CREDIT),
        (429, openai("rate_limit_exceeded", "requests"), FaultKind.RATE),
        (403, openai("insufficient_quota"), FaultKind.CREDIT),
        (400, anthropic("billing_error"), FaultKind.CREDIT),
        (400, anthropic("invalid_request_error", NO_CREDIT), FaultKind.CREDIT),
        (400, INVALID_KEY, FaultKind.AUTH),
        (400, openai("context_length_exceeded"), FaultKind.CONTEXT),
        (
            400,
            anthropic(
                "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"
            ),
            FaultKind.CONTEXT,
        ),
        (400, openai("content_filter"), FaultKind.FILTERED),
        (400, openai("content_policy_violation"), FaultKind.FILTERED),
        (
            400,
            openai(None, message="Unrecognized request argument supplied: foo"),
            FaultKind.REQUEST,
        ),
        (404, openai("model_not_found"), FaultKind.MODEL),
        (529, anthropic("overloaded_error"), FaultKind.OVERLOADED),
        (429, anthropic("rate_limit_error"), FaultKind.RATE),
        (500, anthropic("api_error"), FaultKind.SERVER),
    ],
)
def test_codes_say_more_than_the_status(status: int, body: Any, kind: FaultKind) -> None:
    assert verdict(status, body).kind is kind


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (openai("insufficient_quota", "insufficient_quota"), FaultKind.CREDIT),
        (openai("rate_limit_exceeded"), FaultKind.RATE),
        (openai(None, "server_error"), FaultKind.SERVER),
        (openai("context_length_exceeded"), FaultKind.CONTEXT),
        (anthropic("overloaded_error"), FaultKind.OVERLOADED),
        (anthropic("rate_limit_error"), FaultKind.RATE),
        (anthropic("invalid_request_error"), FaultKind.REQUEST),
        (anthropic("authentication_error"), FaultKind.AUTH),
        (anthropic("api_error"), FaultKind.SERVER),
        ({"error": {"code": 503, "status": "UNAVAILABLE"}}, FaultKind.OVERLOADED),
        ({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}, FaultKind.RATE),
        ({"error": {"code": 400, "status": "INVALID_ARGUMENT"}}, FaultKind.REQUEST),
        ({"error": {"code": 401, "status": "UNAUTHENTICATED"}}, FaultKind.AUTH),
        (INVALID_KEY, FaultKind.AUTH),
        ({"error": {"code": 500, "status": "INTERNAL"}}, FaultKind.SERVER),
        ({"error": "something"}, FaultKind.SERVER),
    ],
)
def test_errors_told_as_events(event: Any, kind: FaultKind) -> None:
    assert of_event("relay", json.dumps(event).encode(), "").kind is kind


def test_the_message_begins_with_the_provider() -> None:
    assert verdict(500, b"{}", "it broke").message == "relay: HTTP 500: it broke"
    assert verdict(500).message == "relay: HTTP 500"
    assert of_event("relay", b"{}", "it broke").message.startswith("relay: it broke")
    assert of_event("relay", b"{}", "").message.startswith("relay: ")


def test_of_a_web_page_the_words_are_told() -> None:
    page = b"<html><head>\n<title>502  Bad</title></head>\n<body><h1>Gateway</h1>" + b"x" * 5000
    message = verdict(502, page).message
    assert message.startswith("relay: HTTP 502: 502 Bad Gateway")
    assert len(message) < 300


def test_the_vendors_reply_is_kept() -> None:
    told = reply(429, openai(None), ("retry-after", "7"))
    fault = of_status("relay", told, "slow down")
    assert fault.reply is told
    assert fault.retry_after == 7


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7),
        ("0", 0),
        ("0.5", 0.5),
        (" 30 ", 30),
        ("86400", 86400),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert of_status("relay", reply(429, b"", ("retry-after", value)), "").retry_after == seconds


DAY = {
    "error": {
        "code": 429,
        "message": "You exceeded your current quota",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProject-FreeTier"}]}],
    }
}
MINUTE = json.loads(json.dumps(DAY).replace("PerDay", "PerMinute"))


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        (reply(429, DAY), FaultKind.WINDOW),
        (reply(429, MINUTE), FaultKind.RATE),
        (reply(429, b"", ("retry-after", "7200")), FaultKind.WINDOW),
        (reply(429, b"", ("retry-after", "60")), FaultKind.RATE),
        (reply(503, b"", ("retry-after", "7200")), FaultKind.OVERLOADED),
    ],
)
def test_a_limit_of_hours_is_a_spent_window(told: VendorReply, kind: FaultKind) -> None:
    assert of_status("relay", told, "").kind is kind


def test_no_retry_after() -> None:
    assert of_status("relay", reply(429), "").retry_after is None


@given(st.one_of(st.text(max_size=8), st.sampled_from(["inf", "-inf", "nan", "1e999", "Infinity"])))
def test_whatever_it_says_it_is_a_number_of_seconds_or_nothing(value: str) -> None:
    seconds = of_status("relay", reply(429, b"", ("retry-after", value)), "").retry_after
    assert seconds is None or (math.isfinite(seconds) and seconds >= 0)


@given(st.integers(100, 999), st.binary(max_size=40))
def test_any_bad_answer_has_a_kind(status: int, body: bytes) -> None:
    assert of_status("relay", reply(status, body), "").kind in FaultKind
    assert of_event("relay", body, "").kind in FaultKind
