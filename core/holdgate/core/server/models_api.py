"""The list of models, as OpenAI, Anthropic and Gemini clients read it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from holdgate.core.server.context import App
from holdgate.core.server.offers_api import current_offers
from holdgate.core.server.paths import Endpoint
from holdgate.core.traffic.offers import Offer
from holdgate.core.traffic.routing import unknown_model
from holdgate.core.values.errors import Fault

_METHODS = ("generateContent", "streamGenerateContent", "countTokens")


async def models(app: App, endpoint: Endpoint) -> dict[str, Any]:
    """Give the list, or the one entry that `endpoint` names. Raises Fault(MODEL)."""
    await app.lists.complete()
    listed = await current_offers(app)
    show = _gemini_entry if endpoint.dialect == "gemini" else _entry
    if endpoint.kind == "models":
        entries = [show(each, app.started) for each in listed]
        if endpoint.dialect == "gemini":
            return {"models": entries}
        # google-genai asks here too unless it is told otherwise, and looks for "models".
        return _openai_list(entries) | {"models": [_gemini_entry(e, app.started) for e in listed]}
    for each in listed:
        if each.name == endpoint.model:
            return show(each, app.started)
    raise _unknown(app, endpoint.model or "")


def _unknown(app: App, model: str) -> Fault:
    return unknown_model(app.relay.current.roster.settings, app.lists.known, model)


def _openai_list(entries: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "object": "list",
        "data": entries,
        "has_more": False,
        "first_id": entries[0]["id"] if entries else None,
        "last_id": entries[-1]["id"] if entries else None,
    }


def _entry(offer: Offer, started: float) -> dict[str, Any]:
    """One entry for OpenAI (object, created, owned_by) and Anthropic clients (type, ...).

    Sizes: OpenAI's list has none, many clients read OpenRouter's `context_length`; Anthropic's has
    `max_input_tokens` and `max_tokens`, which Claude Code and Anthropic's SDKs read.
    """
    entry: dict[str, Any] = {
        "id": offer.name,
        "object": "model",
        "created": int(started),
        "owned_by": offer.owner,
        "type": "model",
        "display_name": offer.name,
        "created_at": datetime.fromtimestamp(int(started), UTC).isoformat().replace("+00:00", "Z"),
    }
    if offer.context:
        entry |= {"context_length": offer.context, "max_input_tokens": offer.context}
    if offer.output:
        entry["max_tokens"] = offer.output
    return entry


def _gemini_entry(offer: Offer, started: float) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": f"models/{offer.name}",
        "baseModelId": offer.name,
        "version": "1",
        "displayName": offer.name,
        "supportedGenerationMethods": list(_METHODS),
    }
    if offer.context:
        entry["inputTokenLimit"] = offer.context
    if offer.output:
        entry["outputTokenLimit"] = offer.output
    return entry
