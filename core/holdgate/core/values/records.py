"""Records: the one live account of a request and of each of its tries.

A record is the only value that changes while it is looked at: the request that it belongs to writes
it, the snapshot and the ledger read it. Times are Unix seconds, durations seconds.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from holdgate.core.values.caller import Caller
from holdgate.core.values.errors import FaultKind
from holdgate.core.values.names import DialectName
from holdgate.core.values.neutral import Loss
from holdgate.core.values.rests import Rest
from holdgate.core.values.usage import Usage

State = Literal["waiting", "trying", "held", "passing", "done", "failed", "cancelled", "gone"]


class TryRecord(msgspec.Struct, gc=False):
    """One request sent, or about to be sent, to one candidate. `rest`: the one that followed."""

    provider: str
    key: str
    model: str
    dialect: DialectName
    started: float
    first_byte: float | None = None
    ended: float | None = None
    status: int | None = None
    fault: FaultKind | None = None
    rest: Rest | None = None

    def as_json(self) -> dict[str, Any]:
        """Give the shape of the control API."""
        return {
            "provider": self.provider,
            "key": self.key,
            "model": self.model,
            "dialect": self.dialect,
            "started": self.started,
            "first_byte": self.first_byte,
            "ended": self.ended,
            "status": self.status,
            "fault": self.fault and str(self.fault),
            "rest": self.rest and self.rest.as_json(),
        }


class Behind(msgspec.Struct, frozen=True):
    """The vendor's own reply behind a stream of the gateway's id: its id, and whose it is."""

    id: str
    lane: tuple[str, str]


class Note(msgspec.Struct, frozen=True, gc=False):
    """A moment in a request's time line."""

    at: float
    what: str
    detail: str


class Record(msgspec.Struct, eq=False):
    """A request from its arrival to its end. `status` is what the agent was told."""

    id: str
    caller: Caller
    conversation: str
    model: str
    dialect: DialectName
    stream: bool
    arrived: float
    state: State = "waiting"
    since: float = 0.0
    candidate: str | None = None
    reason: str = ""
    ended: float | None = None
    status: int | None = None
    fault: FaultKind | None = None
    message: str = ""
    waited: float = 0.0
    kept_alive: int = 0
    usage: Usage | None = None
    tries: list[TryRecord] = []
    timeline: list[Note] = []
    losses: tuple[Loss, ...] = ()
    vendor_id: str = ""  # of the reply behind an opening of the gateway's own

    @property
    def behind(self) -> Behind | None:
        """What stood behind the gateway's own id, if it was answered with one."""
        if not self.vendor_id or not self.tries:
            return None
        return Behind(self.vendor_id, (self.tries[-1].provider, self.tries[-1].key))

    def enter(self, state: State, at: float, reason: str = "") -> None:
        """Change the state."""
        self.state, self.since, self.reason = state, at, reason

    def note(self, at: float, what: str, detail: str = "") -> None:
        """Add a moment to the time line."""
        self.timeline.append(Note(at, what, detail))

    def as_json(self) -> dict[str, Any]:
        """Give the shape of the control API's `GET /api/requests/{id}`."""
        return {
            "id": self.id,
            "agent": self.caller.agent,
            "conversation": self.conversation,
            "model": self.model,
            "dialect": self.dialect,
            "stream": self.stream,
            "state": self.state,
            "arrived": self.arrived,
            "ended": self.ended,
            "status": self.status,
            "fault": self.fault and str(self.fault),
            "waited": round(self.waited, 3),
            "kept_alive": self.kept_alive,
            "usage": self.usage and self.usage.as_json(),
            "losses": [{"path": loss.path, "why": loss.why} for loss in self.losses],
            "tries": [each.as_json() for each in self.tries],
            "timeline": [
                {"at": note.at, "what": note.what, "detail": note.detail} for note in self.timeline
            ],
        }
