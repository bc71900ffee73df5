"""What a Messages agent is told: as a stream, and whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
from anthropic.types import Message as SdkMessage
from anthropic.types import RawMessageStreamEvent
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from holdgate.core.dialects.base import Opening
from holdgate.core.dialects.messages_opened import MessagesOpened
from holdgate.core.dialects.translation.base import Telling
from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.dialects.translation.messages.answer_writer import write_answer
from holdgate.core.dialects.translation.messages.reply_reader import MessagesReader
from holdgate.core.dialects.translation.messages.reply_writer import MessagesWriter
from holdgate.core.dialects.translation.messages.request_reader import read_request
from holdgate.core.values.neutral import Call, Loss, Part, Reasoning, Request, Seal, Text
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
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
    Used,
    Why,
)
from holdgate.core.values.usage import Usage

TELLING = Telling("abc", "asked/model", 1_700_000_000, "sse", Request("messages", "asked", ()))
THOUGHT = Seal("g/gemini", "thought", "SIG+/==")
OTHER = Seal("d/chat", "reasoning_details", "[1]", "r1")
HIDDEN = Seal("a/messages", "redacted", "HIDDEN")

_sdk_event: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)


def events_of(stream: bytes) -> list[dict[str, Any]]:
    """Give the events of a stream, each of which must be told by the rules."""
    found = []
    for block in stream.decode().removesuffix("\n\n").split("\n\n"):
        name, data = block.split("\n")
        event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        _sdk_event.validate_python(event, strict=True)
        found.append(event)
    return found


def tell(*events: Event, at_once: bool = True) -> list[dict[str, Any]]:
    writer = MessagesWriter(TELLING)
    batches = [list(events)] if at_once else [[event] for event in events]
    told = events_of(b"".join(map(writer.tell, batches)))
    _check(told)
    return told


def _check(told: list[dict[str, Any]]) -> None:
    """One opening, one block at a time with rising numbers, one ending."""
    assert [e["type"] for e in told if e["type"].startswith("message")] == [
        "message_start",
        "message_delta",
        "message_stop",
    ]
    assert told[0]["type"] == "message_start"
    opened, number = False, -1
    for event in told[1:-2]:
        if event["type"] == "content_block_start":
            assert not opened
            opened, number = True, number + 1
        assert opened and event["index"] == number
        opened = event["type"] != "content_block_stop"
    assert not opened


def content(told: list[dict[str, Any]]) -> list[Any]:
    """Give each block in short: its type and what its deltas make."""
    made: list[list[str]] = []
    for event in told:
        if event["type"] == "content_block_start":
            block = event["content_block"]
            made.append([block["type"], block.get("id", ""), ""])
        elif event["type"] == "content_block_delta":
            told_text = (text for name, text in event["delta"].items() if name != "type")
            if event["delta"]["type"] != "signature_delta":
                made[-1][2] += next(told_text)
    return [tuple(part for part in block if part) for block in made]


@pytest.mark.parametrize("at_once", [True, False])
def test_a_text(at_once: bool) -> None:
    usage = Usage(10, 300, 200, 7, 4, 150)
    told = tell(
        Began("chatcmpl-1", "theirs"),
        TextDelta("Hel"),
        TextDelta("lo\n\u2028"),
        Used(usage),
        Ended("stop"),
        at_once=at_once,
    )
    assert content(told) == [("text", "Hello\n\u2028")]
    message = told[0]["message"]
    assert (message["id"], message["model"]) == ("msg_abc", "asked/model")
    assert set(message["usage"]) == {
        "input_tokens",
        "output_tokens",
        "output_tokens_details",
        "cache_creation",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "inference_geo",
        "server_tool_use",
        "service_tier",
        "speed",
    }
    assert told[-2] == {
        "type": "message_delta",
        "delta": {
            "container": None,
            "stop_details": None,
            "stop_reason": "end_turn",
            "stop_sequence": None,
        },
        "usage": {
            "input_tokens": 10,
            "cache_creation_input_tokens": 200,
            "cache_read_input_tokens": 300,
            "output_tokens": 7,
            "output_tokens_details": {"thinking_tokens": 4},
            "server_tool_use": None,
        },
    }


def test_nothing_is_told_before_the_reply_begins_and_after_it_ends() -> None:
    writer = MessagesWriter(TELLING)
    assert writer.tell([Used(Usage(1)), Lost(Loss("x", "y")), Failed("w", b"")]) == b""
    assert writer.tell([Began()]).startswith(b"event: message_start\n")
    assert b"message_stop" in writer.tell([Ended("stop")])
    assert writer.tell([TextDelta("x"), Ended("stop")]) == b""


def test_thoughts_come_before_and_are_closed() -> None:
    told = tell(
        Began(),
        ThoughtDelta("let me "),
        ThoughtDelta("think"),
        TextDelta("Hi"),
        ThoughtDelta("more"),
        ThoughtEnded((THOUGHT,)),
        Ended("stop"),
    )
    assert content(told) == [("thinking", "let me think"), ("text", "Hi"), ("thinking", "more")]
    signatures = [e["delta"] for e in told if e.get("delta", {}).get("type") == "signature_delta"]
    assert len(signatures) == 1


@pytest.mark.parametrize("at_once", [True, False])
def test_mixed_calls_are_told_one_after_the_other(at_once: bool) -> None:
    told = tell(
        Began(),
        TextDelta("look"),
        CallBegan(0, "a", "f"),
        CallBegan(1, "b", "g"),
        CallDelta(0, '{"x":'),
        CallDelta(1, '{"y":'),
        TextDelta("meanwhile"),
        CallDelta(1, "2}"),
        CallEnded(1),
        CallDelta(0, "1}"),
        CallEnded(0),
        CallBegan(2, "c", "now"),
        CallEnded(2),
        Ended("tool"),
        at_once=at_once,
    )
    assert content(told) == [
        ("text", "look"),
        ("tool_use", "a", '{"x":1}'),
        ("tool_use", "b", '{"y":2}'),
        ("text", "meanwhile"),
        ("tool_use", "c", "{}"),
    ]
    assert told[-2]["delta"]["stop_reason"] == "tool_use"


def test_pieces_of_arguments_come_as_they_are() -> None:
    writer = MessagesWriter(TELLING)
    writer.tell([Began(), CallBegan(0, "a", "f")])
    assert b'"partial_json":"{\\"x\\""' in writer.tell([CallDelta(0, '{"x"')])


def test_a_call_that_did_not_end() -> None:
    assert content(tell(Began(), CallBegan(0, "a", "f"), Ended("length"))) == [
        ("tool_use", "a", "{}")
    ]


def test_a_custom_call_is_told_as_arguments() -> None:
    told = tell(
        CallBegan(0, "a", "patch", custom=True),
        CallDelta(0, "*** Begin"),
        CallDelta(0, '"\n'),
        CallEnded(0),
        Ended("tool"),
    )
    assert content(told) == [
        ("tool_use", "a", json.dumps({"input": '*** Begin"\n'}, separators=(",", ":")))
    ]


@pytest.mark.parametrize(
    ("why", "stop", "reason", "sequence"),
    [
        ("stop", "", "end_turn", None),
        ("stop", "END", "stop_sequence", "END"),
        ("length", "", "max_tokens", None),
        ("filter", "", "refusal", None),
        ("refusal", "", "refusal", None),
        ("pause", "", "pause_turn", None),
        ("malformed", "", "end_turn", None),
    ],
)
def test_reasons(why: Why, stop: str, reason: str, sequence: str | None) -> None:
    events: list[Event] = [Began(), RefusalDelta("No."), Ended(why, stop)]
    told = tell(*events)
    assert content(told) == [("text", "No.")]
    delta = told[-2]["delta"]
    assert (delta["stop_reason"], delta["stop_sequence"]) == (reason, sequence)
    whole = json.loads(write_answer(collect(events), TELLING))
    assert whole["stop_reason"] == reason
    assert whole["stop_details"] == delta["stop_details"]


SEALED: list[Event] = [
    Began(),
    ThoughtDelta("hm"),
    ThoughtEnded((OTHER, THOUGHT, HIDDEN)),
    ThoughtEnded((HIDDEN,)),
    ThoughtEnded((OTHER,)),
    TextDelta("a"),
    TextSealed(THOUGHT),
    TextDelta("b"),
    CallBegan(0, "c0", "f"),
    CallBegan(1, "c1", "f"),
    CallDelta(0, '{"n":1.5e2}'),
    CallEnded(0, (THOUGHT, OTHER)),
    CallDelta(1, "{}"),
    CallEnded(1, (OTHER,)),
    TextDelta("c"),
    Ended("tool"),
]
KEPT: tuple[Part, ...] = (
    Reasoning("hm", (OTHER, THOUGHT)),
    Reasoning("", (HIDDEN,)),
    Reasoning("", (HIDDEN,)),
    Reasoning("", (OTHER,)),
    Text("a", seals=(THOUGHT,)),
    Text("b"),
    Call("c0", "f", '{"n":1.5e2}', seals=(THOUGHT, OTHER)),
    Call("c1", "f", "{}", seals=(OTHER,)),
    Text("c"),
)


def returned(blocks: bytes) -> tuple[Part, ...]:
    """Give what an agent that got `blocks` sends back in its next request."""
    body = b'{"messages":[{"role":"assistant","content":' + blocks + b"}]}"
    return read_request(body, "m").messages[0].parts


def test_seals_of_a_whole_answer_come_back_in_their_place() -> None:
    body = write_answer(collect(SEALED), TELLING)
    start = body.index(b'"content":') + len(b'"content":')
    blocks, _ = json.JSONDecoder().raw_decode(body[start:].decode())
    raw = body[start : body.index(b',"container"')]
    assert json.loads(raw) == blocks
    assert returned(raw) == KEPT


@pytest.mark.parametrize("at_once", [True, False])
def test_seals_of_a_stream_come_back_in_their_place(at_once: bool) -> None:
    blocks = []
    for event in tell(*SEALED, at_once=at_once):
        if event["type"] == "content_block_start":
            blocks.append(event["content_block"])
        elif event["type"] == "content_block_delta":
            delta = {name: text for name, text in event["delta"].items() if name != "type"}
            ((name, text),) = delta.items()
            name = "arguments" if name == "partial_json" else name
            blocks[-1][name] = blocks[-1].get(name, "") + text
    for block in blocks:
        if block["type"] == "tool_use":
            block["input"] = "@" + block.pop("arguments")
    raw = json.dumps(blocks, separators=(",", ":"))
    for block in blocks:
        if block["type"] == "tool_use":
            raw = raw.replace(json.dumps(block["input"]), block["input"][1:])
    assert returned(raw.encode()) == KEPT


def test_a_seal_without_its_place_gets_one() -> None:
    told = tell(Began(), TextSealed(THOUGHT), Ended("stop"))
    blocks = [e["content_block"] for e in told if e["type"] == "content_block_start"]
    assert returned(json.dumps(blocks).encode()) == (Text("", seals=(THOUGHT,)),)


def test_a_whole_answer() -> None:
    answer = collect(
        [
            ThoughtDelta("hm"),
            TextDelta("Hi"),
            CallBegan(0, "c", "f"),
            CallDelta(0, '{"n":12345678901234567890123}'),
            CallBegan(1, "d", "f"),
            CallDelta(1, "no object"),
            Used(Usage(1, 2, 3, 4)),
            Ended("tool"),
        ]
    )
    body = write_answer(answer, TELLING)
    assert b'"input":{"n":12345678901234567890123}' in body
    message = json.loads(body)
    SdkMessage.model_validate(message)
    assert [block["type"] for block in message["content"]] == [
        "thinking",
        "text",
        *["tool_use"] * 2,
    ]
    assert message["content"][0]["signature"] == ""
    assert message["content"][3]["input"] == {"_raw": "no object"}
    assert message["usage"]["cache_creation_input_tokens"] == 3


def test_the_stream_goes_on_inside_an_opening() -> None:
    opened = MessagesOpened(Opening(False, "msg_own", "asked", 0))
    writer = MessagesWriter(TELLING)
    events: list[Event] = [Began(), TextDelta("Hi"), Used(Usage(5, output=2)), Ended("stop")]
    stream = opened.open() + opened.feed(writer.tell(events)) + opened.close()
    told = events_of(stream)
    _check(told)
    assert told[0]["message"]["id"] == "msg_own"
    assert told[-2]["usage"]["input_tokens"] == 5


_pieces = st.text(min_size=1, max_size=5)
_numbers = st.integers(0, 3)
_event = st.one_of(
    st.builds(TextDelta, _pieces),
    st.builds(RefusalDelta, _pieces),
    st.builds(ThoughtDelta, _pieces),
    st.builds(ThoughtEnded, st.sampled_from([(), (THOUGHT,), (OTHER, HIDDEN)])),
    st.builds(TextSealed, st.just(THOUGHT)),
    st.builds(CallBegan, _numbers, st.just("id"), st.just("f"), st.booleans()),
    st.builds(CallDelta, _numbers, _pieces),
    st.builds(CallEnded, _numbers, st.sampled_from([(), (THOUGHT,)])),
    st.builds(Used, st.builds(Usage, st.integers(0, 9))),
)


@given(st.lists(_event, max_size=25), st.booleans())
def test_any_events_are_told_by_the_rules(events: list[Event], at_once: bool) -> None:
    told = tell(Began(), *events, Ended("stop"), at_once=at_once)
    texts = "".join(e.text for e in events if isinstance(e, TextDelta | RefusalDelta))
    assert "".join(block[-1] for block in content(told) if block[0] == "text") == texts


@given(st.lists(st.one_of(st.builds(TextDelta, _pieces), st.builds(ThoughtDelta, _pieces))))
def test_what_is_told_is_understood(events: list[Event]) -> None:
    events = [*events, Ended("stop")]
    reader = MessagesReader("x/messages")
    found = reader.feed(MessagesWriter(TELLING).tell(events)) + reader.close()
    assert _said(found) == _said(events)


def _said(events: list[Event]) -> list[tuple[str, str]]:
    said: list[tuple[str, str]] = []
    for event in events:
        if isinstance(event, TextDelta | ThoughtDelta):
            kind = type(event).__name__
            if said and said[-1][0] == kind:
                said[-1] = (kind, said[-1][1] + event.text)
            else:
                said.append((kind, event.text))
    return said


@pytest.mark.parametrize(
    ("pieces", "input"),
    [
        (["not", " JSON"], {"_raw": "not JSON"}),
        ([" ", "[1", "]"], {"_raw": "[1]"}),
        (["\n ", '{"a"', ":1}"], {"a": 1}),
        ([" ", "\n"], {}),
    ],
)
def test_arguments_that_are_no_object_are_told_within_one_streamed_as_whole(
    pieces: list[str], input: dict[str, Any]
) -> None:
    events: list[Event] = [Began(), CallBegan(0, "a", "f")]
    events += [CallDelta(0, piece) for piece in pieces]
    events += [CallEnded(0), Ended("tool")]
    for at_once in (True, False):
        told = [e["delta"] for e in tell(*events, at_once=at_once) if "delta" in e]
        said = "".join(delta.get("partial_json", "") for delta in told)
        assert json.loads(said) == input
    whole = json.loads(write_answer(collect(events), TELLING))
    assert whole["content"][0]["input"] == input
