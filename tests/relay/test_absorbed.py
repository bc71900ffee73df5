"""A vendor at its limit: its 429 is waited out, and the agent hears keepalives at most."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdgate.core.values.errors import FaultKind
from holdgate.core.values.inbound import Framing
from tests.dialects.opened_rules import read
from tests.fakes import vendor_streams
from tests.relay.heard import answer_of
from tests.relay.stage import (
    PAIRS,
    ROUTE,
    TEXT,
    Pair,
    Script,
    Stage,
    answers,
    answers_whole,
    data,
    end,
    error_of,
    events_of,
    head,
    one_reply,
    played,
    provider,
    refuses,
    sent,
    settings,
    stream_head,
)

every_pair = pytest.mark.parametrize("pair", PAIRS, ids="-".join)
every_dialect = pytest.mark.parametrize("dialect", ["chat", "responses", "messages", "gemini"])
ONE = settings(provider("one"))
BOTH = settings(provider("one"), provider("two"))
CHAT: Pair = ("chat", "sse")
# A closed connection may count at the vendor for a moment, and a timer comes a turn late at most.
SOON = 0.3


def limited(dialect: Any, after: float = 0.0, **headers: str) -> Script:
    body = error_of(dialect, "rate_limit_error", "slow down")
    return refuses(429, body, after, **headers)


def moments(stage: Stage) -> list[float]:
    return [at for at, _ in stage.asked]


@every_pair
def test_a_429_with_a_time_is_waited_out(pair: Pair) -> None:
    scripts = {"one": [limited(pair[0], retry_after="7"), answers(pair)]}
    asking, stage = one_reply(pair, ONE, scripts)
    assert moments(stage) == [0, pytest.approx(7, abs=SOON)] and moments(stage)[1] >= 7
    assert asking.kept == []
    assert asking.what == ["start", "end"] and asking.answer == b"".join(events_of(pair))
    assert asking.record.state == "done" and len(asking.record.tries) == 2


@every_pair
def test_a_long_time_is_waited_out_with_keepalives_and_an_opening(pair: Pair) -> None:
    scripts = {"one": [limited(pair[0], retry_after="200"), answers(pair)]}
    asking, stage = one_reply(pair, ONE, scripts)
    assert asking.kept == [15.0 * n for n in range(1, 12)]
    assert moments(stage) == [0, pytest.approx(200, abs=SOON)]
    assert answer_of(asking) == TEXT
    array = pair[1] == "array"
    told = read(pair[0], asking.answer if array else asking.body, array=array)
    assert told.ids == {asking.inbound.id} and told.models == {ROUTE}


@every_pair
def test_429s_without_a_time_are_waited_out_three_times(pair: Pair) -> None:
    scripts = {"one": [limited(pair[0])] * 4 + [answers(pair)]}
    asking, stage = one_reply(pair, ONE, scripts)
    assert moments(stage) == pytest.approx([0, 2, 7, 22], abs=3 * SOON)
    gaps = [b - a for a, b in zip(moments(stage), moments(stage)[1:], strict=False)]
    assert all(gap >= least for gap, least in zip(gaps, (2, 5, 15), strict=True))
    assert asking.kept == [15]
    assert asking.record.fault is FaultKind.RATE
    assert asking.told[-1].what == ("abort" if pair[0] == "gemini" else "end")
    assert b"one: HTTP 429: slow down" in asking.body


@every_dialect
def test_in_the_end_the_429_is_told_as_it_came(dialect: Any) -> None:
    asking, stage = one_reply((dialect, "whole"), ONE, {"one": [limited(dialect)] * 4})
    (told,) = asking.told
    assert (told.what, told.status) == ("answer", 429)
    assert told.data == error_of(dialect, "rate_limit_error", "slow down")
    assert len(stage.asked) == 4


@every_dialect
def test_a_request_that_is_not_streamed_waits_too(dialect: Any) -> None:
    scripts = {"one": [limited(dialect, retry_after="7"), answers_whole(dialect)]}
    asking, stage = one_reply((dialect, "whole"), ONE, scripts)
    assert [told.what for told in asking.told] == ["answer"]
    assert moments(stage)[1] == pytest.approx(7, abs=SOON)


@every_pair
def test_an_error_body_with_a_good_status_is_not_absorbed(pair: Pair) -> None:
    body = error_of(pair[0], "rate_limit_error", "slow down")
    script: Script = [sent(), head(0, content_type="application/json"), data(0, body), end()]
    asking, stage = one_reply(pair, ONE, {"one": [script, answers(pair)]})
    assert len(stage.asked) == 1 and asking.told[-1].at == 0
    assert asking.told[0].status == 429 and asking.record.fault is FaultKind.RATE


@every_pair
def test_a_reset_of_an_hour_is_told_at_once(pair: Pair) -> None:
    scripts = {"one": [limited(pair[0], retry_after="3600"), answers(pair)]}
    asking, stage = one_reply(pair, ONE, scripts)
    assert len(stage.asked) == 1
    (told,) = asking.told
    assert (told.at, told.status, told.headers["retry-after"]) == (0, 429, "3600")
    assert asking.record.fault is FaultKind.WINDOW


@every_pair
@pytest.mark.parametrize("headers", [{"retry_after": "7"}, {}], ids=["7 s", "no time"])
def test_a_second_candidate_answers_at_once_instead(pair: Pair, headers: dict[str, str]) -> None:
    scripts = {"one": [limited(pair[0], 1, **headers)], "two": [answers(pair)]}
    asking, stage = one_reply(pair, BOTH, scripts)
    assert stage.asked == [(0, "one"), (1, "two")]
    assert asking.told[-1].at == 1 and answer_of(asking) == TEXT


@every_pair
def test_one_probes_for_all_that_wait(pair: Pair) -> None:
    """Three under way are refused: after the time one asks, and only its answer lets more go."""

    async def scene(stage: Stage) -> None:
        asked = [stage.ask(pair) for _ in range(3)]
        await stage.until(1)
        asked += [stage.ask(pair) for _ in range(2)]
        for asking in asked:
            await asking.done()
            assert answer_of(asking) == TEXT
        assert moments(stage)[:3] == [0, 0, 0]
        assert moments(stage)[3] == pytest.approx(7, abs=SOON) and moments(stage)[3] >= 7
        assert all(at >= moments(stage)[3] + 4 for at in moments(stage)[4:])
        # Then the line follows, all at once.
        assert moments(stage)[4:] == pytest.approx([11] * 4, abs=2 * SOON)
        assert stage.is_idle()

    refused = [limited(pair[0], retry_after="7")] * 3
    played(scene, ONE, {"one": [*refused, *[answers(pair, 4)] * 5]})


@every_pair
def test_a_probe_that_is_refused_again_closes_the_lane_for_all(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        asked = [stage.ask(pair) for _ in range(2)]
        for asking in asked:
            await asking.done()
        times = moments(stage)
        assert times[:2] == [0, 0]
        assert times[2:4] == pytest.approx([7, 14], abs=2 * SOON)
        assert times[4] >= times[3] + 1 and len(times) == 5

    script = [limited(pair[0], retry_after="7")] * 3 + [answers(pair, 1), answers(pair)]
    played(scene, ONE, {"one": script})


@every_pair
def test_who_stands_in_line_is_not_sent_into_a_429(pair: Pair) -> None:
    """The slot of the one that was refused is free at once, but the lane is closed."""

    async def scene(stage: Stage) -> None:
        first, second = stage.ask(pair), stage.ask(pair)
        await first.done()
        await second.done()
        assert moments(stage) == pytest.approx([0, 8, 9], abs=2 * SOON)
        bodies = [each.outgoing.body for each in stage.upstream.asked]
        assert bodies[0] == bodies[1] != bodies[2]  # who was refused goes first

    script = [limited(pair[0], 1, retry_after="7"), answers(pair, 1), answers(pair)]
    played(scene, settings(provider("one", concurrency=1)), {"one": script})


def test_after_an_answer_the_lane_is_as_before() -> None:
    """Not one after the other for ever."""

    async def scene(stage: Stage) -> None:
        await stage.ask(CHAT).done()
        began = stage.now()
        asked = [stage.ask(CHAT) for _ in range(3)]
        await stage.until(began + 0.5)
        assert moments(stage)[-3:] == [began] * 3
        for asking in asked:
            await asking.done()

    first = [limited("chat", retry_after="7"), answers(CHAT)]
    played(scene, ONE, {"one": [*first, *[answers(CHAT, 5)] * 3]})


def test_what_an_answer_took_counts_in_the_window() -> None:
    """The estimate (a few tokens) is corrected by the vendor's own count."""

    async def scene(stage: Stage) -> None:
        await stage.ask(CHAT).done()
        await stage.ask(CHAT).done()
        third = await stage.ask(CHAT).done()
        assert [at < 1 for at in moments(stage)] == [True, True, False]
        assert third.told[-1].at >= 60

    much = b"".join(vendor_streams.chat_stream(TEXT, vendor_streams.Usage(input=900, output=95)))
    full: Script = [sent(), stream_head("sse"), data(0, much), end()]
    of = settings(provider("one", tpm=1000))
    played(scene, of, {"one": [answers(CHAT), full, answers(CHAT)]})


@every_pair
@pytest.mark.parametrize("at", [5.0, 20.0, 190.0])
def test_an_agent_that_hangs_up_in_the_absorbed_wait(pair: Pair, at: float) -> None:
    async def scene(stage: Stage) -> None:
        asking = stage.ask(pair)
        await stage.until(at)
        assert asking.record.state == "waiting"
        told = len(asking.told)
        await asking.hang_up()
        assert stage.is_idle()
        again = await stage.ask(pair, body=asking.inbound.body).done()
        assert moments(stage) == [0, pytest.approx(250, abs=SOON)]
        assert again.told[-1].what == "end"
        await stage.until(500)
        assert len(asking.told) == told and stage.lane().line.is_empty

    scripts = {"one": [limited(pair[0], retry_after="250"), answers(pair)]}
    played(scene, settings(provider("one", concurrency=1)), scripts)


@every_pair
@pytest.mark.parametrize("at", [5.0, 20.0, 190.0])
def test_an_agent_that_hangs_up_while_all_is_paused(pair: Pair, at: float) -> None:
    async def scene(stage: Stage) -> None:
        stage.scheduler.pause(None, None)
        asking = stage.ask(pair)
        await stage.until(at)
        assert asking.kept == [15.0 * n for n in range(1, 12) if 15 * n <= at]
        await asking.hang_up()
        assert stage.is_idle()
        await stage.until(at + 1)
        again = stage.ask(pair, body=asking.inbound.body)
        stage.scheduler.resume(None)
        await again.done()
        assert answer_of(again) == TEXT and moments(stage) == [at + 1]
        await stage.until(at + 200)
        assert stage.lane().line.is_empty

    played(scene, ONE, {"one": [answers(pair)]})


@every_pair
def test_an_agent_that_hangs_up_while_it_probes(pair: Pair) -> None:
    """The next in line probes instead."""

    async def scene(stage: Stage) -> None:
        first = stage.ask(pair)
        await stage.until(1)
        second = stage.ask(pair)
        await stage.until(8)
        assert len(stage.asked) == 2
        await first.hang_up()
        await second.done()
        assert moments(stage)[2] == pytest.approx(8, abs=SOON) and answer_of(second) == TEXT

    scripts = {"one": [limited(pair[0], retry_after="7"), [sent()], answers(pair)]}
    played(scene, ONE, scripts)


FRAMINGS: list[Framing] = ["sse", "whole"]


@pytest.mark.parametrize("framing", FRAMINGS)
def test_a_wait_that_would_be_too_long_is_told_at_once(framing: Framing) -> None:
    """Nobody waits for what cannot come in time."""
    of = settings(provider("one", queue_wait=100.0))
    longer = "400"
    asking, stage = one_reply(("chat", framing), of, {"one": [limited("chat", retry_after=longer)]})
    (told,) = asking.told
    assert (told.at, told.status) == (0, 429) and len(stage.asked) == 1
    assert 1 <= int(told.headers["retry-after"]) <= 400
    assert json.loads(told.data)["error"]["message"].startswith("one: ")


@every_pair
def test_of_two_candidates_at_their_limits_the_first_that_is_free_is_asked(pair: Pair) -> None:
    scripts = {
        "one": [limited(pair[0], retry_after="7"), answers(pair)],
        "two": [limited(pair[0], retry_after="3"), answers(pair)],
    }
    asking, stage = one_reply(pair, BOTH, scripts)
    assert [who for _, who in stage.asked] == ["one", "two", "two"]
    assert moments(stage) == pytest.approx([0, 0, 3], abs=SOON)
    assert answer_of(asking) == TEXT
