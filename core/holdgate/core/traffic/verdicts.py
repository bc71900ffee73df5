"""Verdicts: what a vendor's bad answer means.

Status first, then the codes in its error body, then words only where no code tells.
"""

from __future__ import annotations

import re

from holdgate.core.traffic.rate_headers import exhausted, retry_at
from holdgate.core.values.errors import Fault, FaultKind, VendorReply

_BY_STATUS = {
    401: FaultKind.AUTH,
    402: FaultKind.CREDIT,
    403: FaultKind.FORBIDDEN,
    404: FaultKind.MODEL,
    407: FaultKind.AUTH,
    408: FaultKind.SERVER,
    413: FaultKind.TOO_LARGE,
    429: FaultKind.RATE,
    503: FaultKind.OVERLOADED,
    529: FaultKind.OVERLOADED,
}
# Codes and types that vendors write into error bodies, wherever they put them.
_BY_CODE = (
    (re.compile(rb'"(?:insufficient_quota|billing_error|insufficient_balance)"'), FaultKind.CREDIT),
    # Anthropic has no code for it.
    (re.compile(rb"credit balance is too low"), FaultKind.CREDIT),
    (re.compile(rb'"API_KEY_INVALID"'), FaultKind.AUTH),
    (re.compile(rb'"context_length_exceeded"|prompt is too long'), FaultKind.CONTEXT),
    (re.compile(rb'"content_filter"|"content_policy_violation"'), FaultKind.FILTERED),
)
# What a day's or a week's quota is called in the body of a 429. Gemini's `quotaId` is such as
# `GenerateRequestsPerDayPerProjectPerModel-FreeTier`.
_WINDOW = re.compile(
    rb'"quotaId"\s*:\s*"[^"]*Per(?:Day|Week|Month)'
    rb'|"(?:usage_limit_(?:reached|exceeded)'
    rb'|(?:daily|weekly|monthly)_(?:[a-z]+_){0,2}(?:reached|exceeded|exhausted))"'
)
# A limit that lasts longer than this (seconds) is a spent window, whatever it is called.
_WINDOW_FROM = 15 * 60
# Types of an error that came as an event with status 200.
_BY_EVENT = (
    (re.compile(rb"overloaded|UNAVAILABLE"), FaultKind.OVERLOADED),
    (re.compile(rb"rate_limit|usage_limit_|RESOURCE_EXHAUSTED"), FaultKind.RATE),
    (re.compile(rb"invalid_request|INVALID_ARGUMENT"), FaultKind.REQUEST),
    (re.compile(rb"authentication_error|UNAUTHENTICATED"), FaultKind.AUTH),
)


def of_status(provider: str, reply: VendorReply, words: str, now: float | None = None) -> Fault:
    """Give the fault of a reply with a bad status; `words` is the message in its body.

    `now` is the wall time (seconds since 1970): without it, dates in the reply cannot be read.
    """
    # The body of a 400 may quote anything that the agent wrote.
    limited = reply.status == 429 or reply.status >= 500
    wait = retry_at(reply.headers, reply.body if limited else b"", now)
    if wait is None and reply.status == 429:
        wait = exhausted(reply.headers, now)
    kind = _windowed(_kind(reply), reply.body, wait)
    said = words or _first_words(reply.body)
    return Fault(
        kind,
        f"{provider}: HTTP {reply.status}{': ' if said else ''}{said}",
        retry_after=wait,
        reply=reply,
    )


def of_event(provider: str, event: bytes, words: str) -> Fault:
    """Give the fault of an error that came as an event, or as a body with a good status."""
    kind = next((kind for sign, kind in (*_BY_CODE, *_BY_EVENT) if sign.search(event)), None)
    limited = kind in (FaultKind.RATE, FaultKind.OVERLOADED)
    wait = retry_at((), event, None) if limited else None
    return Fault(
        _windowed(kind or FaultKind.SERVER, event, wait),
        f"{provider}: {words or 'an error without a word'} (as an event)",
        retry_after=wait,
    )


def _kind(reply: VendorReply) -> FaultKind:
    if reply.status < 400:
        return FaultKind.UNREADABLE
    for sign, kind in _BY_CODE:
        if sign.search(reply.body):
            return kind
    if kind_of_status := _BY_STATUS.get(reply.status):
        return kind_of_status
    return FaultKind.SERVER if reply.status >= 500 else FaultKind.REQUEST


def _windowed(kind: FaultKind, body: bytes, wait: float | None) -> FaultKind:
    """Give WINDOW for a rate limit that is one of hours or days, else `kind`."""
    if kind is not FaultKind.RATE:
        return kind
    spent = _WINDOW.search(body) or (wait is not None and wait > _WINDOW_FROM)
    return FaultKind.WINDOW if spent else kind


def _first_words(body: bytes) -> str:
    """Give the beginning of a body that is no error of any dialect, such as a web page."""
    text = re.sub(r"<[^>]*>|\s+", " ", body[:2000].decode("utf-8", "replace"))
    return " ".join(text.split())[:200]
