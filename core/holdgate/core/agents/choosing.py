"""Choosing: which models an agent is to ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from holdgate.core.agents.base import Agent, Offered
from holdgate.core.values.names import DialectName
from holdgate.core.values.settings import Settings

# What the models are called that the agents of a dialect ask for by themselves.
_FAMILIES: Mapping[DialectName, str] = MappingProxyType(
    {"messages": "claude", "responses": "gpt", "gemini": "gemini"}
)


class NoSuchTier(ValueError):
    """`-m TIER=MODEL` with a tier that the agent does not have; `str()` says which it has."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The models by tier, "" being the main one, and why the main one was taken, for people."""

    models: Mapping[str, str] = field(default_factory=dict)
    why: str = ""


def named(agent: Agent, asked: Sequence[str]) -> Mapping[str, str]:
    """Give the models by tier that `-m MODEL` and `-m TIER=MODEL` name. Raises NoSuchTier."""
    models: dict[str, str] = {}
    for each in asked:
        tier, equals, model = each.partition("=")
        if not equals:
            tier, model = "", each
        elif tier not in agent.tiers:
            has = f"has {', '.join(agent.tiers)}" if agent.tiers else "has one model: say -m MODEL"
            raise NoSuchTier(f"-m {each}: {agent.name} has no tier {tier!r}; it {has}")
        if not model.strip():
            raise NoSuchTier(f"-m {each}: no model is named")
        models[tier] = model.strip()
    return models


def chosen(
    agent: Agent,
    asked: Mapping[str, str],
    routes: Sequence[str],
    models: Sequence[str],
    before: Mapping[str, str],
    *,
    own: bool = False,
) -> Choice | None:
    """Give the models for an agent; None where it needs one and none is known.

    `asked`: what the person named; `before`: what it was connected with; `routes` and `models`:
    what the gateway offers, each in the order of the configuration; `own`: whether the gateway may
    serve the models that the agent asks for by itself.
    """
    if asked.get(""):
        return Choice(asked)
    if before.get(""):
        return Choice({**before, **asked}, "as before")
    if own and not agent.needs_model:
        return Choice({**before, **asked})
    for names, only, first in (
        (routes, "the only route", "the first route"),
        (models, "the only model of the configuration", "the first model of the configuration"),
    ):
        if names:
            return Choice({"": names[0], **asked}, only if len(names) == 1 else first)
    return None if agent.needs_model else Choice({**before, **asked})


def may_serve_own(agent: Agent, settings: Settings, names: Iterable[str]) -> bool:
    """Tell whether a gateway may serve the models that an agent asks for by itself.

    So it is where a model or route is called as they are, and where a vendor of the agent's own
    dialect has a list that the configuration leaves open.
    """
    family = _FAMILIES.get(agent.dialect)
    return any(family and family in name for name in names) or any(
        each.models is None and each.base(agent.dialect) for each in settings.providers.values()
    )


def offered(settings: Settings) -> tuple[Offered, ...]:
    """Give what a configuration lets agents ask for: routes, then `provider/model`.

    A route has as many tokens as the least of its candidates whose number is known.
    """
    return (
        *(_of_route(settings, name) for name in settings.routes),
        *(
            Offered(f"{provider.name}/{model.id}", model.context, model.output)
            for provider in settings.providers.values()
            for model in provider.models or ()
        ),
    )


def is_known(settings: Settings, name: str) -> bool:
    """Tell whether the configuration serves a name, or may do so: some vendors' lists are open."""
    provider, slash, model = name.partition("/")
    if name in settings.routes:
        return True
    if slash and provider in settings.providers:
        listed = settings.providers[provider].models
        return listed is None or any(each.id == model for each in listed)
    lists = [each.models for each in settings.providers.values()]
    return any(each.id == name for models in lists if models for each in models)


def _of_route(settings: Settings, name: str) -> Offered:
    contexts, outputs = [], []
    for candidate in settings.routes[name].candidates:
        provider, _, model = candidate.partition("/")
        if provider in settings.providers:
            found = settings.providers[provider].model(model)
            contexts += [found.context] if found.context else []
            outputs += [found.output] if found.output else []
    return Offered(name, min(contexts, default=0), min(outputs, default=0))
