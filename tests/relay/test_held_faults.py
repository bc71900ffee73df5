"""Faults while an agent is held: what it is told, and that nothing stays taken."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.settings import Hold
from tests.dialects.opened_rules import events
from tests.relay.heard import answer_of, error_message
from tests.relay.stage import (
    PAIRS,
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
    lost,
    one_reply,
    played,
    provider,
    refuses,
    sent,
    settings,
    stream_head,
)

every_pair = pytest.mark.parametrize("pair", PAIRS, ids="-".join)
event_pairs = pytest.mark.parametrize("pair", [p for p in PAIRS if p[1] == "sse"], ids="-".join)
ONE = settings(provider("one"))
BOTH = settings(provider("one"), provider("two"))


FAULTS = ["status", "event", "page", "empty", "words", "broken", "error whole", "cut lead"]


def fault_script(kind: str, pair: Pair, after: float) -> Script:
    """Give a script whose vendor says nothing for `after` seconds and then fails in this way."""
    body = error_of(pair[0])
    json_head = [sent(), head(after, content_type="application/json")]
    match kind:
        case "status":
            return refuses(500, body, after)
        case "event":
            event = b"[" + body if pair[1] == "array" else b"data: " + body + b"\n\n"
            if pair[0] in ("messages", "responses"):
                event = b"event: error\n" + event
            if pair[0] == "responses":
                told = {"type": "error", "code": "overloaded_error", "message": "busy"}
                event = b"event: error\ndata: " + json.dumps(told).encode() + b"\n\n"
            return [sent(), stream_head(pair[1], after), data(0, event), end()]
        case "page":
            page = data(0, b"<html>Log in</html>")
            return [sent(), head(after, content_type="text/html"), page, end()]
        case "empty":
            return [sent(), stream_head(pair[1], after), end()]
        case "words":
            return [*json_head, data(0, b"not json"), end()]
        case "error whole":
            return [*json_head, data(0, body), end()]
        case "cut lead":
            return [sent(), stream_head(pair[1], after), data(0, events_of(pair)[0][:20]), end()]
        case _:
            return [sent(), stream_head(pair[1], after), lost()]


def fails(kind: str, pair: Pair, after: float) -> list[Script]:
    """Give the scripts of a vendor that fails in this way whenever the request comes again."""
    return [fault_script(kind, pair, wait) for wait in (after, 0, 0)]


every_fault = pytest.mark.parametrize("kind", FAULTS)


@every_fault
@every_pair
def test_a_fault_after_keepalives_is_the_dialects_stream_error(pair: Pair, kind: str) -> None:
    asking, _ = one_reply(pair, ONE, {"one": fails(kind, pair, 20)})
    assert asking.kept[0] == 15 and 20 <= asking.told[-1].at <= 20 + 3 * 1.25
    assert error_message(asking).startswith("one: ")
    assert asking.record.state == "failed" and asking.record.status == 200


@every_fault
@every_pair
def test_a_fault_after_the_opening_is_told_inside_it(pair: Pair, kind: str) -> None:
    asking, _ = one_reply(pair, ONE, {"one": fails(kind, pair, 200)})
    assert error_message(asking).startswith("one: ")
    assert asking.record.state == "failed"


@every_fault
@every_pair
def test_a_fault_before_anything_was_sent_is_told_by_a_status(pair: Pair, kind: str) -> None:
    asking, _ = one_reply(pair, ONE, {"one": fails(kind, pair, 5)})
    assert asking.what == ["answer"] and asking.told[0].status >= 400
    assert "error" in json.loads(asking.told[0].data)


@every_fault
@every_pair
@pytest.mark.parametrize("after", [5.0, 20.0, 200.0])
def test_the_next_candidate_answers_in_the_same_stream(pair: Pair, kind: str, after: float) -> None:
    asking, stage = one_reply(
        pair, BOTH, {"one": [fault_script(kind, pair, after)], "two": [answers(pair, 1)]}
    )
    assert answer_of(asking) == TEXT
    assert stage.asked == [(0, "one"), (after, "two")]
    assert asking.told[-1].at == after + 1


@every_fault
@every_pair
def test_the_last_candidates_fault_is_told_too(pair: Pair, kind: str) -> None:
    asking, _ = one_reply(
        pair, BOTH, {"one": [fault_script(kind, pair, 20)], "two": fails(kind, pair, 20)}
    )
    assert asking.kept[:2] == [15, 30]
    assert error_message(asking).startswith("two: ")


@event_pairs
@pytest.mark.parametrize("after", [20.0, 200.0])
def test_json_that_is_no_reply_gives_way_to_the_next(pair: Pair, after: float) -> None:
    """As a stream it cannot be told, so another candidate may still answer."""
    told = head(after, content_type="application/json")
    strange: Script = [sent(), told, data(0, b'{"hello": "world"}'), end()]
    asking, stage = one_reply(pair, BOTH, {"one": [strange], "two": [answers(pair, 1)]})
    assert answer_of(asking) == TEXT
    assert [who for _, who in stage.asked] == ["one", "two"]
    asking, _ = one_reply(pair, ONE, {"one": [strange]})
    assert error_message(asking).startswith("one: ")


@every_pair
@pytest.mark.parametrize("silence", [0.0, 20.0, 200.0])
def test_a_stream_cut_while_it_passes_ends_with_an_error(pair: Pair, silence: float) -> None:
    passed = [data(0, each) for each in events_of(pair)[:-2]]
    half = data(0, events_of(pair)[-2][:9])
    cut: Script = [sent(), stream_head(pair[1], silence), *passed, half, lost(3)]
    asking, stage = one_reply(pair, BOTH, {"one": [cut], "two": [answers(pair)]})
    assert [who for _, who in stage.asked] == ["one"]
    if pair[0] == "gemini":
        assert asking.told[-1].what == "abort"
        assert json.loads(asking.writes[-1].data)["error"]["message"].startswith("one: ")
    else:
        assert asking.told[-1].what == "end"
        assert "one: " in json.dumps(json.loads(list(events(asking.body))[-1][1]))


@every_pair
def test_a_wait_used_up_after_keepalives(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        stage.ask(pair)
        second = await stage.ask(pair).done()
        assert second.kept == [15, 30, 45] and second.told[-1].at == 50
        message = error_message(second)
        expected = "one: waited 50s for a place, 1 requests at once is its limit"
        assert message.startswith(expected)

    played(scene, settings(provider("one", concurrency=1, queue_wait=50.0)), {})


@every_pair
def test_a_short_wait_used_up(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        stage.ask(pair)
        second = await stage.ask(pair).done()
        (told,) = second.told
        assert (told.what, told.at, told.status) == ("answer", 10, 429)
        assert 1 <= int(told.headers["retry-after"]) <= 60
        assert b"one: waited 10s for a place, 1 requests at once is its limit" in told.data

    played(scene, settings(provider("one", concurrency=1, queue_wait=10.0)), {})


@every_pair
def test_a_silent_vendor_is_stalled(pair: Pair) -> None:
    of = settings(provider("one", first_byte_timeout=100.0))
    asking, _ = one_reply(pair, of, {})
    assert asking.kept == [15, 30, 45, 60, 75, 90] and asking.told[-1].at == 100
    assert "said nothing for 1m40s" in error_message(asking)


def test_patience_without_end_is_not_a_failing_timer() -> None:
    """`idle_timeout = 0` and `hold.longest = 0`, with a limit for the first byte only."""
    pair: Pair = ("chat", "sse")
    found = events_of(pair)
    script = [sent(), stream_head("sse"), data(0, found[0] + found[1])]
    script += [data(700, b"".join(found[2:])), end()]
    of = settings(provider("one", idle_timeout=0.0), hold=Hold(longest=0.0))
    asking, _ = one_reply(pair, of, {"one": [script]})
    assert answer_of(asking) == TEXT


@every_pair
def test_first_token_gives_way_to_the_next_candidate(pair: Pair) -> None:
    of = settings(provider("one"), provider("two"), hold=Hold(first_token=20.0))
    asking, stage = one_reply(pair, of, {"one": [answers(pair, 90)], "two": [answers(pair, 90)]})
    assert stage.asked == [(0, "one"), (20, "two")]
    assert stage.upstream.asked[0].call.aborted
    assert asking.told[-1].at == 110 and answer_of(asking) == TEXT  # the last is not cut


@every_pair
def test_first_token_is_content(pair: Pair) -> None:
    """Headers and leads are none; content is, and then it is passed on however slow it is."""
    of = settings(provider("one"), provider("two"), hold=Hold(first_token=20.0))
    found = events_of(pair)
    lead = {"chat": 1, "responses": 2, "messages": 1}.get(pair[0], 0)
    slow = [sent(), stream_head(pair[1]), *(data(0, each) for each in found[:lead]), end(50)]
    asking, stage = one_reply(pair, of, {"one": [slow], "two": [answers(pair)]})
    assert stage.asked == [(0, "one"), (20, "two")] and answer_of(asking) == TEXT
    first = [sent(), stream_head(pair[1]), *(data(0, each) for each in found[:-2])]
    rest = [data(50, b"".join(found[-2:])), end()]
    asking, stage = one_reply(pair, of, {"one": [first + rest], "two": [answers(pair)]})
    assert stage.asked == [(0, "one")] and answer_of(asking) == TEXT


@pytest.mark.parametrize("dialect", ["chat", "responses", "messages", "gemini"])
def test_first_token_of_a_request_that_is_not_streamed_is_its_first_byte(dialect: Any) -> None:
    of = settings(provider("one"), provider("two"), hold=Hold(first_token=20.0))
    scripts = {"one": [answers_whole(dialect, 40)], "two": [answers_whole(dialect, 40)]}
    asking, stage = one_reply((dialect, "whole"), of, scripts)
    assert stage.asked == [(0, "one"), (20, "two")] and asking.told[-1].at == 60
    begun = answers_whole(dialect, 5)
    begun[2:2] = [data(0, b" "), data(40, b" ")]
    asking, stage = one_reply((dialect, "whole"), of, {"one": [begun]})
    assert stage.asked == [(0, "one")] and asking.told[-1].at == 45


MOMENTS = {
    "connecting": (0.0, [sent(5)]),
    "sent": (3.0, [sent()]),
    "headers": (8.0, "head"),
    "held": (20.0, "held"),
    "passing": (30.0, "passing"),
    "opened": (185.0, [sent()]),
    "passing in our opening": (220.0, "late"),
}


def moment_script(what: Any, pair: Pair) -> Script:
    found = events_of(pair)
    match what:
        case "head":
            return [sent(), stream_head(pair[1], 5)]
        case "held":
            lead = data(1, b"\n" if pair[1] == "sse" else b"[")
            return [sent(), stream_head(pair[1], 5), lead]
        case "passing":
            return [sent(), stream_head(pair[1], 20), *(data(0, each) for each in found[:-2])]
        case "late":
            return [sent(), stream_head(pair[1], 200), *(data(0, each) for each in found[:-2])]
        case script:
            return list(script)


@every_pair
@pytest.mark.parametrize("moment", MOMENTS)
def test_an_agent_that_hangs_up_leaves_nothing_taken(pair: Pair, moment: str) -> None:
    async def scene(stage: Stage) -> None:
        at, _ = MOMENTS[moment]
        asking = stage.ask(pair)
        await stage.until(at)
        told = len(asking.told)
        await asking.hang_up()
        assert stage.is_idle() and stage.upstream.asked[0].call.aborted
        assert len(asking.told) == told and asking.record.state == "gone"
        # The next one is served, at once or a moment later: an aborted try may linger.
        after = await stage.ask(pair).done()
        assert answer_of(after) == TEXT
        assert stage.asked[1][0] <= at + 0.2
        await stage.until(at + 1000)
        assert len(asking.told) == told, "a timer outlived its request"
        assert stage.is_idle() and stage.lane().line.is_empty

    one = provider("one", concurrency=1)
    script = moment_script(MOMENTS[moment][1], pair)
    played(scene, settings(one), {"one": [script, answers(pair)]})


@every_pair
@pytest.mark.parametrize("at", [5.0, 20.0, 190.0])
def test_an_agent_that_hangs_up_in_line_keeps_its_place(pair: Pair, at: float) -> None:
    async def scene(stage: Stage) -> None:
        first = stage.ask(pair)
        second = stage.ask(pair, conversation="b", body=b'{"model": "coder", "input": 2}')
        third = stage.ask(pair, conversation="c")
        await stage.until(at)
        await second.hang_up()
        assert second.record.state == "gone" and len(stage.live) == 2
        again = stage.ask(pair, conversation="b", body=b'{"model": "coder", "input": 2}')
        await stage.until(at + 1)
        await first.hang_up()
        await again.done()
        await third.done()
        assert [each.outgoing.body for each in stage.upstream.asked][1] != third.inbound.body
        assert again.told[-1].at < third.told[-1].at
        assert stage.is_idle()
        await stage.until(at + 300)
        assert stage.lane().line.is_empty and not stage.lane().running

    one = provider("one", concurrency=1)
    played(scene, settings(one), {"one": [[sent()], answers(pair, 1), answers(pair, 1)]})


@every_pair
def test_an_agent_that_hangs_up_between_tries(pair: Pair) -> None:
    """The first candidate failed, the second has no place."""

    async def scene(stage: Stage) -> None:
        stage.ask(pair, "two/fake-model")
        await stage.until(1)
        second = stage.ask(pair)
        await stage.until(30)
        assert second.record.state == "waiting" and second.kept == [16]
        await second.hang_up()
        assert not stage.lane("one").running and len(stage.lane("two").running) == 1
        await stage.until(200)
        assert stage.lane("two").line.is_empty and stage.lane("one").line.is_empty

    both = settings(provider("one"), provider("two", concurrency=1))
    played(scene, both, {"one": [refuses(500, after=20)]})


@every_pair
def test_an_agent_that_hangs_up_while_it_is_slow(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        asking = stage.ask(pair)
        await stage.until(15)
        asking.sink.slow = True
        await stage.until(25)
        call = stage.upstream.asked[0].call
        assert call.paused
        await asking.hang_up()
        assert call.aborted and stage.is_idle()

    script = [sent(), stream_head(pair[1], 20), *(data(0, each) for each in events_of(pair)), end()]
    played(scene, settings(provider("one", concurrency=1)), {"one": [script]})


@every_pair
def test_an_agent_that_reads_slowly_gets_all(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        asking = stage.ask(pair)
        asking.sink.slow = True
        await stage.until(100)
        assert stage.upstream.asked[0].call.paused
        asking.sink.room()
        await asking.done()
        assert asking.answer == b"".join(events_of(pair))

    script = answers(pair)
    played(scene, settings(provider("one", concurrency=1)), {"one": [script]})


@every_pair
def test_an_agent_that_reads_nothing_is_cut(pair: Pair) -> None:
    async def scene(stage: Stage) -> None:
        asking = stage.ask(pair)
        asking.sink.slow = True
        await asking.done()
        assert asking.told[-1].what == "abort" and asking.told[-1].at == 300
        assert asking.record.fault is FaultKind.READER and stage.is_idle()

    played(scene, settings(provider("one", concurrency=1)), {"one": [answers(pair)]})


@every_pair
@pytest.mark.parametrize("at", [5.0, 20.0, 190.0])
def test_a_request_that_is_cancelled_in_line(pair: Pair, at: float) -> None:
    """The person's word, in the dialect's own way."""

    async def scene(stage: Stage) -> None:
        stage.ask(pair)
        second = stage.ask(pair)
        await stage.until(at)
        live = stage.live.get(second.inbound.id)
        assert live is not None
        live.stop(Fault(FaultKind.CANCELLED, "cancelled by the person"))
        await second.done()
        if at < 15:
            assert second.told[0].status == 400
        else:
            assert "cancelled" in error_message(second)
        assert second.record.state == "cancelled"
        assert len(stage.lane().running) == 1 and stage.lane().line.head() is None

    played(scene, settings(provider("one", concurrency=1)), {})


@every_pair
@pytest.mark.parametrize("at", [5.0, 20.0, 190.0])
def test_a_request_that_is_cancelled_at_the_vendor(pair: Pair, at: float) -> None:
    async def scene(stage: Stage) -> None:
        asking = stage.ask(pair)
        await stage.until(at)
        stage.live.stop(Fault(FaultKind.CANCELLED, "cancelled by the person"))
        await asking.done()
        if at < 15:
            assert asking.told[0].status == 400
        else:
            assert "cancelled" in error_message(asking)
        assert stage.is_idle() and stage.upstream.asked[0].call.aborted

    played(scene, settings(provider("one", concurrency=1)), {})


@every_pair
def test_a_request_that_is_cancelled_while_it_passes(pair: Pair) -> None:
    """In the middle of an event, which is closed before the error."""

    async def scene(stage: Stage) -> None:
        asking = stage.ask(pair)
        await stage.until(20)
        stage.live.stop(Fault(FaultKind.CANCELLED, "cancelled by the person"))
        await asking.done()
        if pair[0] == "gemini":
            assert asking.told[-1].what == "abort"
            assert b"cancelled" in asking.writes[-1].data
        else:
            assert asking.told[-1].what == "end"
            assert "cancelled" in json.dumps(json.loads(list(events(asking.body))[-1][1]))

    passed = [data(0, each) for each in events_of(pair)[:-2]]
    script = [sent(), stream_head(pair[1]), *passed, data(0, events_of(pair)[-2][:9])]
    played(scene, settings(provider("one")), {"one": [script]})
