"""Verdicts: how long a limit lasts, and when it is a spent window rather than a minute's rate."""

from __future__ import annotations

import json

import pytest

from holdgate.core.traffic import verdicts
from holdgate.core.values.errors import FaultKind, VendorReply

NOW = 1_796_040_000.0


def quota(quota_id: str, delay: str = "34s") -> bytes:
    details = [
        {"@type": "google.rpc.QuotaFailure", "violations": [{"quotaId": quota_id}]},
        {"@type": "google.rpc.RetryInfo", "retryDelay": delay},
    ]
    body = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": details}}
    return json.dumps(body, indent=2).encode()


def code(code: str, message: str = "no") -> bytes:
    return json.dumps({"error": {"message": message, "type": "x", "code": code}}).encode()


@pytest.mark.parametrize(
    ("headers", "body", "kind", "seconds"),
    [
        ((), b"{}", FaultKind.RATE, None),
        ((("retry-after", "7"),), b"{}", FaultKind.RATE, 7.0),
        ((("retry-after", "900"),), b"{}", FaultKind.RATE, 900.0),
        ((("retry-after", "901"),), b"{}", FaultKind.WINDOW, 901.0),
        ((("retry-after", "Mon, 30 Nov 2026 14:00:00 GMT"),), b"{}", FaultKind.WINDOW, 7200.0),
        ((), code("rate_limit_exceeded", "try again in 20s"), FaultKind.RATE, 20.0),
        ((), code("rate_limit_exceeded", "try again in 7h12m0s"), FaultKind.WINDOW, 25_920.0),
        (
            (("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "6m0s")),
            b"{}",
            FaultKind.RATE,
            360.0,
        ),
        (
            (
                ("anthropic-ratelimit-unified-status", "rejected"),
                ("anthropic-ratelimit-unified-reset", "1796054400"),
            ),
            b"{}",
            FaultKind.WINDOW,
            14_400.0,
        ),
        ((), quota("GenerateRequestsPerMinutePerProjectPerModel"), FaultKind.RATE, 34.0),
        ((), quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), FaultKind.WINDOW, 34.0),
        ((), code("usage_limit_reached"), FaultKind.WINDOW, None),
        ((), code("weekly_limit_reached"), FaultKind.WINDOW, None),
        ((), code("daily_token_quota_exceeded"), FaultKind.WINDOW, None),
        ((("retry-after", "5000"),), code("insufficient_quota"), FaultKind.CREDIT, 5000.0),
    ],
)
def test_a_429(
    headers: tuple[tuple[str, str], ...], body: bytes, kind: FaultKind, seconds: float | None
) -> None:
    fault = verdicts.of_status("mimic", VendorReply(429, headers, body), "", NOW)
    assert (fault.kind, fault.retry_after) == (kind, seconds)


def test_other_statuses_are_no_windows() -> None:
    later = (("retry-after", "5000"),)
    fault = verdicts.of_status("mimic", VendorReply(503, later, b"{}"), "", NOW)
    assert (fault.kind, fault.retry_after) == (FaultKind.OVERLOADED, 5000.0)
    used_up = (("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "9"))
    fault = verdicts.of_status("mimic", VendorReply(500, used_up, b"{}"), "", NOW)
    assert (fault.kind, fault.retry_after) == (FaultKind.SERVER, None)


def test_what_a_bad_request_quotes_is_no_wait() -> None:
    body = code("invalid", "unknown field 'try again in 3 days'")
    fault = verdicts.of_status("mimic", VendorReply(400, (), body), "", NOW)
    assert (fault.kind, fault.retry_after) == (FaultKind.REQUEST, None)


def test_without_the_time_dates_are_not_read() -> None:
    date = (("retry-after", "Mon, 30 Nov 2026 14:00:00 GMT"),)
    fault = verdicts.of_status("mimic", VendorReply(429, date, b"{}"), "")
    assert (fault.kind, fault.retry_after) == (FaultKind.RATE, None)


@pytest.mark.parametrize(
    ("event", "kind", "seconds"),
    [
        (quota("PerMinute"), FaultKind.RATE, 34.0),
        (quota("GenerateRequestsPerDay"), FaultKind.WINDOW, 34.0),
        (code("rate_limit_exceeded", "try again in 8s"), FaultKind.RATE, 8.0),
        (code("rate_limit_exceeded", "try again in 8h"), FaultKind.WINDOW, 28_800.0),
        (code("usage_limit_reached"), FaultKind.WINDOW, None),
        (code("invalid_request", "try again in 8s"), FaultKind.REQUEST, None),
        (code("what", "try again in 8s"), FaultKind.SERVER, None),
    ],
)
def test_an_error_as_an_event(event: bytes, kind: FaultKind, seconds: float | None) -> None:
    fault = verdicts.of_event("mimic", event, "")
    assert (fault.kind, fault.retry_after) == (kind, seconds)


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("您的限额将在 2026-11-30 20:00:30 重置", 30.0),
        ("将于2026-11-30 20:00:30恢复", 30.0),
        ("Your limit will reset at 2026-11-30 20:00:30", 30.0),
        ("It will reset at 2026-11-30 20:00:30 +0800 CST.", 30.0),
        ("resets at 2026-11-30T12:00:30.5Z (2056)", 30.0),
        ("You will regain access on 2026-11-30 at 13:00 UTC.", 3600.0),
        ("try again after 2026-11-30 12:00:30 GMT", 30.0),
        ("Your quota will reset after 161h39m41s.", 581_981.0),
        ("will reset at 2026-11-30 11:00:00 +0000", 0.0),
        ("will reset at 2026-99-30 11:00:00", None),
        ("will reset at 2026-11-30", None),
        ("last seen 2026-11-30 23:00:00", None),
    ],
)
def test_a_reset_told_in_words(words: str, seconds: float | None) -> None:
    fault = verdicts.of_status("mimic", VendorReply(429, (), code("1308", words)), "", NOW)
    assert (fault.kind, fault.retry_after) == (FaultKind.WINDOW, seconds)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Weekly/Monthly Limit Exhausted", FaultKind.WINDOW),
        ("Usage limit reached for 5 hour", FaultKind.WINDOW),
        ("limit: 50 requests per day", FaultKind.WINDOW),
        ("您今日的调用次数已达上限", FaultKind.WINDOW),
        ("已达到 5 小时的使用上限", FaultKind.WINDOW),
        ("limit reached on requests per min (RPM). Pay for 1000 requests per day.", FaultKind.RATE),
        ("您的请求频率过高", FaultKind.RATE),
    ],
)
def test_a_window_named_in_words(words: str, kind: FaultKind) -> None:
    fault = verdicts.of_status("mimic", VendorReply(429, (), code("x", words)), "", NOW)
    assert (fault.kind, fault.retry_after) == (kind, None)
