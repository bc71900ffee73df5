"""Retry storms: agents that ask again and again, and how little of it reaches a vendor."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

import pytest

from holdgate.core.values.settings import Settings
from tests.relay import failing
from tests.relay.failing import good, heard
from tests.relay.stage import (
    Asking,
    Pair,
    Script,
    Stage,
    end,
    played,
    provider,
    sent,
    settings,
)

PAIRS: list[Pair] = [
    ("chat", "sse"),
    ("responses", "sse"),
    ("messages", "whole"),
    ("gemini", "sse"),
]
some_pairs = pytest.mark.parametrize("pair", PAIRS, ids="-".join)
CHAT: Pair = ("chat", "sse")
ONE = settings(provider("one"))
BOTH = settings(provider("one"), provider("two"))
BODY = b'{"model": "coder", "stream": true, "messages": []}'
# Codex: five tries of a request in each of six tries of a stream, in 25 s.
RETRIES, WITHIN = 30, 25.0
MOST = 10

STORMS: dict[str, Callable[[Pair], Script]] = {
    "503": lambda pair: failing.broken(pair, 503),
    "500": failing.broken,
    "529": lambda pair: failing.broken(pair, 529),
    "a web page": lambda _: failing.page(),
    "a cut stream": lambda pair: failing.part(pair, 1 / 2, failing.cut()),
    "no closing event": lambda pair: failing.part(pair, 1 / 2, end()),
    "resets": lambda _: failing.reset(),
    "429 at once": lambda pair: failing.limited(pair, retry_after="0"),
    "429 without a time": failing.limited,
}


async def storm(stage: Stage, pair: Pair, hang_up: float | None = None) -> int:
    """Ask again and again until the time is over; give how often. `hang_up`: after so long."""
    began, asked = stage.now(), 0
    for number in range(RETRIES):
        await stage.until(began + number * WITHIN / RETRIES)
        if stage.now() > began + WITHIN:
            break
        asking = ask_again(stage, pair)
        asked += 1
        if hang_up is not None:
            await stage.until(stage.now() + hang_up)
            await asking.hang_up()
        else:
            await asking.done()
    return asked


def ask_again(stage: Stage, pair: Pair, conversation: str = "c") -> Asking:
    return stage.ask(pair, conversation=conversation, body=BODY)


def in_time(moments: list[float]) -> list[float]:
    return [at for at in moments if at <= WITHIN]


@some_pairs
@pytest.mark.parametrize("name", STORMS)
@pytest.mark.parametrize("of", [ONE, BOTH], ids=["alone", "two"])
def test_of_thirty_retries_ten_reach_the_vendor_at_most(
    pair: Pair, name: str, of: Settings
) -> None:
    async def scene(stage: Stage) -> None:
        await storm(stage, pair)
        for vendor in of.providers:
            assert len(in_time(stage.moments(vendor))) <= MOST, vendor
        assert stage.is_idle()

    failing_always = [STORMS[name](pair) for _ in range(99)]
    played(scene, of, dict.fromkeys(of.providers, failing_always))


@some_pairs
def test_of_thirty_hang_ups_ten_reach_the_vendor_at_most(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        assert await storm(stage, pair, hang_up=0.5) == RETRIES
        assert len(in_time(stage.moments())) <= MOST
        assert stage.is_idle()

    played(scene, ONE, {"one": [[sent()]] * 99})


@some_pairs
def test_a_person_who_asks_again_after_a_hang_up_is_not_slowed(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        for _ in range(2):
            asking = ask_again(stage, pair)
            await stage.until(stage.now() + 1)
            await asking.hang_up()
        await ask_again(stage, pair).done()
        assert stage.moments() == [0, 1, 2]

    played(scene, ONE, {"one": [[sent()], [sent()], good(pair)]})


@some_pairs
def test_what_is_asked_while_the_first_is_still_connected_is_no_repeat(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        asked = [ask_again(stage, pair) for _ in range(3)]
        await stage.until(1)
        assert stage.moments() == [0, 0, 0]
        for asking in asked:
            heard(await asking.done())

    played(scene, ONE, {"one": [good(pair, 5)] * 3})


@pytest.mark.parametrize("other", ["conversation", "body", "answered", "later"])
def test_what_is_no_repeat_goes_at_once(other: str) -> None:
    """A page rests no key, so only a repeat is slowed by it."""

    async def scene(stage: Stage) -> None:
        for _ in range(3):
            await ask_again(stage, CHAT).done()
        began = stage.now()
        if other == "answered":
            answered = await ask_again(stage, CHAT).done()
            heard(answered)
            began = stage.now()
        if other == "later":
            began += 31
            await stage.until(began)
        conversation = "d" if other == "conversation" else "c"
        body = BODY.replace(b"[]", b"[1]") if other == "body" else BODY
        await stage.ask(CHAT, conversation=conversation, body=body).done()
        assert stage.moments()[-1] == began

    played(scene, ONE, {"one": [failing.page()] * 3 + [good(CHAT)] * 2})


@some_pairs
def test_a_repeat_is_kept_alive_and_asked_later_and_later(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        for _ in range(6):
            last = await ask_again(stage, pair).done()
        gaps = [b - a for a, b in itertools.pairwise(stage.moments())]
        assert gaps == pytest.approx([1, 2, 4, 8, 16], abs=0.01)
        assert last.kept == ([pytest.approx(30, abs=0.01)] if pair[1] != "whole" else [])

    played(scene, ONE, {"one": [failing.page()] * 6})


def test_a_storm_of_one_agent_does_not_slow_another() -> None:
    async def scene(stage: Stage) -> None:
        for _ in range(4):
            await ask_again(stage, CHAT).done()
        began = stage.now()
        other = await stage.ask(CHAT, agent="codex", conversation="c", body=BODY).done()
        assert stage.moments()[-1] == began and other.told[0].status == 502

    scripts: Mapping[str, list[Script]] = {"one": [failing.page()] * 9}
    played(scene, ONE, scripts)
