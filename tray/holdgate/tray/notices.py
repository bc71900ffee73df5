"""Notices: what a person is told unasked, seldom, and each thing once.

Theory. A notice is due while its cause lasts and it was not told for that cause yet. Between any
two of them lies a gap, whatever the causes, so a bad morning is no hail; what the gap held back is
told after it if it is still so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from holdgate.tray.view import Lane, View
from holdgate.tray.wording import about, counted, cut

TITLE_MOST = 63
TEXT_MOST = 255
# A wait of so many seconds is told.
LONG = 60.0
# Between two notices.
GAP = 60.0
# The same cause that went and came again is not told anew before.
AGAIN = 600.0


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice; `cause` is what it is told once for."""

    cause: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Told:
    """What was told and is so still, when causes were told, and when the last notice was."""

    lasting: frozenset[str] = frozenset()
    at: dict[str, float] = field(default_factory=dict)
    last: float = float("-inf")


def next_notice(view: View | None, told: Told, now: float) -> tuple[Notice | None, Told]:
    """Give the notice that is due at `now` (Unix seconds), if any, and what is told then."""
    due = list(_due(view, now)) if view else []
    causes = frozenset(notice.cause for notice in due)
    # What is over may be told again, but not soon.
    told = replace(
        told,
        lasting=told.lasting & causes,
        at={cause: at for cause, at in told.at.items() if now - at < AGAIN},
    )
    if now - told.last < GAP:
        return None, told
    for notice in due:
        if notice.cause not in told.lasting and notice.cause not in told.at:
            lasting = told.lasting | {notice.cause}
            return notice, Told(lasting, {**told.at, notice.cause: now}, now)
    return None, told


def _due(view: View, now: float) -> Iterator[Notice]:
    """Give what is worth telling, the gravest first."""
    for lane in view.lanes:
        if lane.rest is not None and lane.rest.refused:
            yield _refused(lane)
    if view.all_rest:
        yield _all_rest(view, now)
    late = [each for each in view.in_line if now - each.since > LONG]
    if late and view.paused is None:
        text = f"{counted(len(late), 'request waits', 'requests wait')} for over a minute"
        first = f"{late[0].agent}: {late[0].reason or late[0].state}"
        yield _notice("long wait", "The queue is slow", f"{text}. {first}")


def _refused(lane: Lane) -> Notice:
    assert lane.rest is not None
    name = f"{lane.provider}, key {lane.key}"
    return _notice(f"refused {name}", f"{name}: {lane.rest.shortly}", lane.rest.why)


def _all_rest(view: View, now: float) -> Notice:
    ends = [lane.rest.until for lane in view.lanes if lane.rest and lane.rest.until is not None]
    soon = f" The first may answer in about {about(min(ends) - now)}." if ends else ""
    return _notice("all rest", "All providers rest", f"No provider can be asked now.{soon}")


def _notice(cause: str, title: str, text: str) -> Notice:
    return Notice(cause, cut(title, TITLE_MOST), cut(text, TEXT_MOST))
