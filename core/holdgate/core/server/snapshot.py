"""The snapshot: what the terminal, the tray and the page show. Built only while someone looks."""

from __future__ import annotations

from collections.abc import Mapping
from math import isinf
from typing import Any

from holdgate.core.relay.live import LiveRequest
from holdgate.core.server.context import App
from holdgate.core.traffic.lane import Lane
from holdgate.core.traffic.places import Place

LISTED_MOST = 500


def snapshot(app: App) -> dict[str, Any]:
    """Give the snapshot in the shape of the contract, section 5. Times are Unix seconds."""
    relay = app.relay
    counts = relay.live.counts()
    places = relay.scheduler.places()
    return {
        "version": app.version,
        "uptime": round(relay.clock.wall() - app.started, 1),
        "address": app.doors.address,
        "paused": _pause(app, relay.scheduler.paused_until(None)),
        "counts": {
            "waiting": counts["waiting"] + counts["trying"],
            "held": counts["held"],
            "passing": counts["passing"],
        },
        "lanes": [_lane(app, lane) for lane in relay.scheduler.lanes()],
        "requests": [_request(app, each, places) for each in list(relay.live)[:LISTED_MOST]],
        "last_error": relay.live.last_error,
    }


def _pause(app: App, until: float) -> dict[str, Any] | None:
    if until <= app.relay.clock.monotonic():
        return None
    return {"until": _wall(app, until), "why": "paused by the person"}


def _lane(app: App, lane: Lane) -> dict[str, Any]:
    now = app.relay.clock.monotonic()
    limits = lane.limits
    next_at = lane.window.request_at(limits.rpm, limits.span, now)
    return {
        "provider": lane.id[0],
        "key": lane.id[1],
        "running": len(lane.running),
        "concurrency": lane.concurrency(now),
        "waiting": len(lane.line),
        "minute": {
            "used": lane.window.used(now - limits.span),
            "limit": limits.rpm,
            "next_at": None if next_at is None or next_at <= now else _wall(app, next_at),
        },
        "rest": _rest(app, lane, now),
        "paused": lane.paused_until > now,
    }


def _rest(app: App, lane: Lane, now: float) -> dict[str, Any] | None:
    """Give why a lane rests: a fault of its key, or what its vendor said of its window."""
    if (rest := app.relay.resting.of(lane.id)) is not None:
        return rest.as_json()
    if lane.closed_until <= now:
        return None
    return {"until": _wall(app, lane.closed_until), "why": lane.closed_why}


def _wall(app: App, moment: float) -> float | None:
    """Give a moment in Unix seconds; None for one that nothing but a person brings."""
    return None if isinf(moment) else round(app.relay.clock.wall_of(moment), 3)


def _request(app: App, live: LiveRequest, places: Mapping[str, Place]) -> dict[str, Any]:
    record = live.record
    place = places.get(record.id)
    eta = None if place is None or place.eta is None else _wall(app, place.eta)
    return {
        "id": record.id,
        "agent": record.caller.agent,
        "model": record.model,
        "dialect": record.dialect,
        "state": record.state,
        "since": record.since,
        "candidate": record.candidate,
        "reason": record.reason,
        "position": place.position if place else None,
        "eta": eta,
        "kept_alive": record.kept_alive,
    }
