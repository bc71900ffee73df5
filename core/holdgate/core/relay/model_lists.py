"""The vendors' own lists of models, asked for when somebody needs them and kept for a while."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay.fetch import fetch
from holdgate.core.relay.outgoing import own
from holdgate.core.relay.ports import Upstream
from holdgate.core.relay.roster import Current
from holdgate.core.values.clock import Clock
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.settings import Model, Provider

log = logging.getLogger(__name__)

FRESH = 600.0  # seconds that a list counts as fresh, also one that could not be had
PATIENCE = 10.0  # seconds for a vendor's list
# How long an agent's request may be held up by lists that nobody asked for yet.
COMPLETE_WITHIN = 3.0


class _Entry(msgspec.Struct):
    """An entry of a list; OpenAI and Anthropic write `id`, Gemini `name`."""

    id: str = ""
    name: str = ""


class _List(msgspec.Struct):
    data: list[_Entry] | None = None
    models: list[_Entry] | None = None


@dataclass(frozen=True, slots=True)
class _Known:
    models: tuple[Model, ...]
    at: float


class ModelLists:
    """What each provider without `models` of its own says it has."""

    def __init__(self, current: Current, upstream: Upstream, clock: Clock) -> None:
        """Take whom to ask, and how."""
        self._current, self._upstream, self._clock = current, upstream, clock
        self._lists: dict[str, _Known] = {}
        self._asking: dict[str, asyncio.Future[None]] = {}
        self.version = 0  # counts changes

    @property
    def known(self) -> Mapping[str, tuple[Model, ...]]:
        """The lists that were given so far."""
        return {name: known.models for name, known in self._lists.items() if known.models}

    def forget(self) -> None:
        """Ask again when next needed: the configuration changed."""
        self._lists.clear()
        self.version += 1

    async def learn(self, model: str) -> None:
        """Make sure that `model` can be found if some vendor lists it: a bare name needs lists."""
        settings = self._current.roster.settings
        provider, slash, _ = model.partition("/")
        if model in settings.routes or (slash and provider in settings.providers):
            return
        if self._stale():
            await self.complete()

    async def complete(self) -> None:
        """Ask all vendors whose list is not fresh; wait for them, but not for long."""
        asking = [self._ask_once(provider) for provider in self._stale()]
        if asking:
            await asyncio.wait(asking, timeout=COMPLETE_WITHIN)

    def _stale(self) -> list[Provider]:
        now = self._clock.monotonic()
        return [
            provider
            for provider in self._current.roster.settings.providers.values()
            if provider.models is None
            and provider.listing()
            and ((known := self._lists.get(provider.name)) is None or now - known.at > FRESH)
        ]

    def _ask_once(self, provider: Provider) -> asyncio.Future[None]:
        if provider.name not in self._asking:
            task = asyncio.ensure_future(self._ask(provider))  # noqa: TID251 (kept below)
            self._asking[provider.name] = task
            task.add_done_callback(lambda _: self._asking.pop(provider.name, None))
        return self._asking[provider.name]

    async def _ask(self, provider: Provider) -> None:
        before = self._lists.get(provider.name)
        try:
            models = await fetch_models(self._current, self._upstream, provider)
        except Fault as fault:
            log.warning("%s: its list of models cannot be had: %s", provider.name, fault)
            models = before.models if before else ()
        self._lists[provider.name] = _Known(models, self._clock.monotonic())
        self.version += 1


async def fetch_models(
    current: Current, upstream: Upstream, provider: Provider
) -> tuple[Model, ...]:
    """Ask a vendor for its list. Raises Fault if it gives none."""
    roster = current.roster
    keys = [key for key in provider.keys if key.on]
    if not keys:
        raise Fault(FaultKind.AUTH, f"{provider.name}: each of its keys is switched off")
    dialect = provider.listing()
    if dialect is None:
        raise Fault(FaultKind.MODEL, "the vendor has none; name yours by models = [...]")
    url = provider.lists.get(dialect) or DIALECTS[dialect].models_url(provider.base(dialect))
    request = own("GET", url, b"", roster, (provider.name, keys[0].name), dialect)
    fetched = await fetch(upstream, request, PATIENCE)
    if fetched.head.status != 200:
        raise Fault(FaultKind.UNREADABLE, f"HTTP {fetched.head.status} from {url}")
    try:
        found = msgspec.json.decode(fetched.body, type=_List)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Fault(FaultKind.UNREADABLE, f"no list of models at {url}") from error
    entries = found.data or found.models or []
    return tuple(Model(id=(e.id or e.name).removeprefix("models/")) for e in entries)
