"""Verdicts: what a vendor's bad answer means.

Status first, then the codes in its error body, then words only where no code tells.
"""

from __future__ import annotations

import re

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
    (re.compile(rb'"API_KEY_INVALID"'), FaultKind.AUTH),
    (re.compile(rb'"context_length_exceeded"|prompt is too long'), FaultKind.CONTEXT),
    (re.compile(rb'"content_filter"|"content_policy_violation"'), FaultKind.FILTERED),
)
# Types of an error that came as an event with status 200.
_BY_EVENT = (
    (re.compile(rb"overloaded|UNAVAILABLE"), FaultKind.OVERLOADED),
    (re.compile(rb"rate_limit|RESOURCE_EXHAUSTED"), FaultKind.RATE),
    (re.compile(rb"invalid_request|INVALID_ARGUMENT"), FaultKind.REQUEST),
    (re.compile(rb"authentication_error|UNAUTHENTICATED"), FaultKind.AUTH),
)


def of_status(provider: str, reply: VendorReply, words: str) -> Fault:
    """Give the fault of a reply with a bad status; `words` is the message in its body."""
    kind = _kind(reply)
    said = words or _first_words(reply.body)
    return Fault(
        kind,
        f"{provider}: HTTP {reply.status}{': ' if said else ''}{said}",
        retry_after=_seconds(reply),
        reply=reply,
    )


def of_event(provider: str, event: bytes, words: str) -> Fault:
    """Give the fault of an error that came as an event, or as a body with a good status."""
    kind = next((kind for sign, kind in (*_BY_CODE, *_BY_EVENT) if sign.search(event)), None)
    return Fault(
        kind or FaultKind.SERVER, f"{provider}: {words or 'an error without a word'} (as an event)"
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


def _first_words(body: bytes) -> str:
    """Give the beginning of a body that is no error of any dialect, such as a web page."""
    text = re.sub(r"<[^>]*>|\s+", " ", body[:2000].decode("utf-8", "replace"))
    return " ".join(text.split())[:200]


def _seconds(reply: VendorReply) -> float | None:
    """Give Retry-After in seconds where it is a number."""
    value = next((v for name, v in reply.headers if name == "retry-after"), "")
    try:
        return max(0.0, float(value))
    except ValueError:
        return None
