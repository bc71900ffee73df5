"""Diagnosis: what is wrong between here and a vendor, in words that a person can act on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay.answers import Answer
from holdgate.core.relay.discovery import passes, speaks
from holdgate.core.traffic import verdicts
from holdgate.core.values.errors import FaultKind, VendorReply
from holdgate.core.values.names import DialectName


class Cause(StrEnum):
    """What stood in the way; NONE: nothing did. The order is that of how much they explain."""

    NONE = ""
    PROXY = "proxy"
    NO_NETWORK = "no network"
    NO_HOST = "no such host"
    REFUSED = "refused connection"
    TLS = "TLS"
    KEY = "wrong key"
    CREDIT = "no credit"
    FORBIDDEN = "forbidden"
    LIMIT = "a limit"
    MODEL = "model unknown"
    TIMEOUT = "no reply in time"
    SERVER = "server error"
    REQUEST = "request refused"
    # Relays show their own page for every path that they do not know.
    PAGE = "a web page"
    REDIRECT = "a redirect"
    URL = "wrong URL"
    BROKEN = "connection broken"


# Of whom nothing more need be asked: every further request would end in the same way.
HOPELESS: Final = frozenset(
    {Cause.PROXY, Cause.NO_NETWORK, Cause.NO_HOST, Cause.REFUSED, Cause.TLS}
)

_KINDS: Final[Mapping[FaultKind, Cause]] = MappingProxyType(
    {
        FaultKind.AUTH: Cause.KEY,
        FaultKind.CREDIT: Cause.CREDIT,
        FaultKind.FORBIDDEN: Cause.FORBIDDEN,
        FaultKind.RATE: Cause.LIMIT,
        FaultKind.WINDOW: Cause.LIMIT,
        FaultKind.MODEL: Cause.MODEL,
        FaultKind.OVERLOADED: Cause.SERVER,
        FaultKind.SERVER: Cause.SERVER,
    }
)
# How an upstream says that there is no connection, and why.
_NO_WAY = re.compile(r"cannot reach \S+?( through the proxy \S+?)?: (.*)", re.DOTALL)
# What its reasons speak of; the first that fits.
_REASONS: Final = tuple(
    (cause, re.compile(signs, re.IGNORECASE))
    for cause, signs in (
        (Cause.PROXY, r"\bthe proxy\b|\bno proxy's\b|\bSOCKS\b|kind of proxy|a proxy of the kind"),
        (Cause.TLS, r"\bTLS\b|certificate|\bSSL\b|does not know the name|the file of its `ca`"),
        (Cause.NO_NETWORK, r"unreachable|no (?:network|way) leads|is this machine online|no route"),
        (Cause.NO_HOST, r"\(DNS\)|\bname \S+ is none of a host"),
        (Cause.REFUSED, r"\brefused\b|refuses the connection|nothing listens"),
        (Cause.TIMEOUT, r"no (?:reply|connection)\b.* within|timed out|does not answer"),
    )
)
# Between here and a proxy these are the proxy's.
_OF_A_PROXY: Final = (Cause.NO_NETWORK, Cause.REFUSED, Cause.TIMEOUT, Cause.BROKEN)

_ADVICE: Final[Mapping[Cause, str]] = MappingProxyType(
    {
        Cause.PROXY: "check the proxy (--proxy URL names another, --proxy direct uses none; "
        "HTTPS_PROXY and NO_PROXY count too)",
        Cause.NO_NETWORK: "this machine has no way there: check the network, then try again "
        "(--no-test adds the provider without asking it)",
        Cause.NO_HOST: "check the spelling of the URL, and whether this machine is online",
        Cause.REFUSED: "nothing listens there: is the server running, and is the port right?",
        Cause.TLS: "the connection is not safe, so the key was not sent; a company's network may "
        "need its own authority (--ca FILE), a local server http:// instead of https://",
        Cause.PAGE: "a web page came instead of an API: if this network wants a login (hotel, "
        "train, company), open a browser and log in; else check the URL",
        Cause.REDIRECT: "the server leads elsewhere, and a key is not sent after it; use the "
        "address that it names",
        Cause.KEY: "the vendor refuses the key: copy it again, and check that it is one for this "
        "address",
        Cause.CREDIT: "the key is right, but its account has no credit left: top it up there",
        Cause.FORBIDDEN: "the vendor does not serve this key from here (region, plan or rights): "
        "see the vendor's console, or go through another --proxy",
        Cause.LIMIT: "the key is right, but its limit is used up for now: try again later, or "
        "--no-test",
        Cause.MODEL: "the vendor does not know that model: name another with --model ID",
        Cause.TIMEOUT: "it took too long: try again, or --no-test if it is known to be slow",
        Cause.SERVER: "the vendor has trouble of its own: try again later, or --no-test",
        Cause.REQUEST: "the vendor did not like the test: name another model with --model ID",
        Cause.URL: "no known API answers there: check the URL (the vendor's page calls it base "
        "URL), and that it is not another API's",
        Cause.BROKEN: "the connection broke: check the URL and the network, then try again",
    }
)


def cause_of(dialect: DialectName, answer: Answer, now: float) -> Cause:
    """Tell what is wrong with the answer to a tiny request; `now` is the wall time."""
    early = _cause_of_the_way(answer)
    if early is not None:
        return early
    if passes(dialect, answer):
        return Cause.NONE
    if speaks(dialect, answer) == "no":
        return Cause.URL
    return _by_kind(dialect, answer, now)


def cause_of_list(dialect: DialectName, answer: Answer, now: float) -> Cause:
    """Tell what is wrong with an answer that is no list of models."""
    early = _cause_of_the_way(answer)
    if early is not None:
        return early
    if answer.status in (404, 405) or (answer.status or 0) < 400:
        return Cause.URL
    return _by_kind(dialect, answer, now)


def worst(causes: Iterable[Cause]) -> Cause:
    """Give the cause that explains most of several; NONE if there is none."""
    order = list(Cause)
    return min((each for each in causes if each), key=order.index, default=Cause.NONE)


def advice(cause: Cause) -> str:
    """Say what it means and what to do."""
    return _ADVICE[cause]


def reason_of(dialect: DialectName, answer: Answer) -> str:
    """Give what came instead of an answer in a few words; it may hold what the vendor wrote."""
    if answer.fault is not None:
        return answer.fault.message
    if answer.redirects:
        return f"HTTP {answer.status} to {_place(answer.location)}"
    if answer.is_page:
        return f"HTTP {answer.status} with a web page"
    if "event-stream" in answer.kind:
        return f"HTTP {answer.status} with a stream, which was not asked for"
    words = DIALECTS[dialect].error_words(answer.body) or DIALECTS["chat"].error_words(answer.body)
    return f"HTTP {answer.status}{': ' if words else ''}{words}"


def _cause_of_the_way(answer: Answer) -> Cause | None:
    """Give the cause where it was not the API that answered."""
    if answer.fault is not None:
        return _cause_of_reason(answer.fault.message)
    if answer.status == 407:
        return Cause.PROXY
    if answer.status == 511:
        return Cause.PAGE
    if answer.redirects:
        return _cause_of_redirect(answer)
    # A page that says "not found" is a server that knows no such path.
    if answer.is_page:
        return Cause.URL if answer.status in (404, 405) else Cause.PAGE
    return None


def _cause_of_reason(message: str) -> Cause:
    told = _NO_WAY.fullmatch(message)
    by_proxy, why = (told[1], told[2]) if told else (None, message)
    found = (cause for cause, signs in _REASONS if signs.search(why))
    cause = next(found, Cause.BROKEN)
    return Cause.PROXY if by_proxy and cause in _OF_A_PROXY else cause


def _cause_of_redirect(answer: Answer) -> Cause:
    # Portals send people to their login; an API redirects to its other name or to https.
    signs = r"login|signin|sign-in|portal|captive|hotspot|auth|wifi|guest"
    return Cause.PAGE if re.search(signs, answer.location, re.IGNORECASE) else Cause.REDIRECT


def _by_kind(dialect: DialectName, answer: Answer, now: float) -> Cause:
    reply = VendorReply(answer.status or 0, (), answer.body)
    words = DIALECTS[dialect].error_words(answer.body)
    if (answer.status or 0) < 300:
        fault = verdicts.of_event("", answer.body, words)
    else:
        fault = verdicts.of_status("", reply, words, now)
    return _KINDS.get(fault.kind, Cause.REQUEST)


def _place(location: str) -> str:
    """Give an address without its query, which may hold what is nobody's business."""
    parts = urlsplit(location)
    return parts._replace(query="", fragment="").geturl() or "nowhere"
