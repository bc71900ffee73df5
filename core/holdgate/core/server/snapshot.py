"""The snapshot: what the terminal, the tray and the page show. Built only while someone looks."""

from __future__ import annotations

from typing import Any

from holdgate.core.relay.live import LiveRequest
from holdgate.core.server.context import App
from holdgate.core.traffic.gate import LaneView

LISTED_MOST = 500


def snapshot(app: App) -> dict[str, Any]:
    """Give the snapshot in the shape of the contract, section 5. Times are Unix seconds."""
    relay = app.relay
    counts = relay.live.counts()
    return {
        "version": app.version,
        "uptime": round(relay.clock.wall() - app.started, 1),
        "address": app.doors.address,
        "paused": None,
        "counts": {
            "waiting": counts["waiting"] + counts["trying"],
            "held": counts["held"],
            "passing": counts["passing"],
        },
        "lanes": [_lane(app, view) for view in relay.scheduler.views()],
        "requests": [_request(app, each) for each in list(relay.live)[:LISTED_MOST]],
        "last_error": relay.live.last_error,
    }


def _lane(app: App, view: LaneView) -> dict[str, Any]:
    next_at = None if view.next_at is None else round(app.relay.clock.wall_of(view.next_at), 3)
    return {
        "provider": view.id[0],
        "key": view.id[1],
        "running": view.running,
        "concurrency": view.limits.concurrency,
        "waiting": view.waiting,
        "minute": {"used": view.used, "limit": view.limits.rpm, "next_at": next_at},
        "rest": None,
        "paused": False,
    }


def _request(app: App, live: LiveRequest) -> dict[str, Any]:
    record = live.record
    return {
        "id": record.id,
        "agent": record.caller.agent,
        "model": record.model,
        "dialect": record.dialect,
        "state": record.state,
        "since": record.since,
        "candidate": record.candidate,
        "reason": record.reason,
        "position": app.relay.scheduler.position(live.ticket) if live.ticket else None,
        "eta": None,
        "kept_alive": record.kept_alive,
    }
