"""Rests: which keys rest, why and until when; decided from faults and answers alone.

Theory. A fault that is the vendor's own says something about the key that had it, not only about
one request. So the key rests: other candidates go first, and after the rest one request probes it.
A fault while it rests already is of a request that was under way, and adds nothing; one after the
rest doubles it; an answer ends it. A refused key (401; with one model: 403) is another matter: no
waiting helps, only a change or a probe that passes. All times are Unix seconds: rests outlive the
process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from holdgate.core.traffic.ticket import LaneId
from holdgate.core.values.errors import ALONE, POLICIES, REST_MOST, Fault, FaultKind
from holdgate.core.values.inbound import Candidate
from holdgate.core.values.rests import Rest

# An answer to a request that was under way when the key began to rest shows that it is well; after
# a limit it shows nothing.
_HEALTH = frozenset({FaultKind.OVERLOADED, FaultKind.SERVER, FaultKind.NETWORK})
# A vendor that says "at once" again and again is asked less and less often, from here on.
_SHORTEST = 0.05
_WORDS_MOST = 200


class Rests:
    """The rests of all keys, whole or with one model."""

    def __init__(self) -> None:
        """Start with none."""
        self._rests: dict[tuple[LaneId, str], Rest] = {}

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._rests)

    def failed(
        self,
        candidate: Candidate,
        fault: Fault,
        now: float,
        *,
        alone: bool,
        seconds: float | None = None,
        seal: str = "",
    ) -> Rest | None:
        """Note a fault; give the rest that its key has now, None if it is not for resting.

        `alone`: nobody else could answer instead. `seconds`: the length, where it is decided.
        """
        policy = fault.policy
        if policy.rest is None:
            return None
        model = candidate.model if fault.kind is FaultKind.FORBIDDEN else ""
        earlier = self._rests.get((candidate.lane, model))
        if earlier is not None and seconds is None and _is_nothing_new(earlier, fault, now):
            return earlier
        strikes = _strikes(earlier, fault, now)
        length = _length(fault, strikes, alone=alone) if seconds is None else seconds
        until = now + length
        if earlier is not None and earlier.until >= until and not policy.refused:
            return earlier
        rest = _rest(candidate, fault, until, strikes, model, seal)
        self._rests[candidate.lane, model] = rest
        return rest

    def answered(self, candidate: Candidate, now: float) -> list[Rest]:
        """Note an answer; give the rests that it ended."""
        if not self._rests:
            return []
        ended = []
        for key in ((candidate.lane, ""), (candidate.lane, candidate.model)):
            rest = self._rests.get(key)
            if rest is not None and _is_ended_by_answer(rest, now):
                ended.append(self._rests.pop(key))
        return ended

    def refusal(self, candidate: Candidate, now: float) -> Rest | None:
        """Give the rest for which a candidate is not asked at all now."""
        for model in ("", candidate.model):
            rest = self._rests.get((candidate.lane, model))
            if rest is not None and rest.refused and now < rest.until:
                return rest
        return None

    def probe(self, candidate: Candidate, now: float) -> None:
        """A candidate is asked: of a refused key that is due, this is the one request that is."""
        for model in ("", candidate.model):
            rest = self._rests.get((candidate.lane, model))
            if rest is not None and rest.refused and now >= rest.until:
                self._rests[candidate.lane, model] = _again(rest, now)

    def of(self, lane: LaneId, now: float) -> Rest | None:
        """Give the rest of a lane's key that is to be shown, if there is one."""
        found = [
            rest
            for (id, _), rest in self._rests.items()
            if id == lane and (rest.refused or rest.until > now)
        ]
        return min(found, key=lambda rest: (rest.model != "", not rest.refused), default=None)

    def is_probed(self, lane: LaneId) -> bool:
        """Whether a lane's key failed before and has not answered since."""
        return (lane, "") in self._rests

    def lift(self, lane: LaneId) -> list[Rest]:
        """End all rests of a lane's key; give those that ended."""
        keys = [key for key in self._rests if key[0] == lane]
        return [self._rests.pop(key) for key in keys]

    def reconcile(
        self, lanes: Iterable[LaneId], now: float, seal_of: Callable[[LaneId], str] | None = None
    ) -> list[Rest]:
        """Forget refusals, and rests that are over of lanes that are gone; give those that ended.

        With `seal_of` (after a restart) refusals stay whose key has the same secret as then.
        """
        known = set(lanes)
        ended = [
            key
            for key, rest in self._rests.items()
            if (key[0] not in known and rest.until <= now)
            or (rest.refused and (seal_of is None or seal_of(key[0]) != rest.seal))
        ]
        return [self._rests.pop(key) for key in ended]

    def restore(self, rests: Iterable[Rest]) -> None:
        """Take the rests of an earlier process."""
        for rest in rests:
            self._rests[rest.lane, rest.model] = rest

    def all(self) -> list[Rest]:
        """Give all of them, also those that are over but were not ended by an answer."""
        return list(self._rests.values())


def _is_nothing_new(earlier: Rest, fault: Fault, now: float) -> bool:
    """Whether a fault is of a request that was under way, and tells no more than was known."""
    terms, known = fault.policy.rest, POLICIES[earlier.kind].rest
    assert terms is not None
    assert known is not None
    if now >= earlier.until:
        return False
    if fault.policy.refused:
        return earlier.refused
    return fault.retry_after is None and terms.first <= known.first


def _rest(
    candidate: Candidate, fault: Fault, until: float, strikes: int, model: str, seal: str
) -> Rest:
    refused = fault.policy.refused
    return Rest(
        candidate.provider,
        candidate.key,
        fault.kind,
        _why(candidate, fault),
        until,
        strikes,
        model,
        refused,
        said=fault.retry_after is not None and not refused,
        seal=seal if refused else "",
    )


def _strikes(earlier: Rest | None, fault: Fault, now: float) -> int:
    """Give how many rests in a row this one is."""
    assert fault.policy.rest is not None
    if earlier is None or now > earlier.until + fault.policy.rest.most:
        return 1
    return earlier.strikes + 1 if now >= earlier.until else earlier.strikes


def _length(fault: Fault, strikes: int, *, alone: bool) -> float:
    terms = fault.policy.rest
    assert terms is not None
    if fault.policy.refused:
        return terms.seconds(strikes)
    if fault.retry_after is not None and fault.kind is not FaultKind.CREDIT:
        shortest = min(_SHORTEST * 2.0 ** min(strikes - 1, 32), ALONE.most)
        return min(max(fault.retry_after, shortest), REST_MOST)
    return (ALONE if alone else terms).seconds(strikes)


def _is_ended_by_answer(rest: Rest, now: float) -> bool:
    if rest.refused or now >= rest.until:
        return True
    return rest.kind in _HEALTH and not rest.said


def _again(rest: Rest, now: float) -> Rest:
    """Give a refusal whose next probe is one term later."""
    terms = POLICIES[rest.kind].rest
    assert terms is not None
    return msgspec.structs.replace(rest, until=now + terms.seconds(rest.strikes))


def _why(candidate: Candidate, fault: Fault) -> str:
    """Say in a few words why a key rests, without its provider's name before it."""
    words = fault.message.removeprefix(f"{candidate.provider}: ")
    return f"{fault.kind} ({words[:_WORDS_MOST]})"
