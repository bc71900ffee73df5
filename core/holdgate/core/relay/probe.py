"""Probing: one tiny request for each key of a provider, in each dialect that it speaks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, replace

from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay.answers import Answer
from holdgate.core.relay.diagnosis import reason_of
from holdgate.core.relay.discovery import passes
from holdgate.core.relay.fetch import Fetched, fetch
from holdgate.core.relay.model_lists import fetch_models
from holdgate.core.relay.outgoing import own
from holdgate.core.relay.pings import NO_MODEL, limit_name, models_for, other_limit
from holdgate.core.relay.ports import Upstream
from holdgate.core.relay.roster import Current, Roster
from holdgate.core.relay.scheduler import Scheduler
from holdgate.core.traffic import verdicts
from holdgate.core.traffic.routing import spoken
from holdgate.core.traffic.ticket import LaneId
from holdgate.core.values.clock import Clock
from holdgate.core.values.errors import POLICIES, Fault, FaultKind, VendorReply
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.secret import Secret, mask
from holdgate.core.values.settings import Model, Provider

_NAME_ONE = "name one with --model MODEL"
PATIENCE = 60.0  # seconds; slow local models load first


@dataclass(frozen=True, slots=True)
class Probed:
    """What one dialect answered: `status` None if nothing came, `kind` None if all is well."""

    key: str
    dialect: DialectName
    model: str
    ms: int
    status: int | None
    reason: str
    kind: FaultKind | None

    @property
    def passed(self) -> bool:
        """Whether the vendor answered as it should."""
        return self.kind is None

    @property
    def blames_key(self) -> bool:
        """Whether it failed with a fault for which a key rests."""
        return self.kind is not None and POLICIES[self.kind].rest is not None

    def as_json(self) -> dict[str, object]:
        """Give the shape of the control API."""
        names = ("key", "dialect", "model", "ms", "status", "reason")
        return {name: getattr(self, name) for name in names}


def well_keys(probed: Iterable[Probed]) -> list[str]:
    """Give the keys that need no rest.

    One of their dialects passed, and none failed in a way for which a key rests: a dialect or a
    model that the vendor does not serve says nothing about the key.
    """
    probed = list(probed)
    blamed = {each.key for each in probed if each.blames_key}
    return list(dict.fromkeys(e.key for e in probed if e.passed and e.key not in blamed))


class Prober:
    """Asks the vendors. Its requests count in the lanes, but wait for no place: a person waits."""

    def __init__(
        self, roster: Roster, upstream: Upstream, clock: Clock, scheduler: Scheduler
    ) -> None:
        """Take whom to ask, and how."""
        self._roster, self._upstream = roster, upstream
        self._clock, self._scheduler = clock, scheduler

    async def probe(
        self, name: str, model: str | None, known: tuple[Model, ...] = ()
    ) -> AsyncIterator[Probed]:
        """Probe each key of a provider that is on in each dialect, one after the other.

        `model`: which to ask for; the provider's likeliest if None. `known`: its list, where
        that was given before. Raises Fault if there is nothing to ask.
        """
        provider = self._roster.provider(name)
        keys = [key for key in provider.keys if key.on]
        if not keys:
            raise Fault(FaultKind.REQUEST, f"{name}: each of its keys is switched off")
        models, lack = (provider.model(model),) if model else known, ""
        if not models:
            models, lack = await self._models(provider)
        dialects = [each for each in DIALECT_NAMES if _served(provider, models, each)]
        if not dialects:
            raise Fault(FaultKind.REQUEST, f"{name}: serves {models[0].id} in no dialect")
        for key in keys:
            for dialect in dialects:
                probed = await self._first_good((name, key.name), dialect, models)
                yield _lacking(probed, lack) if lack else probed

    async def _models(self, provider: Provider) -> tuple[tuple[Model, ...], str]:
        """Give the models to choose from, and what is lacking where none is known.

        A vendor that gives no list is asked all the same: its answer tells what is wrong.
        """
        models, name = provider.models, provider.name
        try:
            if models is None:
                models = await fetch_models(Current(self._roster), self._upstream, provider)
        except Fault as fault:
            why = f"its list of models cannot be had ({fault.message})"
            if fault.kind is not FaultKind.UNREADABLE:
                raise Fault(fault.kind, f"{name}: {why}") from fault
            return (Model(id=NO_MODEL),), why
        if not models:
            raise Fault(FaultKind.MODEL, f"{name}: lists no model; {_NAME_ONE}")
        return models, ""

    async def _first_good(
        self, lane: LaneId, dialect: DialectName, models: tuple[Model, ...]
    ) -> Probed:
        """Ask for a model that is good for an answer; give the first try where none is.

        Lists begin with whatever it be: models that make pictures, or that one dialect only knows.
        """
        served = {m.id: m for m in _served(self._roster.provider(lane[0]), models, dialect)}
        found: list[Probed] = []
        for model in models_for(dialect, served):
            found.append(await self._ask(lane, dialect, served[model]))
            if found[-1].kind not in (FaultKind.MODEL, FaultKind.REQUEST):
                break
        return found[-1] if found[-1].passed else found[0]

    async def _ask(self, lane: LaneId, dialect: DialectName, model: Model) -> Probed:
        """Ask for a few tokens and say how it went. Raises nothing."""
        began = self._clock.monotonic()
        status: int | None = None
        kind, reason = None, ""
        try:
            fetched = await self._answer(lane, dialect, model.at_vendor)
            status = fetched.head.status
            self._check(lane, dialect, fetched)
        except ValueError:
            kind = FaultKind.UNREADABLE
            reason = _no_api(lane[0], "the reply is no JSON").message
        except Fault as fault:
            kind, reason = fault.kind, self._masked(fault.message, lane)
        ms = round((self._clock.monotonic() - began) * 1000)
        return Probed(lane[1], dialect, model.id, ms, status, reason, kind)

    async def _answer(self, lane: LaneId, dialect: DialectName, model: str) -> Fetched:
        """Give the answer to a tiny request, whose limit may have two names. Raises Fault."""
        name = limit_name(dialect, model, self._roster.provider(lane[0]).quirks)
        fetched = await self._fetch(lane, dialect, model, name)
        if other := other_limit(dialect, name, fetched.head.status, fetched.body):
            again = await self._fetch(lane, dialect, model, other)
            return again if again.head.status == 200 else fetched
        return fetched

    async def _fetch(self, lane: LaneId, dialect: DialectName, model: str, limit: str) -> Fetched:
        table = DIALECTS[dialect]
        url = table.url(self._roster.provider(lane[0]).base(dialect), "generate", model, "whole")
        body = table.tiny_request(model, limit)
        # A kept connection may be dead, which would be taken for the vendor's fault.
        outgoing = own("POST", url, body, self._roster, lane, dialect, fresh=True)
        ticket = self._scheduler.let_in(lane)
        aborted = True
        try:
            fetched = await fetch(
                self._upstream, outgoing, PATIENCE, lambda: self._scheduler.sent(ticket)
            )
            aborted = False
            return fetched
        finally:
            self._scheduler.leave(ticket, aborted=aborted)

    def _check(self, lane: LaneId, dialect: DialectName, fetched: Fetched) -> None:
        """Raises Fault for an error, and ValueError for a reply that is no JSON."""
        table, head = DIALECTS[dialect], fetched.head
        words = table.error_words(fetched.body)
        answer = Answer(head.status, head.get("content-type"), fetched.body, head.get("location"))
        if answer.redirects or (answer.is_page and head.status in (404, 405)):
            raise _no_api(lane[0], reason_of(dialect, answer))
        if head.status != 200:
            reply = VendorReply(head.status, head.headers, fetched.body)
            raise verdicts.of_status(lane[0], reply, words, self._clock.wall())
        if table.whole(fetched.body).failed:
            raise verdicts.of_event(lane[0], fetched.body, words)
        if not passes(dialect, answer):
            raise _no_api(lane[0], "the reply is JSON, but no answer")

    def _masked(self, message: str, lane: LaneId) -> str:
        try:
            sent = [Secret(text) for _, text in self._roster.provider(lane[0]).headers]
            return mask(message, [self._roster.key(lane), *sent])
        except Fault:
            return message


def _served(
    provider: Provider, models: tuple[Model, ...], dialect: DialectName
) -> tuple[Model, ...]:
    return tuple(model for model in models if dialect in spoken(provider, model))


def _lacking(probed: Probed, lack: str) -> Probed:
    """Say why the vendor was asked for a model that it may not have."""
    if probed.kind not in (FaultKind.MODEL, FaultKind.REQUEST):
        return probed
    return replace(probed, reason=f"{probed.reason}; {lack}; {_NAME_ONE}")


def _no_api(name: str, came: str) -> Fault:
    return Fault(FaultKind.UNREADABLE, f"{name}: {came}; check the base URL")
