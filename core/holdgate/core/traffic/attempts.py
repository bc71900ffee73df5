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


@dataclass(frozen=True, slots=True)
class Try:
    """Ask whichever of `candidates` has a place first; `fresh` ones on a new connection."""

    candidates: tuple[Candidate, ...]
    fresh: frozenset[Candidate] = frozenset()


@dataclass(frozen=True, slots=True)
class Failed:
    """A try came to nothing, and nothing of it was shown to the agent.

    `lost`: the connection was lost before any byte of a reply.
    """

    candidate: Candidate
    fault: Fault
    lost: bool = False


Attempts = Generator[Try, Failed, Fault]


def attempts(candidates: tuple[Candidate, ...]) -> Attempts:
    """Yield tries until one is answered (the caller then closes the generator).

    Returns the fault to tell when nobody answered.
    """
    left = candidates
    faults: list[Fault] = []
    lost: set[Candidate] = set()
    while left:
        failed = yield Try(left, frozenset(lost))
        if failed.lost and failed.candidate not in lost:
            # A pooled connection that died unseen (after sleep, or the vendor's own idle limit).
            lost.add(failed.candidate)
            continue
        faults.append(failed.fault)
        if not failed.fault.policy.next_candidate:
            return failed.fault
        left = tuple(c for c in left if c != failed.candidate)
    return telling(faults)


def telling(faults: list[Fault]) -> Fault:
    """Give the fault to tell of those that candidates had, in order.

    The last real one; a quota does not mask it, an unknown model is told when nothing else is.
    """
    real = [f for f in faults if f.kind not in _QUOTA and f.kind is not FaultKind.MODEL]
    if real:
        return real[-1]
    quota = [f for f in faults if f.kind in _QUOTA]
    return quota[-1] if quota else faults[0]
