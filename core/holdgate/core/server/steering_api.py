"""Steering: what a person does to the queue: cancel, first, pause, resume; and tests of keys."""

from __future__ import annotations

import asyncio
import math
from typing import Any

from aiohttp import web

from holdgate.core.relay.live import LiveRequest
from holdgate.core.server import probing_api
from holdgate.core.server.bodies import read_options
from holdgate.core.server.context import App
from holdgate.core.server.snapshot import snapshot
from holdgate.core.values.errors import Fault, FaultKind

LONGEST_PAUSE = 366 * 86400.0
# A request between two of its waits hears no word; so it is told again in the loop's next turns.
_CANCEL_TURNS = 5


def is_steering(path: str) -> bool:
    """Tell whether a path (without a slash at its end) changes something, so that it is posted."""
    match path.split("/"):
        case ["", "api", "pause" | "resume"]:
            return True
        case ["", "api", "requests", _, "cancel" | "first"]:
            return True
        case ["", "api", "providers", _, "test"]:
            return True
    return False


async def steer(app: App, request: web.BaseRequest, path: str) -> dict[str, Any]:
    """Do what `path` says and give the JSON that tells of it.

    Raises Fault: NOT_FOUND for an unknown request or provider, REQUEST for what cannot be done.
    """
    if path == "/api/pause":
        return _pause(app, await read_options(request, ("provider", "for")))
    if path == "/api/resume":
        return _resume(app, await read_options(request, ("provider",)))
    _, _, _, id, what = path.split("/")
    if what == "test":
        return await probing_api.probe(app, request, _known(app, id))
    live = app.relay.live.get(id)
    if live is None:
        raise Fault(
            FaultKind.NOT_FOUND,
            f"no request {id[:100]} is live; gateway queue lists those that are",
        )
    return await _cancel(app, live) if what == "cancel" else _first(app, live)


async def _cancel(app: App, live: LiveRequest) -> dict[str, Any]:
    id = live.record.id
    for _ in range(_CANCEL_TURNS):
        live.stop(Fault(FaultKind.CANCELLED, "cancelled by the person"))
        await asyncio.sleep(0)
        if app.relay.live.get(id) is None:
            return {"id": id, "state": live.record.state}
    raise Fault(
        FaultKind.REQUEST, f"{id} still asks which models there are; cancel it again in a moment"
    )


def _first(app: App, live: LiveRequest) -> dict[str, Any]:
    id, ticket = live.record.id, live.ticket
    if ticket is None or ticket.state != "waiting":
        raise Fault(
            FaultKind.REQUEST, f"{id} stands in no line, it is {live.record.state}; nothing to move"
        )
    app.relay.scheduler.first(ticket)
    place = app.relay.scheduler.places().get(id)
    return {"id": id, "position": place.position if place else None}


def _pause(app: App, body: dict[str, Any]) -> dict[str, Any]:
    provider, seconds = _provider(app, body), _seconds(body)
    app.relay.scheduler.pause(provider, seconds)
    return _pauses(app)


def _resume(app: App, body: dict[str, Any]) -> dict[str, Any]:
    app.relay.scheduler.resume(_provider(app, body))
    return _pauses(app)


def _pauses(app: App) -> dict[str, Any]:
    found = snapshot(app)
    lanes = [
        {name: lane[name] for name in ("provider", "key", "paused")} for lane in found["lanes"]
    ]
    return {"paused": found["paused"], "lanes": lanes}


def _provider(app: App, body: dict[str, Any]) -> str | None:
    name = body.get("provider")
    if name is None:
        return None
    if not isinstance(name, str):
        raise Fault(FaultKind.REQUEST, "provider: a name, or null for all, is allowed")
    return _known(app, name)


def _known(app: App, name: str) -> str:
    """Give the name of a provider back. Raises Fault(NOT_FOUND) if there is no such one."""
    if name not in app.relay.current.roster.settings.providers:
        raise Fault(
            FaultKind.NOT_FOUND,
            f"{name[:100]}: no such provider; gateway provider list shows them",
        )
    return name


def _seconds(body: dict[str, Any]) -> float | None:
    """Give how long a pause lasts; None, also for 0 (no limit, as everywhere): until resumed."""
    seconds = body.get("for")
    if seconds is None:
        return None
    good = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not good or not math.isfinite(seconds) or not 0 <= seconds <= LONGEST_PAUSE:
        raise Fault(
            FaultKind.REQUEST,
            "for: seconds from 0 to a year are allowed; null and 0 pause until resumed",
        )
    return float(seconds) or None
