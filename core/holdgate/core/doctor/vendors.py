"""Vendors: each provider's key, proxy, name, connection, TLS, list and one tiny request."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from holdgate.core.doctor.aside import aside
from holdgate.core.doctor.asking import ask_by_gateway, ask_by_itself, ask_list
from holdgate.core.doctor.clocks import Told
from holdgate.core.doctor.files import mode_of
from holdgate.core.doctor.finding import Finding, fail, note
from holdgate.core.doctor.looking import Looked, look
from holdgate.core.doctor.running import Running
from holdgate.core.doctor.scene import Scene
from holdgate.core.doctor.vendor_words import (
    Answers,
    Listed,
    doubts,
    file_fact,
    key_finding,
    list_finding,
    request_findings,
    way_finding,
    way_findings,
)
from holdgate.core.host.assembly import read_roster
from holdgate.core.host.errand import errand
from holdgate.core.relay.roster import MissingKey, Roster
from holdgate.core.relay.trust import Trust
from holdgate.core.store.secrets import SecretStore
from holdgate.core.values.names import DIALECT_NAMES
from holdgate.core.values.settings import Provider, Settings

_SECRETS = 3.0  # seconds: a secret store may ask its person for a password


@dataclass(frozen=True, slots=True)
class Vendor:
    """What was found of a provider, what time it told, and what speaks of a wrong clock."""

    findings: tuple[Finding, ...]
    told: Told | None = None
    doubted: tuple[str, ...] = ()


async def examine_vendor(
    scene: Scene, settings: Settings, name: str, running: Running | None
) -> Vendor:
    """Look at one provider of the configuration."""
    provider = settings.providers[name]
    alone = replace(settings, providers={name: provider}, routes={})
    try:
        roster = await aside(lambda: read_roster(alone, scene.environ), _SECRETS)
    except TimeoutError:
        locked = "the system's secret store does not answer; is it locked?"
        return Vendor((fail("key", locked, "unlock it, or use env: or file:"),))
    if scene.offline:
        return Vendor((*_keys(scene, provider, roster, Answers()), *_ways(scene, provider, roster)))
    known = running is not None and name in (running.providers or ())
    looked, listed, told, tests = await _ask(scene, alone, provider, roster, known)
    return Vendor(
        (
            *_keys(scene, provider, roster, tests),
            *_ways(scene, provider, roster),
            *(finding for each in looked for finding in way_findings(name, each)),
            *_answers(provider, roster, _reached(looked), listed, tests),
        ),
        told,
        doubts(looked),
    )


async def examine_unread(scene: Scene, name: str) -> Vendor:
    """Look at a provider that only the running gateway knows: the configuration is broken."""
    if scene.offline:
        return Vendor((note("request", "not asked (--offline)"),))
    return Vendor(request_findings(name, await ask_by_gateway(scene.places.state, name)))


async def _ask(
    scene: Scene, alone: Settings, provider: Provider, roster: Roster, known: bool
) -> tuple[tuple[Looked, ...], Listed | None, Told | None, Answers]:
    """Ask the vendor all at once; without a gateway only a vendor that can be reached."""
    async with asyncio.TaskGroup() as group, errand(scene.environ) as on:
        testing = (
            group.create_task(ask_by_gateway(scene.places.state, provider.name)) if known else None
        )
        looked = await _look(scene, provider, roster)
        listed, told, tests = None, None, Answers()
        if _reached(looked):
            listing = group.create_task(ask_list(provider, roster, on.upstream, on.clock))
            if testing is None:
                tests = await ask_by_itself(alone, scene.environ, provider.name)
            listed, told = await listing
        if testing is not None:
            tests = await testing
    return looked, listed, told, tests


def _answers(
    provider: Provider, roster: Roster, reached: bool, listed: Listed | None, tests: Answers
) -> tuple[Finding, ...]:
    """Judge what the vendor answered; without a key there is nothing to tell but that."""
    name = provider.name
    if not reached and tests.failed:
        return (note("request", "the running gateway does not get there either"),)
    lost = all(isinstance(roster.keys[name, key.name], MissingKey) for key in provider.keys)
    if not lost:
        lists = list_finding(provider, listed, tests) if reached else ()
        return (*lists, *request_findings(name, tests))
    return request_findings(name, tests) if any(tests.passed(k.name) for k in provider.keys) else ()


async def _look(scene: Scene, provider: Provider, roster: Roster) -> tuple[Looked, ...]:
    trust = Trust(scene.environ)
    bases = _bases(provider)
    looks = (look(base, roster.proxies[provider.name, base], provider.ca, trust) for base in bases)
    return tuple(await asyncio.gather(*looks))


def _reached(looked: tuple[Looked, ...]) -> bool:
    return any(not each.no_name and not each.no_way for each in looked)


def _bases(provider: Provider) -> tuple[str, ...]:
    """Give one base URL for each place that it is asked at."""
    bases = [base for name in DIALECT_NAMES if (base := provider.base(name))]
    by_place = {base.partition("://")[2].partition("/")[0]: base for base in reversed(bases)}
    return tuple(reversed(by_place.values()))


def _ways(scene: Scene, provider: Provider, roster: Roster) -> tuple[Finding, ...]:
    return tuple(
        way_finding(base, provider, roster.proxies[provider.name, base], scene.environ)
        for base in _bases(provider)
    )


def _keys(scene: Scene, provider: Provider, roster: Roster, tests: Answers) -> tuple[Finding, ...]:
    store = SecretStore(scene.environ)
    found: list[Finding] = []
    for key in provider.keys:
        read = roster.keys[provider.name, key.name]
        missing = read.why if isinstance(read, MissingKey) else ""
        path = store.file_of(key.value)
        file = file_fact(key, path, mode_of(path) if path else None)
        found += key_finding(provider.name, key, missing, tests, file)
    return tuple(found)
