"""Pointing: from what a person typed to what an agent is to be told."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import click

from holdgate.cli.completing import agent_names, model_names
from holdgate.cli.gateways import (
    Gateway,
    gateway_of,
    gateway_options,
    served_models,
    why_unreachable,
)
from holdgate.cli.options import (
    WRONG_CONFIGURATION,
    config_option,
    fail,
    places_of,
    settings_of,
    tell,
)

if TYPE_CHECKING:
    from holdgate.core.agents.base import Agent, Machine, Offered, Wish
    from holdgate.core.agents.wiring import Wiring
    from holdgate.core.config.places import Places
    from holdgate.core.values.settings import Settings


class Given(TypedDict):
    """What `pointing_options` pass to a command."""

    config_file: Path | None
    asked: tuple[str, ...]
    url: str | None
    key_env: str | None
    key_stdin: bool


@dataclass(frozen=True, slots=True)
class Pointed:
    """An agent and what it is told; `why` it got its main model, where the person named none."""

    agent: Agent
    wish: Wish
    machine: Machine
    gateway: Gateway
    wiring: Wiring
    why: str

    @property
    def model_line(self) -> str:
        """The line that tells which model was taken; "" where the person chose."""
        return f"model: {self.wish.model} ({self.why}; -m takes another)" if self.why else ""

    def variables(self) -> Mapping[str, str]:
        """Give what the agent is told by variables, past the proxies of this environment."""
        told = self.agent.variables(self.wish, self.machine)
        return {**told, **self._past_proxies()} if told else told

    @property
    def proxy_line(self) -> str:
        """The line that tells that a proxy of this environment is in the way; "" where none is."""
        from holdgate.core.agents.proxies import named_proxies

        if not (past := self._past_proxies()):
            return ""
        told = " ".join(f"{name}={text}" for name, text in past.items())
        names = ", ".join(named_proxies(self.machine))
        what = f"with {told}" if self.agent.heeds_no_proxy else f"without {names}"
        return f"{names} would come between {self.agent.name} and the gateway: start it {what}"

    def _past_proxies(self) -> Mapping[str, str]:
        from holdgate.core.agents.proxies import past_proxies

        return past_proxies(self.wish.url, self.machine)


def pointing_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options by which a person says where an agent is pointed, and with which models."""
    chosen = click.option(
        "-m",
        "--model",
        "asked",
        multiple=True,
        metavar="[TIER=]MODEL",
        shell_complete=model_names,
        help="The model to ask for: a route, or PROVIDER/MODEL. Of some agents also by tier.",
    )
    return chosen(gateway_options(config_option(command)))


def agent_argument(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument AGENT, passed as `agent`: a name or an alias."""
    return click.argument("agent", shell_complete=agent_names)(command)


def machine_here() -> Machine:
    """Give this machine and this person's home."""
    from holdgate.core.agents.base import Machine

    return Machine(sys.platform, Path.home(), os.environ)


def wiring_of(places: Places) -> Wiring:
    """Give the agents that were connected with this state folder."""
    from holdgate.core.agents.wiring import Wiring
    from holdgate.core.editing.table import EDITORS

    return Wiring(places.state, EDITORS)


def repaired(wiring: Wiring, agent: str = "") -> None:
    """Take back what a crash left half done, and tell it on stderr."""
    for name, error in wiring.repair(agent).items():
        said = f"its files could not be put back: {error}" if error else "its files are put back"
        tell(f"{name}: a command that was changing its files did not end; {said}")


def agent_of(name: str, more: Mapping[str, Agent] | None = None) -> Agent:
    """Give the agent of that name or alias; the program ends for any other, with the nearest."""
    from holdgate.core.agents.recipes.table import AGENTS, find
    from holdgate.core.config.problems import nearest_name

    found = (more or {}).get(name) or find(name)
    if found is None:
        names = [*AGENTS, *(more or {})]
        aliases = [alias for each in AGENTS.values() for alias in each.aliases]
        near = nearest_name(name, [*names, *aliases])
        hint = f"did you mean {near}?" if near else f"there are {', '.join(names)}"
        fail(f"{name}: no such agent; {hint}", WRONG_CONFIGURATION)
    return found


def pointed(agent: Agent, given: Given, token: str = "") -> Pointed:
    """Give what an agent is to be told; the program ends where that cannot be said.

    `token` is what it shows where the person gave no key; by default one that names the agent.
    """
    from holdgate.core.agents.base import Wish
    from holdgate.core.agents.choosing import by_default, chosen, named
    from holdgate.core.values.settings import Settings

    places = places_of(given["config_file"])
    settings = settings_of(places)
    try:
        models = named(agent, given["asked"])
    except ValueError as error:
        fail(str(error), WRONG_CONFIGURATION)
    gateway = gateway_of(places, settings, given["url"], given["key_env"], given["key_stdin"])
    wiring = wiring_of(places)
    repaired(wiring, agent.name)
    offers = offers_of(gateway, settings, places)
    # A library asks for whatever the program that uses it says.
    own = bool(token) or _may_serve_own(agent, gateway, settings, places, offers)
    before = _before(wiring, agent)
    unasked = by_default(Settings() if gateway.remote else settings, offers)
    choice = chosen(agent, models, _routes(offers), unasked, before, own=own)
    # Its own models are nobody's here: it would tell of a model that is not there.
    lost = not own and not gateway.remote and choice is not None and not choice.models
    if choice is None or lost:
        fail(_no_model(agent, gateway, settings, offers))
    _warn(models, gateway, settings, offers)
    key = gateway.key.reveal() if gateway.key else token or gateway.key_for(agent.name)
    wish = Wish(gateway.url, key, choice.models, offers)
    return Pointed(agent, wish, machine_here(), gateway, wiring, choice.why)


def _may_serve_own(
    agent: Agent,
    gateway: Gateway,
    settings: Settings,
    places: Places,
    offers: tuple[Offered, ...],
) -> bool:
    from holdgate.core.agents.choosing import may_serve_own
    from holdgate.core.store.offered import kept_lists
    from holdgate.core.values.settings import Settings

    names = [each.name for each in offers]
    if gateway.remote:
        return may_serve_own(agent, Settings(), names, ())
    return may_serve_own(agent, settings, names, kept_lists(settings, places.cache))


def _no_model(
    agent: Agent, gateway: Gateway, settings: Settings, offers: tuple[Offered, ...]
) -> str:
    """Say why no model is known for an agent that needs one."""
    if gateway.remote and (lost := why_unreachable(gateway)):
        return lost
    if not gateway.remote and not settings.providers and not offers:
        return (
            f"{agent.name} must be told a model, and there is no provider yet: "
            "gateway provider add NAME"
        )
    if not gateway.remote and not gateway.runs and not offers:
        return (
            f"{agent.name} must be told a model: the configuration names none, and no gateway runs "
            "that could be asked; say -m MODEL, or start it with: gateway serve"
        )
    such = f", such as -m {offers[0].name}" if offers else ": -m MODEL"
    return f"{agent.name} must be told a model{such}; gateway models lists what there is"


def offers_of(gateway: Gateway, settings: Settings, places: Places) -> tuple[Offered, ...]:
    """Give what agents may ask a gateway for; one with nothing configured here is asked itself."""
    from holdgate.core.agents.base import Offered
    from holdgate.core.agents.choosing import offered
    from holdgate.core.store.offered import offered as known

    if not gateway.remote:
        kept = known(settings, places.cache)
        if (found := offered(settings, (Offered(*each) for each in kept))) or not gateway.runs:
            return found
    return tuple(map(Offered, served_models(gateway)))


def _routes(offers: tuple[Offered, ...]) -> list[str]:
    return [each.name for each in offers if "/" not in each.name]


def _before(wiring: Wiring, agent: Agent) -> Mapping[str, str]:
    """Give the models of before; a journal that cannot be read concerns only who would write."""
    from holdgate.core.agents.plan import Refused

    with contextlib.suppress(Refused):
        journal = wiring.journal(agent.name)
        return journal.models if journal else {}
    return {}


def _warn(
    models: Mapping[str, str], gateway: Gateway, settings: Settings, offers: tuple[Offered, ...]
) -> None:
    """Say on stderr which models nobody here knows: no error, since vendors' lists are open."""
    from holdgate.core.agents.choosing import is_known
    from holdgate.core.config.problems import nearest_name

    names = [each.name for each in offers]
    for name in models.values():
        if name in names or (not gateway.remote and is_known(settings, name)):
            continue
        near = nearest_name(name, [*names, *(each.partition("/")[2] for each in names)])
        hint = f"did you mean {near}?" if near else "gateway models lists what there is"
        tell(f"warning: the gateway may not know a model {name}; {hint}")
