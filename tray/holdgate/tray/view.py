"""The view: what of the control API's snapshot the tray looks at, as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class Minute(msgspec.Struct, frozen=True):
    """A lane's rolling window. `next_at`: when it has room again; None: it has."""

    used: int = 0
    limit: int = 0
    next_at: float | None = None


class Rest(msgspec.Struct, frozen=True):
    """Why a lane is not asked; `until` is None where only a person ends it."""

    until: float | None
    why: str

    @property
    def refused(self) -> bool:
        """Whether it is for a person to mend: a key refused, a credit spent."""
        return self.why.startswith(("key refused", "forbidden", "out of credit"))

    @property
    def shortly(self) -> str:
        """The kind of fault, without the vendor's words."""
        return self.why.partition(" (")[0]


class Lane(msgspec.Struct, frozen=True):
    """A key of a provider."""

    provider: str
    key: str
    running: int = 0
    concurrency: int = 0
    waiting: int = 0
    minute: Minute = Minute()
    rest: Rest | None = None
    paused: bool = False


class Request(msgspec.Struct, frozen=True):
    """A live request."""

    id: str
    agent: str
    model: str
    state: str
    since: float
    reason: str = ""
    position: int | None = None
    eta: float | None = None


class Pause(msgspec.Struct, frozen=True):
    """A pause of all; `until` is None where only resuming ends it."""

    until: float | None


class Counts(msgspec.Struct, frozen=True):
    """How many live requests there are; those that are being tried count as waiting here."""

    waiting: int = 0
    held: int = 0
    passing: int = 0


class View(msgspec.Struct, frozen=True):
    """A gateway at one moment."""

    address: str
    paused: Pause | None = None
    counts: Counts = Counts()
    lanes: tuple[Lane, ...] = ()
    requests: tuple[Request, ...] = ()

    @property
    def trying(self) -> int:
        """How many are just being sent: of no line, and without an answer yet."""
        return sum(request.state == "trying" for request in self.requests)

    @property
    def waiting(self) -> int:
        """How many stand in line. Those that are tried are among the oldest, so they are listed."""
        return max(0, self.counts.waiting - self.trying)

    @property
    def running(self) -> int:
        """How many are at a vendor."""
        return self.counts.passing + self.trying

    @property
    def open(self) -> int:
        """How many streams are open."""
        return self.counts.waiting + self.counts.held + self.counts.passing

    @property
    def in_line(self) -> tuple[Request, ...]:
        """The listed requests that wait, the next ones first."""
        found = [request for request in self.requests if request.state in ("waiting", "held")]
        return tuple(sorted(found, key=_place))

    @property
    def all_rest(self) -> bool:
        """Whether no lane is left that may be asked."""
        return bool(self.lanes) and all(lane.rest for lane in self.lanes)


def _place(request: Request) -> tuple[bool, float]:
    """Order by the place in line; those that are held between two tries come last, by age."""
    return (request.position is None, request.position or request.since)


def read(snapshot: Mapping[str, Any]) -> View:
    """Give the view of a snapshot. Raises msgspec.ValidationError if it has another shape."""
    return msgspec.convert(snapshot, View)
