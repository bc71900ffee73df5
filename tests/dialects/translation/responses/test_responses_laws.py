"""Laws of the readers and writers of the dialect `responses`, for whatever comes."""

from __future__ import annotations

import json
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.dialects.translation.settling import settle
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import Call, Seal, Text
from holdgate.core.values.neutral_reply import (
    Began,
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    Lost,
    RefusalDelta,
    TextDelta,
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
)
from tests.dialects.translation.any_text import ANY_TEXT
from tests.dialects.translation.conversations import REQUESTS
from tests.dialects.translation.responses import vendor_replies as vendor
from tests.dialects.translation.responses.responses_feeding import (
    OURS,
    TARGET,
    THINKER,
    bodies,
    heard,
    sse,
    telling,
)

STREAM = sse(*vendor.by_the_reference())
LOOSE = (
    b"\xef\xbb\xbf: hi\r\n\r\n"
    + STREAM.replace(b"data: ", b"data:").replace(b"\n", b"\r\n")
    + 'data: {"type":"x","y":"\u2028é😀"}\n\n'.encode()
)


def fed(pieces: list[bytes]) -> list[Event]:
    reader = OURS.reply_reader(TARGET)
    events = [event for piece in pieces for event in reader.feed(piece)]
    return events + reader.close()


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted(place % (len(data) + 1) for place in places)
    return [data[a:b] for a, b in zip([0, *ends], [*ends, len(data)], strict=True)]


@pytest.mark.parametrize("data", [STREAM, LOOSE, STREAM.replace(b"\n", b"\r")])
@settings(max_examples=40, deadline=None)
@given(places=st.lists(st.integers(0, 100_000), max_size=20))
def test_any_chunking_gives_the_same_events(data: bytes, places: list[int]) -> None:
    assert fed(cut(data, places)) == heard(STREAM)


def test_byte_by_byte() -> None:
    assert fed([LOOSE[n : n + 1] for n in range(len(LOOSE))]) == heard(STREAM)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, len(STREAM) - 3))
def test_a_truncated_stream_is_cut(end: int) -> None:
    reader = OURS.reply_reader(TARGET)
    events = reader.feed(STREAM[:end])
    assert not any(isinstance(event, Ended) for event in events)
    if end <= STREAM.rindex(b"event:"):
        with pytest.raises(EOFError):
            reader.close()


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)
WORDS = st.sampled_from(
    [
        "message",
        "reasoning",
        "function_call",
        "custom_tool_call",
        "function_call_output",
        "local_shell_call",
        "tool_search_output",
        "additional_tools",
        "mcp_call",
        "code_interpreter_call",
        "file_search_call",
        "output_text",
        "input_image",
        "input_file",
        "input_audio",
        "refusal",
        "function",
        "custom",
        "namespace",
        "allowed_tools",
        "json_schema",
    ]
)
NAMES = st.sampled_from(
    [
        "role",
        "content",
        "call_id",
        "id",
        "name",
        "arguments",
        "input",
        "output",
        "outputs",
        "summary",
        "encrypted_content",
        "tools",
        "text",
        "image_url",
        "file_data",
        "action",
        "format",
        "status",
        "item",
        "response",
        "delta",
        "output_index",
        "item_id",
        "content_index",
        "incomplete_details",
        "error",
        "usage",
    ]
)
SHAPED: st.SearchStrategy[Any] = st.recursive(
    JSON,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.builds(
            lambda kind, rest: {**rest, "type": kind},
            WORDS,
            st.dictionaries(NAMES, inner, max_size=4),
        )
    ),
    max_leaves=12,
)
MEMBERS = st.sampled_from(
    [
        "input",
        "tools",
        "instructions",
        "tool_choice",
        "text",
        "reasoning",
        "include",
        "user",
        "temperature",
        "max_output_tokens",
        "metadata",
        "truncation",
        "brand_new",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(MEMBERS, SHAPED, max_size=4))
def test_a_request_is_read_and_written_or_a_fault_of_the_agent(body: dict[str, Any]) -> None:
    try:
        request = OURS.read_request(json.dumps(body).encode(), "m", "sse")
    except Fault as fault:
        assert fault.kind is FaultKind.REQUEST
        return
    for target in (TARGET, THINKER):
        json.loads(OURS.write_request(request, target).body)
    writer = OURS.reply_writer(type(telling())("a", "m", 1, "sse", request))
    bodies(writer.tell([Began(), Ended("stop")]))


KINDS = st.sampled_from(sorted({body["type"] for body in vendor.by_the_reference()}))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.dictionaries(NAMES, SHAPED, max_size=5) | SHAPED, max_size=5), st.lists(KINDS))
def test_a_reader_raises_nothing(events: list[Any], kinds: list[str]) -> None:
    told = [
        b"event: %b\ndata: %b\n\n" % (kind.encode(), json.dumps(body).encode())
        for body, kind in zip(events, kinds, strict=False)
    ]
    reader = OURS.reply_reader(TARGET)
    found = reader.feed(b": x\n\n" + b"".join(told))
    assert sum(isinstance(event, Ended) for event in found) <= 1


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_a_reader_raises_nothing_for_no_events_at_all(data: bytes) -> None:
    OURS.reply_reader(TARGET).feed(data)
    with pytest.raises(EOFError):
        heard(b"data: x\n\n" + data)


@pytest.mark.parametrize("name", sorted(REQUESTS))
def test_requests_of_all_kinds_are_written(name: str) -> None:
    request = REQUESTS[name]
    messages, _ = settle(request.messages)
    settled = type(request)(request.dialect, request.model, messages, request.tools)
    written = OURS.write_request(settled, TARGET)
    assert written == OURS.write_request(settled, TARGET)
    back = OURS.read_request(written.body, "m", "sse")
    calls = [part.arguments for each in messages for part in each.parts if isinstance(part, Call)]
    assert calls == [
        part.arguments for each in back.messages for part in each.parts if isinstance(part, Call)
    ]


CALLS = st.sampled_from([0, 1, 2])
SEALS = st.just((Seal("g/gemini", "thought", "x"),)) | st.just(())
STEPS = st.lists(
    st.builds(TextDelta, ANY_TEXT)
    | st.builds(ThoughtDelta, ANY_TEXT)
    | st.builds(RefusalDelta, ANY_TEXT)
    | st.builds(ThoughtEnded, SEALS)
    | st.builds(TextSealed, st.just(Seal("g/gemini", "thought", "x")))
    | st.builds(CallBegan, CALLS, st.sampled_from("ab"), st.just("f"), st.booleans())
    | st.builds(CallDelta, CALLS, ANY_TEXT)
    | st.builds(CallEnded, CALLS, SEALS),
    max_size=30,
)


@settings(max_examples=300, deadline=None)
@given(STEPS, st.data())
def test_whatever_is_told_is_a_stream_by_the_reference(steps: list[Event], data: Any) -> None:
    events = [Began(), *steps, Ended("stop")]
    at = data.draw(st.integers(0, len(events)))
    writer = OURS.reply_writer(telling())
    found = bodies(writer.tell(events[:at]) + writer.tell(events[at:]))
    assert [body["sequence_number"] for body in found] == list(range(len(found)))
    output, said = found[-1]["response"]["output"], dict[int, str]()
    for body in found[2:-1]:
        index = body["output_index"]
        said[index] = said.get(index, "") + body.get("delta", "")
        if body["type"] == "response.output_item.done":
            assert body["item"] == output[index]
    for index, item in enumerate(output):
        spoken = [*item.get("content", ()), *item.get("summary", ())]
        texts = [part.get("text", part.get("refusal")) for part in spoken]
        whole = item.get("arguments", item.get("input", "".join(texts)))
        assert said.get(index, "") == whole


def test_long_lines_and_many_events_take_linear_time() -> None:
    text = "x" * 3_000_000
    line = sse(
        vendor.closing(
            output=[vendor.MESSAGE | {"content": [{"type": "output_text", "text": text}]}]
        )
    )
    begun = perf_counter()
    pieces = [line[n : n + 16_384] for n in range(0, len(line), 16_384)]
    assert collect(fed(pieces)).parts == (Text(text),)
    whole = json.dumps(vendor.response(output=[])).encode() + b" " * 3_000_000
    fed([whole[n : n + 16_384] for n in range(0, len(whole), 16_384)])
    delta = vendor.event("output_text.delta", 0, "msg_1", content_index=0, delta="x")
    many = sse(vendor.added(0, vendor.MESSAGE, content=[]), *[delta] * 20_000)
    assert len(OURS.reply_reader(TARGET).feed(many)) == 20_001
    assert perf_counter() - begun < 5


def test_deep_nesting_is_lost() -> None:
    deep = b'data: {"type":"response.output_item.added","item":' + b"[" * 200_000 + b"\n\n"
    assert any(isinstance(event, Lost) for event in OURS.reply_reader(TARGET).feed(deep))
    with pytest.raises(ValueError, match=r".*"):
        OURS.reply_reader(TARGET).whole(b'{"output":' + b"[" * 200_000)
