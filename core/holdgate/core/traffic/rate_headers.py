"""When a vendor may be asked again, by what it says in headers, error bodies and words.

Vendors write times in many ways: seconds, milliseconds, durations such as `6m0s`, dates, seconds
since 1970. What makes no sense counts as not said; nothing here raises. Where the wall time is not
known (None), points in time cannot be read and count as not said, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import MappingProxyType

from holdgate.core.values.inbound import Headers

# The longest window that any vendor has is a week; more than a day over it is a mistake.
LONGEST = 8 * 86400.0
# Plain numbers from here on are points in time: seconds since 1970, or milliseconds.
_EPOCH = 1e9
_EPOCH_MS = 1e12
# Of an error body this much is searched.
_SEARCHED = 64 * 1024

_NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+", re.ASCII)
_STEP = re.compile(
    r"\s*(?:(?:,|and)\s*)?(\d+(?:\.\d*)?)\s*"
    r"(ms|milliseconds?|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])",
    re.ASCII | re.I,
)
_UNITS: Mapping[str, float] = MappingProxyType({"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0})
# google.rpc.RetryInfo; the two others are told by plans that have windows of hours and days.
_RETRY_DELAY = re.compile(r'"retryDelay"\s*:\s*"([^"]*)"')
# OpenRouter puts the headers of the vendor that it asked into the body.
_RESETS_IN = re.compile(r'"(?:resets_in_seconds|retry_after(?:_seconds)?)"\s*:\s*"?([\d.]+)')
_RESETS_AT = re.compile(r'"(?:resets_at|X-RateLimit-Reset)"\s*:\s*"?([^",}\s]{1,40})', re.I)
_WORDS = re.compile(r"\b(?:try again|retry|resets?)\s+(?:in|after)\s", re.I)
_WORDED_DATE = re.compile(
    r"(?:\b(?:resets?|regain access|try again)\s+(?:at|on|after)|将[在于])\s{0,4}"
    r"(\d{4}-\d\d-\d\d)(?:T|\s{1,4}|\s+at\s+)(\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?"
    r"[ ]?(Z|UTC|GMT|[+-]\d\d:?\d\d)?",
    re.ASCII | re.I,
)
# Only Chinese vendors write dates into words without their zone.
_CHINA = "+08:00"


def retry_at(headers: Headers, body: bytes, now_wall: float | None) -> float | None:
    """Give the seconds (0 to LONGEST) after which an error reply says that it may go again.

    A header is believed before the body, and the finer of two headers before the other.
    """
    told = _by_name(headers)
    return next((wait for wait in _waits(told, body, now_wall) if wait is not None), None)


def exhausted(headers: Headers, now_wall: float | None) -> float | None:
    """Give the seconds (0 to LONGEST) until all windows that a reply calls used up have room.

    The headers are those of any reply, also a good one. None if no window is used up, or no time
    is told for one.
    """
    told = _by_name(headers)
    waits = [_moment(told.get(reset, ""), now_wall) for reset in _resets(told)]
    return max((wait for wait in waits if wait is not None), default=None)


def _by_name(headers: Headers) -> dict[str, str]:
    return {name.lower(): value.strip() for name, value in headers}


def _waits(told: dict[str, str], body: bytes, now: float | None) -> Iterator[float | None]:
    """Give the waits that a reply tells, the one to believe first."""
    milliseconds = _number(told.get("retry-after-ms", ""))
    yield None if milliseconds is None else min(milliseconds / 1000, LONGEST)
    yield _span(told.get("retry-after", ""))
    yield _date(told.get("retry-after", ""), now)
    text = body[:_SEARCHED].decode("utf-8", "replace")
    for sign in (_RETRY_DELAY, _RESETS_IN):
        yield from (_span(match[1]) for match in sign.finditer(text))
    yield from (_moment(match[1], now) for match in _RESETS_AT.finditer(text))
    yield from (_steps(text, match.end())[0] for match in _WORDS.finditer(text))
    yield from (_worded(match, now) for match in _WORDED_DATE.finditer(text))


def _resets(told: dict[str, str]) -> Iterator[str]:
    """Give the names of the headers that say when a used-up window has room again.

    All vendors pair them by name: `x-ratelimit-remaining-tokens` with `x-ratelimit-reset-tokens`,
    `anthropic-ratelimit-tokens-remaining` with `anthropic-ratelimit-tokens-reset`. Anthropic's
    plans tell a status instead of a number.
    """
    for name, value in told.items():
        if "ratelimit" not in name:
            continue
        if "remaining" in name and _number(value) == 0:
            yield name.replace("remaining", "reset")
        elif name.endswith("-status") and value.lower() == "rejected":
            yield name.removesuffix("status") + "reset"


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def _span(text: str) -> float | None:
    """Read a length of time: seconds, or a duration."""
    number = _number(text)
    if number is not None:
        return min(number, LONGEST)
    seconds, end = _steps(text, 0)
    return seconds if end == len(text) else None


def _moment(text: str, now: float | None) -> float | None:
    """Read the time that is left until a window has room, however it is told."""
    number = _number(text)
    if number is None or number < _EPOCH:
        span = _span(text)
        return _date(text, now) if span is None else span
    return _left(number / 1000 if number >= _EPOCH_MS else number, now)


def _steps(text: str, start: int) -> tuple[float | None, int]:
    """Read a duration such as `6m0s` or `2 days, 3 hours` at `start`; give where it ends, too."""
    seconds: float | None = None
    while match := _STEP.match(text, start):
        unit = match[2].lower()
        factor = 0.001 if unit.startswith(("ms", "milli")) else _UNITS[unit[0]]
        seconds = min((seconds or 0.0) + float(match[1]) * factor, LONGEST)
        start = match.end()
    return seconds, start


def _date(text: str, now: float | None) -> float | None:
    """Read a date, as RFC 3339 or as HTTP writes it."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text)
            aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            return _left(aware.timestamp(), now)
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return None


def _worded(match: re.Match[str], now: float | None) -> float | None:
    """Read a date in a sentence, such as `reset at 2026-08-03 23:59:59 +0800`."""
    zone = (match[3] or _CHINA).upper().replace("UTC", "Z").replace("GMT", "Z")
    return _date(f"{match[1]}T{match[2]}{zone}", now)


def _left(moment: float, now: float | None) -> float | None:
    return None if now is None else min(max(0.0, moment - now), LONGEST)
