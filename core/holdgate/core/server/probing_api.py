"""Probing: a person has a provider tested, and keys that are found well do not rest any more."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from holdgate.core.relay.probe import Prober, well_keys
from holdgate.core.relay.roster import Roster
from holdgate.core.server.bodies import read_options
from holdgate.core.server.context import App
from holdgate.core.traffic.ticket import LaneId
from holdgate.core.values.errors import Fault, FaultKind


async def probe(app: App, request: web.BaseRequest, name: str) -> dict[str, Any]:
    """Test a provider that is known and give what came of it. Raises Fault if it cannot be."""
    model = _model(await read_options(request, ("model",)))
    relay, roster = app.relay, app.relay.current.roster
    # Else the list would be asked for again, with a key that may be refused.
    known = app.lists.known.get(name, ())
    prober = Prober(roster, relay.upstream, relay.clock, relay.scheduler)
    tests = [each async for each in prober.probe(name, model, known)]
    lifted = [key for key in well_keys(tests) if _lift(app, (name, key), roster)]
    return {
        "provider": name,
        "passed": all(each.passed for each in tests),
        "tests": [each.as_json() for each in tests],
        "lifted": lifted,
    }


def _lift(app: App, lane: LaneId, tested: Roster) -> bool:
    """End a key's rests, unless it was changed meanwhile: then another one was tested."""
    same = app.relay.current.roster.keys.get(lane) == tested.keys.get(lane)
    return same and app.relay.resting.lift(lane)


def _model(options: dict[str, Any]) -> str | None:
    model = options.get("model")
    if model is None or (isinstance(model, str) and model):
        return model
    raise Fault(FaultKind.REQUEST, "model: a name, or null for the provider's first, is allowed")
