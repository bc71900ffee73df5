"""Laws of the dialect's requests: nothing breaks them, and earlier turns never change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.dialects.translation.base import Target
from holdgate.core.dialects.translation.messages.request_reader import read_request
from holdgate.core.dialects.translation.messages.request_writer import write_request
from holdgate.core.dialects.translation.messages.translator import MessagesTranslator
from holdgate.core.values.errors import Fault
from holdgate.core.values.neutral import (
    Call,
    Effort,
    Function,
    Message,
    Reasoning,
    Request,
    Result,
    Seal,
    Text,
)

TARGET = Target("anthropic", "messages", "claude-sonnet-4-5")
SEAL = Seal("anthropic/messages", "signature", "SIG")

_NAMES = (
    "role content type text source data media_type title id name input tool_use_id is_error "
    "thinking signature cache_control ttl url system tools input_schema tool_choice"
)
_names = st.sampled_from(_NAMES.split())
_WORDS = (
    "user assistant system text image document tool_use tool_result thinking redacted_thinking "
    "search_result base64 url content ephemeral 1h any auto enabled custom bash_1 x"
)
_words = st.sampled_from(_WORDS.split())
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | _words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_names, inner, max_size=5),
    max_leaves=20,
)
_block = st.fixed_dictionaries(
    {"type": _words},
    optional={
        "text": st.text(max_size=6),
        "id": st.text(max_size=6),
        "name": st.text(max_size=6),
        "input": _json,
        "content": _json,
        "tool_use_id": st.text(max_size=6),
        "source": st.dictionaries(_names, _words),
        "signature": st.text(max_size=6),
        "cache_control": st.just({"type": "ephemeral"}),
    },
)
_turn = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "system"]),
        "content": st.text(max_size=6) | st.lists(_block, max_size=4),
    }
)
_request = st.fixed_dictionaries(
    {"messages": st.lists(_turn, max_size=5) | _json},
    optional={
        "system": st.text(max_size=6) | _json,
        "tools": st.lists(st.dictionaries(_names, _json), max_size=3) | _json,
        "tool_choice": st.fixed_dictionaries({"type": _words}) | _json,
        "thinking": _json,
        "temperature": st.floats(allow_nan=False, allow_infinity=False),
        "stop_sequences": st.lists(st.text(max_size=3)),
        "output_config": st.just({"format": {"type": "json_schema", "schema": {"items": [1]}}}),
    },
)


@settings(max_examples=200)
@given(_request | _json)
def test_no_request_breaks_it(body: Any) -> None:
    data = json.dumps(body).encode()
    with suppress(Fault):
        request = read_request(data, "m")
        _well_formed(json.loads(write_request(request, TARGET).body))


@given(st.binary(max_size=60))
def test_no_bytes_break_it(data: bytes) -> None:
    with suppress(Fault):
        read_request(data, "m")


def _well_formed(body: dict[str, Any]) -> None:
    """The rules by which the vendor refuses a request."""
    turns = body["messages"]
    assert [turn["role"] for turn in turns] == [
        ("user", "assistant")[number % 2] for number in range(len(turns))
    ]
    asked: list[str] = []
    for turn in turns:
        results = [b["tool_use_id"] for b in turn["content"] if b["type"] == "tool_result"]
        assert results == asked
        assert all(b["type"] == "tool_result" for b in turn["content"][: len(results)])
        asked = [b["id"] for b in turn["content"] if b["type"] == "tool_use"]
        assert turn["content"]
    assert not asked
    for block in _blocks(body):
        if block["type"] == "text":
            assert block["text"].strip()
    marks = [b for b in (*_blocks(body), *body.get("tools", ())) if "cache_control" in b]
    assert 1 <= len(marks) <= 4
    for tool in body.get("tools", ()):
        assert tool["input_schema"]["type"] == "object"


def _blocks(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from body.get("system", ())
    for turn in body["messages"]:
        for block in turn["content"]:
            yield block
            if block["type"] == "tool_result":
                yield from block.get("content", ())


CONVERSATION = (
    Message("system", (Text("Be brief."),)),
    Message("user", (Text("hi"),)),
    Message("assistant", (Reasoning("hm", (SEAL,)), Call("c1", "f", '{"n": 1.5e2}'))),
    Message("user", (Result("c1", (Text("A"),)), Text("go on"))),
    Message("assistant", (Reasoning("hm", (SEAL,)), Text("done"), Call("c:2", "g.h", "{}"))),
    Message("user", (Result("c:2", ()),)),
    Message("system", (Text("Late"),)),
    Message("assistant", (Text("bye"),)),
    Message("user", (Text("more"),)),
)


@pytest.mark.parametrize("effort", [None, Effort("high")])
def test_earlier_turns_never_change(effort: Effort | None) -> None:
    tools = (Function("f"), Function("g.h"))
    bodies = [
        write_request(
            Request("responses", "m", CONVERSATION[:length], tools=tools, effort=effort), TARGET
        ).body.replace(b',"cache_control":{"type":"ephemeral"}', b"")
        for length in (2, 4, 7, 9)
    ]
    for body, longer in pairwise(bodies):
        (before, _), (after, _) = (_prompt(body), _prompt(longer))
        assert after.startswith(before)


def _prompt(body: bytes) -> tuple[bytes, bytes]:
    """Give all that the vendor caches of a prompt, without the closing brackets."""
    prompt, _, rest = body.partition(b'],"tools":')
    return prompt, rest


def test_the_same_request_is_written_the_same() -> None:
    request = Request("chat", "m", CONVERSATION, tools=(Function("a.b"), Function("a_b")))
    assert write_request(request, TARGET) == write_request(request, TARGET)


@pytest.mark.parametrize("depth", [500, 5000, 100_000])
def test_deep_nesting(depth: int) -> None:
    deep = "[" * depth + "]" * depth
    block = '{"type":"tool_use","id":"a","name":"f","input":{"a":' + deep + "}}"
    body = '{"messages":[{"role":"assistant","content":[' + block + "]}]}"
    with suppress(Fault):
        write_request(read_request(body.encode(), "m"), TARGET)
    request = Request("chat", "m", (Message("assistant", (Call("c", "f", deep),)),))
    assert write_request(request, TARGET).body
    function = Function("f", parameters=b'{"anyOf":' + deep.encode() + b"}")
    assert write_request(Request("chat", "m", (), tools=(function,)), TARGET).body


def test_the_translator_has_it_all() -> None:
    translator = MessagesTranslator()
    body = b'{"messages":[{"role":"user","content":"hi"}]}'
    assert translator.read_request(body, "m", "sse") == read_request(body, "m")
    request = Request("chat", "m", CONVERSATION)
    assert translator.write_request(request, TARGET) == write_request(request, TARGET)
    with pytest.raises(EOFError):
        translator.reply_reader(TARGET).close()
