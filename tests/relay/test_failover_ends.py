"""The end of failover: what is told, and how often a vendor is asked, when nobody can answer."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from holdgate.core.values.errors import FaultKind
from holdgate.core.values.names import DIALECT_NAMES
from holdgate.core.values.settings import Model
from tests.relay import failing
from tests.relay.failing import ALL, good, heard
from tests.relay.stage import (
    TEXT,
    Asking,
    Pair,
    Script,
    Stage,
    error_of,
    one_reply,
    played,
    provider,
    refuses,
    settings,
)

OTHER = "I am the second"
CHAT: Pair = ("chat", "sse")
ONE = settings(provider("one"))
BOTH = settings(provider("one"), provider("two"))
MINUTES = 60.0
# A timer comes a moment late at most.
SOON = 0.1

every_pair = pytest.mark.parametrize("pair", ALL, ids="-".join)
PLAIN: list[Pair] = [("chat", "sse"), ("messages", "whole"), ("gemini", "array")]
some_pairs = pytest.mark.parametrize("pair", PLAIN, ids="-".join)


def answered_with(asking: Asking, status: int) -> str:
    """Give the message of an error that was told by a status, its shape checked."""
    (told,) = asking.told
    assert (told.what, told.status) == ("answer", status)
    error = json.loads(told.data)["error"]
    return str(error["message"])


def refused(pair: Pair, status: int = 401) -> Script:
    kind = "authentication_error" if status == 401 else "permission_error"
    return refuses(status, error_of(pair[0], kind, "no such key secret-one-default"))


def unknown(pair: Pair, words: str) -> Script:
    return refuses(404, error_of(pair[0], "not_found_error", words))


@every_pair
@pytest.mark.parametrize("status", [500, 503, 529, 408])
def test_when_all_fail_each_is_asked_three_times_at_most(pair: Pair, status: int) -> None:
    one, two = failing.broken(pair, status), failing.broken(pair, status, "me too")
    asking, stage = one_reply(pair, BOTH, {"one": [one] * 9, "two": [two] * 9})
    assert "me too" in answered_with(asking, status)
    assert stage.moments("one") == [0]
    _, second, third = stage.moments("two")
    assert stage.moments("two")[0] == 0 and 1 <= second <= 1.25 and 2 <= third - second <= 2.5
    assert 1 <= int(asking.told[0].headers["retry-after"]) <= 60
    assert len(asking.record.tries) == 4 and asking.record.usage is None


@every_pair
def test_then_the_next_request_waits_for_the_first_rest_and_probes(pair: Pair) -> None:
    """Two keys rest: nobody is asked before a rest is over, and then once."""

    async def scene(stage: Stage) -> None:
        await stage.ask(pair).done()
        await stage.until(10)
        asking = await stage.ask(pair).done()
        assert stage.moments("one") == [0, pytest.approx(60, abs=SOON)]
        assert len(stage.moments("two")) == 3 and heard(asking) == TEXT
        assert stage.is_idle()

    ill = failing.broken(pair, 503)
    played(scene, BOTH, {"one": [ill, good(pair)], "two": [ill] * 9})


@every_pair
def test_a_probe_that_fails_is_no_reason_to_ask_three_times(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        await stage.ask(pair).done()
        began = stage.now()
        asking = await stage.ask(pair).done()
        # Alone it rests for 2 s, not for a minute.
        assert stage.moments()[3:] == [pytest.approx(began + 2, abs=SOON)]
        assert "I am ill" in answered_with(asking, 503)

    played(scene, ONE, {"one": [failing.broken(pair, 503)] * 9})


@some_pairs
def test_after_a_rest_one_probes_for_all(pair: Pair) -> None:
    """Of many that come then the others go to the second, and later all to the first."""

    async def scene(stage: Stage) -> None:
        for at, first in ((0, 10), (30, 0), (61, 1), (70, 10)):
            await stage.until(at)
            before = len(stage.moments("one"))
            for asking in [stage.ask(pair) for _ in range(10)]:
                heard(await asking.done())
            assert len(stage.moments("one")) - before == first
        assert stage.is_idle()

    one = [failing.broken(pair, 503)] * 10 + [good(pair, 1, OTHER)] * 11
    played(scene, BOTH, {"one": one, "two": [good(pair)] * 29})


@every_pair
def test_a_refused_key_is_asked_once_and_then_the_second_at_once(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        for at in range(5):
            await stage.until(at * 30)
            assert heard(await stage.ask(pair).done()) == OTHER
        assert stage.moments("one") == [0]
        assert stage.moments("two") == [0, 30, 60, 90, 120]
        rest = stage.resting.of(("one", "default"))
        assert rest is not None and rest.refused

    scripts = {"one": [refused(pair)] * 9, "two": [good(pair, 0, OTHER)] * 9}
    played(scene, BOTH, scripts)


@every_pair
def test_alone_a_refused_key_is_told_as_502_without_asking(pair: Pair) -> None:
    """Until a probe after ten minutes, of which there is one; its answer ends it."""

    async def scene(stage: Stage) -> None:
        for at in (0, 1, 300, 10 * MINUTES + 1, 10 * MINUTES + 2):
            await stage.until(at)
            message = answered_with(await stage.ask(pair).done(), 502)
            assert message.startswith("one: ") and "secret" not in message
            assert stage.now() == pytest.approx(at, abs=SOON)
        assert stage.moments() == [0, pytest.approx(601, abs=SOON)]
        await stage.until(20 * MINUTES + 5)
        assert heard(await stage.ask(pair).done()) == TEXT
        assert heard(await stage.ask(pair).done()) == TEXT
        assert stage.resting.of(("one", "default")) is None

    scripts = {"one": [refused(pair)] * 2 + [good(pair)] * 2}
    played(scene, ONE, scripts)


@some_pairs
def test_another_key_is_asked_at_once(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        answered_with(await stage.ask(pair).done(), 502)
        stage.reconfigured()
        assert heard(await stage.ask(pair).done()) == TEXT
        assert stage.moments() == [0, 0]
        sent = stage.upstream.asked
        assert "-new" in str(sent[1].outgoing) and "-new" not in str(sent[0].outgoing)

    played(scene, ONE, {"one": [refused(pair), good(pair)]})


@some_pairs
def test_who_stands_in_line_for_a_refused_key_is_told_too(pair: Pair) -> None:
    """It is no use to wait for it."""

    async def scene(stage: Stage) -> None:
        first, second = stage.ask(pair), stage.ask(pair)
        await second.done()
        await first.done()
        assert stage.moments() == [0] and stage.now() == 3
        for asking in (first, second):
            answered_with(asking, 502)
        assert stage.is_idle()

    late = refused(pair)
    late[1] = replace(late[1], after=3)
    played(scene, settings(provider("one", concurrency=1)), {"one": [late] * 3})


@some_pairs
def test_a_403_is_of_that_key_with_that_model(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        answered_with(await stage.ask(pair, "one/a").done(), 502)
        assert heard(await stage.ask(pair, "one/b").done()) == TEXT
        answered_with(await stage.ask(pair, "one/a").done(), 502)
        assert heard(await stage.ask(pair, "one/b").done()) == TEXT
        assert len(stage.moments()) == 3

    of = settings(provider("one", models=(Model(id="a"), Model(id="b"))))
    played(scene, of, {"one": [refused(pair, 403), good(pair), good(pair)]})


@every_pair
def test_a_model_that_one_vendor_has_not(pair: Pair) -> None:
    scripts = {"one": [unknown(pair, "no model")] * 2, "two": [good(pair, 0, OTHER)]}
    asking, stage = one_reply(pair, BOTH, scripts)
    assert heard(asking) == OTHER and stage.asked == [(0, "one"), (0, "two")]
    assert asking.record.tries[0].fault is FaultKind.MODEL
    assert stage.resting.of(("one", "default")) is None


@every_pair
def test_a_model_that_nobody_has_is_told_by_the_first(pair: Pair) -> None:
    scripts = {name: [unknown(pair, f"not at {name}")] * 2 for name in ("one", "two")}
    asking, stage = one_reply(pair, BOTH, scripts)
    assert "not at one" in answered_with(asking, 404)
    assert stage.asked == [(0, "one"), (0, "two")]


# Gemini has no code for it, only the status.
CREDIT = [(pair, 402, "billing_error") for pair in ALL] + [
    (pair, 429, "insufficient_quota") for pair in ALL if pair[0] in ("chat", "responses")
]


@pytest.mark.parametrize(("pair", "status", "kind"), CREDIT)
def test_spent_credit_goes_to_the_second_for_half_an_hour(
    pair: Pair, status: int, kind: str
) -> None:

    async def scene(stage: Stage) -> None:
        for at in (0, 60, 29 * MINUTES, 31 * MINUTES):
            await stage.until(at)
            await stage.ask(pair).done()
        assert stage.moments("one") == [0, 31 * MINUTES]
        assert stage.moments("two") == [0, 60, 29 * MINUTES]

    spent = refuses(status, error_of(pair[0], kind, "insufficient_quota: pay"))
    played(scene, BOTH, {"one": [spent, good(pair)], "two": [good(pair)] * 3})


@every_pair
def test_alone_spent_credit_is_told_as_402(pair: Pair) -> None:
    spent = refuses(402, error_of(pair[0], "billing_error", "please pay"))
    asking, stage = one_reply(pair, ONE, {"one": [spent] * 9})
    assert "please pay" in answered_with(asking, 402) and stage.asked == [(0, "one")]
    assert asking.record.fault is FaultKind.CREDIT


@every_pair
def test_alone_a_spent_window_is_told_at_once_with_its_reset(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        for at, left in ((0, 3600), (600, 3000)):
            await stage.until(at)
            asking = await stage.ask(pair).done()
            answered_with(asking, 429)
            assert int(asking.told[0].headers["retry-after"]) == pytest.approx(left, abs=1)
        await stage.until(3601)
        assert heard(await stage.ask(pair).done()) == TEXT
        assert stage.moments() == [0, 3601]

    played(scene, ONE, {"one": [failing.limited(pair, retry_after="3600"), good(pair)]})


@every_pair
def test_a_spent_window_gives_way_until_its_reset(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        texts = []
        for at in (0, 600, 3000, 3700):
            await stage.until(at)
            texts.append(heard(await stage.ask(pair).done()))
        assert texts == [OTHER, OTHER, OTHER, TEXT]
        assert stage.moments("one") == [0, 3700]

    spent = failing.limited(pair, retry_after="3600")
    scripts = {"one": [spent, good(pair)], "two": [good(pair, 0, OTHER)] * 3}
    played(scene, BOTH, scripts)


@every_pair
def test_a_limit_does_not_mask_an_earlier_real_error(pair: Pair) -> None:
    of = settings(provider("one"), provider("two", queue_wait=10.0))
    of = replace(of, queue=replace(of.queue, wait_whole=10.0, wait=10.0))
    scripts = {
        "one": [failing.broken(pair, 500)] * 9,
        "two": [failing.limited(pair, retry_after="1000")] * 9,
    }
    asking, _ = one_reply(pair, of, scripts)
    assert "I am ill" in answered_with(asking, 500)


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_connection_after_connection_is_lost(dialect: str) -> None:
    """Once more at once and no more: a lone vendor sees two requests."""
    pair: Pair = (dialect, "sse")  # type: ignore[assignment]
    asking, stage = one_reply(pair, ONE, {"one": [failing.reset()] * 9})
    assert stage.asked == [(0, "one"), (0, "one")]
    assert answered_with(asking, 502).startswith("one: the connection was lost")
    assert stage.upstream.asked[1].outgoing.fresh and not stage.upstream.asked[0].outgoing.fresh
