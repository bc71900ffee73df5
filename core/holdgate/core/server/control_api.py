"""The control API: `/api/*`, for the terminal, the tray and the page."""

from __future__ import annotations

import hmac
import sqlite3
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from holdgate.core.server import events_api, offers_api, sums_api
from holdgate.core.server.context import App
from holdgate.core.server.snapshot import snapshot
from holdgate.core.server.steering_api import is_steering, steer
from holdgate.core.traffic.routing import spoken
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.inbound import Headers
from holdgate.core.values.settings import Provider

LIMIT_DEFAULT = 100
LIMIT_MOST = 1000


async def control(
    app: App, request: web.BaseRequest, headers: Mapping[str, str], extra: Headers
) -> web.StreamResponse | dict[str, Any]:
    """Give the JSON of an endpoint, or a streamed reply that bears the headers `extra`.

    Raises Fault: LOGIN, NOT_FOUND, METHOD or REQUEST.
    """
    _check_token(app, headers)
    path = request.rel_url.path.rstrip("/")
    if is_steering(path):
        _check_method(request, path, "POST")
        return await steer(app, request, path)
    if path == events_api.PATH:
        _check_method(request, path, "GET")
        return await events_api.events(app, request, extra)
    _check_method(request, path, "GET", "HEAD")
    return await _read(app, request, path)


def _check_method(request: web.BaseRequest, path: str, *allowed: str) -> None:
    if request.method not in allowed:
        raise Fault(
            FaultKind.METHOD,
            f"{path} is served for {allowed[0]}",
            headers=(("Allow", ", ".join(allowed)),),
        )


async def _read(app: App, request: web.BaseRequest, path: str) -> dict[str, Any]:
    if path.startswith("/api/requests/"):
        return await _request(app, path.removeprefix("/api/requests/"))
    match path:
        case "/api/status":
            return snapshot(app)
        case "/api/requests":
            return await _requests(app, request)
        case "/api/models":
            return await offers_api.models(app, request.rel_url.query)
        case "/api/providers":
            return {"providers": [_provider(p) for p in _settings(app).providers.values()]}
        case "/api/usage":
            return await sums_api.usage(app, request.rel_url.query)
        case "/api/keys":
            return sums_api.keys(app)
        case "/api/history":
            return app.history.as_json()
    raise Fault(
        FaultKind.NOT_FOUND,
        f"nothing is served at {path}; served are: GET /api/status, /api/events, "
        "/api/requests, /api/requests/ID, /api/models, /api/providers, /api/usage, /api/keys, "
        "/api/history; "
        "POST /api/requests/ID/cancel, /api/requests/ID/first, /api/pause, /api/resume, "
        "/api/providers/NAME/test",
    )


def _check_token(app: App, headers: Mapping[str, str]) -> None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(
        token.strip().encode(), app.token.encode()
    ):
        raise Fault(
            FaultKind.LOGIN,
            "the control API needs the token of runtime.json in the state folder, "
            "as Authorization: Bearer",
        )


async def _requests(app: App, request: web.BaseRequest) -> dict[str, Any]:
    """Live requests and past ones, the newest first."""
    limit = _limit(request.rel_url.query.get("limit", ""))
    wanted = request.rel_url.query.get("state", "")
    states = tuple(state for state in wanted.split(",") if state)
    fresh = [each for each in app.relay.live.recent() if not states or each.state in states]
    shown = {record.id: record.as_json() for record in fresh[:limit]}
    for past in await _from_ledger(app, limit, states):
        shown.setdefault(past["id"], past)
    return {"requests": list(shown.values())[:limit]}


async def _from_ledger(app: App, limit: int, states: tuple[str, ...]) -> list[dict[str, Any]]:
    try:
        return await app.relay.loop.run_in_executor(None, app.ledger.recent, limit, states)
    except sqlite3.Error:
        return []  # not written yet, or not readable; the log says so


async def _request(app: App, id: str) -> dict[str, Any]:
    for record in app.relay.live.recent():
        if record.id == id:
            return record.as_json()
    try:
        found = await app.relay.loop.run_in_executor(None, app.ledger.find, id)
    except sqlite3.Error:
        found = None
    if found is None:
        raise Fault(FaultKind.NOT_FOUND, f"no request {id[:100]} is known")
    return found


def _limit(text: str) -> int:
    if not text:
        return LIMIT_DEFAULT
    if not text.isascii() or not text.isdigit():
        raise Fault(FaultKind.REQUEST, f"limit: a whole number up to {LIMIT_MOST} is allowed")
    return min(int(text), LIMIT_MOST)


def _provider(provider: Provider) -> dict[str, Any]:
    return {
        "name": provider.name,
        "preset": provider.preset or None,
        "dialects": list(spoken(provider, provider.model(""))),
        "models": None if provider.models is None else [model.id for model in provider.models],
        "keys": [
            {
                "name": key.name,
                "on": key.on,
                **dict(zip(("concurrency", "rpm", "tpm"), provider.limits_of(key), strict=True)),
            }
            for key in provider.keys
        ],
        "window": provider.window,
    }


def _settings(app: App) -> Any:
    return app.relay.current.roster.settings
