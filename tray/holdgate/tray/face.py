"""The face: which icon stands for a view."""

from __future__ import annotations

from holdgate.icons.look import Look, State
from holdgate.tray.view import View


def look_of(view: View | None) -> Look:
    """Give the icon: first what stops everything, then who waits, then what only one key ails."""
    if view is None:
        return Look(State.GONE)
    if view.paused is not None:
        return Look(State.PAUSED)
    if view.all_rest:
        return Look(State.ERROR)
    if view.waiting:
        return Look(State.WAITING, view.waiting)
    if view.counts.held:
        return Look(State.HELD)
    if any(lane.rest and lane.rest.refused for lane in view.lanes):
        return Look(State.ERROR)
    return Look(State.WORKING if view.running else State.IDLE)
