"""Listing: the vendors are asked for their lists of models without a running gateway."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass

from holdgate.core.dialects.listing import list_url
from holdgate.core.host.assembly import read_roster
from holdgate.core.host.errand import Errand, errand
from holdgate.core.relay.fetch import fetch
from holdgate.core.relay.model_lists import fetch_models
from holdgate.core.relay.ports import Outgoing
from holdgate.core.relay.roster import Current
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.kept_lists import KeptList
from holdgate.core.values.settings import Settings

_CONNECT = 10.0  # seconds
_PATIENCE = 60.0  # seconds for a whole file


@dataclass(frozen=True, slots=True)
class Unlisted:
    """A provider that gave no list, and why."""

    provider: str
    why: str


async def ask_lists(
    settings: Settings, environ: Mapping[str, str], names: Collection[str]
) -> AsyncIterator[KeptList | Unlisted]:
    """Ask the providers `names` for their lists, all at once; give each as it comes."""
    current = Current(read_roster(settings, environ))

    async def ask(name: str, on: Errand) -> KeptList | Unlisted:
        provider = settings.providers[name]
        try:
            models = await fetch_models(current, on.upstream, provider)
        except Fault as fault:
            return Unlisted(name, fault.message)
        return KeptList(name, list_url(provider), on.clock.wall(), models)

    async with errand(environ) as on:
        for coming in asyncio.as_completed([ask(name, on) for name in names]):
            yield await coming


async def fetch_file(url: str, environ: Mapping[str, str]) -> bytes:
    """Give what is at an address, by the system's proxies. Raises Fault."""
    headers = (("user-agent", "holdgate"), ("accept-encoding", "identity"))
    async with errand(environ) as on:
        request = Outgoing("GET", url, headers, b"", on.proxies()(url), _CONNECT)
        fetched = await fetch(on.upstream, request, _PATIENCE)
    if fetched.head.status != 200:
        raise Fault(FaultKind.UNREADABLE, f"HTTP {fetched.head.status}")
    return fetched.body
