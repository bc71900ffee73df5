"""When a vendor may be asked again: every way of saying it, and every nonsense."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.traffic.rate_headers import LONGEST, exhausted, retry_at

# 2026-11-30 12:00:00 UTC
NOW = 1_796_040_000.0
Pairs = list[tuple[str, str]]


def gemini(delay: object) -> bytes:
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}
    return json.dumps({"error": {"code": 429, "details": [{"x": 1}, info]}}, indent=2).encode()


def says(words: str) -> bytes:
    return json.dumps({"error": {"message": words, "code": "rate_limit_exceeded"}}).encode()


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        ("0", 0.0),
        (" 1.5 ", 1.5),
        (".5", 0.5),
        ("30s", 30.0),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30.0),
        ("Monday, 30-Nov-26 12:00:30 GMT", 30.0),
        ("Mon Nov 30 12:00:30 2026", 30.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST),
        ("2026-11-30T12:00:30Z", 30.0),
        ("99999999999", LONGEST),
        ("9" * 5000, LONGEST),
        ("-5", None),
        ("nan", None),
        ("inf", None),
        ("1_000", None),
        ("٣", None),
        ("1e9", None),
        ("soon", None),
        ("Mon, 99 Nov 2026 12:00:30 GMT", None),
        ("Mon, 30 Nov 2026 12:00:30 +9999999999", None),
        ("", None),
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert retry_at((("Retry-After", value),), b"", NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ([("retry-after-ms", "1500")], b"", 1.5),
        ([("retry-after-ms", "20"), ("retry-after", "1")], b"", 0.02),
        ([("retry-after-ms", "x"), ("retry-after", "1")], b"", 1.0),
        ([("retry-after-ms", "9" * 30)], b"", LONGEST),
        ([("retry-after", "1")], says("Please try again in 9s."), 1.0),
        ([("retry-after", "x")], says("Please try again in 9s."), 9.0),
        ([], gemini("34.07s"), 34.07),
        ([], gemini("34.074824224s"), 34.074824224),
        ([], b"[" + gemini("34s") + b"]", 34.0),
        ([], gemini("-3s"), None),
        ([], gemini("x"), None),
        ([], gemini(None), None),
        ([], gemini("999999999s"), LONGEST),
        ([], says("Please try again in 1.2s."), 1.2),
        ([], says("Please try again in 20ms. Visit https://x to learn more."), 0.02),
        ([], says("Please try again in 6m0s."), 360.0),
        ([], says("Please try again in 1h2m3.5s"), 3723.5),
        ([], says("Please retry in 34.07s."), 34.07),
        ([], says("Please retry after 20 seconds."), 20.0),
        ([], says("TRY AGAIN IN 2 days, 3 hours and 1 minute!"), 183_660.0),
        ([], says("try again in 900 milliseconds"), 0.9),
        ([], says("try again in 90 days"), LONGEST),
        ([], says("try again in a moment, or try again in 5 sec"), 5.0),
        ([], says("try again in 5 meters"), None),
        ([], says("try again in 5"), None),
        ([], says("try again later"), None),
        ([], b'{"error":{"type":"usage_limit_reached","resets_in_seconds":7200}}', 7200.0),
        ([], b'{"error":{"type":"usage_limit_reached","resets_at":1796043600}}', 3600.0),
        ([], b"<html>\xff", None),
        ([], b"", None),
    ],
)
def test_other_places(headers: Pairs, body: bytes, seconds: float | None) -> None:
    assert retry_at(tuple(headers), body, NOW) == pytest.approx(seconds)


def test_without_the_time_points_in_time_are_not_said() -> None:
    date = (("retry-after", "Mon, 30 Nov 2026 12:00:30 GMT"),)
    assert retry_at(date, b"", None) is None
    assert retry_at(date, says("try again in 3s"), None) == 3.0
    used_up = (("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", str(int(NOW) + 9)))
    assert exhausted(used_up, None) is None
    assert exhausted(used_up, NOW) == 9.0


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [
        ("6m0s", 360.0),
        ("20ms", 0.02),
        ("1s", 1.0),
        ("2m59.56s", 179.56),
        ("12", 12.0),
        ("0.25", 0.25),
        ("1796040060", 60.0),
        ("1796040060.5", 60.5),
        ("1796040060000", 60.0),
        ("1796039000", 0.0),
        ("9999999999999", LONGEST),
        ("9" * 400, LONGEST),
        ("2026-11-30T12:01:00Z", 60.0),
        ("2026-11-30T12:01:00.123456789Z", 60.123456),
        ("2026-11-30T13:01:00+01:00", 60.0),
        ("Mon, 30 Nov 2026 12:01:00 GMT", 60.0),
        ("-1", None),
        ("nan", None),
        ("1s and more", None),
        ("", None),
    ],
)
@pytest.mark.parametrize(
    ("remaining", "resets"),
    [
        ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
        ("X-RateLimit-Remaining-Tokens", "X-RateLimit-Reset-Tokens"),
        ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
        ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
        ("ratelimit-remaining", "ratelimit-reset"),
        ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ],
)
def test_a_used_up_window(remaining: str, resets: str, reset: str, seconds: float | None) -> None:
    assert exhausted(((remaining, "0"), (resets, reset)), NOW) == pytest.approx(seconds)
    assert exhausted(((remaining, "1"), (resets, reset)), NOW) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ([], None),
        ([("x-ratelimit-remaining-requests", "0")], None),
        ([("x-ratelimit-reset-requests", "6m0s")], None),
        ([("x-ratelimit-remaining", "none"), ("x-ratelimit-reset", "1")], None),
        ([("x-ratelimit-remaining", "-1"), ("x-ratelimit-reset", "1")], None),
        ([("x-ratelimit-remaining", "0.0"), ("x-ratelimit-reset", "1")], 1.0),
        ([("remaining", "0"), ("reset", "1")], None),
        (
            [
                ("x-ratelimit-remaining-requests", "0"),
                ("x-ratelimit-reset-requests", "8.64s"),
                ("x-ratelimit-remaining-tokens", "0"),
                ("x-ratelimit-reset-tokens", "6m0s"),
            ],
            360.0,
        ),
        (
            [
                ("x-ratelimit-remaining-requests", "0"),
                ("x-ratelimit-reset-requests", "8.64s"),
                ("x-ratelimit-remaining-tokens", "5"),
                ("x-ratelimit-reset-tokens", "6m0s"),
            ],
            8.64,
        ),
        (
            [
                ("x-ratelimit-remaining-requests", "0"),
                ("x-ratelimit-reset-requests", "soon"),
                ("x-ratelimit-remaining-tokens", "0"),
                ("x-ratelimit-reset-tokens", "1s"),
            ],
            1.0,
        ),
        (
            [
                ("anthropic-ratelimit-unified-status", "rejected"),
                ("anthropic-ratelimit-unified-reset", "1796047200"),
            ],
            7200.0,
        ),
        (
            [
                ("anthropic-ratelimit-unified-status", "allowed"),
                ("anthropic-ratelimit-unified-reset", "1796047200"),
            ],
            None,
        ),
        (
            [
                ("anthropic-ratelimit-unified-5h-status", "rejected"),
                ("anthropic-ratelimit-unified-5h-reset", "1796047200"),
                ("anthropic-ratelimit-unified-7d-status", "allowed_warning"),
                ("anthropic-ratelimit-unified-7d-reset", "1796400000"),
            ],
            7200.0,
        ),
    ],
)
def test_windows_together(headers: Pairs, seconds: float | None) -> None:
    assert exhausted(tuple(headers), NOW) == seconds


NAMES = st.sampled_from(
    [
        "retry-after",
        "retry-after-ms",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
        "anthropic-ratelimit-tokens-remaining",
        "anthropic-ratelimit-tokens-reset",
        "anthropic-ratelimit-unified-status",
        "anthropic-ratelimit-unified-reset",
    ]
)
VALUES = st.one_of(
    st.text(max_size=12),
    st.text(st.sampled_from("0123456789.-:,TZ +smhd"), max_size=24),
    st.floats().map(str),
    st.datetimes().map(str),
    st.sampled_from(["0", "rejected"]),
)


@settings(deadline=None, max_examples=500)
@given(
    st.lists(st.tuples(NAMES, VALUES), max_size=6).map(tuple),
    st.one_of(st.binary(max_size=40), VALUES.map(gemini), VALUES.map(says)),
    st.one_of(st.none(), st.floats(0, 4e9)),
)
def test_nonsense_never_raises(
    headers: tuple[tuple[str, str], ...], body: bytes, now: float | None
) -> None:
    for seconds in (retry_at(headers, body, now), exhausted(headers, now)):
        assert seconds is None or 0 <= seconds <= LONGEST


def test_long_bodies_cost_little() -> None:
    before = time.process_time()
    for body in (
        b"try again in " * 80_000,
        b"retry in " + b"1" * (1 << 20),
        b'"retryDelay":"' * 80_000,
    ):
        assert retry_at((), body, NOW) is None
    assert time.process_time() - before < 1
