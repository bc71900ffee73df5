"""Replies told to chat agents, streamed and whole."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from holdgate.core.dialects.base import Opening
from holdgate.core.dialects.chat_opened import ChatOpened
from holdgate.core.dialects.translation.base import Target, Telling
from holdgate.core.dialects.translation.chat.answer_writer import write_answer
from holdgate.core.dialects.translation.chat.reply_reader import ChatReplyReader
from holdgate.core.dialects.translation.chat.reply_writer import ChatReplyWriter
from holdgate.core.dialects.translation.chat.request_reader import read_request
from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.values.neutral import (
    Call,
    Loss,
    Message,
    Part,
    Reasoning,
    Refusal,
    Request,
    Seal,
    Text,
)
from holdgate.core.values.neutral_reply import (
    Answer,
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
)
from holdgate.core.values.usage import Usage

SIGNED = Seal("a/messages", "signature", "sig1")
REDACTED = Seal("a/messages", "redacted", "red")
THOUGHT = Seal("g/gemini", "thought", "sig2")
USAGE = Usage(input=10, cache_read=300, cache_write=200, output=7, reasoning=2)


def telling(include_usage: bool = True) -> Telling:
    request = Request("chat", "m", (Message("user", (Text("hi"),)),), include_usage=include_usage)
    return Telling("abc", 'm"1', 1700000000, "sse", request)


def told(*events: Event, include_usage: bool = True) -> bytes:
    writer = ChatReplyWriter(telling(include_usage))
    return writer.tell([Began("x", "y")]) + b"".join(writer.tell([event]) for event in events)


def chunks(data: bytes) -> list[dict[str, Any]]:
    """Give the chunks of a whole stream, each as the reference wants it."""
    assert data.endswith(b"\n\ndata: [DONE]\n\n")
    lines = data.decode().removesuffix("\n\n").split("\n\n")
    found = [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]
    for one in found:
        assert {"id", "object", "created", "model", "choices"} <= one.keys()
        assert (one["id"], one["model"]) == ("chatcmpl-abc", 'm"1')
        if b'"custom"' not in data:  # of which the reference's chunks know nothing
            ChatCompletionChunk.model_validate(one)
        for choice in one["choices"]:
            assert choice.keys() == {"index", "delta", "logprobs", "finish_reason"}
    return found


def deltas(data: bytes) -> list[Any]:
    return [c["delta"] for one in chunks(data) for c in one["choices"]]


def test_a_text() -> None:
    found = chunks(told(TextDelta('H"i\u2028'), TextDelta("!"), Used(USAGE), Ended("stop")))
    choices = [one["choices"] for one in found]
    assert [c[0]["delta"] for c in choices[:-1]] == [
        {"role": "assistant", "content": "", "refusal": None},
        {"content": 'H"i\u2028'},
        {"content": "!"},
        {},
    ]
    assert [c[0]["finish_reason"] for c in choices[:-1]] == [None, None, None, "stop"]
    assert choices[-1] == []
    assert [one["usage"] for one in found[:-1]] == [None] * 4
    assert found[-1]["usage"] == {
        "prompt_tokens": 510,
        "completion_tokens": 7,
        "total_tokens": 517,
        "prompt_tokens_details": {
            "cached_tokens": 300,
            "cache_write_tokens": 200,
            "audio_tokens": 0,
        },
        "completion_tokens_details": {
            "reasoning_tokens": 2,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def test_no_usage_unless_it_was_asked_for() -> None:
    found = chunks(told(TextDelta("a"), Used(USAGE), Ended("stop"), include_usage=False))
    assert not any("usage" in one for one in found)
    assert all(one["choices"] for one in found)


def test_line_separators_are_escaped() -> None:
    assert "\u2028" not in told(TextDelta("\u2028")).decode()


def test_calls_are_told_one_after_the_other() -> None:
    found = deltas(
        told(
            CallBegan(0, "a", "f"),
            CallBegan(1, "b", "g"),
            CallDelta(0, '{"x":'),
            CallDelta(1, '{"y":'),
            CallDelta(0, "1}"),
            CallEnded(0),
            CallDelta(1, "2}"),
            CallEnded(1),
            Ended("tool"),
        )
    )
    calls = [delta["tool_calls"][0] for delta in found[1:-1]]
    function = {"name": "f", "arguments": ""}
    assert calls[0] == {"index": 0, "id": "a", "type": "function", "function": function}
    assert [call["index"] for call in calls] == [0, 0, 0, 1, 1, 1]
    assert calls[1] == {"index": 0, "function": {"arguments": '{"x":'}}
    assert "".join(call["function"]["arguments"] for call in calls[3:]) == '{"y":2}'
    assert all("name" not in call["function"] for call in (*calls[1:3], *calls[4:]))


def test_a_custom_call() -> None:
    found = deltas(
        told(CallBegan(0, "a", "p", custom=True), CallDelta(0, "x"), CallEnded(0), Ended("tool"))
    )
    assert found[1]["tool_calls"][0]["custom"] == {"name": "p", "input": ""}
    assert found[1]["tool_calls"][0]["type"] == "custom"
    assert found[2]["tool_calls"] == [{"index": 0, "custom": {"input": "x"}}]


def test_a_calls_seal_is_in_its_first_delta_where_it_is_known() -> None:
    call = (CallBegan(0, "a", "f"), CallDelta(0, "{}"), CallEnded(0, (THOUGHT,)))
    writer = ChatReplyWriter(telling())
    at_once = deltas(writer.tell([*call, Ended("tool")]))
    assert "extra_content" in at_once[1]["tool_calls"][0]
    assert sum("extra_content" in d["tool_calls"][0] for d in at_once[1:-1]) == 1
    later = deltas(told(*call, Ended("tool")))
    assert [set(d["tool_calls"][0]) for d in later[3:4]] == [{"index", "extra_content"}]


def test_a_refusal_is_no_filter() -> None:
    found = chunks(told(RefusalDelta("no"), Ended("refusal")))
    assert found[1]["choices"][0]["delta"] == {"refusal": "no"}
    assert found[2]["choices"][0]["finish_reason"] == "stop"
    assert chunks(told(Ended("refusal")))[1]["choices"][0]["finish_reason"] == "content_filter"


@pytest.mark.parametrize(
    ("why", "word"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("tool", "tool_calls"),
        ("filter", "content_filter"),
        ("pause", "stop"),
        ("malformed", "stop"),
    ],
)
def test_why_it_ended(why: Any, word: str) -> None:
    assert chunks(told(TextDelta("a"), Ended(why)))[2]["choices"][0]["finish_reason"] == word


def test_what_the_agent_is_not_told() -> None:
    writer = ChatReplyWriter(telling())
    writer.tell([Began()])
    assert writer.tell([Lost(Loss("a", "b")), Used(USAGE), ThoughtEnded()]) == b""
    assert writer.tell([Failed("busy", b"{}")]) == b""
    assert writer.tell([TextDelta("a"), Ended("stop")]) == b""
    assert ChatReplyWriter(telling()).tell([]) == b""


def test_it_goes_on_inside_an_opening_that_was_sent() -> None:
    opened = ChatOpened(Opening(False, "own", "asked", 5, "sse"))
    data = opened.open() + opened.feed(told(TextDelta("a"), Used(USAGE), Ended("stop")))
    data += opened.close()
    assert data.count(b'"role"') == 1
    assert set(re.findall(rb'"id":"([^"]*)"', data)) == {b"own"}
    assert data.endswith(b"data: [DONE]\n\n")


REPLY: list[Event] = [
    Began("x", "y"),
    ThoughtDelta("one"),
    ThoughtDelta("!"),
    ThoughtEnded((SIGNED,)),
    ThoughtDelta("unsigned"),
    ThoughtEnded(),
    ThoughtEnded((REDACTED,)),
    TextDelta("text"),
    TextSealed(THOUGHT),
    CallBegan(0, "a", "f"),
    CallDelta(0, '{"p":1}'),
    CallEnded(0, (THOUGHT,)),
    CallBegan(1, "b", "p", custom=True),
    CallDelta(1, "free"),
    CallEnded(1),
    Used(USAGE),
    Ended("tool"),
]
PARTS: tuple[Part, ...] = (
    Reasoning("one!", (SIGNED,)),
    Reasoning("unsigned"),
    Reasoning("", (REDACTED,)),
    Text("text", seals=(THOUGHT,)),
    Call("a", "f", '{"p":1}', seals=(THOUGHT,)),
    Call("b", "p", "free", custom=True),
)


def message_of(data: bytes) -> dict[str, Any]:
    """Put a stream together as agents do that keep members they do not know."""
    message: dict[str, Any] = {"role": "assistant", "content": "", "tool_calls": []}
    for delta in deltas(data):
        for name in ("content", "reasoning_content"):
            message[name] = message.get(name, "") + delta.get(name, "")
        message["reasoning_details"] = [
            *message.get("reasoning_details", []),
            *delta.get("reasoning_details", []),
        ]
        if "extra_content" in delta:
            message["extra_content"] = delta["extra_content"]
        for piece in delta.get("tool_calls", []):
            if piece["index"] == len(message["tool_calls"]):
                message["tool_calls"].append(dict(piece))
                continue
            call = message["tool_calls"][piece["index"]]
            for kind, name in (("function", "arguments"), ("custom", "input")):
                if kind in piece:
                    call[kind][name] += piece[kind][name]
            call |= {k: v for k, v in piece.items() if k == "extra_content"}
    return message


def back(message: dict[str, Any]) -> tuple[Part, ...]:
    return read_request(json.dumps({"messages": [message]}).encode(), "m").messages[0].parts


@pytest.mark.parametrize("batched", [True, False])
def test_what_an_agent_gives_back_is_what_it_was_told(batched: bool) -> None:
    writer = ChatReplyWriter(telling())
    batches = [REPLY] if batched else [[event] for event in REPLY]
    assert back(message_of(b"".join(map(writer.tell, batches)))) == PARTS


def test_so_it_is_with_a_whole_answer() -> None:
    found = json.loads(write_answer(collect(REPLY), telling()))
    ChatCompletion.model_validate(found)
    assert back(found["choices"][0]["message"]) == PARTS


def test_a_changed_thought_loses_its_signature_only() -> None:
    message = json.loads(write_answer(collect(REPLY), telling()))["choices"][0]["message"]
    assert back(message | {"reasoning_content": "on"})[0] == Reasoning("on", (REDACTED,))
    del message["reasoning_content"]
    assert back(message)[0] == Reasoning("", (REDACTED,))


def test_a_whole_answer_has_every_member() -> None:
    answer = Answer((Text("a"), Text("b")), "stop", usage=USAGE)
    found = json.loads(write_answer(answer, telling()))
    assert found["object"] == "chat.completion"
    assert found["usage"]["total_tokens"] == 517
    assert found["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "ab", "refusal": None, "annotations": []},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ]


def test_content_is_null_beside_calls_and_refusals_only() -> None:
    def content(*parts: Any) -> Any:
        found = json.loads(write_answer(Answer(parts, "stop"), telling()))
        return found["choices"][0]["message"]["content"]

    assert content(Call("a", "f", "{}")) is None
    assert content(Refusal("no")) is None
    assert content() == ""


@given(
    st.lists(st.text(min_size=1, max_size=9), max_size=5),
    st.lists(st.tuples(st.text(), st.dictionaries(st.text(), st.integers())), max_size=3),
)
def test_what_is_told_is_heard(texts: list[str], calls: list[tuple[str, dict[str, int]]]) -> None:
    events: list[Event] = [TextDelta(text) for text in texts]
    for number, (name, arguments) in enumerate(calls):
        events += [
            CallBegan(number, f"c{number}", name or "f"),
            CallDelta(number, json.dumps(arguments)),
            CallEnded(number),
        ]
    events.append(Ended("tool" if calls else "stop"))
    data = told(*events)
    reader = ChatReplyReader(Target("v", "chat", "m"))
    heard = collect(reader.feed(data) + reader.close())
    assert heard.parts == collect([Began(), *events]).parts
