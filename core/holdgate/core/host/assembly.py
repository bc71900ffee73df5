"""Assembly: settings become a roster, and all parts become one App."""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import socket
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib.metadata import version

from holdgate.core.relay.context import Relay
from holdgate.core.relay.keepsakes import Keepsakes
from holdgate.core.relay.live import LiveRequests
from holdgate.core.relay.model_lists import ModelLists
from holdgate.core.relay.planner import Planner
from holdgate.core.relay.ports import Upstream
from holdgate.core.relay.proxies import choose_proxy, system_proxies
from holdgate.core.relay.resting import Resting
from holdgate.core.relay.roster import Current, MissingKey, Roster
from holdgate.core.relay.scheduler import Scheduler
from holdgate.core.relay.tasks import Tasks
from holdgate.core.relay.wheel import Wheel
from holdgate.core.server.context import App, Doors
from holdgate.core.server.guard import Guard
from holdgate.core.server.history import History
from holdgate.core.server.wrong_keys import WrongKeys
from holdgate.core.store.callers import GatewayKeys
from holdgate.core.store.facts_file import FactsFile
from holdgate.core.store.ledger import Ledger
from holdgate.core.store.lists_file import ListsFile
from holdgate.core.store.secrets import SecretMissing, SecretStore
from holdgate.core.traffic.affinity import Affinity
from holdgate.core.traffic.gate import Gate
from holdgate.core.traffic.offers import limits_of, may_be_known
from holdgate.core.traffic.refused_members import RefusedMembers
from holdgate.core.traffic.repeats import Repeats
from holdgate.core.traffic.turns import Turns
from holdgate.core.values.clock import Clock
from holdgate.core.values.names import DIALECT_NAMES
from holdgate.core.values.secret import Secret
from holdgate.core.values.settings import Key, Model, Provider, Settings

DEMO = "demo"


def read_roster(settings: Settings, environ: Mapping[str, str]) -> Roster:
    """Read the keys and choose the proxies that `settings` name."""
    store, system = SecretStore(environ), system_proxies(environ)
    keys: dict[tuple[str, str], Secret | MissingKey] = {}
    proxies: dict[tuple[str, str], str] = {}
    for provider in settings.providers.values():
        for key in provider.keys:
            try:
                keys[provider.name, key.name] = store.resolve(key.value)
            except SecretMissing as error:
                keys[provider.name, key.name] = MissingKey(str(error))
        for dialect in DIALECT_NAMES:
            if base := provider.base(dialect):
                proxies[provider.name, base] = choose_proxy(base, provider.proxy, system)
    return Roster(settings, keys, proxies)


def with_demo(settings: Settings, url: str) -> Settings:
    """Add the built-in provider: 2 at once and 6 a minute, so that a queue is soon seen."""
    from holdgate.core.server.demo.ask import MODEL

    demo = Provider(
        name=DEMO,
        chat=f"{url}/v1",
        responses=f"{url}/v1",
        messages=url,
        gemini=url,
        keys=(Key(),),
        concurrency=2,
        rpm=6,
        models=(Model(id=MODEL),),
    )
    return replace(settings, providers={**settings.providers, DEMO: demo})


def this_machine() -> frozenset[str]:
    """Give the names by which others in the LAN may call this machine."""
    return frozenset({socket.gethostname().lower()})


def request_ids(clock: Clock, dice: random.Random) -> Callable[[], str]:
    """Give what makes request ids: they sort in the order in which they were made.

    44 bits of milliseconds and 36 of chance, like ULID's monotonic form: within one moment (or
    when the wall clock steps back) the next id is the last one and a random step more.
    """
    last = 0

    def new() -> str:
        nonlocal last
        fresh = int(clock.wall() * 1000) << 36 | dice.getrandbits(35)
        last = fresh if fresh >> 36 > last >> 36 else last + 1 + dice.getrandbits(24)
        return f"hg-{last:020x}"

    return new


def _relay(
    roster: Roster,
    clock: Clock,
    upstream: Upstream,
    ledger: Ledger,
    seal: Callable[[Secret], str],
    kept: ListsFile,
    facts: FactsFile,
) -> tuple[Relay, ModelLists]:
    loop = asyncio.get_running_loop()
    current = Current(roster)
    scheduler = Scheduler(Gate(), clock, loop)
    scheduler.configure(roster.limits())
    lists = ModelLists(current, upstream, clock, kept.load(), kept.put)
    planner = Planner(current, lists, partial(_sizes, facts))
    relay = Relay(
        current,
        planner,
        scheduler,
        Resting(scheduler, current, clock, seal),
        Affinity(),
        Turns(),
        Repeats(),
        RefusedMembers(),
        Keepsakes(),
        upstream,
        LiveRequests(ledger, clock),
        Wheel(loop),
        clock,
        loop,
        random.Random(secrets.randbits(64)),
    )
    return relay, lists


def _sizes(facts: FactsFile, provider: Provider, model: str) -> tuple[int, int]:
    """Give what models.dev tells of a model; a plan that is made asks for it once."""
    return limits_of(facts.facts(), provider, model) if may_be_known(provider) else (0, 0)


def assemble(
    roster: Roster,
    clock: Clock,
    upstream: Upstream,
    keys: GatewayKeys,
    ledger: Ledger,
    seal: Callable[[Secret], str],
    kept: ListsFile,
    facts: FactsFile,
) -> App:
    """Build the one App of a gateway, in its event loop."""
    relay, lists = _relay(roster, clock, upstream, ledger, seal, kept, facts)
    return App(
        relay=relay,
        lists=lists,
        facts=facts,
        ledger=ledger,
        keys=keys,
        history=History(),
        doors=Doors(Guard(roster.settings.server, this_machine(), keys, WrongKeys())),
        tasks=Tasks(),
        token=secrets.token_urlsafe(32),
        version=version("holdgate"),
        started=clock.wall(),
        new_id=request_ids(clock, random.Random(secrets.randbits(64))),
    )


def environ() -> Mapping[str, str]:
    """Give this process's environment."""
    return os.environ
