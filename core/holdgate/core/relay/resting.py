"""Resting: the rests of all keys, and what they do to the lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from holdgate.core.relay.roster import Current
from holdgate.core.relay.scheduler import Scheduler
from holdgate.core.traffic.attempts import RestKey
from holdgate.core.traffic.rests import Rests
from holdgate.core.traffic.ticket import LaneId
from holdgate.core.values.clock import Clock
from holdgate.core.values.errors import REST_MOST, Fault, FaultKind
from holdgate.core.values.inbound import Candidate
from holdgate.core.values.rests import Rest
from holdgate.core.values.secret import Secret

# What an agent is told at most of a rest: it ignores or gives up on more (clients, 1.8).
RETRY_MOST = 60.0


class Resting:
    """Lets keys rest, and ends their rests. `seal` makes what tells one secret from another."""

    def __init__(
        self, scheduler: Scheduler, current: Current, clock: Clock, seal: Callable[[Secret], str]
    ) -> None:
        """Start with no rests."""
        self._rests = Rests()
        self._scheduler, self._current, self._clock = scheduler, current, clock
        self._seal = seal
        # Whether the rests are others than those kept for the next start, and who is told of it.
        self.is_changed = False
        self.on_change: Callable[[], None] = _tell_nobody

    @property
    def has_rests(self) -> bool:
        """Whether any key rests, or did and has not answered since."""
        return bool(self._rests)

    def failed(self, step: RestKey, *, alone: bool) -> Rest | None:
        """Let a candidate's key rest as its fault says; give the rest, None if there is none."""
        candidate, fault, lane = step.candidate, step.fault, step.candidate.lane
        rest = self._rests.failed(
            candidate,
            fault,
            self._clock.wall(),
            alone=alone,
            seconds=step.seconds,
            seal=self._seal_of(lane) if fault.policy.refused else "",
        )
        if rest is None:
            return None
        self._change()
        if fault.kind is FaultKind.RATE and fault.retry_after is None:
            self._scheduler.narrow(lane)
        if not rest.refused:
            self._close(rest)
        elif not rest.model:
            self._scheduler.withdraw(lane, rest.why, rest.kind)
        return rest

    def began(self, candidate: Candidate) -> None:
        """A candidate answers: its key is well."""
        ended = self._rests.answered(candidate, self._clock.wall())
        if ended:
            self._opened(ended)

    def refusal(self, candidate: Candidate) -> Fault | None:
        """Give the fault for which a candidate is not asked now; it is no use to wait for it."""
        if not self._rests:
            return None
        rest = self._rests.refusal(candidate, self._clock.wall())
        if rest is None:
            return None
        with_model = f" with {rest.model}" if rest.model else ""
        return Fault(
            rest.kind,
            f"{rest.provider}: key {rest.key} was refused{with_model}: {rest.why}; give it another "
            f"key, or run: gateway provider test {rest.provider}",
            retry_after=RETRY_MOST,  # not that it helps, but agents come again anyway
        )

    def asks(self, candidate: Candidate) -> bool:
        """A candidate is asked now; say whether it is a probe of a key that had failed."""
        if not self._rests:
            return False
        self._rests.probe(candidate, self._clock.wall())
        return self._rests.is_probed(candidate.lane)

    def is_ready(self, candidate: Candidate) -> bool:
        """Whether a candidate may be asked without waiting for a rest."""
        return self.refusal(candidate) is None and candidate.lane not in self._scheduler.resting()

    def told(self, fault: Fault, lane: LaneId) -> None:
        """Say in a fault that goes out when it is of use to ask again."""
        if fault.retry_after is None and fault.policy.whose == "vendor" and fault.status >= 429:
            rest = self._rests.of(lane, self._clock.wall())
            left = 1.0 if rest is None else rest.until - self._clock.wall()
            fault.retry_after = min(max(left, 1.0), RETRY_MOST)

    def of(self, lane: LaneId) -> Rest | None:
        """Give the rest of a lane's key that is to be shown."""
        return self._rests.of(lane, self._clock.wall())

    def lift(self, lane: LaneId) -> bool:
        """End all rests of a key, since it was seen to be well; say whether there were any."""
        ended = self._rests.lift(lane)
        self._scheduler.open_lane(lane)
        self._opened(ended)
        return bool(ended)

    def reconfigured(self) -> None:
        """The configuration changed: a refused key may be another now."""
        self._opened(self._rests.reconcile(self._current.roster.keys, self._clock.wall()))

    def restore(self, rests: Iterable[Rest]) -> None:
        """Go on with the rests of an earlier process, as far as their keys are the same."""
        latest = self._clock.wall() + REST_MOST  # the clock may have been set back
        self._rests.restore(
            msgspec.structs.replace(rest, until=min(rest.until, latest)) for rest in rests
        )
        self._rests.reconcile(self._current.roster.keys, self._clock.wall(), self._seal_of)
        for rest in self._rests.all():
            if not rest.refused and rest.until > self._clock.wall():
                self._close(rest)

    def all(self) -> list[Rest]:
        """Give all rests, to be kept for the next start."""
        return self._rests.all()

    def _change(self) -> None:
        self.is_changed = True
        self.on_change()

    def _close(self, rest: Rest) -> None:
        seconds = rest.until - self._clock.wall()
        self._scheduler.close_lane(rest.lane, seconds, rest.why, rest.kind)

    def _opened(self, ended: list[Rest]) -> None:
        if ended:
            self._change()
        for rest in ended:
            if not rest.refused:
                self._scheduler.open_lane(rest.lane)

    def _seal_of(self, lane: LaneId) -> str:
        key = self._current.roster.keys.get(lane)
        return self._seal(key) if isinstance(key, Secret) else ""


def _tell_nobody() -> None:
    """Nothing is kept for another start."""
