"""Repeats: requests that ended badly a moment ago and are asked again, slowed to spare the vendor.

Theory. Agents retry a failure at once, several times over (clients, 1.7: thirty requests in 25 s).
A key that rests holds them back already; but not every fault rests a key, and an agent that hangs
up and asks again never hears one. So a body that ended badly is asked again later and later, by
when it *was asked last*: hanging up in the pause neither shortens nor lengthens it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import msgspec

from holdgate.core.values.inbound import Candidate

# A request is a repeat for so many seconds after the earlier one ended.
REPEATED_WITHIN = 30.0
# Seconds after the n-th bad end in a row; the first retry after a hang-up is a person's own.
AFTER_FAULTS = (1.0, 2.0, 4.0, 8.0, 16.0)
AFTER_HANGUPS = (0.0, 0.0, 2.0, 4.0, 8.0, 16.0)
_MOST = 4096
_BODIES_MOST = 16  # of one conversation

Talk = tuple[str, str]  # caller, conversation


class _Ended(msgspec.Struct):
    """A request that ended badly: when last, how often in a row, from when it may be asked, and by
    whose fault.
    """

    at: float
    count: int
    next_at: float
    by: Candidate | None = None


class Repeats:
    """What ended badly, by caller, conversation and body. Moments are monotonic seconds."""

    def __init__(self) -> None:
        """Start with none."""
        self._ended: OrderedDict[Talk, dict[str, _Ended]] = OrderedDict()

    def failed(
        self,
        talk: Talk,
        body: str,
        now: float,
        *,
        began: float,
        asked: bool,
        hung_up: bool = False,
        by: Candidate | None = None,
    ) -> None:
        """Note a bad end of a request that `began` then; `asked`: a vendor was; `by`: whose fault.

        Of requests that ran side by side one counts: the others were no answer to its end.
        """
        bodies = self._ended.setdefault(talk, {})
        self._ended.move_to_end(talk)
        known = bodies.get(body)
        if known is None or now - known.at > REPEATED_WITHIN:
            known = bodies[body] = _Ended(began, 0, now)
            if len(bodies) > _BODIES_MOST:
                del bodies[next(iter(bodies))]
        is_retry = began >= known.at
        known.at, known.by = now, by
        if asked and is_retry:
            pauses = AFTER_HANGUPS if hung_up else AFTER_FAULTS
            known.next_at = now + pauses[min(known.count, len(pauses) - 1)]
            known.count += 1
        if len(self._ended) > _MOST:
            self._ended.popitem(last=False)

    def answered(self, talk: Talk) -> None:
        """Note a good end: its conversation goes on."""
        if self._ended:
            self._ended.pop(talk, None)

    def pause(self, talk: Talk, body_of: Callable[[], str], now: float) -> float:
        """Give the seconds for which a request has to wait before anybody is asked; mostly 0."""
        known = self._known(talk, body_of, now)
        return 0.0 if known is None else max(0.0, known.next_at - now)

    def culprit(self, talk: Talk, body_of: Callable[[], str], now: float) -> Candidate | None:
        """Give the candidate by whose fault a request ended a moment ago, to be asked last now."""
        known = self._known(talk, body_of, now)
        return None if known is None else known.by

    def _known(self, talk: Talk, body_of: Callable[[], str], now: float) -> _Ended | None:
        bodies = self._ended.get(talk)
        known = bodies.get(body_of()) if bodies else None
        return None if known is None or now - known.at > REPEATED_WITHIN else known
