"""Routing: from the model that an agent asks for to the candidates that may answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from holdgate.core.traffic.affinity import Mode
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.inbound import Candidate, Task
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.settings import Model, Provider, Settings

# What vendors' own lists say, by provider; a provider that was not asked yet is absent.
Lists = Mapping[str, tuple[Model, ...]]
# What is known elsewhere of a provider's model: its context and longest reply in tokens, 0: not.
Sizes = Callable[[Provider, str], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate, and why it stands where it stands."""

    candidate: Candidate
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The candidates of a request in order; `name` is the route, or the model asked for."""

    name: str
    choices: tuple[Choice, ...]
    order: str = "given"
    affinity: Mode = "auto"
    candidates: tuple[Candidate, ...] = field(init=False)
    summary: str = field(init=False)  # the choices in words, for the time line

    def __post_init__(self) -> None:
        """Derive once what every request of this plan needs."""
        words = (f"{c.candidate.provider}/{c.candidate.model} ({c.why})" for c in self.choices)
        object.__setattr__(self, "candidates", tuple(c.candidate for c in self.choices))
        object.__setattr__(self, "summary", "; ".join(words))


def plan(
    settings: Settings,
    lists: Lists,
    model: str,
    dialect: DialectName,
    task: Task,
    sizes: Sizes = lambda provider, model: (0, 0),
) -> Plan:
    """Give the plan for `model`; `sizes` are taken where neither settings nor lists have any.

    A count of tokens that nobody can be asked for in the agent's dialect has no candidates: it is
    estimated. Raises Fault(MODEL) if nobody has that model, Fault(REQUEST) if its name is ambiguous
    or its providers speak no dialect that serves the request.
    """
    route = settings.routes.get(model)
    named = route.candidates if route else (_locate(settings, lists, model),)
    choices = [
        choice
        for place, name in enumerate(named, 1)
        for choice in _choices(
            settings,
            (lists, sizes),
            name,
            dialect,
            task,
            f"{model}, place {place}" if route else None,
        )
    ]
    if not choices and not (task == "count_tokens" and _any_speaks(settings, named)):
        raise _no_choice(settings, named, dialect, task)
    if route is None:
        return Plan(model, tuple(choices))
    return Plan(route.name, tuple(choices), route.order, route.affinity)


def _locate(settings: Settings, lists: Lists, model: str) -> str:
    """Give `provider/model` for a name that is no route. Raises Fault."""
    provider, slash, rest = model.partition("/")
    if slash and provider in settings.providers:
        if not rest:
            raise Fault(FaultKind.MODEL, f"{model}: names a provider but no model of it")
        return model
    holders = [p.name for p in settings.providers.values() if _lists(p, lists, model)]
    if len(holders) > 1:
        ways = " or ".join(f"{name}/{model}" for name in holders)
        raise Fault(
            FaultKind.REQUEST, f"{model}: {len(holders)} providers have that model: ask for {ways}"
        )
    if holders:
        return f"{holders[0]}/{model}"
    if alone := _only_provider(settings, lists):
        return f"{alone}/{model}"
    raise unknown_model(settings, lists, model)


def _lists(provider: Provider, lists: Lists, model: str) -> bool:
    known = lists.get(provider.name, ()) if provider.models is None else provider.models
    return any(entry.id == model for entry in known)


def _only_provider(settings: Settings, lists: Lists) -> str | None:
    """Give the one provider there is, if nothing is known of what it has."""
    names = list(settings.providers)
    if len(names) != 1 or settings.providers[names[0]].models is not None or lists.get(names[0]):
        return None
    return names[0]


def unknown_model(settings: Settings, lists: Lists, model: str) -> Fault:
    """Give the fault for a model that nobody has, with the nearest names."""
    if not settings.providers:
        return Fault(
            FaultKind.MODEL,
            f"{model}: no provider is configured; add one: gateway provider add NAME; "
            "or try it with gateway serve --demo",
        )
    names: dict[str, str] = {}
    for entry in all_models(settings, lists):
        names |= {entry.id: entry.id, entry.model.id: entry.id}
    near = list(dict.fromkeys(names[name] for name in get_close_matches(model, names, 3, 0.5)))
    hint = (
        f"; did you mean {' or '.join(near)}?" if near else "; GET /v1/models lists what there is"
    )
    return Fault(FaultKind.MODEL, f"{model}: no provider has that model{hint}")


def _choices(
    settings: Settings,
    known: tuple[Lists, Sizes],
    name: str,
    dialect: DialectName,
    task: Task,
    route: str | None,
) -> list[Choice]:
    """Give the choices that `provider/model` stands for: one for each key that is on."""
    provider_name, _, model_name = name.partition("/")
    provider = settings.providers[provider_name]
    model = provider.model(model_name)
    tongue = tongue_of(provider, model, dialect, task)
    if tongue is None:
        return []
    keys = [key for key in provider.keys if key.on]
    context, output = _sizes(known, provider, model)
    return [
        Choice(
            Candidate(provider.name, key.name, model.id, model.at_vendor, tongue, context, output),
            ("asked by name" if route is None else f"route {route}")
            + (f", key {key.name}" if len(keys) > 1 else ""),
        )
        for key in keys
    ]


def _sizes(known: tuple[Lists, Sizes], provider: Provider, model: Model) -> tuple[int, int]:
    """Give context and longest reply: by the settings, else the vendor's list, else elsewhere."""
    lists, elsewhere = known
    listed = listed_sizes(lists, provider.name, model.at_vendor)
    context, output = model.context or listed[0], model.output or listed[1]
    if context and output:
        return context, output
    found = elsewhere(provider, model.at_vendor)
    return context or found[0], output or found[1]


def listed_sizes(lists: Lists, provider: str, vendor_id: str) -> tuple[int, int]:
    """Give the context and the longest reply that a vendor's own list tells, 0 if it tells none."""
    for model in lists.get(provider, ()):
        if model.at_vendor == vendor_id:
            return model.context, model.output
    return 0, 0


def speaks(provider: Provider, model: Model, dialect: DialectName, task: Task) -> bool:
    """Tell whether a provider serves a task for a model in a dialect."""
    if not provider.base(dialect):
        return False
    if task == "embeddings":
        return True
    return not model.dialects or dialect in model.dialects


def tongue_of(
    provider: Provider, model: Model, dialect: DialectName, task: Task
) -> DialectName | None:
    """Give the dialect in which a provider is asked, None if there is none for this task.

    The agent's own wherever it is spoken, for then nothing is translated. Else the one in which
    least is lost: Messages for Claude, Responses for OpenAI's own models, Gemini for Gemini.
    """
    if speaks(provider, model, dialect, task):
        return dialect
    if task != "generate":
        return None
    known = spoken(provider, model)
    name = model.at_vendor.lower()
    native: tuple[tuple[bool, DialectName], ...] = (
        ("claude" in name, "messages"),
        (provider.preset == "openai", "responses"),
        ("gemini" in name, "gemini"),
        (True, "chat"),
    )
    return next((d for fits, d in native if fits and d in known), known[0] if known else None)


def _any_speaks(settings: Settings, named: tuple[str, ...]) -> bool:
    for name in named:
        provider = settings.providers[name.partition("/")[0]]
        if any(key.on for key in provider.keys) and spoken(
            provider, provider.model(name.partition("/")[2])
        ):
            return True
    return False


def askable(provider: Provider, model: Model) -> tuple[DialectName, ...]:
    """Give the dialects in which agents may ask for a model: all, where it speaks any."""
    return DIALECT_NAMES if spoken(provider, model) else ()


def spoken(provider: Provider, model: Model) -> tuple[DialectName, ...]:
    """Give the dialects in which a provider serves a model."""
    return tuple(d for d in DIALECT_NAMES if speaks(provider, model, d, "generate"))


def _no_choice(
    settings: Settings, named: tuple[str, ...], dialect: DialectName, task: Task
) -> Fault:
    parts = []
    for name in named:
        provider = settings.providers[name.partition("/")[0]]
        model = provider.model(name.partition("/")[2])
        if not any(key.on for key in provider.keys):
            parts.append(f"{name}: each key of {provider.name} is switched off")
        else:
            parts.append(f"{name}: speaks {' and '.join(spoken(provider, model)) or 'nothing'}")
    return Fault(
        FaultKind.REQUEST, f"{'; '.join(parts)}; this request is {task} in the dialect {dialect}"
    )


@dataclass(frozen=True, slots=True)
class Listed:
    """A model as agents may ask for it; `owner` is the provider, or "route"."""

    id: str
    owner: str
    dialects: tuple[DialectName, ...]
    model: Model


def all_models(settings: Settings, lists: Lists) -> list[Listed]:
    """Give all that agents may ask for: routes first, then `provider/model`."""
    listed = [_listed_route(settings, name) for name in settings.routes]
    for provider in settings.providers.values():
        known = lists.get(provider.name, ()) if provider.models is None else provider.models
        listed += [
            Listed(f"{provider.name}/{model.id}", provider.name, askable(provider, model), model)
            for model in known
        ]
    return listed


def _listed_route(settings: Settings, name: str) -> Listed:
    first_provider, _, first_model = settings.routes[name].candidates[0].partition("/")
    provider = settings.providers[first_provider]
    model = provider.model(first_model)
    return Listed(name, "route", askable(provider, model), model)


def describe_names(settings: Settings) -> list[tuple[str, str]]:
    """Say how each name resolves: pairs of a name and a text for `gateway config check`."""
    told = [
        (name, "route: " + ", then ".join(route.candidates) + f" (order {route.order})")
        for name, route in settings.routes.items()
    ]
    for provider in settings.providers.values():
        if provider.models is None:
            which = "that the vendor lists" if provider.listing() else "(the vendor has no list)"
            told.append((f"{provider.name}/…", f"any model {which}"))
        for model in provider.models or ():
            at_vendor = f" as {model.vendor_id}" if model.vendor_id else ""
            dialects = ", ".join(spoken(provider, model))
            told.append((f"{provider.name}/{model.id}", f"{provider.name}{at_vendor}: {dialects}"))
    return told
