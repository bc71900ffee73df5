"""The end of a reply: whole, told as an error, or cut; and what it used, in one meaning."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdgate.core.dialects.base import End
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.usage import Usage
from holdgate.core.wire.sse import Event
from tests.dialects.streams import ending, event, sse, typed


def chat(delta: object, finish: str | None = None, **more: object) -> bytes:
    return sse({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more})


WORD = chat({"content": "a"})
CHAT_USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 30,
    "prompt_tokens_details": {"cached_tokens": 64},
    "completion_tokens_details": {"reasoning_tokens": 20},
}
SPENT = Usage(input=36, cache_read=64, output=30, reasoning=20)


@pytest.mark.parametrize(
    ("stream", "end", "usage"),
    [
        ([WORD, chat({}, "stop"), sse(b"[DONE]")], End.WHOLE, None),
        ([WORD, chat({}, "stop")], End.WHOLE, None),
        ([WORD, chat({}, "length")], End.WHOLE, None),
        ([WORD, sse(b"[DONE]")], End.WHOLE, None),
        ([WORD, b"data:[DONE]"], End.WHOLE, None),
        ([WORD, b"data: [DONE] \n\n"], End.WHOLE, None),
        (
            [WORD, chat({}, "stop"), sse({"choices": [], "usage": CHAT_USAGE}), sse(b"[DONE]")],
            End.WHOLE,
            SPENT,
        ),
        ([WORD, chat({}, "stop", usage=CHAT_USAGE), sse(b"[DONE]")], End.WHOLE, SPENT),
        (
            [
                chat({"content": "a"}, usage=None),
                sse({"choices": [], "usage": CHAT_USAGE}),
                chat({}, "stop", usage=None),
            ],
            End.WHOLE,
            SPENT,
        ),
        ([WORD], End.CUT, None),
        ([WORD, b": keepalive\n\n"], End.CUT, None),
        ([WORD, b'data: {"choices":[{"del'], End.CUT, None),
        ([chat({"content": '"finish_reason":"stop" [DONE]'})], End.CUT, None),
        ([], End.CUT, None),
    ],
)
def test_chat(stream: list[bytes], end: End, usage: Usage | None) -> None:
    found = ending("chat", *stream)
    assert (found.end, found.usage) == (end, usage)


RESPONSES_USAGE = {
    "input_tokens": 100,
    "output_tokens": 30,
    "input_tokens_details": {"cached_tokens": 64},
    "output_tokens_details": {"reasoning_tokens": 20},
}
DELTA = typed("response.output_text.delta", delta="a")


def response(type: str, **more: object) -> bytes:
    return typed(type, response={"id": "r", "output": [], "usage": RESPONSES_USAGE, **more})


@pytest.mark.parametrize(
    ("stream", "end", "usage"),
    [
        ([DELTA, response("response.completed")], End.WHOLE, SPENT),
        ([DELTA, response("response.incomplete")], End.WHOLE, SPENT),
        ([DELTA, response("response.completed"), sse(b"[DONE]")], End.WHOLE, SPENT),
        ([DELTA, response("response.completed", usage=None)], End.WHOLE, None),
        ([DELTA], End.CUT, None),
        ([typed("response.created", response={"usage": None})], End.CUT, None),
        ([], End.CUT, None),
    ],
)
def test_responses(stream: list[bytes], end: End, usage: Usage | None) -> None:
    found = ending("responses", *stream)
    assert (found.end, found.usage) == (end, usage)


def test_a_type_may_stand_behind_what_has_types_in_it() -> None:
    output = [{"content": [{"text": "a", "type": "output_text"}], "type": "message"}]
    last = {"response": {"output": output, "usage": RESPONSES_USAGE}, "type": "response.completed"}
    found = ending(
        "responses", sse({"delta": "a", "type": "response.output_text.delta"}), sse(last)
    )
    assert (found.end, found.usage) == (End.WHOLE, SPENT)


def test_the_usage_is_not_what_a_tool_calls_so() -> None:
    tools = [{"name": "t", "parameters": {"properties": {"usage": {"type": "string"}}}}]
    last = typed("response.completed", response={"usage": RESPONSES_USAGE, "tools": tools})
    assert ending("responses", DELTA, last).usage == SPENT


STOP = typed("message_stop")
TEXT = typed("content_block_delta", index=0, delta={"type": "text_delta", "text": "a"})
LEAD = Usage(input=36, cache_read=64, cache_write=7, output=1)


def stopped(reason: str | None = "end_turn", **usage: object) -> bytes:
    more = {"usage": usage} if usage else {}
    return typed("message_delta", delta={"stop_reason": reason}, **more)


@pytest.mark.parametrize(
    ("stream", "end", "usage"),
    [
        ([TEXT, stopped(output_tokens=30), STOP], End.WHOLE, Usage(36, 64, 7, 30)),
        ([TEXT, stopped(), STOP], End.WHOLE, LEAD),
        (
            [TEXT, stopped(input_tokens=40, cache_read_input_tokens=60, output_tokens=30), STOP],
            End.WHOLE,
            Usage(40, 60, 7, 30),
        ),
        (
            [TEXT, stopped(input_tokens=0, cache_read_input_tokens=0, output_tokens=30), STOP],
            End.WHOLE,
            Usage(36, 64, 7, 30),
        ),
        ([stopped(None, output_tokens=0), TEXT, stopped(output_tokens=30), STOP], End.WHOLE, None),
        ([TEXT, stopped(output_tokens=30)], End.CUT, Usage(36, 64, 7, 30)),
        ([TEXT], End.CUT, LEAD),
        ([], End.CUT, LEAD),
    ],
)
def test_messages(stream: list[bytes], end: End, usage: Usage | None) -> None:
    found = ending("messages", *stream, lead=LEAD)
    assert (found.end, found.usage) == (end, usage or Usage(36, 64, 7, 30))


def test_usage_of_messages_may_come_in_pieces() -> None:
    pieces = [stopped(None, output_tokens=30), stopped("end_turn", input_tokens=40), STOP]
    assert ending("messages", TEXT, *pieces, lead=LEAD).usage == Usage(40, 64, 7, 30)


def test_the_lead_of_messages_tells_what_went_in() -> None:
    usage = {
        "input_tokens": 36,
        "cache_read_input_tokens": 64,
        "cache_creation_input_tokens": 7,
        "cache_creation": {"ephemeral_5m_input_tokens": 7},
        "output_tokens": 1,
    }
    told = event({"type": "message_start", "message": {"usage": usage}}, "message_start")
    assert DIALECTS["messages"].lead_usage(told) == LEAD


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_a_lead_without_usage(dialect: DialectName) -> None:
    assert DIALECTS[dialect].lead_usage(Event("message_start", b'{"type":"message_start"}')) is None
    assert DIALECTS[dialect].lead_usage(Event("ping", b'{"type":"ping"}')) is None


def gemini(text: str, finish: str | None = None, **more: object) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": [{"text": text}]}}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})], **more}


GEMINI_USAGE = {
    "promptTokenCount": 90,
    "toolUsePromptTokenCount": 10,
    "cachedContentTokenCount": 64,
    "candidatesTokenCount": 10,
    "thoughtsTokenCount": 20,
    "totalTokenCount": 130,
}
SO_FAR = {"promptTokenCount": 90, "totalTokenCount": 90}
WHOLES = [
    ([gemini("a"), gemini("b", "STOP", usageMetadata=GEMINI_USAGE)], End.WHOLE, SPENT),
    (
        [gemini("a", usageMetadata=SO_FAR), gemini("b", "MAX_TOKENS", usageMetadata=GEMINI_USAGE)],
        End.WHOLE,
        SPENT,
    ),
    ([gemini("a"), {"candidates": [{"finishReason": "SAFETY"}]}], End.WHOLE, None),
    ([gemini("a", "STOP"), {"usageMetadata": GEMINI_USAGE}], End.WHOLE, SPENT),
    ([{"promptFeedback": {"blockReason": "SAFETY"}}], End.WHOLE, None),
    ([gemini("a")], End.CUT, None),
    ([gemini('{"candidates":[{"finishReason":"STOP"}]}')], End.CUT, None),
    ([], End.CUT, None),
]


@pytest.mark.parametrize(("chunks", "end", "usage"), WHOLES)
def test_gemini_as_events(chunks: list[object], end: End, usage: Usage | None) -> None:
    found = ending("gemini", *map(sse, chunks))
    assert (found.end, found.usage) == (end, usage)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("filling", [0, 400])
@pytest.mark.parametrize(("chunks", "end", "usage"), WHOLES)
def test_gemini_as_an_array(
    chunks: list[object], end: End, usage: Usage | None, filling: int, indent: int | None
) -> None:
    texts = [json.dumps(chunk, indent=indent) for chunk in [gemini("{ é"), *chunks]]
    stream = ("[" + ",\r\n".join(texts[:1] * filling + texts) + "\n]").encode()
    found = ending("gemini", *(stream[at : at + 1000] for at in range(0, len(stream), 1000)))
    assert (found.end, found.usage) == (end, usage)


ERRORS: list[tuple[DialectName, bytes]] = [
    ("chat", sse({"error": {"message": "no", "code": 500}})),
    ("chat", sse({"error": {"message": "no"}}) + sse(b"[DONE]")),
    ("responses", typed("response.failed", response={"error": {"code": "x", "message": "no"}})),
    ("responses", typed("error", message="no")),
    ("messages", typed("error", error={"type": "overloaded_error", "message": "no"})),
    ("gemini", sse({"error": {"code": 503, "message": "no", "status": "UNAVAILABLE"}})),
]


@pytest.mark.parametrize(("dialect", "last"), ERRORS)
def test_an_error_told_at_the_end(dialect: DialectName, last: bytes) -> None:
    middle = {"chat": WORD, "responses": DELTA, "messages": TEXT, "gemini": sse(gemini("a"))}
    found = ending(dialect, middle[dialect], last)
    assert (found.end, found.message) == (End.ERROR, "no")


@pytest.mark.parametrize("indent", [None, 2])
def test_an_error_told_in_an_array(indent: int | None) -> None:
    chunks = [gemini("a"), {"error": {"code": 503, "message": "no", "status": "UNAVAILABLE"}}]
    found = ending("gemini", json.dumps(chunks, indent=indent).encode())
    assert (found.end, found.message) == (End.ERROR, "no")


@pytest.mark.parametrize(
    ("dialect", "body", "usage"),
    [
        ("chat", {"choices": [{}], "usage": CHAT_USAGE}, SPENT),
        ("responses", {"output": [{}], "usage": RESPONSES_USAGE, "error": None}, SPENT),
        (
            "messages",
            {
                "content": [{}],
                "usage": {
                    "input_tokens": 36,
                    "cache_read_input_tokens": 64,
                    "cache_creation_input_tokens": 7,
                    "output_tokens": 1,
                },
            },
            LEAD,
        ),
        ("gemini", {"candidates": [{}], "usageMetadata": GEMINI_USAGE}, SPENT),
        ("chat", {"data": [{}], "usage": {"prompt_tokens": 5, "total_tokens": 5}}, Usage(input=5)),
        (
            "chat",
            {"choices": [{}], "usage": {"prompt_tokens": 9, "prompt_cache_hit_tokens": 4}},
            Usage(input=5, cache_read=4),
        ),
        ("messages", {"input_tokens": 12}, None),
        ("gemini", {"totalTokens": 12}, None),
        ("chat", {"choices": [{}], "usage": None}, None),
        ("chat", {"choices": [{}], "usage": {"prompt_tokens": 4.0}}, Usage(input=4)),
        ("chat", {"choices": [{}], "usage": {"prompt_tokens": "4"}}, Usage()),
        ("chat", {"choices": [{}], "usage": {"prompt_tokens": True}}, Usage()),
        (
            "chat",
            {"usage": {"prompt_tokens": 1, "prompt_tokens_details": {"cached_tokens": 9}}},
            Usage(cache_read=9),
        ),
    ],
)
def test_usage_of_a_whole_reply(dialect: DialectName, body: object, usage: Usage | None) -> None:
    seen = DIALECTS[dialect].whole(json.dumps(body).encode())
    assert (seen.usage, seen.failed) == (usage, False)


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"choices": [], "output": [], "content": [], "candidates": []},
        {"choices": None, "output": None, "content": None, "candidates": None},
    ],
)
def test_an_error_with_a_good_status(dialect: DialectName, more: dict[str, Any]) -> None:
    body = json.dumps({"error": {"message": "no"}, **more}).encode()
    assert DIALECTS[dialect].whole(body).failed


def test_an_error_of_messages_says_so_by_its_type() -> None:
    assert DIALECTS["messages"].whole(b'{"type":"error"}').failed


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@pytest.mark.parametrize("body", [b"", b"{", b"<html>", b"[" * 100_000, b'{"usage":NaN}'])
def test_what_is_no_json(dialect: DialectName, body: bytes) -> None:
    with pytest.raises(ValueError):
        DIALECTS[dialect].whole(body)


@pytest.mark.parametrize(
    "odd",
    [b'{"prompt_tokens":NaN}', b'{"prompt_tokens":1e999}', b'{"a":' * 5000, b'{"prompt_tokens":'],
)
def test_odd_usage_is_no_crash(odd: bytes) -> None:
    found = ending("chat", WORD, chat({}, "stop"), b'data: {"choices":[],"usage":' + odd + b"}\n\n")
    assert found.end is End.WHOLE


@pytest.mark.parametrize("crash", [b'{"usage":' * 3000])
def test_deep_nesting_is_no_crash(crash: bytes) -> None:
    assert ending("chat", WORD, b"data: " + crash + b"\n\n").end is End.CUT
