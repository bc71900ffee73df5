"""Laws for whatever comes: only the faults of the contract, and time that grows with the length."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.dialects.translation.base import Target, Telling
from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.dialects.translation.table import TRANSLATORS
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.neutral import Image, Message, Reasoning, Request
from holdgate.core.values.neutral_reply import (
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    Failed,
    TextDelta,
)
from tests.dialects.translation.any_text import ANY_TEXT
from tests.dialects.translation.conversations import (
    DOTTED,
    PATCH,
    PIXEL,
    READ,
    REPLIES,
    SIGNED,
    STRANGE,
    assistant,
    call,
    request,
    result,
    user,
)
from tests.dialects.translation.test_laws_replies import told

every_dialect = pytest.mark.parametrize("dialect", DIALECT_NAMES)

# Names and words that mean something somewhere, so that what is random gets past the door.
_NAMES = (
    "role content parts type text id name input arguments args function functionCall tool_calls "
    "call_id tool_call_id tool_use_id functionResponse response output image_url source data "
    "inlineData mimeType thinking signature thought thoughtSignature encrypted_content summary "
    "reasoning_details extra_content cache_control choices delta index message finish_reason "
    "candidates finishReason content_block item item_id output_index usage usageMetadata "
    "promptTokenCount error candidate refusal partial_json is_error format"
)
_KINDS = (
    "user assistant system developer tool model text image image_url input_text output_text file "
    "document tool_use tool_result thinking redacted_thinking function custom function_call "
    "function_call_output reasoning message namespace web_search ephemeral stop tool_calls STOP "
    "content_block_start content_block_delta content_block_stop message_start message_delta "
    "message_stop text_delta input_json_delta response.created response.output_item.added "
    "response.output_text.delta response.output_item.done response.completed response.failed "
    "response.incomplete response.function_call_arguments.delta"
)
NAMES, KINDS = st.sampled_from(_NAMES.split()), st.sampled_from(_KINDS.split())
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT | KINDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=25,
)
MEMBERS = (
    "messages input contents tools tool_choice system instructions systemInstruction thinking "
    "reasoning generationConfig toolConfig response_format text stop temperature max_tokens "
    "include metadata extra"
)
BODIES = st.dictionaries(st.sampled_from(MEMBERS.split()), JSON | st.lists(JSON, max_size=3))


def understood(dialect: DialectName, body: bytes) -> Request | None:
    """Give a request; None where it is none, by a fault of its agent's."""
    try:
        return TRANSLATORS[dialect].read_request(body, "m", "sse")
    except Fault as fault:
        assert fault.kind is FaultKind.REQUEST
        return None


def written_for_all(asked: Request | None) -> None:
    for dialect, translator in TRANSLATORS.items():
        if asked is not None:
            json.loads(translator.write_request(asked, Target("v", dialect, "m")).body)


@every_dialect
@settings(max_examples=20, deadline=None)
@given(body=BODIES | JSON)
def test_no_json_breaks_a_request(dialect: DialectName, body: Any) -> None:
    asked = understood(dialect, json.dumps(body).encode())
    written_for_all(asked)
    if asked is not None:
        writer = TRANSLATORS[dialect].reply_writer(Telling("abc", "m", 5, "sse", asked))
        writer.tell(REPLIES["one_call"])


@every_dialect
@settings(max_examples=20, deadline=None)
@given(body=st.binary(max_size=80))
def test_no_bytes_break_a_request(dialect: DialectName, body: bytes) -> None:
    written_for_all(understood(dialect, body))


def heard(dialect: DialectName, *pieces: bytes) -> list[Event]:
    """Give the events of a stream, however it ended."""
    reader = TRANSLATORS[dialect].reply_reader(Target("v", dialect, "m"))
    events = [event for piece in pieces for event in reader.feed(piece)]
    with suppress(EOFError):
        events += reader.close()
    return events


def in_order(events: list[Event]) -> None:
    """Check what a reader promises: one end, last of all, and calls numbered from 0."""
    ends = [n for n, event in enumerate(events) if isinstance(event, Ended | Failed)]
    assert ends in ([], [len(events) - 1])
    begun = [event.call for event in events if isinstance(event, CallBegan)]
    assert begun == list(range(len(begun)))


def told_to_all(events: list[Event]) -> None:
    for dialect, translator in TRANSLATORS.items():
        asked = request(user("Hi"), dialect=dialect)
        translator.reply_writer(Telling("abc", "m", 5, "sse", asked)).tell(events)


@every_dialect
@settings(max_examples=20, deadline=None)
@given(events=st.lists(JSON, max_size=4), good=st.sampled_from(sorted(REPLIES)))
def test_no_json_breaks_a_reply(dialect: DialectName, events: list[Any], good: str) -> None:
    lines = b"".join(b"data: %b\n\n" % json.dumps(event).encode() for event in events)
    in_order(heard(dialect, lines))
    stream = told(dialect, REPLIES[good])
    middle = max(0, stream.find(b"data:", 20))
    found = heard(dialect, stream[:middle], lines, stream[middle:])
    in_order(found)
    told_to_all(found)


@every_dialect
@settings(max_examples=20, deadline=None)
@given(body=JSON, stream=st.binary(max_size=80))
def test_no_reply_in_one_piece_breaks_it(dialect: DialectName, body: Any, stream: bytes) -> None:
    for data in (json.dumps(body).encode(), stream):
        with suppress(ValueError):
            reader = TRANSLATORS[dialect].reply_reader(Target("v", dialect, "m"))
            in_order(reader.whole(data))
        in_order(heard(dialect, data))


@every_dialect
@pytest.mark.parametrize("name", ["thoughts_between", "parallel_calls", "text"])
def test_a_stream_that_was_cut_has_not_ended(dialect: DialectName, name: str) -> None:
    stream = told(dialect, REPLIES[name])
    parts = collect(heard(dialect, stream)).parts
    for end in range(0, len(stream), 7):
        found = heard(dialect, stream[:end])
        in_order(found)
        if Ended in map(type, found):
            # All of the answer was there; what was cut tells only its usage.
            assert collect(found).parts == parts


@every_dialect
@pytest.mark.parametrize("depth", [200, 5000, 100_000])
@pytest.mark.parametrize(("opened", "closed"), [('{"a":', "}"), ("[", "]")])
def test_deep_nesting(dialect: DialectName, depth: int, opened: str, closed: str) -> None:
    deep = opened * depth + "1" + closed * depth
    turn = f'{{"role":"user","content":{deep},"parts":{deep}}}'
    for body in (
        f'{{"messages":[{turn}],"input":[{turn}],"contents":[{turn}]}}',
        f'{{"messages":[],"input":"a","contents":[],"tools":[{{"name":"f","input_schema":{deep}}}]}}',
        deep,
    ):
        written_for_all(understood(dialect, body.encode()))
    for line in (
        deep,
        f'{{"type":"message_start","message":{deep},"choices":[{{"delta":{deep}}}]}}',
    ):
        told_to_all(heard(dialect, f"data: {line}\n\n".encode()))
        with suppress(ValueError):
            TRANSLATORS[dialect].reply_reader(Target("v", dialect, "m")).whole(line.encode())


def seconds(run: Callable[[], object]) -> float:
    """Give the least processor time of some runs."""
    found = []
    for _ in range(3):
        begun = process_time()
        run()
        found.append(process_time() - begun)
    return min(found)


def check_linear(run: Callable[[int], Callable[[], object]], size: int) -> None:
    """What is four times as long takes about four times as long; squared it would be sixteen."""
    short, long = seconds(run(size)), seconds(run(4 * size))
    assert long < 10 * max(short, 0.004), (short, long)


@every_dialect
def test_a_line_of_any_length_in_small_pieces_takes_linear_time(dialect: DialectName) -> None:
    def run(size: int) -> Callable[[], object]:
        stream = told(dialect, REPLIES["text"][:2])
        line = b"data: " + json.dumps({"x": "y" * size}).encode() + b"\n\n"
        data = stream + line
        pieces = [data[n : n + 256] for n in range(0, len(data), 256)]
        return lambda: heard(dialect, *pieces)

    check_linear(run, 250_000)


@every_dialect
def test_ten_megabytes_in_one_line(dialect: DialectName) -> None:
    events = [REPLIES["text"][0], TextDelta("é" + "x" * 10_000_000), REPLIES["text"][-1]]
    stream = told(dialect, events)
    pieces = [stream[n : n + 65_536] for n in range(0, len(stream), 65_536)]
    begun = process_time()
    found = heard(dialect, *pieces)
    assert process_time() - begun < 5
    assert [len(event.text) for event in found if isinstance(event, TextDelta)] == [10_000_001]


@every_dialect
def test_many_events_take_linear_time(dialect: DialectName) -> None:
    def run(size: int) -> Callable[[], object]:
        calls: list[Event] = [CallBegan(0, "a", "f"), *[CallDelta(0, "x")] * size, CallEnded(0)]
        text = [TextDelta("Hel")] * size
        events: list[Event] = [REPLIES["text"][0], *text, *calls, Ended("tool")]
        return lambda: heard(dialect, told(dialect, events))

    check_linear(run, 2_000)


@every_dialect
def test_long_conversations_take_linear_time(dialect: DialectName) -> None:
    def run(size: int) -> Callable[[], object]:
        turns = [turn for n in range(size) for turn in working(n)]
        asked = request(*turns, dialect=dialect, tools=(READ, DOTTED, PATCH))
        body = TRANSLATORS[dialect].write_request(asked, Target("v", dialect, "m")).body
        return lambda: written_for_all(understood(dialect, body))

    check_linear(run, 60)


def working(number: int) -> list[Message]:
    """Give one step of an agent that works."""
    first, second = f"call_{number}a", f"call_{number}b"
    return [
        user(f"Step {number}", Image("image/png", data=PIXEL)),
        assistant(Reasoning("Hm.", (SIGNED,)), "I look.", call(first), call(second, "files.read")),
        user(result(first, STRANGE), result(second, "no", is_error=True)),
        assistant("Done."),
    ]
