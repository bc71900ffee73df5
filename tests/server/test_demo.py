"""The demo vendor answers in each dialect by its rules of order."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator

import pytest

from holdgate.core.server.demo.ask import Ask, Tool
from holdgate.core.server.demo.script import answer, sample
from holdgate.core.server.demo.vendor import DemoVendor
from holdgate.core.values.clock import Clock
from holdgate.core.values.names import DialectName
from tests.fakes.agents import get, post
from tests.server.demo_turns import (
    ARGUMENTS,
    DIALECTS,
    MODEL,
    RESULT,
    Json,
    ask,
    body_of,
    gather,
    gather_gemini,
    said,
)

NOW = 1_800_000_000


@pytest.fixture
async def url() -> AsyncIterator[str]:
    ticks = itertools.count()
    vendor = DemoVendor(Clock(lambda: float(next(ticks)), lambda: NOW), words_per_second=0)
    yield await vendor.start()
    await vendor.stop()
    await vendor.stop()


ENDS = {
    "chat": ("stop", "length", "tool_calls"),
    "responses": ("completed", "incomplete", "completed"),
    "messages": ("end_turn", "max_tokens", "tool_use"),
    "gemini": ("STOP", "MAX_TOKENS", "STOP"),
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_text_call_result(url: str, dialect: DialectName, stream: bool) -> None:
    for body, ending, call in (
        (body_of(dialect, "Good morning"), 0, False),
        (body_of(dialect, "Good morning", tools=True), 0, False),
        (body_of(dialect, "use a tool", tools=True), 2, True),
        (body_of(dialect, "please look", tools=True), 2, True),
        (body_of(dialect, "use a tool", tools=True, result=RESULT), 0, False),
    ):
        reply = await ask(url, dialect, body, stream)
        assert (reply.status, reply.ended) == (200, "whole")
        text, calls, end = said(dialect, gather(dialect, reply) if stream else reply.json)
        assert end == ENDS[dialect][ending]
        assert calls == ([("look", ARGUMENTS)] if call else [])
        if "Good" in str(body):
            assert "“Good morning”" in text and 60 <= len(text.split()) <= 120
        if RESULT in str(body):
            assert RESULT in text


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_longest_reply(url: str, dialect: DialectName, stream: bool) -> None:
    limits: dict[str, Json] = {
        "chat": {"max_completion_tokens": 4},
        "responses": {"max_output_tokens": 4},
        "messages": {"max_tokens": 4},
        "gemini": {"generation_config": {"max_output_tokens": 4}},
    }
    reply = await ask(url, dialect, {**body_of(dialect, "hi"), **limits[dialect]}, stream)
    text, _, end = said(dialect, gather(dialect, reply) if stream else reply.json)
    assert (text, end) == ("Hello from Holdgate's demo", ENDS[dialect][1])


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_no_call_when_tools_are_forbidden(url: str, dialect: DialectName) -> None:
    choice: dict[str, Json] = {
        "chat": {"tool_choice": "none"},
        "responses": {"tool_choice": "none"},
        "messages": {"tool_choice": {"type": "none"}},
        "gemini": {"toolConfig": {"functionCallingConfig": {"mode": "NONE"}}},
    }
    reply = await ask(url, dialect, {**body_of(dialect, "a tool", tools=True), **choice[dialect]})
    assert said(dialect, reply.json)[1] == []


async def test_chat_tells_usage_only_if_asked(url: str) -> None:
    body = body_of("chat", "hi")
    plain = await ask(url, "chat", body, stream=True)
    assert b"usage" not in plain.body
    asked = await ask(url, "chat", {**body, "stream_options": {"include_usage": True}}, True)
    chunks = [json.loads(data) for _, data in asked.events[:-1]]
    assert all(chunk["usage"] is None for chunk in chunks[:-1])
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"]["completion_tokens"] == len(chunks) - 3


async def test_gemini_array(url: str) -> None:
    path = f"/v1beta/models/{MODEL}:streamGenerateContent"
    for words in ("hi", "a tool"):
        reply = await post(url + path, body_of("gemini", words, tools=True))
        assert (reply.header("Content-Type") or "").startswith("application/json")
        assert said("gemini", gather_gemini(reply.json))[2] == "STOP"


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_wrong_bodies(url: str, dialect: DialectName) -> None:
    missing: Json = {"model": MODEL}
    for body in (b"{", b"[]", b"{}", json.dumps(missing).encode()):
        path = {"chat": "chat/completions"}.get(dialect, dialect)
        full = f"/v1beta/models/{MODEL}:generateContent" if dialect == "gemini" else f"/v1/{path}"
        reply = await post(url + full, body)
        assert reply.status == 400, body
        error = reply.json["error"]
        if dialect == "gemini":
            assert (error["code"], error["status"]) == (400, "INVALID_ARGUMENT")
        else:
            assert error["type"] == "invalid_request_error"
        assert (reply.json.get("type") == "error") == (dialect == "messages")


async def test_unknown_names(url: str) -> None:
    reply = await ask(url, "chat", {**body_of("chat", "hi"), "model": "gpt"})
    assert (reply.status, reply.json["error"]["code"]) == (404, "model_not_found")
    reply = await post(url + "/v1beta/models/other:generateContent", body_of("gemini", "hi"))
    assert (reply.status, reply.json["error"]["status"]) == (404, "NOT_FOUND")
    assert (await post(url + f"/v1beta/models/{MODEL}:embed", b"{}")).status == 404
    assert (await post(url + "/v1/embeddings", b"{}")).json["error"]["type"] == "not_found_error"


async def test_lists_and_counts(url: str) -> None:
    models = (await get(url + "/v1/models")).json
    assert [entry["id"] for entry in models["data"]] == [MODEL]
    listed = (await get(url + "/v1beta/models")).json["models"]
    assert listed[0]["name"] == f"models/{MODEL}"
    body = body_of("messages", "x" * 400)
    del body["max_tokens"]
    assert (await post(url + "/v1/messages/count_tokens", body)).json["input_tokens"] > 100
    assert (await post(url + "/v1/messages/count_tokens", b"{}")).status == 400
    path = url + f"/v1beta/models/{MODEL}:countTokens"
    contents = body_of("gemini", "x" * 400)
    assert (await post(path, contents)).json["totalTokens"] > 100
    assert (await post(path, {"generateContentRequest": contents})).json["totalTokens"] > 100
    assert (await post(path, b"{}")).status == 400


async def test_goes_on_after_a_reader_left(url: str) -> None:
    body = {**body_of("chat", "hi"), "stream": True}
    for size in range(1, 6):
        left = await post(url + "/v1/chat/completions", body, hang_up_after=size)
        assert left.ended == "hung up"
    assert (await ask(url, "chat", body_of("chat", "hi"), stream=True)).ended == "whole"


async def test_flows_at_its_pace() -> None:
    vendor = DemoVendor(Clock(lambda: 0.0, lambda: NOW), words_per_second=400)
    reply = await ask(await vendor.start(), "chat", body_of("chat", "hi"), stream=True)
    await vendor.stop()
    assert len(reply.chunks) > 60
    assert reply.times[-1] - reply.times[0] > 0.15


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "STRING"}, "demo"),
        ({"type": "number", "minimum": 5}, 5),
        ({"type": ["null", "boolean"]}, True),
        ({"type": "null"}, None),
        ({"const": 7}, 7),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, 1),
        ({"type": "array", "items": {"type": "string", "enum": ["x"]}}, ["x"]),
        (
            {
                "properties": {"a": {"$ref": "#/$defs/b"}, "c": {}},
                "required": ["a"],
                "$defs": {"b": {"type": "object", "properties": {"d": {}}, "required": ["d"]}},
            },
            {"a": {"d": "demo"}},
        ),
        ({"type": "array", "items": {"$ref": "#"}}, [[[[["demo"]]]]]),
    ],
)
def test_arguments_fit_their_schema(schema: Json, value: object) -> None:
    assert sample(schema) == value


def test_the_named_tool_is_called_as_it_is_spelt() -> None:
    tools = (Tool("Bash"), Tool("Read"))
    for words, name in (
        ("read it", None),
        ("Read it", "Read"),
        ("a TOOL", "Bash"),
        ("the Read tool", "Read"),
        ("toolbox", None),
    ):
        call = answer(Ask(MODEL, words, tools)).call
        assert (call.name if call else None) == name
    assert answer(Ask(MODEL, "Read it", tools, result="x")).call is None
    assert "You wrote nothing." in answer(Ask(MODEL)).text
    assert f"“{'x' * 200}”" in answer(Ask(MODEL, result="x" * 300)).text


async def test_reminders_of_agents_are_not_what_the_user_said(url: str) -> None:
    parts = ["<system-reminder>a tool</system-reminder>", "Fix \ud800 it"]
    body = body_of("messages", "", tools=True)
    body["messages"][0]["content"] = [{"type": "text", "text": text} for text in parts]
    text, calls, _ = said("messages", (await ask(url, "messages", body)).json)
    assert "“Fix ? it”" in text and not calls
