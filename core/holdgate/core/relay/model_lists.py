"""The vendors' own lists of models, asked for when somebody needs them and kept.

A list that was had once answers at once, also after a restart; it is renewed behind that answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace

from holdgate.core.dialects.listing import list_url
from holdgate.core.relay.answers import Answer
from holdgate.core.relay.diagnosis import reason_of
from holdgate.core.relay.fetch import fetch
from holdgate.core.relay.listed_models import models_of
from holdgate.core.relay.outgoing import own
from holdgate.core.relay.ports import Upstream
from holdgate.core.relay.roster import Current
from holdgate.core.values.clock import Clock
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.kept_lists import KeptList
from holdgate.core.values.secret import Secret, mask
from holdgate.core.values.settings import Model, Provider

log = logging.getLogger(__name__)

FRESH = 600.0  # seconds that a list counts as fresh, also one that could not be had
PATIENCE = 10.0  # seconds for a vendor's list
# How long an agent's request may be held up by lists that nobody had yet, and by the others once it
# is known who has the model.
COMPLETE_WITHIN = 3.0
SOON = 0.3


class ModelLists:
    """What each provider without `models` of its own says it has."""

    def __init__(
        self,
        current: Current,
        upstream: Upstream,
        clock: Clock,
        kept: Iterable[KeptList] = (),
        keep: Callable[[KeptList], None] | None = None,
    ) -> None:
        """Take whom to ask, and how; the lists of before; and who keeps a fresh one.

        `keep` is called in a thread of its own, for it may write a file.
        """
        self._current, self._upstream, self._clock = current, upstream, clock
        self._keep = keep
        self._lists = {(each.provider, each.url): each for each in kept}
        # Why and when (monotonic) a list could not be had.
        self._failed: dict[str, tuple[float, Fault]] = {}
        self._asking: dict[tuple[str, str], asyncio.Future[None]] = {}
        self.version = 0  # counts changes

    @property
    def known(self) -> Mapping[str, tuple[Model, ...]]:
        """The lists that were given so far."""
        return {
            provider.name: kept.models
            for provider in self._listing()
            if (kept := self._kept(provider)) is not None and kept.models
        }

    @property
    def failed(self) -> Mapping[str, Fault]:
        """Why the lists that could not be had at the last try could not."""
        return {name: fault for name, (_, fault) in self._failed.items()}

    def forget(self) -> None:
        """Ask again when next needed: the configuration changed."""
        self._lists = {key: replace(each, at=0.0) for key, each in self._lists.items()}
        self._failed.clear()
        self.version += 1

    async def learn(self, model: str) -> None:
        """Make sure that `model` can be found if some vendor lists it: a bare name needs lists.

        Waits only for what may decide: hardly where a list that is there has it, and hardly for a
        vendor that gave no list when it was last asked.
        """
        settings = self._current.roster.settings
        provider, slash, _ = model.partition("/")
        if model in settings.routes or (slash and provider in settings.providers):
            return
        known = self._has(model)
        # A vendor that gave no list when it was last asked is dead until it shows otherwise.
        alive = {each.name for each in self._listing()} - self._failed.keys()
        never_had = {each.name for each in self._listing() if self._kept(each) is None}
        asking = self._ask_stale()
        if not known:
            await self._until_known(model, _those(asking, alive))
            known = self._has(model)
        # Others may have it too, which would make the name ambiguous; a local server that was
        # dead until now answers soon.
        await _finished(_those(asking, never_had & alive) if known else set(asking.values()), SOON)

    async def complete(self) -> None:
        """Ask all vendors whose list is not fresh; wait, not for long, for those never had."""
        never_had = {each.name for each in self._listing() if self._kept(each) is None}
        waited = never_had - self._failed.keys()
        await _finished(_those(self._ask_stale(), waited), COMPLETE_WITHIN)

    async def renew(self, provider: str = "") -> None:
        """Ask all vendors now, or one, and wait; `failed` tells of whom there was no list."""
        asking = {self._ask_once(each) for each in self._listing() if provider in ("", each.name)}
        if asking:
            await asyncio.wait(asking)

    def _listing(self) -> list[Provider]:
        """Give the providers that are asked for their list."""
        providers = self._current.roster.settings.providers.values()
        return [each for each in providers if each.models is None and list_url(each)]

    def _kept(self, provider: Provider) -> KeptList | None:
        return self._lists.get((provider.name, list_url(provider)))

    def _has(self, model: str) -> bool:
        providers = self._current.roster.settings.providers.values()
        configured = (each.models for each in providers if each.models is not None)
        return any(
            each.id == model for models in (*configured, *self.known.values()) for each in models
        )

    async def _until_known(self, model: str, waited: set[asyncio.Future[None]]) -> None:
        """Wait, not for long, until a list has `model` or all are here."""
        deadline = self._clock.monotonic() + COMPLETE_WITHIN
        while waited and (left := deadline - self._clock.monotonic()) > 0:
            _, waited = await asyncio.wait(
                waited, timeout=left, return_when=asyncio.FIRST_COMPLETED
            )
            if self._has(model):
                return

    def _ask_stale(self) -> dict[str, asyncio.Future[None]]:
        """Ask whoever's list is not fresh; give what is under way, by provider."""
        stale = [each for each in self._listing() if not self._is_fresh(each)]
        return {each.name: self._ask_once(each) for each in stale}

    def _is_fresh(self, provider: Provider) -> bool:
        if provider.name in self._failed:
            return self._clock.monotonic() - self._failed[provider.name][0] <= FRESH
        kept = self._kept(provider)
        # The wall clock may have been set back since.
        return kept is not None and 0 <= self._clock.wall() - kept.at <= FRESH

    def _ask_once(self, provider: Provider) -> asyncio.Future[None]:
        key = provider.name, list_url(provider)
        if key not in self._asking:
            task = asyncio.ensure_future(self._ask(provider))  # noqa: TID251 (kept below)
            self._asking[key] = task
            task.add_done_callback(lambda _: self._asking.pop(key, None))
        return self._asking[key]

    async def _ask(self, provider: Provider) -> None:
        try:
            models = await fetch_models(self._current, self._upstream, provider)
        except Fault as fault:
            log.warning("%s: its list of models cannot be had: %s", provider.name, fault)
            self._failed[provider.name] = (self._clock.monotonic(), fault)
            return
        self._failed.pop(provider.name, None)
        fresh = KeptList(provider.name, list_url(provider), self._clock.wall(), models)
        before = self._lists.get((fresh.provider, fresh.url))
        self._lists[fresh.provider, fresh.url] = fresh
        if before is None or before.models != models:
            self.version += 1
        if models and self._keep is not None:
            await asyncio.get_running_loop().run_in_executor(None, self._keep, fresh)


def _those(
    asking: Mapping[str, asyncio.Future[None]], names: Set[str]
) -> set[asyncio.Future[None]]:
    return {task for name, task in asking.items() if name in names}


async def _finished(tasks: set[asyncio.Future[None]], seconds: float) -> None:
    if tasks:
        await asyncio.wait(tasks, timeout=seconds)


async def fetch_models(
    current: Current, upstream: Upstream, provider: Provider
) -> tuple[Model, ...]:
    """Ask a vendor for its list. Raises Fault if it gives none."""
    roster = current.roster
    keys = [key for key in provider.keys if key.on]
    if not keys:
        raise Fault(FaultKind.AUTH, f"{provider.name}: each of its keys is switched off")
    dialect, url = provider.listing(), list_url(provider)
    if dialect is None:
        raise Fault(FaultKind.MODEL, "the vendor has none; name yours by models = [...]")
    request = own("GET", url, b"", roster, (provider.name, keys[0].name), dialect)
    fetched = await fetch(upstream, request, PATIENCE)
    head, body = fetched.head, fetched.body
    if head.status == 200:
        with contextlib.suppress(ValueError, RecursionError):
            return models_of(body)
    answer = Answer(head.status, head.get("content-type"), body, head.get("location"))
    sent = [Secret(text) for _, text in provider.headers]
    came = mask(reason_of(dialect, answer), [roster.key((provider.name, keys[0].name)), *sent])
    raise Fault(FaultKind.UNREADABLE, f"no list of models at {url.partition('?')[0]}: {came}")
