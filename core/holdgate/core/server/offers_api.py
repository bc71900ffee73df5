"""The names that agents may ask for, as the control API tells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdgate.core.catalog.model_facts import Facts
from holdgate.core.server.context import App
from holdgate.core.traffic.offers import Offer, offers
from holdgate.core.values.errors import Fault, FaultKind

_ASKS = ("", "missing", "all")


async def models(app: App, query: Mapping[str, str]) -> dict[str, Any]:
    """Give all names, and of which providers no list could be had.

    `ask=missing` asks those vendors first whose list was never had, `ask=all` all of them, or the
    `provider` that is named; without it nobody is asked. Raises Fault(REQUEST).
    """
    ask = query.get("ask", "")
    if ask not in _ASKS:
        raise Fault(FaultKind.REQUEST, 'ask: "missing" or "all" is allowed')
    if ask == "missing":
        await app.lists.complete()
    elif ask == "all":
        await app.lists.renew(query.get("provider", ""))
    found = await current_offers(app)
    return {
        "models": [each.as_json() for each in found],
        "failed": [
            {"provider": name, "why": fault.message} for name, fault in app.lists.failed.items()
        ],
        "models_dev": (await _facts(app)).date,
    }


async def current_offers(app: App) -> list[Offer]:
    """Give what agents may ask for by now."""
    facts = await _facts(app)
    return offers(app.relay.current.roster.settings, app.lists.known, facts)


async def _facts(app: App) -> Facts:
    return await app.relay.loop.run_in_executor(None, app.facts.facts)
