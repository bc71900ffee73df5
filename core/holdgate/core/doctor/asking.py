"""Asking: vendors' lists and tiny requests, by the running gateway if there is one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from holdgate.core.client import NotRunning, Refused, connect
from holdgate.core.dialects.listing import list_url
from holdgate.core.doctor.aside import aside
from holdgate.core.doctor.clocks import Told, told_by
from holdgate.core.doctor.looking import host_of
from holdgate.core.doctor.vendor_words import Answers, Asked, Listed
from holdgate.core.host import probe_provider
from holdgate.core.relay.fetch import fetch
from holdgate.core.relay.listed_models import models_of
from holdgate.core.relay.outgoing import own
from holdgate.core.relay.ports import Outgoing, Upstream
from holdgate.core.relay.proxies import is_loopback
from holdgate.core.relay.roster import Roster
from holdgate.core.values.clock import Clock
from holdgate.core.values.errors import Fault
from holdgate.core.values.settings import Provider, Settings

LIST = 5.0  # seconds for a list
TESTS = 11.0  # and for all tiny requests to a vendor


async def ask_list(
    provider: Provider, roster: Roster, upstream: Upstream, clock: Clock
) -> tuple[Listed | None, Told | None]:
    """Ask for the list of models, and hear what time it is there. Raises nothing."""
    before = clock.wall()
    try:
        request = _list_request(provider, roster)
        if request is None:
            return None, None
        fetched = await fetch(upstream, request, LIST)
    except Fault as fault:
        return Listed(error=fault.message), None
    told = told_by(
        provider.name, fetched.head.get("date"), before, clock.wall(), local=_is_local(provider)
    )
    if fetched.head.status != 200:
        return Listed(error=f"HTTP {fetched.head.status} instead of one"), told
    try:
        return Listed(tuple(model.id for model in models_of(fetched.body))), told
    except (ValueError, RecursionError):
        return Listed(error="what came is no list of models"), told


async def ask_by_gateway(state: Path, name: str) -> Answers:
    """Have the running gateway test a provider. Raises nothing."""

    def ask() -> Answers:
        path = f"/api/providers/{quote(name, safe='')}/test"
        told = connect(state).post(path, {"model": None}, patience=TESTS)["tests"]
        return Answers(tuple(Asked(**each) for each in told), by_gateway=True)

    try:
        return await aside(ask, TESTS + 1)
    except Refused as error:
        return Answers(by_gateway=True, error=" ".join(str(error).split()))
    except (NotRunning, TimeoutError):
        return Answers(by_gateway=True, error=f"the gateway had no answer within {TESTS:g}s")


async def ask_by_itself(settings: Settings, environ: Mapping[str, str], name: str) -> Answers:
    """Test a provider without a gateway. Raises nothing."""
    alone = replace(settings, providers={name: settings.providers[name]}, routes={})
    found: list[Asked] = []
    try:
        async with asyncio.timeout(TESTS):
            async for each in probe_provider(alone, environ, name, None):
                told = (each.key, each.dialect, each.model, each.ms, each.status, each.reason)
                found.append(Asked(*told))
    except Fault as fault:
        return Answers(tuple(found), error=fault.message)
    except TimeoutError:
        return Answers(tuple(found), error=f"no answer to the rest within {TESTS:g}s")
    return Answers(tuple(found))


def _list_request(provider: Provider, roster: Roster) -> Outgoing | None:
    """Give the request for the list, None where there is no list. Raises Fault without a key."""
    key = next((key for key in provider.keys if key.on), None)
    dialect = provider.listing()
    if dialect is None or key is None:
        return None
    return own("GET", list_url(provider), b"", roster, (provider.name, key.name), dialect)


def _is_local(provider: Provider) -> bool:
    dialect = provider.listing()
    return dialect is not None and is_loopback(host_of(provider.base(dialect)))
