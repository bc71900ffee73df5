"""The examination: all checks, group by group; what is slow runs beside the rest, and not long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from holdgate.core.agents.recipes.table import AGENTS, find
from holdgate.core.agents.sdks import SDKS
from holdgate.core.doctor.aside import aside
from holdgate.core.doctor.authorities import examine_authorities
from holdgate.core.doctor.clocks import examine_clock
from holdgate.core.doctor.configuration import (
    Configuration,
    examine_configuration,
    read_configuration,
)
from holdgate.core.doctor.exposure import examine_exposure
from holdgate.core.doctor.files import examine_files
from holdgate.core.doctor.finding import Examined, Finding, fail
from holdgate.core.doctor.machine import examine_machine
from holdgate.core.doctor.port import examine_ipv6, examine_port
from holdgate.core.doctor.running import Running, examine_running, find_running
from holdgate.core.doctor.scene import Scene
from holdgate.core.doctor.variables import examine_addresses, examine_proxies
from holdgate.core.doctor.vendors import Vendor, examine_unread, examine_vendor
from holdgate.core.doctor.wired import Wire, examine_agent, find_wires, unwired
from holdgate.core.store.instance import read_runtime
from holdgate.core.values.settings import DEFAULT_PORT

# Seconds that a group may take; what its parts may take is less.
LONGEST = 18.0
_FIND = 10.0

Tell = Callable[[Examined], None]


class NoSuchName(ValueError):
    """Neither a provider nor an agent is called so; `known` are those that there are."""

    def __init__(self, known: tuple[str, ...]) -> None:
        """Take the names."""
        super().__init__("no such provider or agent")
        self.known = known


@dataclass(frozen=True, slots=True)
class _Facts:
    """What all groups need."""

    scene: Scene
    config: Configuration
    running: Running | None
    wires: tuple[Wire, ...]

    @property
    def url(self) -> str:
        return self.running.url if self.running else ""

    @property
    def providers(self) -> tuple[str, ...]:
        """The configured ones; where the file is broken, those that the gateway knows."""
        if self.config.fine:
            return tuple(self.config.settings.providers)
        return tuple((self.running and self.running.providers) or ())


async def examine(scene: Scene, tell: Tell) -> tuple[Examined, ...]:
    """Make all checks, and tell each group as soon as those before it are told.

    Raises NoSuchName where `scene.only` is neither a provider nor an agent.
    """
    facts = await _facts(scene)
    vendors, agents = _chosen(facts)
    done: list[Examined] = []

    def told(name: str, findings: tuple[Finding, ...]) -> None:
        if findings:
            done.append(Examined(name, findings))
            tell(done[-1])

    try:
        async with asyncio.TaskGroup() as group:
            asked = {name: group.create_task(_vendor(facts, name)) for name in vendors}
            tried = {
                wire.agent.name: group.create_task(_bounded(_agent(facts, wire))) for wire in agents
            }
            for name, look in _quick(facts).items():
                told(name, await _bounded(aside(look, LONGEST)))
            for name, vendor in asked.items():
                told(f"provider {name}", (await vendor).findings)
            if asked and not scene.offline:
                told("clock", _clock([await vendor for vendor in asked.values()]))
            for name, agent in tried.items():
                told(f"agent {name}", await agent)
    except ExceptionGroup as errors:  # only telling can fail, such as into a pipe that is closed
        raise errors.exceptions[0] from None
    if not scene.only:
        told("other agents", unwired(facts.wires))
    return tuple(done)


async def _facts(scene: Scene) -> _Facts:
    config = read_configuration(scene.places.config_file)
    running = await _running(scene)
    wires = find_wires(scene, running.url if running else "")
    return _Facts(scene, config, running, wires)


async def _running(scene: Scene) -> Running | None:
    try:
        return await aside(lambda: find_running(scene.places.state), _FIND)
    except TimeoutError:  # it answers, but drop by drop
        runtime = read_runtime(scene.places.state)
        return Running(runtime, answers=False) if runtime else None


def _chosen(facts: _Facts) -> tuple[tuple[str, ...], tuple[Wire, ...]]:
    """Give the providers and the wired agents that are wanted. Raises NoSuchName."""
    only = facts.scene.only
    wired = tuple(each for each in facts.wires if each.how != "no")
    if not only:
        return facts.providers, wired
    agent = find(only)
    mine = tuple(each for each in wired if agent and each.agent.name == agent.name)
    providers = tuple(name for name in facts.providers if name == only)
    if not mine and not providers:
        raise NoSuchName((*facts.providers, *(each.agent.name for each in wired)))
    return providers, mine


def _quick(facts: _Facts) -> Mapping[str, Callable[[], tuple[Finding, ...]]]:
    scene, config, running = facts.scene, facts.config, facts.running
    places, server = scene.places, config.settings.server
    names = frozenset(config.settings.providers) if config.fine else None
    known = (*SDKS.values(), *AGENTS.values())

    def gateway() -> tuple[Finding, ...]:
        return (
            *examine_running(running, places.config_file, names, places.log),
            *examine_port(server, running, scene.proc, places.state),
            *examine_ipv6(running),
        )

    groups: dict[str, Callable[[], tuple[Finding, ...]]] = {
        "machine": lambda: examine_machine(scene, running),
        "files": lambda: examine_files(
            places, scene.clock.monotonic, config_has_key=config.has_key
        ),
        "configuration": lambda: examine_configuration(config),
        "gateway": gateway,
        "network": lambda: (
            *examine_exposure(server, places.state, urlsplit(facts.url).port or 0),
            *examine_proxies(scene.environ, server.port),
            *examine_addresses(known, scene.machine, facts.url, (server.port, DEFAULT_PORT)),
            *examine_authorities(scene.environ),
        ),
    }
    kept = ("configuration", "gateway", "network") if scene.only else groups
    return {name: groups[name] for name in kept}


async def _vendor(facts: _Facts, name: str) -> Vendor:
    """Look at a provider. Raises nothing: what goes wrong is a finding."""
    known = facts.config.fine
    found: list[Vendor] = []

    async def look() -> tuple[Finding, ...]:
        settings = facts.config.settings
        found.append(
            await examine_vendor(facts.scene, settings, name, facts.running)
            if known
            else await examine_unread(facts.scene, name)
        )
        return found[0].findings

    findings = await _bounded(look())
    return found[0] if found else Vendor(findings)


async def _agent(facts: _Facts, wire: Wire) -> tuple[Finding, ...]:
    settings = facts.config.settings if facts.config.fine else None
    return await examine_agent(facts.scene, settings, wire, facts.url)


async def _bounded(look: Coroutine[Any, Any, tuple[Finding, ...]]) -> tuple[Finding, ...]:
    """Give what a look gives; one that takes too long, or fails, is a finding of its own."""
    try:
        async with asyncio.timeout(LONGEST):
            return await look
    except TimeoutError:
        return (fail("check", f"it took longer than {LONGEST:g}s", "try again"),)
    except Exception as error:  # a check that fails is no reason to leave out the others
        found = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return (fail("check", f"it could not be made: {found}", "please report this"),)


def _clock(vendors: list[Vendor]) -> tuple[Finding, ...]:
    told = [each.told for each in vendors if each.told]
    return examine_clock(told, [doubt for each in vendors for doubt in each.doubted])
