"""Choosing: which models an agent is to ask for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from holdgate.core.agents.base import Agent, Offered
from holdgate.core.values.names import DialectName
from holdgate.core.values.settings import Route, Settings

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
    what may be taken unasked, each in the order of the configuration; `own`: whether the gateway
    may serve the models that the agent asks for by itself.
    """
    if asked.get(""):
        return Choice(asked)
    if before.get(""):
        return Choice({**before, **asked}, "as before")
    if own and not agent.needs_model:
        return Choice({**before, **asked})
    for names, only, first in (
        (routes, "the only route", "the first route"),
        (models, "the only model", "the first model of the configuration"),
    ):
        if names:
            return Choice({"": names[0], **asked}, only if len(names) == 1 else first)
    return None if agent.needs_model else Choice({**before, **asked})


def may_serve_own(
    agent: Agent, settings: Settings, names: Iterable[str], listed: Collection[str]
) -> bool:
    """Tell whether a gateway may serve the models that an agent asks for by itself.

    So it is where a model or route is called as they are, and where a vendor of the agent's own
    dialect has a list that nobody knows yet; `listed` are the providers whose list is known.
    """
    family = _FAMILIES.get(agent.dialect)
    return any(family and family in name for name in names) or any(
        each.models is None and each.name not in listed and each.base(agent.dialect)
        for each in settings.providers.values()
    )


def offered(settings: Settings, known: Iterable[Offered]) -> tuple[Offered, ...]:
    """Give what agents may ask for: routes, then the models that are `known`.

    A route has as many tokens as the least of its candidates whose number is known: any of them may
    be the one that answers.
    """
    models = {each.name: each for each in known if each.name not in settings.routes}
    return (*(_of_route(route, models) for route in settings.routes.values()), *models.values())


def by_default(settings: Settings, offers: Sequence[Offered]) -> tuple[str, ...]:
    """Give the models of which the first may be taken unasked, if no route is.

    They are those that the person wrote down. Of a vendor's own list nobody knows which is meant,
    unless there is just one.
    """
    written = tuple(
        f"{provider.name}/{model.id}"
        for provider in settings.providers.values()
        for model in provider.models or ()
    )
    models = tuple(each.name for each in offers if "/" in each.name)
    return written or (models if len(models) == 1 else ())


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


def _of_route(route: Route, models: Mapping[str, Offered]) -> Offered:
    found = [models[each] for each in route.candidates if each in models]
    contexts = [each.context for each in found if each.context]
    outputs = [each.output for each in found if each.output]
    return Offered(route.name, min(contexts, default=0), min(outputs, default=0))
