"""Attempts: which candidates are asked, in what order, and when it is enough.

Theory. A generator that does no I/O: it yields what to do next and is sent what came of it. `Try`
offers all candidates that are left; the gate decides which of them has a place first. A fault that
is the vendor's own gives the turn to the others; one of the agent's making ends it at once, for it
would be the same everywhere. What the agent is told in the end is the fault that helps it most.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.inbound import Candidate

_QUOTA = frozenset({FaultKind.CREDIT, FaultKind.WINDOW, FaultKind.RATE, FaultKind.QUEUE})


# A 429 without a time is absorbed so often in a row for one request, after so many seconds.
UNSAID_PAUSES = (2.0, 5.0, 15.0)


@dataclass(frozen=True, slots=True)
class Try:
    """Ask whichever of `candidates` has a place first.

    `fresh` ones on a new connection. `front`: at the front of the line, since its turn was in vain.
    `last`: no other candidate could answer instead.
    """

    candidates: tuple[Candidate, ...]
    fresh: frozenset[Candidate] = frozenset()
    front: bool = False

    @property
    def last(self) -> bool:
        """Whether there is one candidate only."""
        return len(self.candidates) == 1


@dataclass(frozen=True, slots=True)
class Failed:
    """A try came to nothing, and nothing of it was shown to the agent.

    `lost`: the connection was lost before any byte of a reply.
    """

    candidate: Candidate
    fault: Fault
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Absorb:
    """A 429 is not told: the lane of its candidate closes for so many seconds, the request waits.

    `narrow`: the vendor told no time, so fewer may go at once.
    """

    candidate: Candidate
    seconds: float
    narrow: bool


# After an Absorb nothing is sent in.
Attempts = Generator[Try | Absorb, Failed | None, Fault]


def absorbed(failed: Failed, unsaid: int) -> Absorb | None:
    """Say whether a fault is absorbed; `unsaid`: the 429s without a time in a row before it.

    Only a 429 as a status is: an error in a body with a good status may be anything.
    """
    fault = failed.fault
    if fault.kind is not FaultKind.RATE or fault.reply is None:
        return None
    if fault.retry_after is not None:
        return Absorb(failed.candidate, fault.retry_after, narrow=False)
    if unsaid >= len(UNSAID_PAUSES):
        return None
    return Absorb(failed.candidate, UNSAID_PAUSES[unsaid], narrow=True)


def attempts(candidates: tuple[Candidate, ...]) -> Attempts:
    """Yield tries until one is answered (the caller then closes the generator).

    A fault that is thrown in says that no lane takes the request any more. Returns the fault to
    tell when nobody answered.
    """
    left = candidates
    faults: list[Fault] = []
    lost: set[Candidate] = set()
    unsaid = 0
    front = False
    while left:
        try:
            failed = yield Try(left, frozenset(lost), front)
        except Fault as turned_away:
            return telling([*faults, turned_away])
        assert failed is not None
        front = True
        if failed.lost and failed.candidate not in lost:
            # A pooled connection that died unseen (after sleep, or the vendor's own idle limit).
            lost.add(failed.candidate)
            continue
        absorb = absorbed(failed, unsaid)
        if absorb is not None:
            unsaid = unsaid + 1 if absorb.narrow else 0
            yield absorb
            continue
        faults.append(failed.fault)
        if not failed.fault.policy.next_candidate:
            return failed.fault
        left = tuple(c for c in left if c != failed.candidate)
    return telling(faults)


def give_up(steps: Attempts, turned_away: Fault) -> Fault:
    """Give the fault to tell when no lane takes the request any more.

    Being turned away does not hide what a candidate said before.
    """
    try:
        steps.throw(turned_away)
    except StopIteration as end:
        told: Fault = end.value
        return told
    return turned_away


def telling(faults: list[Fault]) -> Fault:
    """Give the fault to tell of those that candidates had, in order.

    The last real one; a quota does not mask it, an unknown model is told when nothing else is.
    """
    real = [f for f in faults if f.kind not in _QUOTA and f.kind is not FaultKind.MODEL]
    if real:
        return real[-1]
    quota = [f for f in faults if f.kind in _QUOTA]
    return quota[-1] if quota else faults[0]
