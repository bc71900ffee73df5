"""The beginning of a reply: what promises nothing yet, what is content, what is an error."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.dialects.base import Said
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.usage import Usage
from holdgate.core.wire.sse import Event
from tests.dialects.streams import ending, event, sse

LEAD, CONTENT, ERROR = Said.LEAD, Said.CONTENT, Said.ERROR


def choice(delta: object, finish: object = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


CALL = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (choice({"role": "assistant"}), LEAD),
        (choice({"role": "assistant", "content": ""}), LEAD),
        (choice({"role": "assistant", "content": None, "refusal": None}), LEAD),
        (choice({}), LEAD),
        (choice(None), LEAD),
        (choice({"content": "", "reasoning_content": "", "tool_calls": []}), LEAD),
        ({"choices": []}, LEAD),
        ({"choices": None}, LEAD),
        ({"choices": [], "usage": {"prompt_tokens": 1}}, LEAD),
        ({"choices": [], "error": None}, LEAD),
        ({}, LEAD),
        ({"object": "keepalive"}, LEAD),
        (choice({"content": "a"}), CONTENT),
        (choice({"content": " "}), CONTENT),
        (choice({"role": "assistant", "content": "a"}), CONTENT),
        (choice({"reasoning_content": "hm"}), CONTENT),
        (choice({"reasoning": "hm"}), CONTENT),
        (choice({"reasoning_details": [{"text": "hm"}]}), CONTENT),
        (choice({"tool_calls": [CALL]}), CONTENT),
        (choice({"refusal": "no"}), CONTENT),
        (choice({"content": None, "audio": {"id": "a"}}), CONTENT),
        (choice({}, "stop"), CONTENT),
        (choice({}, "content_filter"), CONTENT),
        ({"choices": [{"delta": {}}, {"delta": {"content": "b"}}]}, CONTENT),
        (b"[DONE]", CONTENT),
        (b" [DONE] ", CONTENT),
        ({"error": {"message": "no", "code": 429}}, ERROR),
        ({"error": "no"}, ERROR),
        ({"error": {"message": "no"}, "choices": []}, ERROR),
    ],
)
def test_chat(data: object, said: Said) -> None:
    assert DIALECTS["chat"].said(event(data)) is said


def added(**item: object) -> dict[str, Any]:
    return {"type": "response.output_item.added", "item": item}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"type": "response.created", "response": {"error": None}}, LEAD),
        ({"type": "response.queued", "response": {}}, LEAD),
        ({"type": "response.in_progress", "response": {}}, LEAD),
        ({"type": "keepalive"}, LEAD),
        (added(type="message", content=[]), LEAD),
        (added(type="reasoning", summary=[]), LEAD),
        ({"type": "response.content_part.added", "part": {"text": ""}}, LEAD),
        ({"type": "response.reasoning_summary_part.added", "part": {"text": ""}}, LEAD),
        ({"type": "response.output_text.delta", "delta": ""}, LEAD),
        ({"no": "type"}, LEAD),
        (b"[DONE]", LEAD),
        (added(type="function_call", name="f", arguments=""), CONTENT),
        (added(type="custom_tool_call", name="f", input=""), CONTENT),
        (added(type="web_search_call"), CONTENT),
        ({"type": "response.output_text.delta", "delta": "a"}, CONTENT),
        ({"type": "response.reasoning_summary_text.delta", "delta": "a"}, CONTENT),
        ({"type": "response.reasoning_text.delta", "delta": "a"}, CONTENT),
        ({"type": "response.function_call_arguments.delta", "delta": "{"}, CONTENT),
        ({"type": "response.refusal.delta", "delta": "no"}, CONTENT),
        ({"type": "response.output_item.done", "item": {"type": "message"}}, CONTENT),
        ({"type": "response.completed", "response": {}}, CONTENT),
        ({"type": "response.incomplete", "response": {}}, CONTENT),
        ({"type": "response.failed", "response": {"error": {"message": "no"}}}, ERROR),
        ({"type": "error", "message": "no", "code": None}, ERROR),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_responses(data: object, said: Said, named: bool) -> None:
    name = str(data["type"]) if named and isinstance(data, dict) and "type" in data else ""
    assert DIALECTS["responses"].said(event(data, name)) is said


@pytest.mark.parametrize(
    "data",
    [
        {"response": {"output": [{"type": "message"}]}, "type": "response.in_progress"},
        {"item": {"type": "reasoning"}, "type": "response.output_item.added"},
    ],
)
def test_a_type_may_stand_behind_what_has_types_in_it(data: dict[str, Any]) -> None:
    assert DIALECTS["responses"].said(event(data)) is LEAD


def test_an_error_of_responses_that_has_only_its_name() -> None:
    told = event({"error": {"message": "no"}}, "error")
    assert DIALECTS["responses"].said(told) is ERROR


def start(**block: object) -> dict[str, Any]:
    return {"type": "content_block_start", "index": 0, "content_block": block}


def delta(**delta: object) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": 0, "delta": delta}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"type": "message_start", "message": {"content": []}}, LEAD),
        ({"type": "ping"}, LEAD),
        (start(type="text", text=""), LEAD),
        (start(type="thinking", thinking="", signature=""), LEAD),
        (delta(type="text_delta", text=""), LEAD),
        (delta(type="thinking_delta", thinking=""), LEAD),
        (delta(type="input_json_delta", partial_json=""), LEAD),
        ({"type": "content_block_stop", "index": 0}, LEAD),
        ({"type": "message_delta", "delta": {"stop_reason": None}}, LEAD),
        ({"type": "news_of_tomorrow"}, LEAD),
        ({}, LEAD),
        (start(type="text", text="a"), CONTENT),
        (start(type="tool_use", id="t", name="f", input={}), CONTENT),
        (start(type="server_tool_use", id="t", name="f", input={}), CONTENT),
        (start(type="redacted_thinking", data="x"), CONTENT),
        (delta(type="text_delta", text="a"), CONTENT),
        (delta(type="thinking_delta", thinking="a"), CONTENT),
        (delta(type="signature_delta", signature="a"), CONTENT),
        (delta(type="input_json_delta", partial_json="{"), CONTENT),
        (delta(type="citations_delta", citation={"a": 1}), CONTENT),
        ({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, CONTENT),
        ({"type": "message_stop"}, CONTENT),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "no"}}, ERROR),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_messages(data: dict[str, Any], said: Said, named: bool) -> None:
    name = str(data.get("type", "")) if named else ""
    assert DIALECTS["messages"].said(event(data, name)) is said


def test_an_error_of_messages_that_has_only_its_name() -> None:
    assert DIALECTS["messages"].said(event({"error": {"message": "no"}}, "error")) is ERROR


def parts(*parts: object, **more: object) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, **more}]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (parts({"text": ""}), LEAD),
        (parts({"text": "", "thought": True}), LEAD),
        (parts(), LEAD),
        ({"candidates": [{"content": {}}]}, LEAD),
        ({"candidates": [{}]}, LEAD),
        ({"candidates": []}, LEAD),
        ({"usageMetadata": {"promptTokenCount": 1}}, LEAD),
        ({"promptFeedback": {}}, LEAD),
        ({}, LEAD),
        (parts({"text": "a"}), CONTENT),
        (parts({"text": ""}, {"text": "a"}), CONTENT),
        (parts({"text": "a", "thought": True}), CONTENT),
        (parts({"text": "", "thoughtSignature": "s"}), CONTENT),
        (parts({"functionCall": {"name": "f", "args": {}}}), CONTENT),
        (parts({"inlineData": {"data": "x"}}), CONTENT),
        (parts({"text": ""}, finishReason="STOP"), CONTENT),
        ({"candidates": [{"finishReason": "SAFETY"}]}, CONTENT),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, CONTENT),
        ({"error": {"code": 503, "message": "no", "status": "UNAVAILABLE"}}, ERROR),
    ],
)
def test_gemini(data: object, said: Said) -> None:
    assert DIALECTS["gemini"].said(event(data)) is said


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"{",
        b"nothing",
        b"[1]",
        b'"a"',
        b"null",
        b"5",
        b"\xff",
        b"<html>",
        b"[" * 100_000,
    ],
)
def test_malformed_events_promise_nothing(dialect: DialectName, data: bytes | None) -> None:
    assert DIALECTS[dialect].said(Event("", data)) is LEAD
    assert DIALECTS[dialect].lead_usage(Event("", data)) is None


@pytest.mark.parametrize(
    ("dialect", "data"),
    [
        ("chat", choice("text")),
        ("chat", choice(["text"])),
        ("chat", choice(5)),
        ("chat", {"choices": ["text", None, 5]}),
        ("chat", {"choices": {"delta": {"content": "a"}}}),
        ("gemini", parts("text")),
        ("gemini", parts(None, 5)),
        ("gemini", {"candidates": ["text", None]}),
        ("gemini", {"candidates": {"content": "a"}}),
        ("messages", start(type=["text"])),
        ("messages", start(type={"a": 1})),
        ("messages", {"type": "content_block_start", "content_block": "text"}),
        ("messages", {"type": ["ping"]}),
        ("messages", {"type": "message_delta", "delta": "x"}),
        ("responses", {"type": "response.output_item.added", "item": "x"}),
        ("responses", {"type": ["response.created"]}),
    ],
)
def test_wrong_shapes_are_no_crash(dialect: DialectName, data: object) -> None:
    assert DIALECTS[dialect].said(event(data)) in Said


NAMES = st.sampled_from(
    [
        "type",
        "error",
        "message",
        "response",
        "item",
        "delta",
        "choices",
        "finish_reason",
        "content",
        "content_block",
        "text",
        "usage",
        "output_tokens",
        "prompt_tokens",
        "prompt_tokens_details",
        "candidates",
        "parts",
        "finishReason",
        "promptFeedback",
        "usageMetadata",
        "promptTokenCount",
    ]
)
WORDS = st.sampled_from(
    [
        "",
        "text",
        "error",
        "message_start",
        "message_delta",
        "content_block_start",
        "content_block_delta",
        "response.completed",
        "response.output_item.added",
        "response.failed",
    ]
)
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@settings(deadline=None, max_examples=300)
@given(data=st.dictionaries(NAMES, ANYTHING, max_size=4), name=WORDS)
def test_no_shape_of_json_is_a_crash(dialect: DialectName, data: dict[str, Any], name: str) -> None:
    spoken = DIALECTS[dialect]
    told = event(data, name)
    body = told.data or b""
    assert spoken.said(told) in Said
    assert isinstance(spoken.lead_usage(told), Usage | None)
    assert isinstance(spoken.error_words(body), str)
    assert isinstance(spoken.whole(body).usage, Usage | None)
    assert isinstance(ending(dialect, sse(data, name)).usage, Usage | None)


@pytest.mark.parametrize(
    ("dialect", "body", "words"),
    [
        ("chat", b'{"error":{"message":"no"}}', "no"),
        ("chat", b'{"error":"no"}', "no"),
        ("chat", b'{"message":"no"}', "no"),
        ("chat", b'{"detail":"no"}', "no"),
        ("responses", b'{"type":"error","message":"no"}', "no"),
        ("responses", b'{"response":{"error":{"code":"x","message":"no"}}}', "no"),
        ("messages", b'{"type":"error","error":{"type":"x","message":"no"}}', "no"),
        ("gemini", b'{"error":{"code":1,"message":"no","status":"X"}}', "no"),
        ("gemini", b'[{"error":{"code":1,"message":"no","status":"X"}}\n]\n', "no"),
        ("chat", b"<html>", ""),
        ("chat", b"", ""),
        ("gemini", b"[]", ""),
        ("messages", b'{"error":{"message":5}}', ""),
    ],
)
def test_the_words_of_an_error(dialect: DialectName, body: bytes, words: str) -> None:
    assert DIALECTS[dialect].error_words(body) == words
