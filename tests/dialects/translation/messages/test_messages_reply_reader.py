"""What a Messages vendor's reply is understood as."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.dialects.translation.messages.reply_reader import MessagesReader
from holdgate.core.values.neutral import Call, Reasoning, Seal, Text
from holdgate.core.values.neutral_reply import (
    Began,
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    Failed,
    Lost,
    RefusalDelta,
    TextDelta,
    ThoughtDelta,
    ThoughtEnded,
    Used,
)
from holdgate.core.values.usage import Usage

ORIGIN = "anthropic/messages"


def event(type: str, **data: Any) -> bytes:
    return f"event: {type}\ndata: {json.dumps({'type': type, **data})}\n\n".encode()


def begin(**usage: Any) -> bytes:
    return event("message_start", message={"id": "msg_1", "model": "m", "usage": usage})


def start(index: int, **block: Any) -> bytes:
    return event("content_block_start", index=index, content_block=block)


def delta(index: int, type: str, **data: Any) -> bytes:
    return event("content_block_delta", index=index, delta={"type": type, **data})


def text(index: int, piece: str) -> bytes:
    return delta(index, "text_delta", text=piece)


def stop(index: int) -> bytes:
    return event("content_block_stop", index=index)


def end(reason: str | None = "end_turn", **usage: Any) -> bytes:
    told = event("message_delta", delta={"stop_reason": reason}, usage=usage)
    return told + event("message_stop")


BEGAN = Began("msg_1", "m")


def read(*pieces: bytes) -> list[Event]:
    reader = MessagesReader(ORIGIN)
    events = [event for piece in pieces for event in reader.feed(piece)]
    return events + reader.close()


def test_a_text() -> None:
    found = read(
        begin(input_tokens=9, output_tokens=1),
        start(0, type="text", text=""),
        event("ping"),
        text(0, "Hel"),
        text(0, ""),
        text(0, "lo"),
        stop(0),
        end(output_tokens=3),
    )
    assert found == [
        BEGAN,
        Used(Usage(input=9, output=1)),
        TextDelta("Hel"),
        TextDelta("lo"),
        Used(Usage(input=9, output=3)),
        Ended("stop"),
    ]


def test_thoughts() -> None:
    found = read(
        begin(),
        start(0, type="thinking", thinking="", signature=""),
        delta(0, "thinking_delta", thinking="hm"),
        delta(0, "signature_delta", signature="SIG"),
        stop(0),
        start(1, type="redacted_thinking", data="HIDDEN"),
        stop(1),
        start(2, type="thinking", thinking="", signature=""),
        delta(2, "signature_delta", signature="ALONE"),
        stop(2),
        start(3, type="thinking", thinking="", signature=""),
        stop(3),
        end(),
    )
    assert found[1:-1] == [
        Used(Usage()),
        ThoughtDelta("hm"),
        ThoughtEnded((Seal(ORIGIN, "signature", "SIG"),)),
        ThoughtEnded((Seal(ORIGIN, "redacted", "HIDDEN"),)),
        ThoughtEnded((Seal(ORIGIN, "signature", "ALONE"),)),
    ]
    assert [part for part in collect(found).parts if isinstance(part, Reasoning)]


def call(index: int, given: Any, *pieces: str) -> bytes:
    told = start(index, type="tool_use", id=f"t{index}", name="f", input=given)
    return told + b"".join(delta(index, "input_json_delta", partial_json=p) for p in pieces)


@pytest.mark.parametrize(
    ("given", "pieces", "told"),
    [
        ({}, ('{"a":', "1}"), ['{"a":', "1}"]),
        ({}, ("", '{"a":1}'), ['{"a":1}']),
        ({}, (), ["{}"]),
        (None, (), ["{}"]),
        ({"a": 1}, (), ['{"a": 1}']),
        ('{"a":1}', (), ['{"a":1}']),
        ({"a": 1}, ('{"b":2}',), ['{"b":2}']),
        ({}, ('{"a":"\ud83d', '\ude00"}'), ['{"a":"', '😀"}']),
    ],
)
def test_calls(given: Any, pieces: tuple[str, ...], told: list[str]) -> None:
    found = read(begin(), call(3, given, *pieces), stop(3), end("tool_use"))
    assert found[2:] == [
        CallBegan(0, "t3", "f"),
        *(CallDelta(0, piece) for piece in told),
        CallEnded(0),
        Ended("tool"),
    ]


def test_arguments_at_once_stay_as_written() -> None:
    body = (
        b'{"type":"message","id":"msg_1","model":"m","content":[{"type":"tool_use","id":"t",'
        b'"name":"f","input":{ "n":12345678901234567890123,"x":1.5e2}}],"stop_reason":"tool_use"}'
    )
    arguments = '{ "n":12345678901234567890123,"x":1.5e2}'
    for found in (read(body), read(b"data: " + body + b"\n\n"), MessagesReader(ORIGIN).whole(body)):
        assert collect(found).parts == (Call("t", "f", arguments),)
    chunk = b'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use",'
    chunk += b'"id":"t","name":"f","input":' + arguments.encode() + b"}}\n\n"
    assert collect(read(chunk, end())).parts == (Call("t", "f", arguments),)


def test_two_blocks_open_at_once() -> None:
    found = read(begin(), call(0, {}), call(1, {}), call(0, {}), end())
    answer = collect(found)
    assert answer.why == "tool"
    assert [part for part in answer.parts if isinstance(part, Call)] == [
        Call("t0", "f", "{}"),
        Call("t1", "f", "{}"),
        Call("t0", "f", "{}"),
    ]


def test_calls_without_id_or_name() -> None:
    block = {"type": "tool_use", "name": "f", "input": {}}
    found = read(begin(), start(0, **block), start(1, **block), start(2, type="tool_use"), end())
    ids = [event.id for event in found if isinstance(event, CallBegan)]
    assert ids == ["toolu_1_0", "toolu_1_1"]
    assert any(isinstance(event, Lost) for event in found)


def test_a_block_that_nobody_began() -> None:
    found = read(text(0, "a"), delta(1, "thinking_delta", thinking="t"), text(2, "b"), end())
    assert found == [
        Began(),
        TextDelta("a"),
        ThoughtDelta("t"),
        TextDelta("b"),
        Used(Usage()),
        ThoughtEnded(),
        Ended("stop"),
    ]


def test_what_the_vendor_s_own_tools_did_is_lost() -> None:
    found = read(
        begin(),
        start(0, type="server_tool_use", id="s", name="web_search", input={}),
        delta(0, "input_json_delta", partial_json='{"q":1}'),
        stop(0),
        start(1, type="web_search_tool_result", tool_use_id="s", content=[]),
        stop(1),
        text(2, "found"),
        delta(2, "citations_delta", citation={}),
        delta(2, "citations_delta", citation={}),
        event("some_future_event"),
        b"event: x\ndata: {nonsense\n\n",
        end("pause_turn"),
    )
    assert [type(event) for event in found].count(Lost) == 5
    assert collect(found).parts == (Text("found"),)
    assert collect(found).why == "pause"


@pytest.mark.parametrize(
    ("reason", "calls", "why"),
    [
        ("end_turn", 0, "stop"),
        ("end_turn", 1, "tool"),
        ("tool_use", 0, "stop"),
        ("tool_use", 1, "tool"),
        (None, 0, "stop"),
        ("", 1, "tool"),
        ("max_tokens", 1, "length"),
        ("model_context_window_exceeded", 0, "length"),
        ("refusal", 0, "refusal"),
        ("pause_turn", 0, "pause"),
        ("length", 0, "length"),
        ("tool_calls", 1, "tool"),
        ("whatever", 0, "stop"),
    ],
)
def test_why_it_ended(reason: str | None, calls: int, why: str) -> None:
    pieces = [call(n, {}) + stop(n) for n in range(calls)]
    assert read(begin(), *pieces, end(reason))[-1] == Ended(why)  # type: ignore[arg-type]


def test_a_stop_sequence() -> None:
    told = event("message_delta", delta={"stop_reason": "stop_sequence", "stop_sequence": "END"})
    assert read(begin(), told, event("message_stop"))[-1] == Ended("stop", "END")


def test_a_refusal_s_words() -> None:
    details = {"type": "refusal", "explanation": "No."}
    told = event("message_delta", delta={"stop_reason": "refusal", "stop_details": details})
    assert RefusalDelta("No.") in read(begin(), told, event("message_stop"))


def test_usage_in_pieces() -> None:
    found = read(
        begin(
            input_tokens="10",
            cache_read_input_tokens=300,
            cache_creation_input_tokens=200,
            cache_creation={"ephemeral_5m_input_tokens": 50, "ephemeral_1h_input_tokens": 150},
            output_tokens=None,
            service_tier="standard",
        ),
        end(output_tokens=7, input_tokens=None, output_tokens_details={"thinking_tokens": 4}),
    )
    assert [event.usage for event in found if isinstance(event, Used)] == [
        Usage(10, 300, 200, 0, 0, 150),
        Usage(10, 300, 200, 7, 4, 150),
    ]


@pytest.mark.parametrize(
    "told",
    [
        event("error", error={"type": "overloaded_error", "message": "Overloaded"}),
        b'data: {"error":{"message":"Overloaded"}}\n\n',
        b"event: error\ndata: Overloaded\n\n",
        b'{"error":{"message":"Overloaded"}}',
    ],
)
def test_errors(told: bytes) -> None:
    found = read(told)
    assert isinstance(found[-1], Failed)
    assert found[-1].words == "Overloaded"


def test_an_error_after_text_ends_it() -> None:
    found = read(begin(), text(0, "Half"), event("error", error={"message": "M"}), text(0, "x"))
    assert found[2] == TextDelta("Half")
    assert isinstance(found[-1], Failed)


def test_nothing_after_the_end() -> None:
    found = read(begin(), text(0, "a"), end(), text(0, "b"), end(), b"data: [DONE]\n\n")
    assert isinstance(found[-1], Ended)
    assert TextDelta("b") not in found


@pytest.mark.parametrize(
    "pieces",
    [
        (),
        (b"   ",),
        (begin(), text(0, "half")),
        (begin(), event("message_delta", delta={"stop_reason": "end_turn"})),
        (begin(), b'event: message_stop\ndata: {"type":"mess'),
        (b"<html>", b"</html>"),
        (b'{"content":[',),
        (b'{"models":[]}',),
    ],
)
def test_a_cut_stream(pieces: tuple[bytes, ...]) -> None:
    with pytest.raises(EOFError):
        read(*pieces)


@pytest.mark.parametrize("body", [b"", b"[]", b"<html>", b'{"models":[]}', b"[" * 100_000])
def test_no_whole_reply(body: bytes) -> None:
    with pytest.raises(ValueError):
        MessagesReader(ORIGIN).whole(body)


STREAM = b"".join(
    (
        b"\xef\xbb\xbf: hello\n\n",
        begin(input_tokens=3),
        start(0, type="thinking", thinking=""),
        delta(0, "thinking_delta", thinking="дом"),
        delta(0, "signature_delta", signature="S"),
        stop(0),
        text(1, "a\u2028b\u0085c").replace(b"\n", b"\r\n"),
        'data:{"type":"content_block_delta",\n'
        'data: "delta":{"type":"text_delta","text":"😀"}}\n\n'
        'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"é"}}'.encode()
        + b"\r\r",
        text(1, "\ud83d"),
        text(1, "\ude00"),
        call(2, {}, '{"a":', '"дом"}'),
        stop(2),
        end("tool_use", output_tokens=4).rstrip(b"\n"),
    )
)


def test_the_stream_in_one_piece() -> None:
    assert collect(read(STREAM)).parts == (
        Reasoning("дом", (Seal(ORIGIN, "signature", "S"),)),
        Text("a\u2028b\u0085c😀é😀"),
        Call("t2", "f", '{"a":"дом"}'),
    )


@given(st.lists(st.integers(0, len(STREAM)), max_size=30))
def test_any_chunking_gives_the_same(cuts: list[int]) -> None:
    at = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[a:b] for a, b in pairwise(at)]
    assert read(*pieces) == read(STREAM)


@given(st.integers(0, len(STREAM)))
def test_a_truncated_stream_never_breaks(at: int) -> None:
    with suppress(EOFError):
        read(STREAM[:at])


_NAMES = (
    "type index delta text thinking content_block message usage id name input content error "
    "stop_reason signature data partial_json output_tokens cache_creation"
)
_names = st.sampled_from(_NAMES.split())
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=4),
    max_leaves=12,
)
_TYPES = (
    "message_start content_block_start content_block_delta content_block_stop message_delta "
    "message message_stop error text tool_use thinking text_delta input_json_delta"
)
_types = st.sampled_from(_TYPES.split())
_objects = st.dictionaries(_names, _json | _types | st.fixed_dictionaries({"type": _types}))


@given(st.lists(_objects | _json, max_size=8))
def test_no_event_breaks_it(events: list[Any]) -> None:
    stream = b"".join(b"data: " + json.dumps(found).encode() + b"\n\n" for found in events)
    with suppress(EOFError):
        read(stream, end())
    for found in events:
        with suppress(ValueError):
            MessagesReader(ORIGIN).whole(json.dumps(found).encode())


def test_deep_nesting_is_lost() -> None:
    deep = b'data: {"type":"content_block_start","content_block":' + b"[" * 100_000 + b"\n\n"
    assert Lost in map(type, read(deep, end()))


def test_a_line_of_megabytes_takes_no_quadratic_time() -> None:
    line = text(0, "x" * 8_000_000)
    began = time.perf_counter()
    pieces = [line[at : at + 16_384] for at in range(0, len(line), 16_384)]
    found = read(begin(), *pieces, end())
    assert time.perf_counter() - began < 5
    assert len(collect(found).parts[0].text) == 8_000_000  # type: ignore[union-attr]


def test_halves_that_stay_alone() -> None:
    found = read(
        begin(),
        text(0, "a\ud83d"),
        stop(0),
        start(1, type="thinking", thinking="t\ud83d", signature="S"),
        stop(1),
        start(2, type="tool_use", id="t", name="f", input={"a": "\ud83d"}),
        stop(2),
        delta(3, "some_delta"),
        end(),
    )
    assert collect(found).parts == (
        Text("a\ufffd"),
        Reasoning("t\ufffd", (Seal(ORIGIN, "signature", "S"),)),
        Call("t", "f", '{"a":"\ufffd"}'),
    )
