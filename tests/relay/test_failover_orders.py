"""Who is asked first: keys as mates, orders, and conversations that stay with a key."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from holdgate.core.values.settings import Key, Model, Provider, Settings
from tests.fakes import vendor_streams as vendor
from tests.relay import failing
from tests.relay.failing import good, heard
from tests.relay.stage import (
    ROUTE,
    TEXT,
    Pair,
    Script,
    Stage,
    error_of,
    played,
    provider,
    refuses,
    settings,
)

PAIRS: list[Pair] = [("chat", "sse"), ("messages", "whole"), ("gemini", "array")]
some_pairs = pytest.mark.parametrize("pair", PAIRS, ids="-".join)
CHAT: Pair = ("chat", "sse")
MATES = provider("one", keys=(Key(name="a"), Key(name="b")))


def routed(*providers: Provider, **of_route: Any) -> Settings:
    """Give settings whose route has this order or affinity."""
    of = settings(*providers)
    return replace(of, routes={ROUTE: replace(of.routes[ROUTE], **of_route)})


def keys_of(stage: Stage) -> list[str]:
    """Give the names of the keys that were sent, in order."""
    return [
        next(key for key in "ab" if f"secret-one-{key}" in str(asked.outgoing.headers))
        for asked in stage.upstream.asked
    ]


def names_of(stage: Stage) -> list[str]:
    return [name for _, name in stage.asked]


def cached(pair: Pair = CHAT) -> Script:
    """An answer for which the vendor's prompt cache served."""
    return failing.named(vendor.MODEL, pair, vendor.Usage(input=9, output=5, cached=4))


def failing_key(pair: Pair) -> dict[str, Script]:
    refused = refuses(401, error_of(pair[0], "authentication_error", "no such key"))
    return {
        "429": failing.limited(pair, retry_after="7"),
        "401": refused,
        "500": failing.broken(pair),
        "credit": refuses(402, error_of(pair[0], "billing_error", "please pay")),
    }


@some_pairs
@pytest.mark.parametrize("kind", failing_key(CHAT))
def test_a_mate_answers_at_once_where_a_key_fails(pair: Pair, kind: str) -> None:
    async def scene(stage: Stage) -> None:
        for _ in range(3):
            assert heard(await stage.ask(pair).done()) == TEXT
        assert keys_of(stage) == ["a", "b", "b", "b"]
        assert stage.moments() == [0] * 4

    scripts = {"one": [failing_key(pair)[kind], *[good(pair)] * 3]}
    played(scene, settings(MATES), scripts)


def test_of_mates_whoever_has_fewer_requests_is_asked() -> None:
    async def scene(stage: Stage) -> None:
        asked = [stage.ask(CHAT) for _ in range(4)]
        for asking in asked:
            await asking.done()
        assert Counter(keys_of(stage)) == {"a": 2, "b": 2}

    played(scene, settings(MATES), {"one": [good(CHAT, 5)] * 4})


def test_a_full_mate_gives_way() -> None:
    of = settings(replace(MATES, concurrency=1), provider("two"))

    async def scene(stage: Stage) -> None:
        asked = [stage.ask(CHAT) for _ in range(3)]
        for asking in asked:
            await asking.done()
        # The third waits for a key of the first a moment, then the second candidate takes it.
        assert names_of(stage) == ["one", "one", "two"]
        assert stage.moments("two") == [2]

    played(scene, of, {"one": [good(CHAT, 50)] * 2, "two": [good(CHAT)]})


@some_pairs
def test_two_models_of_one_key_are_no_others(pair: Pair) -> None:
    """The second cannot answer while the key rests, so that is not for long."""

    async def scene(stage: Stage) -> None:
        assert heard(await stage.ask(pair).done()) == TEXT
        assert stage.moments() == [0, pytest.approx(2, abs=0.01)]

    of = routed(
        provider("one", models=(Model(id="a"), Model(id="b"))), candidates=("one/a", "one/b")
    )
    played(scene, of, {"one": [failing.broken(pair, 503), good(pair)]})


@some_pairs
def test_rotate_takes_turns(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        for _ in range(6):
            await stage.ask(pair).done()
        assert names_of(stage) == ["one", "two", "three"] * 2

    of = routed(*map(provider, ("one", "two", "three")), order="rotate")
    played(scene, of, {name: [good(pair)] * 2 for name in ("one", "two", "three")})


@some_pairs
def test_rotate_passes_over_who_rests_and_comes_back(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        for at in (0, 1, 2, 3, 61, 62):
            await stage.until(at)
            assert heard(await stage.ask(pair).done()) == TEXT
        assert names_of(stage) == ["one", "two", "two", "two", "two", "one", "two"]

    of = routed(provider("one"), provider("two"), order="rotate")
    scripts = {"one": [failing.broken(pair), good(pair)], "two": [good(pair)] * 5}
    played(scene, of, scripts)


def test_least_busy_goes_by_the_share_of_slots() -> None:
    async def scene(stage: Stage) -> None:
        asked = [stage.ask(CHAT) for _ in range(6)]
        await stage.until(1)
        assert Counter(names_of(stage)) == {"one": 2, "two": 4}
        for asking in asked:
            await asking.done()

    of = routed(provider("one", concurrency=2), provider("two", concurrency=4), order="least-busy")
    played(scene, of, {"one": [good(CHAT, 9)] * 2, "two": [good(CHAT, 9)] * 4})


@pytest.mark.parametrize("order", ["given", "rotate", "least-busy"])
def test_whatever_the_order_a_failing_one_gives_way(order: str) -> None:
    async def scene(stage: Stage) -> None:
        for _ in range(4):
            assert heard(await stage.ask(CHAT).done()) == TEXT
        assert Counter(names_of(stage)) == {"one": 1, "two": 4}

    of = routed(provider("one"), provider("two"), order=order)
    played(scene, of, {"one": [failing.broken(CHAT, 503)] * 9, "two": [good(CHAT)] * 4})


AFFINITY = [
    # Mode, whether the cache served, seconds between: whether the second request comes home.
    ("auto", True, 299.0, True),
    ("auto", True, 301.0, False),
    ("auto", False, 1.0, False),
    ("conversation", False, 3000.0, True),
    ("off", True, 1.0, False),
]


@pytest.mark.parametrize(("mode", "warm", "later", "stays"), AFFINITY)
def test_a_conversation_stays_while_its_cache_is_warm(
    mode: str, warm: bool, later: float, stays: bool
) -> None:
    async def scene(stage: Stage) -> None:
        await stage.ask(CHAT, conversation="c").done()
        await stage.until(later)
        await stage.ask(CHAT, conversation="c").done()
        assert names_of(stage) == ["one", "one" if stays else "two"]

    of = routed(provider("one"), provider("two"), order="rotate", affinity=mode)
    first = cached() if warm else good(CHAT)
    played(scene, of, {"one": [first, good(CHAT)], "two": [good(CHAT)]})


@pytest.mark.parametrize("mode", ["auto", "conversation"])
def test_a_home_that_fails_is_left_and_the_new_one_is_home(mode: str) -> None:
    async def scene(stage: Stage) -> None:
        for at in (0, 10, 20, 80):
            await stage.until(at)
            assert heard(await stage.ask(CHAT, conversation="c").done()) == TEXT
        # At 80 the first is well again, but the conversation is at home with the second.
        assert names_of(stage) == ["one", "one", "two", "two", "two"]

    scripts = {
        "one": [cached(), failing.broken(CHAT), good(CHAT)],
        "two": [cached(), cached(), cached()],
    }
    played(scene, routed(provider("one"), provider("two"), affinity=mode), scripts)
