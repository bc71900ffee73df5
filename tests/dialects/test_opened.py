"""Streams that the gateway opened: whatever the vendor sends, one stream that is well formed."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.dialects.base import Closing, Opened, Opening
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.inbound import Framing
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.wire.json_array import ArraySplitter
from holdgate.core.wire.sse import Event, Splitter
from tests.dialects import opened_vendors as vendors
from tests.dialects.opened_rules import events, exact, read
from tests.dialects.opened_vendors import ANSWERS, Answer
from tests.wire.cutting import PLACES, cut, pieces

OURS, MODEL = "ours-1", "model-asked-for"
FAULT = Fault(FaultKind.RATE, "mimic: 4 requests a minute is its limit", retry_after=7.2)
PAIRS: list[tuple[DialectName, Framing]] = [
    ("chat", "sse"),
    ("responses", "sse"),
    ("messages", "sse"),
    ("gemini", "sse"),
    ("gemini", "array"),
]
ANSWER = Answer(("I ", "think"), ("Hello ", "world"), (("look", '{"at":1.5e2}'), ("run", "{}")))
every_pair = pytest.mark.parametrize(("dialect", "framing"), PAIRS)
EVENT_DIALECTS = [name for name in DIALECT_NAMES if name != "gemini"]


def opened(dialect: DialectName, framing: Framing = "sse") -> Opened:
    return DIALECTS[dialect].opened(Opening(False, OURS, MODEL, 1234, framing))


def vendor_stream(dialect: DialectName, framing: Framing, answer: Answer) -> list[bytes]:
    if framing == "sse":
        return vendors.stream(dialect, answer)
    first, *more = vendors.gemini_bodies(answer)
    return [b"[" + first, *(b"\r\n,\r\n" + body for body in more), b"]\n"]


@every_pair
@settings(deadline=None)
@given(
    answer=ANSWERS,
    nothings=st.integers(0, 3),
    crlf=st.booleans(),
    last_blank=st.booleans(),
    places=PLACES,
)
def test_a_vendors_stream_goes_on_inside_our_opening(
    dialect: DialectName,
    framing: Framing,
    answer: Answer,
    nothings: int,
    crlf: bool,
    last_blank: bool,
    places: list[int],
) -> None:
    stream = b"".join(vendor_stream(dialect, framing, answer))
    if not last_blank:
        stream = stream.removesuffix(b"\n\n")
    array = framing == "array"
    own = read(dialect, stream, array=array)
    if crlf and not array:
        stream = stream.replace(b"\n", b"\r\n")
    ours = opened(dialect, framing)
    told = ours.open() + b"".join(ours.nothing() for _ in range(nothings))
    told += b"".join(map(ours.feed, cut(stream, places))) + ours.close()
    found = read(dialect, told, array=array)
    assert found.answer == own.answer
    assert (found.openings, found.ids, found.models) == (1, {OURS}, {MODEL})
    assert ours.vendor_id == vendors.VENDOR_ID
    assert vendors.VENDOR_ID.encode() not in told
    assert vendors.VENDOR_MODEL.encode() not in told


@every_pair
@settings(deadline=None)
@given(answer=ANSWERS, nothings=st.integers(0, 3))
def test_a_whole_reply_is_told_as_a_stream(
    dialect: DialectName, framing: Framing, answer: Answer, nothings: int
) -> None:
    array = framing == "array"
    own = read(dialect, b"".join(vendor_stream(dialect, framing, answer)), array=array)
    ours = opened(dialect, framing)
    told = ours.open() + b"".join(ours.nothing() for _ in range(nothings))
    told += ours.whole(vendors.whole(dialect, answer)) + ours.close()
    found = read(dialect, told, array=array)
    assert found.answer == own.answer
    assert (found.openings, found.ids, found.models) == (1, {OURS}, {MODEL})
    assert ours.vendor_id == vendors.VENDOR_ID


@every_pair
def test_byte_by_byte_gives_the_same_bytes(dialect: DialectName, framing: Framing) -> None:
    stream = b"".join(vendor_stream(dialect, framing, ANSWER))
    at_once, slowly = opened(dialect, framing), opened(dialect, framing)
    told = at_once.open() + at_once.feed(stream) + at_once.close()
    assert told == slowly.open() + b"".join(map(slowly.feed, pieces(stream, 1))) + slowly.close()


@every_pair
def test_only_whole_events_come_out(dialect: DialectName, framing: Framing) -> None:
    ours = opened(dialect, framing)
    ours.open()
    splitter = ArraySplitter() if framing == "array" else Splitter()
    for piece in pieces(b"".join(vendor_stream(dialect, framing, ANSWER)), 7):
        splitter.feed(ours.feed(piece))
        assert splitter.close() in (b"", b"]")


@every_pair
def test_the_opening_promises_nothing_of_content(dialect: DialectName, framing: Framing) -> None:
    """Its events must not count as content, or a vendor that is a gateway too could not hold."""
    ours = opened(dialect, framing)
    for told in (ours.open(), ours.nothing(), ours.nothing()):
        bodies = ArraySplitter().feed(told) if framing == "array" else [d for _, d in events(told)]
        assert bodies
        said = {DIALECTS[dialect].said(Event(exact(b).get("type", ""), b)).value for b in bodies}
        assert said == {"lead"}


@every_pair
def test_a_fault_ends_the_stream(dialect: DialectName, framing: Framing) -> None:
    ours = opened(dialect, framing)
    before = ours.open() + ours.nothing()
    half = b"".join(vendor_stream(dialect, framing, ANSWER)[:6])[:-9]
    before += ours.feed(half)
    closing = ours.fail(FAULT)
    assert b"4 requests a minute" in closing.data
    if dialect == "gemini":
        assert closing.cut and json.loads(closing.data)["error"]["status"] == "RESOURCE_EXHAUSTED"
        return
    assert not closing.cut
    bodies = [exact(data) for _, data in events(before + closing.data)]
    if dialect == "responses":
        numbers = [body["sequence_number"] for body in bodies]
        assert numbers == list(range(len(numbers)))
        assert bodies[-1]["type"] == "response.failed"
        assert bodies[-1]["response"]["id"] == OURS
        assert "try again in 8s" in bodies[-1]["response"]["error"]["message"]
    else:
        assert bodies[-1]["error"]["type"] == "rate_limit_error"


@every_pair
def test_a_fault_before_the_opening_opens(dialect: DialectName, framing: Framing) -> None:
    opening = Opening(False, OURS, MODEL, 1234, framing)
    expected: Closing = DIALECTS[dialect].stream_error(FAULT, opening)
    assert DIALECTS[dialect].opened(opening).fail(FAULT) == expected


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@pytest.mark.parametrize("framing", ["sse", "array"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"<html>",
        b'{"error":{"message":"no"}}',
        b'{"type":"error","error":{"type":"api_error","message":"no"}}',
        b'{"choices":[],"content":"text","output":"text","candidates":"none"}',
        b'{"choices":[{}],"content":[{}],"output":[{}],"candidates":[7]}',
        b'{"choices":[{"message":7}],"content":[[]],"output":[],"status":"in_progress"}',
        b'{"choices":[{"message":{"tool_calls":7}}],"content":null}',
        b'{"choices":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_what_is_no_reply_is_refused(dialect: DialectName, framing: Framing, body: bytes) -> None:
    ours = opened(dialect, framing)
    ours.open()
    with pytest.raises(ValueError, match="no "):
        ours.whole(body)
    after = ours.fail(FAULT).data
    if dialect == "responses":
        assert b'"sequence_number":2' in after


BROKEN = [
    b"data: {\n\n",
    b"data: nonsense\n\n",
    b"data: [1,2]\n\n",
    b"data: \xff\n\n",
    b'event: message_delta\ndata: {"type":"mess\n\n',
    b"data:\n\n",
]
PASSING = [b": busy\n\n", b'event: ping\ndata: {"type": "ping"}\n\n', b"event: ping\n\n"]


@pytest.mark.parametrize("dialect", EVENT_DIALECTS)
@settings(deadline=None)
@given(
    where=st.lists(st.tuples(st.integers(1, 20), st.sampled_from(BROKEN + PASSING)), max_size=8),
    places=PLACES,
)
def test_malformed_events_are_dropped_and_comments_pass(
    dialect: DialectName, where: list[tuple[int, bytes]], places: list[int]
) -> None:
    clean = vendors.stream(dialect, ANSWER)
    dirty = list(clean)
    for at, event in where:
        dirty.insert(at % len(clean), event)
    ours = opened(dialect)
    told = ours.open() + b"".join(map(ours.feed, cut(b"".join(dirty), places))) + ours.close()
    assert read(dialect, told).answer == read(dialect, b"".join(clean)).answer
    passed = [event for _, event in where if event in PASSING]
    assert told.count(b"busy") == sum(b"busy" in event for event in passed)
    pings = sum(b"ping" in event for event in [*passed, *clean])
    assert told.count(b"event: ping\n") == pings


@pytest.mark.parametrize("dialect", EVENT_DIALECTS)
def test_half_an_event_at_the_end_is_dropped(dialect: DialectName) -> None:
    for end in (b'data: {"id": "x", "cho', b"event: content_blo", b"da", b": hal"):
        ours = opened(dialect)
        ours.open()
        assert ours.feed(end) + ours.close() == b""
        assert ours.close() == b""


TRICKY = b'{"big":123456789012345678901234567890,"float":1.5e2,"zero":-0.0,"text":"\\u00e9\\/"}'


@pytest.mark.parametrize(
    ("dialect", "event"),
    [
        ("chat", {"choices": [{"index": 0, "delta": {"content": "a"}, "x": "?"}], "y": "?"}),
        (
            "chat",
            {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "a", "x": "?"}}]},
        ),
        ("chat", {"choices": [], "usage": "?"}),
        ("chat", {"error": {"message": "no"}, "x": "?"}),
        ("messages", {"type": "message_delta", "delta": {"stop_reason": "x"}, "usage": "?"}),
        ("messages", {"type": "content_block_delta", "index": 0, "delta": "?"}),
        ("messages", {"type": "error", "error": "?"}),
        ("messages", {"type": "something_new", "x": "?"}),
        ("responses", {"type": "response.output_item.done", "item": "?"}),
        ("responses", {"type": "response.completed", "response": {"id": "v", "x": "?"}}),
        ("responses", {"type": "response.something_new", "x": "?"}),
        ("responses", {"type": "keepalive", "x": "?"}),
        ("gemini", {"candidates": [{"content": {"parts": ["?"]}}], "x": "?"}),
    ],
)
def test_what_is_not_ours_stays_as_it_was_written(dialect: DialectName, event: Any) -> None:
    text = json.dumps(event).encode().replace(b'"?"', TRICKY)
    ours = opened(dialect)
    ours.open()
    told = ours.feed(b"id: 7\ndata: " + text + b"\n\n")
    assert told.count(TRICKY) == text.count(TRICKY)
    assert (b"id: 7\n" in told) == (dialect != "gemini")
    ((_, data),) = events(told)
    before, after = exact(text), exact(data)
    for name in set(before) - {"response", "choices", "sequence_number"}:
        assert after[name] == before[name]
    kept = [name for name in after if name in before]
    assert kept == list(before)


@pytest.mark.parametrize("dialect", EVENT_DIALECTS)
def test_data_of_several_lines_is_one_value(dialect: DialectName) -> None:
    for event in vendors.stream(dialect, ANSWER):
        broken = event.replace(b'{"', b'{\ndata: "', 1)
        ours, same = opened(dialect), opened(dialect)
        found = [exact(data) for _, data in events(ours.feed(broken)) if data != b"[DONE]"]
        assert found == [exact(d) for _, d in events(same.feed(event)) if d != b"[DONE]"]


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_a_vendor_that_is_a_gateway_and_opened_too(dialect: DialectName) -> None:
    """Its events that carry nothing do no harm inside of ours."""
    theirs = DIALECTS[dialect].opened(Opening(False, "theirs", "their-model", 1))
    stream = theirs.open() + theirs.nothing() + theirs.nothing()
    stream += theirs.feed(b"".join(vendors.stream(dialect, ANSWER))) + theirs.close()
    ours = opened(dialect)
    told = ours.open() + ours.feed(stream) + ours.close()
    found = read(dialect, told)
    assert found.answer == read(dialect, b"".join(vendors.stream(dialect, ANSWER))).answer
    assert (found.openings, found.ids, found.models) == (1, {OURS}, {MODEL})


@pytest.mark.parametrize("dialect", EVENT_DIALECTS)
def test_a_keepalive_is_a_comment_of_one_line(dialect: DialectName) -> None:
    keepalive = DIALECTS[dialect].keepalive
    assert keepalive("", "sse") == b": keepalive\n\n"
    assert keepalive("waits for mimic", "sse") == b": keepalive waits for mimic\n\n"
    evil = keepalive("a\r\n\r\ndata: {}\n\nb", "sse")
    assert evil == b": keepalive a data: {} b\n\n"
    assert list(events(evil)) == []


def test_a_keepalive_of_gemini_is_an_empty_line() -> None:
    assert DIALECTS["gemini"].keepalive("words", "sse") == b"\n"
    assert DIALECTS["gemini"].keepalive("words", "array") == b"\n"


@every_pair
def test_keepalives_may_stand_between_any_two_writes(
    dialect: DialectName, framing: Framing
) -> None:
    ours = opened(dialect, framing)
    stream = b"".join(vendor_stream(dialect, framing, ANSWER))
    writes = [ours.open(), ours.nothing(), *map(ours.feed, pieces(stream, 11)), ours.close()]
    silence = DIALECTS[dialect].keepalive("waits", framing)
    told = b"".join(one + silence for one, _ in pairwise([*writes, b""]))
    array = framing == "array"
    assert read(dialect, told, array=array).answer == read(dialect, stream, array=array).answer
