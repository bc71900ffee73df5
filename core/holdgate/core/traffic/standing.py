"""Standing: in which lanes a request's ticket stands, in what order, and from when on."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from holdgate.core.traffic.affinity import Mode
from holdgate.core.traffic.ticket import LaneId, Stand
from holdgate.core.values.inbound import Candidate

# Seconds in line after which the lanes of later candidates join (order = "given").
LATER = 2.0
# Seconds for which a warm conversation stands in its own key's lane alone.
HOME_ALONE = 15.0


class Load(msgspec.Struct, frozen=True, gc=False):
    """How busy a lane is: requests that run or wait there, and how many may run at once (0: any).

    Lanes are compared by `share`, the requests for each slot: 2 in 4 slots are less than 2 in 2.
    A lane without a limit counts as one with a single slot, so its share is its requests. That
    sends little to where nobody said how much is fine, and much to where it was said.
    """

    busy: int = 0
    slots: int = 0

    @property
    def share(self) -> float:
        """Requests for each slot."""
        return self.busy / (self.slots or 1)


Loads = Mapping[LaneId, Load]
# The lanes of each candidate of a route: those of all its keys, which are mates.
Groups = list[list[LaneId]]

IDLE = Load()
_NOWHERE: Loads = MappingProxyType({})


def stands_of(
    candidates: tuple[Candidate, ...],
    order: str,
    home: LaneId | None = None,
    mode: Mode = "off",
    resting: frozenset[LaneId] = frozenset(),
    loads: Loads = _NOWHERE,
) -> tuple[Stand, ...]:
    """Give the stands of a ticket, the preferred first and the resting last.

    In the order "given" the later candidates wait, in any other nobody does. `home`: the lane that
    the conversation stays with. `resting`: lanes closed by their vendors' word; those are never a
    reason to let the others wait. `loads`: who is not in it is idle.
    """
    groups = _groups_of(candidates)
    # A key may serve several models of a route, and a ticket stands in a lane once.
    lanes = list(dict.fromkeys(_lanes_of(groups, order, loads)))
    if resting:
        lanes.sort(key=resting.__contains__)
    if home in lanes and home not in resting:
        return _stay(home, lanes, mode)
    if order != "given":
        return tuple([Stand(lane) for lane in lanes])
    preferred = next(group for group in groups if lanes[0] in group)
    return tuple(
        [Stand(lane, 0.0 if lane in preferred or lane in resting else LATER) for lane in lanes]
    )


def _stay(home: LaneId, lanes: list[LaneId], mode: Mode) -> tuple[Stand, ...]:
    if mode == "conversation":
        return (Stand(home),)
    return (Stand(home), *(Stand(lane, HOME_ALONE) for lane in lanes if lane != home))


def _groups_of(candidates: tuple[Candidate, ...]) -> Groups:
    groups: dict[tuple[str, str], list[LaneId]] = {}
    for candidate in candidates:
        groups.setdefault((candidate.provider, candidate.model), []).append(candidate.lane)
    return list(groups.values())


def in_turn(candidates: tuple[Candidate, ...], turn: int) -> tuple[Candidate, ...]:
    """Give the candidates beginning with another one each turn; mates stay together."""
    groups: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault((candidate.provider, candidate.model), []).append(candidate)
    of_turn = list(groups.values())
    first = turn % len(of_turn)
    return tuple(c for group in of_turn[first:] + of_turn[:first] for c in group)


def _lanes_of(groups: Groups, order: str, loads: Loads) -> list[LaneId]:
    """Give the lanes, the preferred first.

    One candidate after the other, and among mates whoever has the fewest requests; in the order
    "least-busy" whoever has the smallest share of work.
    """
    if order == "least-busy":
        lanes = [lane for group in groups for lane in group]
        return sorted(lanes, key=lambda lane: loads.get(lane, IDLE).share)
    lanes = []
    for group in groups:
        if len(group) > 1 and loads:
            lanes += sorted(group, key=lambda lane: loads.get(lane, IDLE).busy)
        else:
            lanes += group
    return lanes
