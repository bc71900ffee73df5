"""Probing: one tiny request for each dialect that a provider speaks."""

from __future__ import annotations

from dataclasses import dataclass

from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay.fetch import fetch
from holdgate.core.relay.outgoing import own
from holdgate.core.relay.ports import Upstream
from holdgate.core.relay.roster import Roster
from holdgate.core.traffic import verdicts
from holdgate.core.values.clock import Clock
from holdgate.core.values.errors import Fault, VendorReply
from holdgate.core.values.names import DialectName
from holdgate.core.values.secret import mask
from holdgate.core.values.settings import Model

PATIENCE = 60.0  # seconds; slow local models load first


@dataclass(frozen=True, slots=True)
class Probed:
    """What one dialect answered: `status` None if nothing came, `reason` "" if all is well."""

    key: str
    dialect: DialectName
    model: str
    ms: int
    status: int | None
    reason: str

    @property
    def passed(self) -> bool:
        """Whether the vendor answered as it should."""
        return not self.reason


async def probe(
    upstream: Upstream,
    clock: Clock,
    roster: Roster,
    lane: tuple[str, str],
    dialect: DialectName,
    model: Model,
) -> Probed:
    """Ask for a few tokens and say how it went. Raises nothing."""
    began = clock.monotonic()
    status: int | None = None
    reason = ""
    try:
        table = DIALECTS[dialect]
        base = roster.settings.providers[lane[0]].base(dialect)
        url = table.url(base, "generate", model.at_vendor, "whole")
        body = table.tiny_request(model.at_vendor)
        fetched = await fetch(upstream, own("POST", url, body, roster, lane, dialect), PATIENCE)
        status = fetched.head.status
        reply = VendorReply(status, fetched.head.headers, fetched.body)
        words = table.error_words(fetched.body)
        if status != 200:
            raise verdicts.of_status(lane[0], reply, words, clock.wall())
        if table.whole(fetched.body).failed:
            raise verdicts.of_event(lane[0], fetched.body, words)
    except ValueError:
        reason = f"{lane[0]}: the reply is no JSON; check the base URL"
    except Fault as fault:
        reason = _masked(fault.message, roster, lane)
    ms = round((clock.monotonic() - began) * 1000)
    return Probed(lane[1], dialect, model.id, ms, status, reason)


def _masked(message: str, roster: Roster, lane: tuple[str, str]) -> str:
    try:
        return mask(message, [roster.key(lane)])
    except Fault:
        return message
