"""A trial: a vendor that is not in the configuration yet is asked for its models and an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from holdgate.core.dialects.listing import whole_list_url
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay import discovery
from holdgate.core.relay.answers import Answer, listed_models
from holdgate.core.relay.diagnosis import HOPELESS, Cause, cause_of, cause_of_list, reason_of
from holdgate.core.relay.discovery import Speaks
from holdgate.core.relay.fetch import fetch
from holdgate.core.relay.letterhead import letterhead
from holdgate.core.relay.pings import NO_MODEL, limit_name, models_for, other_limit
from holdgate.core.relay.ports import Outgoing, Upstream
from holdgate.core.values.clock import Clock
from holdgate.core.values.errors import Fault
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.secret import Secret, mask
from holdgate.core.values.settings import Provider

PATIENCE = 60.0  # seconds for an answer; slow local models load first
LIST_PATIENCE = 10.0

_HEADERS = (("content-type", "application/json"), ("user-agent", "holdgate"))

Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Tried:
    """How one dialect fared at one base; `reason` holds no key, and is "" if all is well."""

    dialect: DialectName
    base: str
    model: str
    ms: int
    status: int | None
    speaks: Speaks
    cause: Cause
    reason: str

    @property
    def passed(self) -> bool:
        """Whether the vendor answered as it should."""
        return not self.cause


@dataclass(frozen=True, slots=True)
class Listed:
    """The vendor's list of models: None if none could be had, with `cause` and `reason`."""

    models: tuple[str, ...] | None
    cause: Cause = Cause.NONE
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a trial found: the list, and each dialect that was tried, in the order of dialects."""

    listed: Listed
    tried: tuple[Tried, ...]


class Trial:
    """Asks one vendor. Its requests count in no lane: it has none yet."""

    def __init__(
        self,
        upstream: Upstream,
        clock: Clock,
        provider: Provider,
        key: Secret,
        proxy_of: Callable[[str], str],
        told: Told = lambda _: None,
    ) -> None:
        """Take how to ask, whom, and as whom; `proxy_of` gives a base URL's proxy, "" for none.

        `told` hears what is asked next.
        """
        self._upstream, self._clock = upstream, clock
        self._provider, self._key = provider, key
        self._proxy_of, self._told = proxy_of, told

    async def known(self, models: tuple[str, ...] | None) -> Outcome:
        """Try the base URLs that the provider has.

        `models`: what is known of them, so that no list is asked for. Raises nothing.
        """
        bases = {each: base for each in DIALECT_NAMES if (base := self._provider.base(each))}
        listed = Listed(models) if models else await self._first_list(bases.items())
        if listed.cause in HOPELESS:
            tried = [self._untried(dialect, base, listed) for dialect, base in bases.items()]
        else:
            tried = await self._answers([(each, (base,)) for each, base in bases.items()], listed)
        return Outcome(listed, tuple(tried))

    async def at(self, url: str, models: tuple[str, ...]) -> Outcome:
        """Find out what a bare URL speaks; `models` are named by the person, "" for none."""
        places = discovery.list_places(url)
        if models:
            listed = Listed(models)
        else:
            self._told(f"looking for lists of models below {url}")
            listed = _best(await asyncio.gather(*(self._list(*place) for place in places)))
        bases = discovery.bases(url)
        if listed.cause in HOPELESS:
            tried = [self._untried(each, bases[each][0], listed) for each in DIALECT_NAMES]
        else:
            tried = await self._answers(list(bases.items()), listed)
        return Outcome(listed, tuple(tried))

    async def _first_list(self, places: Iterable[tuple[DialectName, str]]) -> Listed:
        found = []
        for dialect, base in places:
            if self._provider.lists.get(dialect) == "":
                continue
            self._told(f"asking {base} for its models")
            found.append(await self._list(dialect, base))
            if found[-1].models is not None or found[-1].cause in HOPELESS:
                break
        return _best(found)

    async def _list(self, dialect: DialectName, base: str) -> Listed:
        url = self._provider.lists.get(dialect) or whole_list_url(dialect, base)
        # A connection that cannot be had is to be told as that.
        patience = max(LIST_PATIENCE, self._provider.connect_timeout + 1.0)
        answer = await self._ask("GET", dialect, base, url, b"", patience)
        models = listed_models(answer)
        if models is not None:
            return Listed(models)
        cause = cause_of_list(dialect, answer, self._clock.wall())
        place = f"{url.partition('?')[0]}: " if answer.fault is None else ""
        return Listed(None, cause, self._masked(f"{place}{reason_of(dialect, answer)}"))

    async def _answers(
        self, places: list[tuple[DialectName, tuple[str, ...]]], listed: Listed
    ) -> list[Tried]:
        """Try each dialect at its bases until one speaks it; all dialects at once."""
        names = ", ".join(dialect for dialect, _ in places)
        self._told(f"asking for a tiny answer in each dialect: {names}")
        found = await asyncio.gather(
            *(self._first_that_speaks(dialect, bases, listed) for dialect, bases in places)
        )
        # So many at once may be too many: who said so is asked again, alone.
        return [await self._again(each) for each in found]

    async def _first_that_speaks(
        self, dialect: DialectName, bases: tuple[str, ...], listed: Listed
    ) -> Tried:
        models = models_for(dialect, listed.models or ()) or (NO_MODEL,)
        found: list[Tried] = []
        for base in bases:
            found.append(await self._try(dialect, base, models[0]))
            if found[-1].speaks == "yes":
                return await self._with_others(found[-1], models[1:])
            # Who is silent for a minute at one place is so at the next.
            if found[-1].cause in {*HOPELESS, Cause.TIMEOUT}:
                return found[-1]
        return next((each for each in found if each.speaks == "perhaps"), found[0])

    async def _with_others(self, tried: Tried, models: tuple[str, ...]) -> Tried:
        """Try other models where one was no good; give the first that is, else the first try."""
        now = tried
        for model in models:
            if now.cause not in (Cause.MODEL, Cause.REQUEST):
                break
            now = await self._try(tried.dialect, tried.base, model)
        return now if now.passed else tried

    async def _again(self, tried: Tried) -> Tried:
        if tried.cause is not Cause.LIMIT:
            return tried
        return await self._try(tried.dialect, tried.base, tried.model)

    async def _try(self, dialect: DialectName, base: str, model: str) -> Tried:
        vendors = self._provider.model(model).at_vendor
        name = limit_name(dialect, vendors, self._provider.quirks)
        answer = await self._ping(dialect, base, vendors, name)
        if other := other_limit(dialect, name, answer.status, answer.body):
            again = await self._ping(dialect, base, vendors, other)
            answer = again if again.status == 200 else answer
        cause = cause_of(dialect, answer, self._clock.wall())
        reason = self._masked(reason_of(dialect, answer)) if cause else ""
        how = discovery.speaks(dialect, answer)
        return Tried(dialect, base, model, answer.ms, answer.status, how, cause, reason)

    async def _ping(self, dialect: DialectName, base: str, model: str, limit: str) -> Answer:
        table = DIALECTS[dialect]
        url = table.url(base, "generate", model, "whole")
        body = table.tiny_request(model, limit)
        return await self._ask("POST", dialect, base, url, body, PATIENCE)

    def _untried(self, dialect: DialectName, base: str, listed: Listed) -> Tried:
        return Tried(dialect, base, "", 0, None, "no", listed.cause, listed.reason)

    async def _ask(
        self,
        method: str,
        dialect: DialectName,
        base: str,
        url: str,
        body: bytes,
        patience: float,
    ) -> Answer:
        """Give what came, whatever it is. Raises nothing."""
        head = letterhead(self._provider, DIALECTS[dialect], self._key).over(_HEADERS)
        to = self._provider
        outgoing = Outgoing(
            method, url, head, body, self._proxy_of(base), to.connect_timeout, ca=to.ca
        )
        began = self._clock.monotonic()
        try:
            fetched = await fetch(self._upstream, outgoing, patience)
        except Fault as fault:
            answer = Answer(None, fault=fault)
        else:
            head_ = fetched.head
            kind, location = head_.get("content-type"), head_.get("location")
            answer = Answer(head_.status, kind, fetched.body, location)
        return replace(answer, ms=round((self._clock.monotonic() - began) * 1000))

    def _masked(self, text: str) -> str:
        headers = (Secret(value) for _, value in self._provider.headers)
        return mask(text, [self._key, *headers])


def _best(found: Iterable[Listed]) -> Listed:
    """Give the first list with something in it, else any list, else the first refusal."""
    found = list(found)
    lists = [each for each in found if each.models is not None]
    full = [each for each in lists if each.models]
    telling = [each for each in found if each.cause is not Cause.URL]
    return next(
        iter([*full, *lists, *telling, *found]),
        Listed(None, Cause.MODEL, "the vendor has no list of them"),
    )
