"""The roster: the settings in force with their keys read and their proxies chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay.letterhead import Letterhead, letterhead
from holdgate.core.traffic.lane import Limits
from holdgate.core.traffic.ticket import LaneId
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.names import DialectName
from holdgate.core.values.secret import Secret
from holdgate.core.values.settings import Provider, Settings


@dataclass(frozen=True, slots=True)
class MissingKey:
    """A key that could not be read, and what to do about it."""

    why: str


_REMOVED = MissingKey("it is not in the configuration any more")


@dataclass(frozen=True, slots=True)
class Roster:
    """All that a request is served by. Replaced whole when the configuration changes.

    `keys` by lane; `proxies` by provider and base URL, "" for none: two providers may have the
    same address and go there by different ways.
    """

    settings: Settings = field(default_factory=Settings)
    keys: Mapping[LaneId, Secret | MissingKey] = field(default_factory=dict)
    proxies: Mapping[tuple[str, str], str] = field(default_factory=dict)
    _letterheads: dict[tuple[LaneId, DialectName], Letterhead] = field(default_factory=dict)

    def key(self, lane: LaneId) -> Secret:
        """Give a lane's key. Raises Fault(AUTH) if it could not be read."""
        found = self.keys.get(lane, _REMOVED)
        if isinstance(found, MissingKey):
            raise Fault(FaultKind.AUTH, f"{lane[0]}: key {lane[1]}: {found.why}")
        return found

    def letterhead(self, lane: LaneId, dialect: DialectName) -> Letterhead:
        """Give the headers for a lane's requests. Raises Fault, see `key` and `provider`."""
        made = self._letterheads.get((lane, dialect))
        if made is None:
            made = letterhead(self.provider(lane[0]), DIALECTS[dialect], self.key(lane))
            self._letterheads[lane, dialect] = made
        return made

    def provider(self, name: str) -> Provider:
        """Give a provider. Raises Fault(MODEL) if it was removed while a request waited for it."""
        found = self.settings.providers.get(name)
        if found is None:
            raise Fault(FaultKind.MODEL, f"{name}: is not in the configuration any more")
        return found

    def limits(self) -> dict[LaneId, Limits]:
        """Give the limits of all lanes."""
        return {
            (provider.name, key.name): _limits(self.settings, provider, provider.limits_of(key))
            for provider in self.settings.providers.values()
            for key in provider.keys
        }


def _limits(settings: Settings, provider: Provider, limits: tuple[int, int, int]) -> Limits:
    concurrency, rpm, tpm = limits
    length, wait = provider.queue_length, provider.queue_wait
    return Limits(
        concurrency,
        rpm,
        provider.window,
        tpm,
        settings.queue.length if length is None else length,
        settings.queue.wait if wait is None else wait,
    )


class Current:
    """The one cell that holds the roster in force."""

    def __init__(self, roster: Roster) -> None:
        """Start with `roster`."""
        self.roster = roster
