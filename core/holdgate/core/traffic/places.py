"""Places: where waiting tickets stand best, and when they are likely to go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from holdgate.core.traffic.lane import Lane
from holdgate.core.traffic.ticket import LaneId


@dataclass(frozen=True, slots=True)
class Place:
    """Where a waiting ticket stands best: its place from 1, and when it is likely to go."""

    lane: LaneId
    position: int
    eta: float | None


def places_in(lanes: Iterable[Lane], now: float) -> dict[str, Place]:
    """Give the best place of each waiting ticket, by its id."""
    best: dict[str, Place] = {}
    for lane in lanes:
        for ahead, ticket in enumerate(lane.line.order()):
            place = Place(lane.id, ahead + 1, lane.eta(now, ahead))
            known = best.get(ticket.id)
            if known is None or _sooner(place, known):
                best[ticket.id] = place
    return best


def _sooner(place: Place, known: Place) -> bool:
    """Whether a place is better: the earlier moment, else the smaller number."""
    if place.eta is None or known.eta is None:
        return place.eta is not None or (known.eta is None and place.position < known.position)
    return place.eta < known.eta
