"""Choosing: which models an agent is to ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from holdgate.core.agents.base import Agent, Offered
from holdgate.core.values.settings import Settings


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
) -> Choice | None:
    """Give the models for an agent; None where it needs one and none is known.

    `asked`: what the person named; `before`: what it was connected with; `routes` and `models`:
    what the gateway offers, each in the order of the configuration.
    """
    if asked.get("") or (not agent.needs_model and not before):
        return Choice(asked)
    if before.get(""):
        return Choice({**before, **asked}, "as before")
    if not agent.needs_model:
        return Choice({**before, **asked})
    for names, only, first in (
        (routes, "the only route", "the first route"),
        (models, "the only model of the configuration", "the first model of the configuration"),
    ):
        if names:
            return Choice({"": names[0], **asked}, only if len(names) == 1 else first)
    return None


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
