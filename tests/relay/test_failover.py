"""Failover: each fault of a vendor, with a second candidate that could answer instead.

What is asserted of each: what the agent got, how many requests each vendor saw and when, and what
the record says.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from holdgate.core.values.errors import FaultKind
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.settings import Hold
from tests.fakes import vendor_streams as vendor
from tests.relay import failing
from tests.relay.failing import ALL, LONG, WHOLES, good, heard
from tests.relay.heard import error_message
from tests.relay.stage import (
    PAIRS,
    ROUTE,
    TEXT,
    Pair,
    Script,
    Stage,
    Step,
    end,
    head,
    one_reply,
    played,
    provider,
    sent,
    settings,
    stream_head,
)

OTHER = "I am the second"
every_pair = pytest.mark.parametrize("pair", ALL, ids="-".join)
every_stream = pytest.mark.parametrize("pair", PAIRS, ids="-".join)
every_whole = pytest.mark.parametrize("pair", WHOLES, ids="-".join)
every_dialect = pytest.mark.parametrize("dialect", DIALECT_NAMES)
# Short patience, so that the moments of the table are not far apart.
BOTH = settings(provider("one", first_byte_timeout=100.0, idle_timeout=50.0), provider("two"))


def begins(pair: Pair, *then: Step) -> Script:
    """A good head, and what happens then."""
    json_head = head(0, content_type="application/json")
    return [sent(), json_head if pair[1] == "whole" else stream_head(pair[1]), *then]


@dataclass(frozen=True)
class Early:
    """A fault before any content: what the first vendor does, and what follows.

    `asked`: when it is; `at`: when the second is; `rests`: whether its key rests then.
    """

    script: Callable[[Pair], Script]
    kind: FaultKind
    asked: tuple[float, ...] = (0.0,)
    at: float = 0.0
    rests: bool = False


EARLY = {
    "429 with a time": Early(
        lambda pair: failing.limited(pair, retry_after="2"), FaultKind.RATE, rests=True
    ),
    "429 without a time": Early(failing.limited, FaultKind.RATE, rests=True),
    "500": Early(failing.broken, FaultKind.SERVER, rests=True),
    "503": Early(lambda pair: failing.broken(pair, 503), FaultKind.OVERLOADED, rests=True),
    "408": Early(lambda pair: failing.broken(pair, 408), FaultKind.SERVER, rests=True),
    "529": Early(lambda pair: failing.broken(pair, 529), FaultKind.OVERLOADED, rests=True),
    # A kept connection may have died unseen: once more at once, on a new one.
    "reset before the headers": Early(
        lambda _: failing.reset(), FaultKind.NETWORK, asked=(0.0, 0.0), rests=True
    ),
    "no response at all": Early(lambda _: [sent()], FaultKind.TIMEOUT, at=100.0, rests=True),
    "a head, then nothing": Early(begins, FaultKind.STALLED, at=50.0),
    "a web page": Early(lambda _: failing.page(), FaultKind.UNREADABLE),
    "an empty answer": Early(lambda pair: begins(pair, end()), FaultKind.UNREADABLE),
    "cut before content": Early(lambda pair: begins(pair, failing.cut()), FaultKind.CUT),
}


@every_pair
@pytest.mark.parametrize("name", EARLY)
def test_before_any_content_the_second_answers_in_full(pair: Pair, name: str) -> None:
    early = EARLY[name]
    scripts = {"one": [early.script(pair) for _ in range(9)], "two": [good(pair, 0, OTHER)]}
    asking, stage = one_reply(pair, BOTH, scripts)
    assert heard(asking) == OTHER
    assert stage.moments("one") == list(early.asked) and stage.moments("two") == [early.at]
    assert asking.told[-1].at == early.at
    record = asking.record
    assert (record.state, record.status, record.fault) == ("done", 200, None)
    assert record.candidate == f"two/{vendor.MODEL}"
    faults = [each.fault for each in record.tries]
    assert faults == [early.kind] * len(early.asked) + [None]
    assert (stage.resting.of(("one", "default")) is not None) == early.rests
    assert (record.tries[-2].rest is not None) == early.rests


@every_stream
@pytest.mark.parametrize("name", EARLY)
def test_headers_name_who_answered_if_they_were_not_sent_before(pair: Pair, name: str) -> None:
    early = EARLY[name]
    asking, _ = one_reply(pair, BOTH, {"one": [early.script(pair)] * 9, "two": [good(pair)]})
    told = asking.told[0].headers
    assert told["x-holdgate-request"] == asking.inbound.id
    named = (told.get("x-holdgate-provider"), told.get("x-holdgate-model"))
    assert named == ((None, None) if asking.kept else ("two", vendor.MODEL))


LATE: dict[str, tuple[Callable[[Pair], Script], FaultKind, float]] = {
    "cut after two thirds": (
        lambda pair: failing.part(pair, 2 / 3, failing.cut(3)),
        FaultKind.CUT,
        3,
    ),
    "stall in mid-stream": (lambda pair: failing.part(pair, 1 / 2), FaultKind.STALLED, 50),
    "no closing event": (lambda pair: failing.part(pair, 2 / 3, end(1)), FaultKind.CUT, 1),
    "reset soon after content": (
        lambda pair: failing.part(pair, 1 / 2, failing.cut()),
        FaultKind.CUT,
        0,
    ),
}


@every_stream
@pytest.mark.parametrize("name", LATE)
def test_after_content_the_agent_gets_its_error_event(pair: Pair, name: str) -> None:
    """Nobody else answers, and it is no normal end."""
    make, kind, at = LATE[name]
    asking, stage = one_reply(pair, BOTH, {"one": [make(pair)], "two": [good(pair)]})
    assert error_message(asking).startswith("one: ")
    assert b"one " in asking.body and b"twelve" not in asking.body
    assert stage.asked == [(0, "one")] and asking.told[-1].at == at
    assert stage.upstream.asked[0].call.aborted or name == "no closing event"
    record = asking.record
    assert (record.state, record.status) == ("failed", 200)
    assert record.fault == record.tries[0].fault == kind and record.usage is None
    assert stage.resting.of(("one", "default")) is None


@every_whole
@pytest.mark.parametrize("name", LATE)
def test_of_a_reply_in_one_piece_nothing_was_shown(pair: Pair, name: str) -> None:
    """So the second gives all of it."""
    make, _, at = LATE[name]
    scripts = {"one": [make(pair)], "two": [good(pair, 0, OTHER)]}
    asking, stage = one_reply(pair, BOTH, scripts)
    assert heard(asking) == OTHER
    assert stage.asked == [(0, "one"), (at, "two")] and asking.told[0].at == at


@pytest.mark.parametrize("pair", [p for p in PAIRS if p[1] == "sse"], ids="-".join)
def test_a_malformed_event_in_the_middle_passes_in_a_relay(pair: Pair) -> None:
    events = failing.malformed(pair)
    scripts = {"one": [failing.streams(events, pair[1])], "two": [good(pair)]}
    asking, stage = one_reply(pair, BOTH, scripts)
    assert asking.answer == b"".join(events) and asking.what == ["start", "end"]
    assert stage.asked == [(0, "one")] and asking.record.state == "done"


@every_pair
@pytest.mark.parametrize("first_token", [0.0, 5.0])
def test_a_first_token_after_20_s(pair: Pair, first_token: float) -> None:
    of = replace(BOTH, hold=Hold(first_token=first_token))
    scripts = {"one": [good(pair, 20, LONG)], "two": [good(pair, 1, OTHER)]}
    asking, stage = one_reply(pair, of, scripts)
    if first_token:
        assert stage.asked == [(0, "one"), (5, "two")] and stage.upstream.asked[0].call.aborted
        assert heard(asking) == OTHER and asking.told[-1].at == 6
        assert [each.fault for each in asking.record.tries] == [FaultKind.SLOW, None]
        assert stage.resting.of(("one", "default")) is None
    else:
        assert stage.asked == [(0, "one")] and heard(asking) == LONG
        assert asking.told[-1].at == 20
        assert asking.kept == ([15] if pair[1] != "whole" else [])


@every_pair
@pytest.mark.parametrize("status", [400, 413])
def test_a_prompt_that_is_too_long_goes_to_a_larger_candidate(pair: Pair, status: int) -> None:
    of = settings(
        provider("one", models=failing.sized(1000)),
        provider("less", models=failing.sized(900)),
        provider("two", models=failing.sized(2000)),
    )
    refused = failing.too_long(pair[0]) if status == 400 else failing.broken(pair, 413)
    scripts = {"one": [refused], "less": [good(pair)], "two": [good(pair, 0, OTHER)]}
    asking, stage = one_reply(pair, of, scripts)
    assert heard(asking) == OTHER and stage.asked == [(0, "one"), (0, "two")]
    assert stage.resting.of(("one", "default")) is None


# Of a candidate whose context nobody knows there is no telling that it is larger.
SMALLER = [(1000, 1000), (1000, 900), (1000, 0), (0, 0)]


@every_pair
@pytest.mark.parametrize(("one", "two"), SMALLER)
def test_without_a_larger_one_it_is_told_as_agents_know_it(pair: Pair, one: int, two: int) -> None:
    of = settings(
        provider("one", models=failing.sized(one)), provider("two", models=failing.sized(two))
    )
    scripts = {"one": [failing.too_long(pair[0])], "two": [good(pair)]}
    asking, stage = one_reply(pair, of, scripts)
    (told,) = asking.told
    assert (told.status, told.data) == (400, failing.TOO_LONG[pair[0]])
    assert "retry-after" not in told.headers
    assert stage.asked == [(0, "one")] and asking.record.fault is FaultKind.CONTEXT


@every_dialect
def test_too_long_after_keepalives_keeps_the_wording(dialect: DialectName) -> None:
    pair: Pair = (dialect, "sse")
    late = failing.too_long(dialect)
    late[1] = replace(late[1], after=20)
    asking, _ = one_reply(pair, BOTH, {"one": [late]})
    message = error_message(asking)
    theirs = json.loads(failing.TOO_LONG[dialect])["error"]["message"]
    assert theirs in message
    if dialect in ("chat", "responses"):
        assert b"context_length_exceeded" in asking.body


@every_pair
@pytest.mark.parametrize("status", [400, 422])
def test_a_bad_request_is_told_and_never_asked_again(pair: Pair, status: int) -> None:
    one = failing.wrong(pair, status)
    asking, stage = one_reply(pair, BOTH, {"one": [one] * 3, "two": [good(pair)]})
    (told,) = asking.told
    assert (told.status, told.data) == (status, one[2].data)
    assert stage.asked == [(0, "one")] and asking.record.fault is FaultKind.REQUEST
    assert stage.resting.of(("one", "default")) is None


@every_pair
def test_a_filtered_prompt_is_told_and_nobody_else_is_asked(pair: Pair) -> None:
    one = failing.filtered(pair)
    asking, stage = one_reply(pair, BOTH, {"one": [one] * 3, "two": [good(pair)]})
    assert stage.asked == [(0, "one")] and asking.body == one[2].data
    if pair[0] == "gemini":
        assert asking.record.state == "done"
    else:
        assert asking.told[0].status == 400 and asking.record.fault is FaultKind.FILTERED
    assert stage.resting.of(("one", "default")) is None


@every_pair
def test_after_a_503_the_fallbacks_model_and_usage_are_reported(pair: Pair) -> None:
    of = settings(provider("one"), provider("two", models=failing.sized(0, "other-model")))
    named = (f"one/{vendor.MODEL}", "two/other-model")
    of = replace(of, routes={ROUTE: replace(of.routes[ROUTE], candidates=named)})
    usage = vendor.Usage(input=70, output=50)
    scripts = {
        "one": [failing.broken(pair, 503)],
        "two": [failing.named("other-model", pair, usage)],
    }
    asking, _ = one_reply(pair, of, scripts)
    record = asking.record
    assert record.usage is not None
    assert (record.usage.input, record.usage.output) == (70, 50)
    assert record.candidate == "two/other-model"
    told = asking.told[0].headers
    assert (told["x-holdgate-provider"], told["x-holdgate-model"]) == ("two", "other-model")
    assert b"other-model" in asking.body


@every_pair
def test_a_vendor_that_is_down_for_a_minute(pair: Pair) -> None:
    """The second serves, the first is probed when its rest ends, and is returned to."""

    async def scene(stage: Stage) -> None:
        texts = []
        for at in range(0, 120, 5):
            await stage.until(at + 0.5)
            texts.append(heard(await stage.ask(pair).done()))
        assert stage.moments("one") == [0.5, *(at + 0.5 for at in range(60, 120, 5))]
        assert stage.moments("two") == [at + 0.5 for at in range(0, 60, 5)]
        assert texts == [OTHER] * 12 + [TEXT] * 12
        assert stage.is_idle() and stage.resting.of(("one", "default")) is None

    scripts = {
        "one": [failing.broken(pair, 503), *[good(pair)] * 20],
        "two": [good(pair, 0, OTHER)] * 20,
    }
    played(scene, BOTH, scripts)
