"""Failover over real sockets: the gateway's own client and two vendors, by a virtual clock."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from holdgate.core.relay.upstream import HttpUpstream
from holdgate.core.values.errors import FaultKind
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.settings import Provider
from tests import virtual_loop
from tests.fakes.vendor import Cut, FakeVendor, Pause, Reply
from tests.fakes.vendor_replies import Chunk
from tests.relay.failing import LONG, heard
from tests.relay.heard import error_message
from tests.relay.stage import Asking, Pair, Stage, body_for, events_of, provider, settings, whole_of

OTHER = "I am the second"
SECOND = 1.0
# What a turn over a socket may take by the virtual clock: where a timer is set it may jump.
SOON = 0.3

every_dialect = pytest.mark.parametrize("dialect", DIALECT_NAMES)
Scene = Callable[[Stage, FakeVendor, FakeVendor], Awaitable[None]]


def at(vendor: FakeVendor, name: str) -> Provider:
    return provider(
        name,
        chat=f"{vendor.url}/v1",
        responses=f"{vendor.url}/v1",
        messages=vendor.url,
        gemini=vendor.url,
        first_byte_timeout=30.0,
        idle_timeout=20.0,
    )


def played(scene: Scene) -> None:
    """Play a scene with two vendors to its end."""

    async def play() -> None:
        loop = asyncio.get_running_loop()
        client = HttpUpstream(virtual_loop.clock_of(loop), loop)
        async with FakeVendor(text=LONG) as one, FakeVendor(text=OTHER) as two:
            stage = Stage(settings(at(one, "one"), at(two, "two")), {}, client)
            try:
                await scene(stage, one, two)
                assert stage.is_idle()
            finally:
                await client.close()
                await stage.tasks.close()
                stage.wheel.close()
                stage.scheduler.close()

    virtual_loop.run(play())


def arrivals(vendor: FakeVendor) -> list[float]:
    """When a vendor was asked, by its own clock, since the stage began."""
    return [seen.arrived - virtual_loop.START for seen in vendor.requests]


def soon(*moments: float) -> object:
    return pytest.approx(list(moments), abs=SOON)


async def asked(stage: Stage, pair: Pair) -> Asking:
    return await stage.ask(pair, body=body_for(pair)).done()


def shown(pair: Pair, share: float, *then: Chunk) -> Reply:
    """Give that share of a streamed answer, and what happens then."""
    events = events_of(pair, LONG)
    kind = {"Content-Type": "text/event-stream"}
    return Reply(headers=kind, chunks=[*events[: int(len(events) * share)], *then])


BEFORE: dict[str, tuple[Reply, int, float]] = {
    # The reply, how often it is asked, and when the second is.
    "429": (Reply(429, {"Retry-After": "2"}), 1, 0),
    "500": (Reply(500), 1, 0),
    "503": (Reply(503), 1, 0),
    "closed before the headers": (Reply(drop=True), 2, 0),
    "no response at all": (Reply(delay=3600), 1, 30),
    "a web page": (Reply(headers={"Content-Type": "text/html"}, text="<html>"), 1, 0),
    "reset in the headers": (Reply(chunks=[Cut("reset")]), 1, 0),
}


@every_dialect
@pytest.mark.parametrize("framing", ["sse", "whole"])
@pytest.mark.parametrize("name", BEFORE)
def test_the_second_answers_in_full(dialect: DialectName, framing: str, name: str) -> None:
    pair: Pair = (dialect, framing)  # type: ignore[assignment]
    reply, times, later = BEFORE[name]

    async def scene(stage: Stage, one: FakeVendor, two: FakeVendor) -> None:
        one.script(*[reply] * 3)
        asking = await asked(stage, pair)
        assert heard(asking) == OTHER and asking.record.fault is None
        assert len(one.requests) == times and arrivals(one) == soon(*[0.0] * times)
        assert arrivals(two) == soon(later)
        await one.idle()
        assert one.requests[-1].how in ("whole", "cut", "left")

    played(scene)


AFTER: dict[str, tuple[list[Chunk], FaultKind, float]] = {
    "cut": ([Cut()], FaultKind.CUT, 0),
    "reset": ([Cut("reset")], FaultKind.CUT, 0),
    "end": ([], FaultKind.CUT, 0),
    "stall": ([Pause(3600)], FaultKind.STALLED, 20),
}


@every_dialect
@pytest.mark.parametrize("name", AFTER)
def test_after_content_it_is_an_error_event(dialect: DialectName, name: str) -> None:
    """And the connection to the vendor is closed at once."""
    pair: Pair = (dialect, "sse")
    then, kind, later = AFTER[name]

    async def scene(stage: Stage, one: FakeVendor, two: FakeVendor) -> None:
        one.script(shown(pair, 2 / 3, *then))
        asking = await asked(stage, pair)
        assert error_message(asking).startswith("one: ")
        assert asking.record.fault is kind and b"one two" not in asking.body
        assert asking.told[-1].at == pytest.approx(later, abs=SOON)
        assert len(one.requests) == 1 and two.requests == []
        await one.idle(within=2 * SECOND)

    played(scene)


@every_dialect
def test_half_of_a_whole_reply_is_nothing(dialect: DialectName) -> None:
    half = whole_of(dialect, LONG)[:40]
    json_kind = {"Content-Type": "application/json"}

    async def scene(stage: Stage, one: FakeVendor, two: FakeVendor) -> None:
        one.script(
            Reply(headers=json_kind, chunks=[half, Cut()]), Reply(headers=json_kind, chunks=[half])
        )
        for _ in range(2):
            assert heard(await asked(stage, (dialect, "whole"))) == OTHER
        assert len(one.requests) == len(two.requests) == 2

    played(scene)


@every_dialect
def test_an_error_of_the_agents_is_told_once(dialect: DialectName) -> None:
    async def scene(stage: Stage, one: FakeVendor, two: FakeVendor) -> None:
        one.script(Reply(400))
        asking = await asked(stage, (dialect, "sse"))
        (told,) = asking.told
        assert told.status == 400 and len(one.requests) == 1 and two.requests == []

    played(scene)


@every_dialect
def test_a_first_that_is_down_for_a_minute_is_returned_to(dialect: DialectName) -> None:
    async def scene(stage: Stage, one: FakeVendor, two: FakeVendor) -> None:
        one.script(Reply(503))
        texts = []
        for moment in (0, 20, 40, 62, 63):
            await stage.until(moment)
            texts.append(heard(await asked(stage, (dialect, "sse"))))
        assert texts == [OTHER] * 3 + [LONG] * 2
        assert arrivals(one) == soon(0, 62, 63) and arrivals(two) == soon(0, 20, 40)

    played(scene)


@every_dialect
def test_when_both_are_down_each_is_asked_three_times_at_most(dialect: DialectName) -> None:
    async def scene(stage: Stage, one: FakeVendor, two: FakeVendor) -> None:
        for vendor in (one, two):
            vendor.script(*[Reply(503)] * 9)
        asking = await asked(stage, (dialect, "sse"))
        assert asking.told[0].status == 503
        assert len(one.requests) == 1 and len(two.requests) == 3
        first, second, third = arrivals(two)
        assert second - first >= 1 and third - second >= 2

    played(scene)
