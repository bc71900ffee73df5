"""Rests: a key that failed is not preferred until a given time, or is refused until it changes."""

from __future__ import annotations

import msgspec

from holdgate.core.values.errors import FaultKind


class Rest(msgspec.Struct, frozen=True, gc=False):
    """Why and until when (Unix seconds) a key rests.

    `model`: only with that model, "" for the whole key. `strikes`: how many rests in a row it is.
    `refused`: the vendor refused the key (401, 403); such a rest is never waited for, and `until`
    is when a request may probe it. `said`: the vendor told the time. `seal`: what tells one secret
    from another, where `refused`.
    """

    provider: str
    key: str
    kind: FaultKind
    why: str
    until: float
    strikes: int = 1
    model: str = ""
    refused: bool = False
    said: bool = False
    seal: str = ""

    @property
    def lane(self) -> tuple[str, str]:
        """The lane of the key."""
        return (self.provider, self.key)

    def as_json(self) -> dict[str, object]:
        """Give the shape of the control API."""
        return {"until": round(self.until, 3), "why": self.why}
