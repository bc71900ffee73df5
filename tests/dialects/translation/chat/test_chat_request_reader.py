"""Chat requests of agents: what is understood, what is a loss, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.dialects.translation.chat.request_reader import read_request
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import (
    Audio,
    CacheMark,
    Call,
    Choice,
    Custom,
    Document,
    Effort,
    Format,
    Function,
    Hosted,
    Image,
    Message,
    Part,
    Reasoning,
    Refusal,
    Request,
    Result,
    Seal,
    Text,
)
from holdgate.core.values.seals import wrap

USER = [{"role": "user", "content": "hi"}]


def read(messages: Any = None, **more: Any) -> Request:
    body = {"model": "m", "messages": USER if messages is None else messages, **more}
    return read_request(json.dumps(body).encode(), "m")


def parts(*messages: Any) -> tuple[Part, ...]:
    return read(list(messages)).messages[-1].parts


def test_roles_stay_where_they_are() -> None:
    found = read(
        [
            {"role": "developer", "content": "D"},
            {"role": "user", "content": [{"type": "text", "text": "U"}], "name": "ann"},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
            {"role": "system", "content": "S"},
        ]
    )
    assert found.messages == (
        Message("developer", (Text("D"),)),
        Message("user", (Text("U"),), "ann"),
        Message("assistant", (Refusal("no"),)),
        Message("system", (Text("S"),)),
    )


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (
            {
                "type": "image_url",
                "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"},
            },
            Image(media_type="image/png", data="AAAA", detail="low"),
        ),
        (
            {"type": "image_url", "image_url": {"url": "data:;base64,/9j/4AAQ"}},
            Image(media_type="image/jpeg", data="/9j/4AAQ"),
        ),
        (
            {"type": "image_url", "image_url": {"url": "DATA:image/gif;charset=x;base64,R0lGOD"}},
            Image(media_type="image/gif", data="R0lGOD"),
        ),
        (
            {"type": "image_url", "image_url": {"url": "data:text/plain,a%20b"}},
            Image(media_type="text/plain", data="YSBi"),
        ),
        ({"type": "image_url", "image_url": "https://a.test/a"}, Image(url="https://a.test/a")),
        (
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
            Audio("AAAA", "mp3"),
        ),
        (
            {
                "type": "file",
                "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
            },
            Document(media_type="application/pdf", data="JVBERi0=", name="a.pdf"),
        ),
        ({"type": "file", "file": {"file_id": "file-1"}}, Document(file_id="file-1")),
        (
            {"type": "file", "file": {"file_data": "https://a.test/a.pdf", "filename": "a"}},
            Document(url="https://a.test/a.pdf", name="a"),
        ),
        (
            {"type": "text", "text": "T", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
            Text("T", CacheMark("1h")),
        ),
    ],
)  # fmt: skip
def test_a_part(part: Any, expected: Part) -> None:
    assert parts({"role": "user", "content": [part]}) == (expected,)


def test_an_unknown_part_is_a_grave_loss() -> None:
    found = read(
        [{"role": "user", "content": [{"type": "hologram"}, {"type": "text", "text": "a"}]}]
    )
    assert [(loss.path, loss.grave) for loss in found.losses] == [("messages[0].content[0]", True)]
    assert found.messages[0].parts == (Text("a"),)


def test_calls_and_results() -> None:
    found = read(
        [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "f", "arguments": ""}},
                    {
                        "id": "b",
                        "function": {"name": "g", "arguments": '{"n":12345678901234567890}'},
                    },
                    {"id": "c", "function": {"name": "h", "arguments": {"x": 1}}},
                    {"id": "d", "type": "custom", "custom": {"name": "p", "input": "free"}},
                ],
            },
            {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "A"}]},
            {"role": "tool", "tool_call_id": "b", "content": ""},
        ]
    )
    assert found.messages == (
        Message(
            "assistant",
            (
                Call("a", "f", "{}"),
                Call("b", "g", '{"n":12345678901234567890}'),
                Call("c", "h", '{"x":1}'),
                Call("d", "p", "free", custom=True),
            ),
        ),
        Message("user", (Result("a", (Text("A"),)),)),
        Message("user", (Result("b", (Text(""),)),)),
    )


def test_the_older_function_calls() -> None:
    found = read(
        [
            {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "A"},
            {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "B"},
        ],
        functions=[{"name": "f", "parameters": {"type": "object"}}],
        function_call={"name": "f"},
    )
    calls = [p.id for m in found.messages for p in m.parts if isinstance(p, Call)]
    results = [p.call_id for m in found.messages for p in m.parts if isinstance(p, Result)]
    assert calls == results
    assert len(set(calls)) == 2
    assert found.tools == (Function("f", parameters=b'{"type": "object"}'),)
    assert found.choice == Choice("one", ("f",))


def test_wrapped_seals_come_back_and_others_are_the_agents_vendors() -> None:
    seal = Seal("g/gemini", "thought", "sig")
    google = {"google": {"thought_signature": wrap(seal)}}
    call = {"id": "a", "function": {"name": "f", "arguments": "{}"}, "extra_content": google}
    foreign = call | {"extra_content": {"google": {"thought_signature": "theirs"}}}
    found = parts({"role": "assistant", "tool_calls": [call, foreign]})
    assert [part.seals for part in found if isinstance(part, Call)] == [
        (seal,),
        (Seal("/chat", "thought_signature", "theirs"),),
    ]
    said = parts({"role": "assistant", "content": "a", "extra_content": google})
    assert said == (Text("a", seals=(seal,)),)


def test_thoughts_are_read() -> None:
    assert parts({"role": "assistant", "content": "a", "reasoning_content": "hm"}) == (
        Reasoning("hm"),
        Text("a"),
    )
    details = [{"type": "reasoning.text", "text": "hm", "signature": "theirs"}]
    assert parts({"role": "assistant", "content": "a", "reasoning_details": details}) == (
        Reasoning("hm"),
        Text("a"),
    )


def test_tools() -> None:
    schema = '{"type":"object", "properties":{"n":{"maximum":1.5e2,"x":12345678901234567890}}}'
    tool = '{"type":"function","function":{"name":"f","description":"d","strict":true,"parameters":'
    body = (
        '{"messages":[{"role":"user","content":"hi"}],"tools":['
        + tool
        + schema
        + '}},{"type":"custom","custom":{"name":"p","format":{"type":"text"}}},'
        + '{"type":"web_search"},'
        + '{"type":"function","name":"flat"}]}'
    )
    found = read_request(body.encode(), "m")
    assert found.tools == (
        Function("f", "d", schema.encode(), True),
        Custom("p", "", b'{"type":"text"}'),
        Hosted("web_search", b'{"type":"web_search"}'),
        Function("flat"),
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("auto", Choice("auto")),
        ("none", Choice("none")),
        ("required", Choice("required")),
        ("any", Choice("required")),
        ({"type": "function", "function": {"name": "f"}}, Choice("one", ("f",))),
        ({"type": "custom", "custom": {"name": "p"}}, Choice("one", ("p",))),
        (
            {
                "type": "allowed_tools",
                "allowed_tools": {
                    "mode": "required",
                    "tools": [{"type": "function", "function": {"name": "f"}}],
                },
            },
            Choice("required", ("f",)),
        ),
        (None, None),
    ],
)
def test_tool_choice(value: Any, expected: Choice | None) -> None:
    assert read(tool_choice=value).choice == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"reasoning_effort": "high"}, Effort("high")),
        ({"reasoning": {"effort": "low", "exclude": True}}, Effort("low", shown=False)),
        ({"reasoning": {"max_tokens": 500}}, Effort(budget=500)),
        ({"reasoning": {"enabled": False}}, Effort("none")),
        ({"thinking": {"type": "disabled"}}, Effort("none")),
        ({"thinking": {"type": "enabled"}}, Effort(adaptive=True)),
        ({"enable_thinking": False}, Effort("none")),
        ({"thinking_budget": 10}, Effort(budget=10)),
        ({"reasoning_effort": "absurd"}, None),
        ({}, None),
    ],
)
def test_effort(more: Any, expected: Effort | None) -> None:
    assert read(**more).effort == expected


def test_formats() -> None:
    assert read(response_format={"type": "text"}).format is None
    assert read(response_format={"type": "json_object"}).format == Format()
    schema = {"name": "a", "description": "d", "strict": True, "schema": {"type": "object"}}
    assert read(response_format={"type": "json_schema", "json_schema": schema}).format == Format(
        b'{"type": "object"}', "a", "d", True
    )


def test_sampling_and_limits() -> None:
    found = read(stop="END", temperature=0, top_p=0.5, seed=1, max_tokens=7, top_k=3)
    assert found.sampling.stops == ("END",)
    assert found.sampling.temperature == 0
    assert (found.sampling.top_p, found.sampling.top_k, found.sampling.seed) == (0.5, 3, 1)
    assert found.max_output == 7
    assert read(max_tokens=7, max_completion_tokens=9).max_output == 9
    assert read(stop=["a", "b"]).sampling.stops == ("a", "b")
    assert read(stop=None, temperature=None).sampling.stops == ()


def test_losses_and_noise() -> None:
    found = read(
        n=2,
        logprobs=True,
        store=False,
        metadata={"a": "b"},
        stream=True,
        logit_bias={},
        prediction={"type": "content", "content": "x"},
        modalities=["text", "audio"],
    )
    assert {loss.path: loss.grave for loss in found.losses} == {
        "n": True,
        "logprobs": False,
        "modalities": True,
    }
    assert set(found.extra) == {"prediction"}


def test_usage_in_a_stream_is_asked_for() -> None:
    assert read(stream_options={"include_usage": True}).include_usage
    assert not read(stream_options={}).include_usage


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": "hi"}, "messages"),
        ({"messages": [1]}, "messages[0]"),
        ({"messages": [{"role": "king"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
        ({"messages": [{"role": "tool", "content": "a"}]}, "messages[0].tool_call_id"),
        ({"messages": USER, "tools": {}}, "tools"),
        ({"messages": USER, "tools": [{"type": "function", "function": {}}]}, "tools[0].function"),
        ({"messages": USER, "stop": 5}, "stop"),
        ({"messages": USER, "temperature": "hot"}, "temperature"),
        ({"messages": USER, "max_tokens": -1}, "max_tokens"),
        ({"messages": USER, "parallel_tool_calls": 1}, "parallel_tool_calls"),
        ({"messages": USER, "tool_choice": "maybe"}, "tool_choice"),
        ({"messages": USER, "response_format": {"type": "poem"}}, "response_format"),
    ],
)
def test_what_is_no_chat_request_is_refused_with_its_path(body: Any, says: str) -> None:
    with pytest.raises(Fault) as caught:
        read_request(json.dumps(body).encode(), "m")
    assert caught.value.kind is FaultKind.REQUEST
    assert says in caught.value.message


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b"[" * 100_000,
        b'{"messages":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"messages":[{"role":"user","content":NaN}]}',
        b'{"messages":[{"role":"user","content":"a"}],"seed":' + b"1" * 9_000 + b"}",
        b'{"messages":[{"role":"user","content":"a"}],"response_format":{"type":'
        + b"1" * 9_000
        + b"}}",
    ],
)
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(Fault) as caught:
        read_request(body, "m")
    assert caught.value.kind is FaultKind.REQUEST


def test_half_a_character_does_not_matter() -> None:
    body = rb'{"messages":[{"role":"user","content":"\ud83d \ud83d\ude00 \\ud83d"}],"seed":1.0}'
    assert read_request(body, "m").messages[0].parts == (Text("\ufffd \U0001f600 \\ud83d"),)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = st.sampled_from(
    [
        "messages", "tools", "tool_choice", "stop", "response_format", "reasoning", "thinking",
        "n", "functions", "function_call", "temperature", "max_tokens", "stream_options",
        "user",
    ]
)  # fmt: skip
WORDS = st.sampled_from(
    [
        "role", "content", "type", "text", "tool_calls", "id", "function", "name", "arguments",
        "user", "assistant", "tool", "system", "image_url", "url", "file", "input_audio",
        "reasoning_details", "custom", "json_schema",
    ]
)  # fmt: skip
LIKELY = st.recursive(
    JSON | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(MEMBERS, LIKELY, max_size=5))
def test_whatever_comes_is_read_or_refused(body: Any) -> None:
    body.setdefault("messages", USER)
    try:
        read_request(json.dumps(body).encode(), "m")
    except Fault as fault:
        assert fault.kind is FaultKind.REQUEST
