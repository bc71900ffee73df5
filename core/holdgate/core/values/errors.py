"""Faults: everything that can go wrong with a request, and what follows from each kind.

Nothing is rendered here: each dialect says a fault in its own words (contract, "Errors").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Literal


class FaultKind(StrEnum):
    """What happened. The first group is a vendor's doing or word, the second the gateway's own."""

    CREDIT = "out of credit"
    WINDOW = "window spent"
    RATE = "rate limited"
    OVERLOADED = "overloaded"
    SERVER = "server error"
    NETWORK = "network"
    AUTH = "key refused"
    FORBIDDEN = "forbidden"
    MODEL = "model unknown"
    CONTEXT = "context too long"
    FILTERED = "content filtered"
    REQUEST = "bad request"
    LOSS = "cannot be said there"
    TOO_LARGE = "request too large"
    UNREADABLE = "unreadable reply"
    TIMEOUT = "no reply in time"
    CUT = "cut stream"
    STALLED = "stalled stream"
    SLOW = "slow first token"

    QUEUE = "turned away"
    CANCELLED = "cancelled"
    READER = "agent stopped reading"
    NOT_FOUND = "no such path"
    METHOD = "wrong method"
    UPGRADE = "upgrade refused"
    MEDIA = "content encoding unknown"
    LOGIN = "gateway key missing or wrong"
    LOCKED = "too many wrong keys"
    DENIED = "not allowed from there"
    SHUTDOWN = "shutting down"
    INTERNAL = "internal error"


Whose = Literal["vendor", "agent", "gateway", "person"]
# Who else may answer: anybody, only a candidate in which more fits, nobody.
Next = Literal["any", "larger", "none"]


@dataclass(frozen=True, slots=True)
class Terms:
    """How long a key rests, in seconds: `first`, doubled for each further fault up to `most`."""

    first: float
    most: float

    def seconds(self, strikes: int) -> float:
        """Give the length of the rest that follows so many faults in a row (from 1)."""
        return min(self.first * 2.0 ** min(strikes - 1, 32), self.most)


# What a rest lasts where the vendor told no time and no other candidate could answer instead.
ALONE = Terms(2.0, 60.0)
# No rest is longer: the longest window that any vendor has is a week.
REST_MOST = 8 * 86400.0
# Pauses before the same candidate is asked again, in seconds; some chance is added.
PAUSES = (1.0, 2.0)

_MINUTES = Terms(60.0, 600.0)
_HALF_HOUR = Terms(60.0, 1800.0)


@dataclass(frozen=True, slots=True)
class Policy:
    """What follows from a kind of fault.

    `status` and `code` are what the agent is told before its stream began; `whose` fault it is;
    `next`: who else may answer; `again`: how often the same candidate is asked again, after
    PAUSES, where nobody else is left; `rest`: how long its key rests where the vendor told no time.
    `refused`: the vendor refused the key, which waiting does not change.
    """

    status: int
    code: str | None
    whose: Whose
    next: Next
    again: int = 0
    rest: Terms | None = None
    refused: bool = False


POLICIES: Mapping[FaultKind, Policy] = MappingProxyType(
    {
        FaultKind.CREDIT: Policy(
            402, "insufficient_quota", "vendor", "any", rest=Terms(1800.0, 1800.0)
        ),
        FaultKind.WINDOW: Policy(429, "rate_limit_exceeded", "vendor", "any", rest=_HALF_HOUR),
        FaultKind.RATE: Policy(429, "rate_limit_exceeded", "vendor", "any", rest=_HALF_HOUR),
        FaultKind.OVERLOADED: Policy(529, None, "vendor", "any", again=2, rest=_MINUTES),
        FaultKind.SERVER: Policy(502, None, "vendor", "any", again=2, rest=_MINUTES),
        FaultKind.NETWORK: Policy(502, None, "vendor", "any", rest=_MINUTES),
        # Agents take a 401 for their own login and sign out (contract 3).
        FaultKind.AUTH: Policy(502, None, "vendor", "any", rest=Terms(600.0, 600.0), refused=True),
        FaultKind.FORBIDDEN: Policy(
            502, None, "vendor", "any", rest=Terms(600.0, 600.0), refused=True
        ),
        FaultKind.MODEL: Policy(404, "model_not_found", "vendor", "any"),
        FaultKind.CONTEXT: Policy(400, "context_length_exceeded", "agent", "larger"),
        FaultKind.FILTERED: Policy(400, "content_filter", "agent", "none"),
        FaultKind.REQUEST: Policy(400, None, "agent", "none"),
        # What an agent asked for has no words in the vendor's dialect; another may have them.
        FaultKind.LOSS: Policy(400, None, "gateway", "any"),
        FaultKind.TOO_LARGE: Policy(413, None, "agent", "larger"),
        FaultKind.UNREADABLE: Policy(502, None, "vendor", "any"),
        FaultKind.TIMEOUT: Policy(504, None, "vendor", "any", rest=_MINUTES),
        FaultKind.CUT: Policy(502, None, "vendor", "any"),
        FaultKind.STALLED: Policy(504, None, "vendor", "any"),
        FaultKind.SLOW: Policy(504, None, "vendor", "any"),
        FaultKind.QUEUE: Policy(429, "rate_limit_exceeded", "gateway", "any"),
        # No agent repeats a 400 (clients, section 3).
        FaultKind.CANCELLED: Policy(400, "cancelled", "person", "none"),
        FaultKind.READER: Policy(504, None, "agent", "none"),
        FaultKind.NOT_FOUND: Policy(404, None, "agent", "none"),
        FaultKind.METHOD: Policy(405, None, "agent", "none"),
        FaultKind.UPGRADE: Policy(426, None, "agent", "none"),
        FaultKind.MEDIA: Policy(415, None, "agent", "none"),
        FaultKind.LOGIN: Policy(401, None, "agent", "none"),
        FaultKind.LOCKED: Policy(429, "rate_limit_exceeded", "agent", "none"),
        FaultKind.DENIED: Policy(403, None, "agent", "none"),
        FaultKind.SHUTDOWN: Policy(503, None, "gateway", "none"),
        FaultKind.INTERNAL: Policy(500, None, "gateway", "none"),
    }
)


@dataclass(frozen=True, slots=True)
class VendorReply:
    """A vendor's error as it came, secrets masked: what a same-dialect agent is told.

    `dialect`: which one it is in, "" where that does not matter.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    dialect: str = ""


class Fault(Exception):
    """The one exception of the gateway: a request, or a try of it, went wrong.

    `message` is one sentence for people and begins with the provider's name where there is one.
    `retry_after`: seconds until it may go again, where known. `reply`: the vendor's own error.
    `headers`: more headers of the answer, such as Allow.
    """

    def __init__(
        self,
        kind: FaultKind,
        message: str,
        *,
        retry_after: float | None = None,
        reply: VendorReply | None = None,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """Take what happened and one sentence on it."""
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.retry_after = retry_after
        self.reply = reply
        self.headers = headers

    @property
    def policy(self) -> Policy:
        """What follows from this kind."""
        return POLICIES[self.kind]

    @property
    def status(self) -> int:
        """The HTTP status that the agent is told before its stream began."""
        return self.policy.status

    @property
    def code(self) -> str | None:
        """The `code` of the OpenAI dialects."""
        return self.policy.code
