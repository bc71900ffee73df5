"""Attempts: which candidates are asked, in what order, and when it is enough.

Theory. A generator that does no I/O: it yields what to do next and is sent what came of it. `Try`
offers all candidates that are left; the gate decides which of them has a place first. A limit (429)
costs a candidate its turn but not its chance: its key rests, and the request goes to whoever is
free, or waits where it can go first. Any other fault of a vendor gives the turn to those that are
left for good. Only where nobody is ready to take over is the same one asked again, and rarely. A
fault of the agent's making ends it at once, for it would be the same everywhere. What the agent is
told in the end is the fault that helps it most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from holdgate.core.values.errors import PAUSES, Fault, FaultKind
from holdgate.core.values.inbound import Candidate

_QUOTA = frozenset({FaultKind.CREDIT, FaultKind.WINDOW, FaultKind.RATE, FaultKind.QUEUE})
# A candidate that never could have answered.
_NOT_THERE = frozenset({FaultKind.MODEL, FaultKind.LOSS})

# How long a 429 without a time counts for a request that nobody else can take; so many in a row are
# waited for, with or without others, and the next is a fault like another.
UNSAID_PAUSES = (2.0, 5.0, 15.0)
# A vendor that fails and names more seconds than this is not waited for: the agent is told them.
AGAIN_WITHIN = 60.0
# A pause is longer by up to this share of itself, so that many requests do not come back at once.
JITTER = 0.25


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
class RestKey:
    """A candidate's key rests, as its fault says; `seconds`: how long, where that is decided."""

    candidate: Candidate
    fault: Fault
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """Ask nobody for so many seconds."""

    candidate: Candidate
    seconds: float


@dataclass(frozen=True, slots=True)
class Failed:
    """A try came to nothing, and nothing of it was shown to the agent.

    `lost`: the connection was lost before any byte of a reply. `probe`: it was to show whether a
    key that had failed is well again. `reworded`: the vendor refused a member that the gateway had
    added; it is left out from now on.
    """

    candidate: Candidate
    fault: Fault
    lost: bool = False
    probe: bool = False
    reworded: bool = False


Step = Try | RestKey | Pause
# After a RestKey or a Pause nothing is sent in.
Attempts = Generator[Step, Failed | None, Fault]


@dataclass(slots=True)
class _State:
    """What a request has seen so far."""

    left: tuple[Candidate, ...]
    ready: Callable[[Candidate], bool]
    jitter: Callable[[], float]
    alone: bool
    faults: list[Fault] = field(default_factory=list)
    lost: set[Candidate] = field(default_factory=set)
    unsaid: int = 0  # 429s without a time in a row
    agains: Counter[Candidate] = field(default_factory=Counter)

    def after(self, failed: Failed) -> Generator[RestKey | Pause, None, None]:
        """Yield what follows from a failure before the next try; change who is left."""
        if failed.lost and failed.candidate not in self.lost:
            # A pooled connection that died unseen (after sleep, or the vendor's own idle limit).
            self.lost.add(failed.candidate)
        elif failed.reworded:
            return
        elif (limit := self.limited(failed)) is not None:
            yield limit
        elif (again := self.once_more(failed, others := self.others(failed))) is not None:
            yield again
        else:
            yield RestKey(failed.candidate, failed.fault)
            self.faults.append(failed.fault)
            self.left = others

    def limited(self, failed: Failed) -> RestKey | None:
        """Say whether a fault is a limit to wait for.

        Only a 429 as a status is: an error in a body with a good status may be anything.
        """
        fault = failed.fault
        if fault.kind is not FaultKind.RATE or fault.reply is None:
            return None
        if fault.retry_after is not None:
            self.unsaid = 0
            return RestKey(failed.candidate, fault)
        if self.unsaid >= len(UNSAID_PAUSES):
            return None
        self.unsaid += 1
        return RestKey(
            failed.candidate, fault, UNSAID_PAUSES[self.unsaid - 1] if self.alone else None
        )

    def once_more(self, failed: Failed, others: tuple[Candidate, ...]) -> RestKey | Pause | None:
        """Say whether the same candidate is asked again: only if nobody is ready to take over."""
        fault, agains = failed.fault, self.agains[failed.candidate]
        said = fault.retry_after is not None
        if (
            agains >= fault.policy.again
            or (fault.retry_after or 0.0) > AGAIN_WITHIN
            or (failed.probe and not said)
            or any(map(self.ready, others))
        ):
            return None
        self.agains[failed.candidate] += 1
        self.faults.append(fault)
        if said:
            return RestKey(failed.candidate, fault)
        seconds = PAUSES[agains] * (1 + JITTER * self.jitter())
        return Pause(failed.candidate, seconds)

    def others(self, failed: Failed) -> tuple[Candidate, ...]:
        """Give who may answer after a fault instead of the one that had it."""
        match failed.fault.policy.next:
            case "none":
                return ()
            case "larger":
                fits = failed.candidate.context
                return tuple(each for each in self.left if each.context > fits)
            case "any":
                return tuple(each for each in self.left if each != failed.candidate)


def attempts(
    candidates: tuple[Candidate, ...],
    ready: Callable[[Candidate], bool],
    jitter: Callable[[], float],
    *,
    alone: bool,
) -> Attempts:
    """Yield steps until a try is answered (the caller then closes the generator).

    `ready`: whether a candidate's key does not rest now; `jitter` gives chance from 0 to 1;
    `alone`: there never was another candidate. A fault that is thrown in says that no lane takes
    the request any more. Returns the fault to tell when nobody answered.
    """
    state: _State | None = None  # most requests need none
    step = Try(candidates)
    while step.candidates:
        try:
            failed = yield step
        except Fault as turned_away:
            return telling([*(state.faults if state else ()), turned_away])
        assert failed is not None
        state = state or _State(candidates, ready, jitter, alone)
        yield from state.after(failed)
        step = Try(state.left, frozenset(state.lost), front=True)
    return telling(state.faults if state else [])


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

    One of the agent's own making is never hidden. Else the last real one, which a quota does not
    mask; an unknown model, the first, is told where only quotas are beside it.
    """
    agents = [f for f in faults if f.policy.whose == "agent"]
    if agents:
        return agents[-1]
    real = [f for f in faults if f.kind not in _QUOTA | _NOT_THERE]
    if real:
        return real[-1]
    unknown = [f for f in faults if f.kind in _NOT_THERE]
    return unknown[0] if unknown else faults[-1]
