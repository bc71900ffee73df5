"""Standing: in which lanes a request's ticket stands, and from when on."""

from __future__ import annotations

from holdgate.core.traffic.affinity import Mode
from holdgate.core.traffic.ticket import LaneId, Stand
from holdgate.core.values.inbound import Candidate

# Seconds in line after which the lanes of later candidates join (order = "given").
LATER = 2.0
# Seconds for which a warm conversation stands in its own key's lane alone.
HOME_ALONE = 15.0


def stands_of(
    candidates: tuple[Candidate, ...],
    order: str,
    home: LaneId | None = None,
    mode: Mode = "off",
    resting: frozenset[LaneId] = frozenset(),
) -> tuple[Stand, ...]:
    """Give the stands of a ticket, the preferred first.

    All keys of the preferred candidate (one provider and model) count alike; with another order
    than "given" all lanes do. `home`: the lane that the conversation stays with. `resting`: lanes
    closed by their vendors' word; those are never a reason to let the others wait.
    """
    lanes = list(dict.fromkeys(candidate.lane for candidate in candidates))
    if home in lanes and home not in resting:
        others = [lane for lane in lanes if lane != home]
        if mode == "conversation":
            return (Stand(home),)
        return (Stand(home), *(Stand(lane, HOME_ALONE) for lane in others))
    first = next((c for c in candidates if c.lane not in resting), candidates[0])
    mates = {c.lane for c in candidates if (c.provider, c.model) == (first.provider, first.model)}
    at_once = mates | resting
    return tuple(
        Stand(lane, 0.0 if order != "given" or lane in at_once else LATER) for lane in lanes
    )
