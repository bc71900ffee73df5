"""Verdicts: what a vendor's bad answer means.

Status first, then the codes in its error body, then words only where no code tells.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from holdgate.core.traffic.error_bodies import ErrorBody, header_code, read
from holdgate.core.traffic.rate_headers import exhausted, retry_at
from holdgate.core.traffic.verdict_codes import echo_of, of_codes
from holdgate.core.traffic.verdict_words import names_window, of_words, overruling
from holdgate.core.values.errors import Fault, FaultKind, VendorReply

_BY_STATUS: Mapping[int, FaultKind] = MappingProxyType(
    {
        401: FaultKind.AUTH,
        402: FaultKind.CREDIT,
        403: FaultKind.FORBIDDEN,
        404: FaultKind.MODEL,
        407: FaultKind.AUTH,
        408: FaultKind.SERVER,
        410: FaultKind.MODEL,
        413: FaultKind.TOO_LARGE,
        424: FaultKind.SERVER,
        425: FaultKind.SERVER,
        429: FaultKind.RATE,
        # "Unavailable for legal reasons": StepFun's censorship.
        451: FaultKind.FILTERED,
        # Groq's flex tier is full.
        498: FaultKind.OVERLOADED,
        503: FaultKind.OVERLOADED,
        529: FaultKind.OVERLOADED,
    }
)
# Kinds that a vendor's 5xx may well mean. It is not the agent's fault just for an inner type that
# says so: relays give every error of theirs such a type.
_ECHOED_BY_5XX = frozenset({FaultKind.RATE, FaultKind.OVERLOADED, FaultKind.AUTH})
_LIMITS = frozenset({FaultKind.RATE, FaultKind.WINDOW, FaultKind.OVERLOADED})
# Gemini's `quotaId` is such as `GenerateRequestsPerDayPerProjectPerModel-FreeTier`.
_QUOTA_WINDOW = re.compile(r"Per(?:Day|Week|Month)")
# A limit that lasts longer than this (seconds) is a spent window, whatever it is called.
_WINDOW_FROM = 15 * 60


def of_status(provider: str, reply: VendorReply, words: str, now: float | None = None) -> Fault:
    """Give the fault of a reply with a bad status; `words` is the message in its body.

    `now` is the wall time (seconds since 1970): without it, dates in the reply cannot be read.
    """
    error = _with_headers(read(reply.body, words), reply)
    kind = _kind(error, reply.status)
    # The body of a 400 may quote anything that the agent wrote.
    limited = reply.status == 429 or reply.status >= 500 or kind in _LIMITS
    wait = retry_at(reply.headers, _of_times(error, reply.body) if limited else b"", now)
    if wait is None and (reply.status == 429 or kind is FaultKind.WINDOW):
        wait = exhausted(reply.headers, now)
    said = words or _first_words(reply.body)
    return Fault(
        _windowed(kind, error, wait),
        f"{provider}: HTTP {reply.status}{': ' if said else ''}{said}",
        retry_after=wait,
        reply=reply,
    )


def of_event(provider: str, event: bytes, words: str) -> Fault:
    """Give the fault of an error that came as an event, or as a body with a good status."""
    error = read(event, words)
    kind = _told(error, None) or echo_of(error.codes) or _of_number(error.status or 500)
    wait = retry_at((), _of_times(error, event), None) if kind in _LIMITS else None
    return Fault(
        _windowed(kind, error, wait),
        f"{provider}: {words or 'an error without a word'} (as an event)",
        retry_after=wait,
    )


def _kind(error: ErrorBody, status: int) -> FaultKind:
    if status < 400:
        return FaultKind.UNREADABLE
    if status == 402:
        return FaultKind.CREDIT
    # The page of a firewall before the vendor: neither the key nor the model was looked at, and
    # it may let the next request pass.
    if status == 403 and error.page:
        return FaultKind.SERVER
    told = _told(error, status)
    if told is not None and (told, status) != (FaultKind.RATE, 413):
        return told
    return _echoed(error, status) or _of_number(status)


def _told(error: ErrorBody, status: int | None) -> FaultKind | None:
    """Give what the body tells beyond the status (None: there is none)."""
    return (
        overruling(error.messages, status)
        or of_codes(error.codes)
        or of_words(error.messages, status)
    )


def _echoed(error: ErrorBody, status: int) -> FaultKind | None:
    """Give what the body's type says where the status is too general for it."""
    echo = echo_of(error.codes)
    return echo if status == 400 or (status >= 500 and echo in _ECHOED_BY_5XX) else None


def _of_number(status: int) -> FaultKind:
    if kind := _BY_STATUS.get(status):
        return kind
    return FaultKind.SERVER if status >= 500 else FaultKind.REQUEST


def _windowed(kind: FaultKind, error: ErrorBody, wait: float | None) -> FaultKind:
    """Give WINDOW for a rate limit that is one of hours or days, else `kind`."""
    if kind is not FaultKind.RATE:
        return kind
    if any(map(_QUOTA_WINDOW.search, error.quotas)):
        return FaultKind.WINDOW
    # A day's limit that rolls has room again after the time it tells.
    spent = names_window(error.messages) if wait is None else wait > _WINDOW_FROM
    return FaultKind.WINDOW if spent else kind


def _of_times(error: ErrorBody, body: bytes) -> bytes:
    """Give the text where times are looked for: JSON may hide a message in escapes."""
    return b"\n".join((*(message.encode("utf-8", "replace") for message in error.messages), body))


def _with_headers(error: ErrorBody, reply: VendorReply) -> ErrorBody:
    """Add the code that Amazon tells in a header."""
    told = tuple(
        header_code(value) for name, value in reply.headers if name.lower() == "x-amzn-errortype"
    )
    return replace(error, codes=error.codes + told) if told else error


def _first_words(body: bytes) -> str:
    """Give the beginning of a body that is no error of any dialect, such as a web page."""
    text = re.sub(r"<[^>]*>|\s+", " ", body[:2000].decode("utf-8", "replace"))
    return " ".join(text.split())[:200]
