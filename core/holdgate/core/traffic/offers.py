"""Offers: all that agents may ask for, with how much fits in and what it costs, and who says so."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from holdgate.core.catalog.model_facts import Facts, ModelFacts
from holdgate.core.catalog.vendors import GENERIC, is_unknowable
from holdgate.core.traffic.routing import Listed, Lists, all_models, listed_sizes, spoken
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.settings import Provider, Settings

# config.toml, the vendor's own list, or models.dev.
Source = Literal["config", "list", "models.dev"]


@dataclass(frozen=True, slots=True)
class Offer:
    """A name that agents may ask for. Tokens of 0 and prices of None are not known.

    `owner` is the provider, or "route"; of a route `candidates` are who may answer, and all else
    is told of the first of them. `dialects` may be asked in, `spoken` is what the vendor speaks
    itself. Prices are US dollars for a million tokens. `sources`: who says how much fits in and
    what it costs.
    """

    name: str
    owner: str
    dialects: tuple[DialectName, ...]
    spoken: tuple[DialectName, ...]
    candidates: tuple[str, ...] = ()
    context: int = 0
    output: int = 0
    price_in: float | None = None
    price_out: float | None = None
    price_cached: float | None = None
    sources: tuple[Source, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Give the shape of the control API."""
        prices = {
            "input": self.price_in, "output": self.price_out, "cache_read": self.price_cached,
        }  # fmt: skip
        return {
            "id": self.name,
            "owner": self.owner,
            "dialects": list(self.dialects),
            "spoken": list(self.spoken),
            "candidates": list(self.candidates) if self.owner == "route" else None,
            "context": self.context or None,
            "output": self.output or None,
            "prices": prices if any(price is not None for price in prices.values()) else None,
            "sources": list(self.sources),
        }


def offers(settings: Settings, lists: Lists, facts: Facts | None) -> list[Offer]:
    """Give the offers: routes first, then `provider/model`; `facts` fill in what is not told."""
    return [_offer(settings, lists, facts, each) for each in all_models(settings, lists)]


def _offer(settings: Settings, lists: Lists, facts: Facts | None, listed: Listed) -> Offer:
    candidates = settings.routes[listed.id].candidates if listed.owner == "route" else ()
    name = candidates[0] if candidates else listed.id
    provider = settings.providers[name.partition("/")[0]]
    model = listed.model
    found = facts_of(facts, provider, model.at_vendor)
    told: Mapping[Source, tuple[int, int]] = {
        "config": (0, 0) if provider.models is None else (model.context, model.output),
        "list": listed_sizes(lists, provider.name, model.at_vendor),
        "models.dev": (found.context, found.output) if found else (0, 0),
    }
    context, output = (_first(told, 0), _first(told, 1))
    priced = found is not None and found.price_in is not None
    used = {context[1], output[1], "models.dev" if priced else None}
    return Offer(
        listed.id,
        listed.owner,
        listed.dialects,
        spoken(provider, model),
        candidates,
        context[0],
        output[0],
        found.price_in if found else None,
        found.price_out if found else None,
        found.price_cached if found else None,
        tuple(each for each in told if each in used),
    )


def facts_of(facts: Facts | None, provider: Provider, model: str) -> ModelFacts | None:
    """Give the facts of a provider's model."""
    return facts.of(provider.preset, model) if facts and may_be_known(provider) else None


def limits_of(facts: Facts, provider: Provider, model: str) -> tuple[int, int]:
    """Give the context and the longest reply that a request may be held to, 0 where none is known.

    A reply as long as all that fits in is no limit of its own, and would leave no room to ask.
    """
    found = facts_of(facts, provider, model)
    if found is None:
        return 0, 0
    return found.context, found.output if found.output < found.context else 0


def may_be_known(provider: Provider) -> bool:
    """Tell whether anything may be known of a provider's models: it is not run at home."""
    if provider.preset in GENERIC:
        return not _is_at_home(provider)
    return not is_unknowable(provider.preset)


def _first(told: Mapping[Source, tuple[int, int]], which: int) -> tuple[int, Source | None]:
    return next(
        ((sizes[which], source) for source, sizes in told.items() if sizes[which]), (0, None)
    )


def _is_at_home(provider: Provider) -> bool:
    """Tell whether a provider is on this machine or in its network: somebody's own server."""
    base = next((provider.base(each) for each in DIALECT_NAMES if provider.base(each)), "")
    host = urlsplit(base).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".lan"))
