"""A ticket: a request's place in one or several lanes."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from holdgate.core.values.errors import FaultKind

LaneId = tuple[str, str]  # provider, key


class Departure(msgspec.Struct, eq=False):
    """A request that left: when, and how many tokens it counts for."""

    at: float
    tokens: int


class Stand(msgspec.Struct, frozen=True):
    """A lane that may serve a ticket, and how many seconds after its arrival it stands there."""

    lane: LaneId
    after: float = 0.0


class Refusal(msgspec.Struct, frozen=True):
    """Why a ticket does not stand in a lane any more, and in how many seconds it could go.

    `kind`: the fault for which the lane's key rests, QUEUE for the lane's own limits.
    """

    lane: LaneId
    why: str
    retry_after: float
    kind: FaultKind = FaultKind.QUEUE


class Ticket(msgspec.Struct, eq=False):
    """A request's place: in exactly one of waiting, running, gone (or absent: kept for a while).

    `stands` in order of preference. `caller` and `conversation` take turns; `body_of` gives what
    tells a request that comes again. `standing`: the lanes in whose line it is, `to_come`: those it
    joins later, and when. `tokens` is an estimate. `wait`: the longest wait in seconds in any lane
    where the lanes' own does not count (0: none, None: the lanes' own). `lane` is where it runs or
    ran.
    """

    id: str
    stands: tuple[Stand, ...]
    caller: str = ""
    conversation: str = ""
    body_of: Callable[[], str] | None = None
    background: bool = False
    tokens: int = 0
    wait: float | None = None
    state: str = "new"
    since: float = 0.0
    rank: tuple[float, int] = (0.0, 0)
    present: bool = True
    lane: LaneId | None = None
    granted_at: float = 0.0
    departure: Departure | None = None
    standing: list[LaneId] = []
    to_come: dict[LaneId, float] = {}
    refusals: list[Refusal] = []

    @property
    def body(self) -> str:
        """What a request that comes again has in common with this one; asked for only if needed."""
        return self.body_of() if self.body_of is not None else self.id

    @property
    def stands_nowhere(self) -> bool:
        """Whether no lane is left for it."""
        return not self.standing and not self.to_come
