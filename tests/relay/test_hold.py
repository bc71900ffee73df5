"""The hold: what an agent hears while it waits, and when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from holdgate.core.dialects.table import DIALECTS
from holdgate.core.values.settings import CallerProfile, Hold, Match, Queue
from tests.dialects.opened_rules import Read, read
from tests.relay.stage import (
    PAIRS,
    ROUTE,
    TEXT,
    Asking,
    Pair,
    Script,
    Stage,
    answers,
    answers_whole,
    data,
    end,
    events_of,
    is_keepalive,
    lost,
    one_reply,
    played,
    provider,
    sent,
    settings,
    stream_head,
    whole_of,
)

every_pair = pytest.mark.parametrize("pair", PAIRS, ids="-".join)
event_pairs = pytest.mark.parametrize("pair", [p for p in PAIRS if p[1] == "sse"], ids="-".join)
LEADS = {"chat": 1, "responses": 2, "messages": 1}  # events of the dialect's own opening
every_dialect = pytest.mark.parametrize("dialect", list(DIALECTS))


def read_of(asking: Asking) -> Read:
    array = asking.framing == "array"
    return read(asking.dialect, asking.answer if array else asking.body, array=array)


def fifteens(until: float, start: float = 15.0) -> list[float]:
    """Give the moments of keepalives each 15 s before `until`."""
    return [start + 15.0 * n for n in range(100) if start + 15.0 * n < until]


@every_pair
def test_queued_for_the_minute(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        first, second = stage.ask(pair), stage.ask(pair)
        await first.done()
        assert not first.kept
        await stage.until(14.9)
        assert second.told == []
        await second.done()
        left = stage.asked[1][0]
        assert 60 <= left < 61
        assert second.told[0].what == "start" and second.told[0].status == 200
        assert [second.told[0].at, *second.kept[1:]] == fifteens(left)
        assert second.told[-1].what == "end" and second.told[-1].at == left
        assert read_of(second).text == TEXT
        assert second.answer == b"".join(events_of(pair))  # byte for byte
        assert second.record.kept_alive == len(second.kept)
        assert second.record.state == "done" and second.record.status == 200
        assert stage.is_idle()

    played(scene, settings(provider("one", rpm=1)), {"one": [answers(pair), answers(pair)]})


@every_pair
def test_queued_for_a_slot(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        stage.ask(pair)
        second = await stage.ask(pair).done()
        assert second.told[0].at == 15
        assert second.kept == [15, 30, 45]
        assert second.told[-1].at == 50
        assert read_of(second).text == TEXT
        kind = "application/json" if pair[1] == "array" else "text/event-stream; charset=utf-8"
        headers = second.told[0].headers
        assert headers["content-type"] == kind
        assert headers["cache-control"] == "no-cache"
        assert headers["x-holdgate-request"] == second.inbound.id

    one = provider("one", concurrency=1)
    played(scene, settings(one), {"one": [answers(pair, 50), answers(pair)]})


@every_pair
def test_opened_after_three_minutes(pair: Pair) -> None:
    asking, stage = one_reply(pair, settings(provider("one")), {"one": [answers(pair, 250)]})
    assert asking.kept == fifteens(180)
    spoken = [told.at for told in asking.writes if not is_keepalive(pair[0], told.data)]
    assert sorted(set(spoken)) == [180, 195, 210, 225, 240, 250]
    told = read_of(asking)
    assert told.text == TEXT
    assert told.ids == {asking.inbound.id} and told.models == {ROUTE}
    assert told.openings == 1
    array = pair[1] == "array"
    theirs = read(pair[0], b"".join(events_of(pair)), array=array)
    assert told.answer == theirs.answer
    assert asking.what == ["start", "end"]
    assert stage.asked == [(0, "one")]
    assert [note.what for note in asking.record.timeline].count("opened") == 1


@every_pair
def test_opened_in_the_queue(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        stage.ask(pair)
        second = await stage.ask(pair).done()
        assert second.kept == fifteens(180)
        told = read_of(second)
        assert told.text == TEXT and told.ids == {second.inbound.id} and told.models == {ROUTE}

    one = provider("one", concurrency=1)
    played(scene, settings(one), {"one": [answers(pair, 200), answers(pair)]})


@every_pair
def test_all_silences_count_as_one(pair: Pair) -> None:
    """In line for 10 s, a connection lost after 8 s of silence, then 20 s of another."""

    async def scene(stage: Stage) -> None:
        stage.ask(pair)
        second = await stage.ask(pair).done()
        assert second.told[0].at == 15 and second.kept == [15, 30]
        assert [at for at, _ in stage.asked] == pytest.approx([0, 10, 18], abs=0.2)
        assert second.told[-1].at == pytest.approx(38, abs=0.2)
        assert read_of(second).text == TEXT

    unanswered: Script = [sent(), lost(8, unanswered=True)]
    one = provider("one", concurrency=1)
    scripts = {"one": [answers(pair, 10), unanswered, answers(pair, 20)]}
    played(scene, settings(one), scripts)


@every_pair
def test_lead_events_are_no_content_and_the_silence_goes_on(pair: Pair) -> None:
    """A vendor that trickles pings keeps itself alive, not the agent."""
    events = events_of(pair)
    leads = [data(5, b"\n" if pair[0] == "gemini" else b": ping\n\n") for _ in range(8)]
    script = [sent(), stream_head(pair[1]), *leads, *(data(0, each) for each in events), end()]
    asking, _ = one_reply(pair, settings(provider("one")), {"one": [script]})
    assert asking.kept[:2] == [15, 30]
    assert read_of(asking).text == TEXT


@every_pair
def test_a_passing_stream_that_falls_quiet_gets_comments_only(pair: Pair) -> None:
    events = events_of(pair)
    half = len(events) - 2
    script = [
        sent(),
        stream_head(pair[1]),
        *(data(0, each) for each in events[:half]),
        *(data(200 if n == 0 else 0, each) for n, each in enumerate(events[half:])),
        end(),
    ]
    asking, _ = one_reply(pair, settings(provider("one")), {"one": [script]})
    assert asking.kept == fifteens(200)
    assert asking.answer == b"".join(events)
    assert read_of(asking).ids != {asking.inbound.id}


@every_pair
def test_no_keepalive_inside_an_event(pair: Pair) -> None:
    """Cut in the middle of an event, the stream gets nothing; at a border it does again."""
    events = events_of(pair)
    cut = len(events[-2]) // 2
    script = [
        sent(),
        stream_head(pair[1]),
        *(data(0, each) for each in events[:-2]),
        data(0, events[-2][:cut]),
        data(100, events[-2][cut:]),
        data(40, events[-1]),
        end(),
    ]
    asking, _ = one_reply(pair, settings(provider("one")), {"one": [script]})
    assert asking.kept == [115, 130]
    assert asking.answer == b"".join(events)
    assert asking.record.kept_alive == 2


@every_pair
def test_an_opened_stream_that_falls_quiet_gets_comments_only(pair: Pair) -> None:
    """Also in the middle of a vendor's event, which the agent has not seen yet."""
    events = events_of(pair)
    cut = len(events[-2]) // 2
    script = [
        sent(),
        stream_head(pair[1], 190),
        *(data(0, each) for each in events[:-2]),
        data(0, events[-2][:cut]),
        data(40, events[-2][cut:]),
        data(0, events[-1]),
        end(),
    ]
    asking, _ = one_reply(pair, settings(provider("one")), {"one": [script]})
    assert asking.kept == [*fifteens(180), 205, 220]
    assert read_of(asking).text == TEXT


@event_pairs
def test_an_opened_stream_is_kept_alive_while_one_long_event_trickles(pair: Pair) -> None:
    """What the agent has not got yet is silence, however much the vendor says."""
    events = events_of(pair)
    long = events[-2]
    bits = [long[n : n + 1] for n in range(7)] + [long[7:]]
    script = [
        sent(),
        stream_head(pair[1], 190),
        *(data(0, each) for each in events[:-2]),
        *(data(5, each) for each in bits),
        data(0, events[-1]),
        end(),
    ]
    asking, _ = one_reply(pair, settings(provider("one")), {"one": [script]})
    assert asking.kept == [*fifteens(180), 205, 220]


@every_pair
def test_whole_json_to_a_streamed_request_before_anything_was_sent(pair: Pair) -> None:
    if pair[1] == "array":
        return  # an array is what JSON means there
    asking, _ = one_reply(pair, settings(provider("one")), {"one": [answers_whole(pair[0], 5)]})
    assert asking.what == ["answer"]
    assert asking.told[0].data == whole_of(pair[0]) and asking.told[0].status == 200


@event_pairs
def test_whole_json_to_a_streamed_request_after_keepalives(pair: Pair) -> None:
    asking, _ = one_reply(pair, settings(provider("one")), {"one": [answers_whole(pair[0], 20)]})
    assert asking.what == ["start", "end"] and asking.kept == [15]
    told = read_of(asking)
    assert told.text == TEXT and told.ids == {asking.inbound.id} and told.models == {ROUTE}
    assert told.usage


@every_pair
def test_form_off_sends_nothing(pair: Pair) -> None:
    of = settings(provider("one"), hold=Hold(form="off"))
    asking, _ = one_reply(pair, of, {"one": [answers(pair, 250)]})
    assert asking.told[0].at == 250 and asking.kept == []
    assert asking.answer == b"".join(events_of(pair))


@every_pair
def test_form_comment_never_opens(pair: Pair) -> None:
    of = settings(provider("one"), hold=Hold(form="comment"))
    asking, _ = one_reply(pair, of, {"one": [answers(pair, 400)]})
    assert asking.kept == fifteens(400)
    assert asking.answer == b"".join(events_of(pair))


@pytest.mark.parametrize(
    ("hold", "kept"),
    [
        ({"form": "off"}, []),
        ({"after": 5.0}, [5, 20, 35]),
        ({"every": 10.0}, [15, 25, 35]),
        ({"after": 0.0}, []),
    ],
    ids=str,
)
def test_a_caller_profile_overrides(hold: Mapping[str, Any], kept: list[float]) -> None:
    profile = CallerProfile("mine", Match(agent="pi"), hold=hold)
    of = settings(provider("one"), callers={"mine": profile})
    asking, _ = one_reply(("chat", "sse"), of, {"one": [answers(("chat", "sse"), 40)]}, agent="pi")
    assert asking.kept == kept
    other, _ = one_reply(("chat", "sse"), of, {"one": [answers(("chat", "sse"), 40)]})
    assert other.kept == [15, 30]


def test_without_a_period_one_keepalive_is_all() -> None:
    of = settings(provider("one"), hold=Hold(every=0.0, form="comment"))
    asking, _ = one_reply(("chat", "sse"), of, {"one": [answers(("chat", "sse"), 40)]})
    assert asking.kept == [15]


@every_dialect
def test_a_request_that_is_not_streamed_hears_nothing_before_its_reply(dialect: Any) -> None:
    asking, _ = one_reply(
        (dialect, "whole"), settings(provider("one")), {"one": [answers_whole(dialect, 250)]}
    )
    assert [(told.what, told.at) for told in asking.told] == [("answer", 250)]
    assert asking.told[0].data == whole_of(dialect)


@pytest.mark.parametrize(
    ("agent", "longest"), [("unknown", 285), ("gemini-cli", 55), ("qwen-code", 115)]
)
@every_dialect
def test_a_request_that_is_not_streamed_waits_so_long(
    dialect: Any, agent: str, longest: float
) -> None:
    async def scene(stage: Stage) -> None:
        stage.ask((dialect, "sse"))
        second = await stage.ask((dialect, "whole"), agent=agent).done()
        (told,) = second.told
        assert (told.what, told.at, told.status) == ("answer", longest, 429)
        assert 1 <= int(told.headers["retry-after"]) <= 60
        assert b"one: waited" in told.data and b"1 requests at once is its limit" in told.data

    played(scene, settings(provider("one", concurrency=1), queue=Queue(wait=10)), {})


@every_pair
@pytest.mark.parametrize("after", [20.0, 200.0])
def test_lead_events_that_came_long_before_the_content(pair: Pair, after: float) -> None:
    """They are held back meanwhile, and are no second opening."""
    found = events_of(pair)
    lead = [data(0, each) for each in found[: LEADS.get(pair[0], 0)]]
    rest = data(after - 5, b"".join(found[len(lead) :]))
    script = [sent(), stream_head(pair[1], 5), *lead, rest, end()]
    asking, _ = one_reply(pair, settings(provider("one")), {"one": [script]})
    assert asking.kept == fifteens(min(after, 180))
    told = read_of(asking)
    assert told.text == TEXT and told.openings == 1
    assert len(told.ids) == 1 and (told.ids == {asking.inbound.id}) == (after > 180)
    assert asking.what == ["start", "end"]
