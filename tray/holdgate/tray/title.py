"""The title: one line that says who waits for what and how long still."""

from __future__ import annotations

from collections import Counter

from holdgate.tray.view import Lane, Request, View
from holdgate.tray.wording import TimeOfDay, about, cut

# Windows keeps 128 characters, the last one for its own use.
MOST = 127
GONE = "Holdgate: no gateway answers"
IDLE = "Holdgate: nothing to do"


def title_of(view: View | None, now: float, time_of_day: TimeOfDay) -> str:
    """Give the tooltip at `now` (Unix seconds)."""
    return cut(_line(view, time_of_day, now), MOST)


def heading_of(view: View | None, time_of_day: TimeOfDay) -> str:
    """Give the same for the menu: without seconds, since a menu that changes closes."""
    return cut(_line(view, time_of_day, None), MOST)


def _line(view: View | None, time_of_day: TimeOfDay, now: float | None) -> str:
    if view is None:
        return GONE
    parts = [_paused(view, time_of_day), _waiting(view, now), _held(view), _running(view)]
    return ", ".join(part for part in parts if part) or _idle(view)


def _idle(view: View) -> str:
    if view.all_rest:
        return "Holdgate: all providers rest"
    return IDLE


def _paused(view: View, time_of_day: TimeOfDay) -> str:
    if view.paused is None:
        return ""
    until = view.paused.until
    return "paused" if until is None else f"paused until {time_of_day(until)}"


def _held(view: View) -> str:
    return f"{view.counts.held} held" if view.counts.held else ""


def _running(view: View) -> str:
    return f"{view.running} running" if view.running else ""


def _waiting(view: View, now: float | None) -> str:
    if not view.waiting:
        return ""
    line = [request for request in view.in_line if request.state == "waiting"]
    where = _where(line)
    if where is None:
        return f"{view.waiting} waiting"
    why = why_of(view, where)
    soon = "" if now is None or view.paused else _soon(line, now)
    brackets = ", ".join(part for part in (why, soon) if part)
    return f"{view.waiting} waiting for {where}" + (f" ({brackets})" if brackets else "")


def _where(line: list[Request]) -> str | None:
    """Give the provider that most of them wait for."""
    named = Counter(
        request.reason.removeprefix("waits for ")
        for request in line
        if request.reason.startswith("waits for ")
    )
    return named.most_common(1)[0][0] if named else None


def why_of(view: View, where: str) -> str:
    """Say what keeps those waiting that may go to `where`: one provider, or several with "or"."""
    names = where.split(" or ")
    lanes = [lane for lane in view.lanes if lane.provider in names]
    reasons = {reason for lane in lanes if (reason := _reason(lane))}
    return " or ".join(sorted(reasons))


def _reason(lane: Lane) -> str:
    if lane.paused:
        return "paused"
    if lane.rest:
        return f"rests: {lane.rest.shortly}"
    if lane.minute.next_at is not None:
        return "minute full"
    if lane.concurrency and lane.running >= lane.concurrency:
        return f"{lane.concurrency} at once"
    return ""


def _soon(line: list[Request], now: float) -> str:
    """Say when the first of them may go."""
    etas = [request.eta for request in line if request.eta is not None]
    return f"about {about(min(etas) - now)}" if etas else ""
