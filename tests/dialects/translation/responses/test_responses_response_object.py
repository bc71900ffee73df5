"""The response object: what it repeats of its request, and how it tells the end."""

from __future__ import annotations

from typing import Any

import pytest

from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.values.neutral_reply import Began, Ended, RefusalDelta, TextDelta
from tests.dialects.translation.responses.responses_feeding import (
    OURS,
    REQUIRED,
    answered,
    bodies,
    telling,
    told,
)


@pytest.mark.parametrize(
    ("why", "reason"),
    [
        ("stop", None),
        ("tool", None),
        ("refusal", None),
        ("pause", None),
        ("filter", "content_filter"),
        ("malformed", "malformed_function_call"),
    ],
)
def test_why_it_ended_is_told(why: Any, reason: str | None) -> None:
    for response in (
        told([Began(), RefusalDelta("no"), Ended(why)])[-1]["response"],
        answered(collect([Began(), RefusalDelta("no"), Ended(why)])),
    ):
        assert response["incomplete_details"] == ({"reason": reason} if reason else None)
        assert response["output"][0]["content"] == [{"type": "refusal", "refusal": "no"}]
        assert response["usage"]["total_tokens"] == 0


def test_a_response_repeats_its_request() -> None:
    asked: dict[str, Any] = {
        "instructions": "be",
        "tools": [
            {"type": "function", "name": "f"},
            {"type": "custom", "name": "p"},
        ],
        "tool_choice": "required",
        "text": {"format": {"type": "json_schema", "name": "a", "schema": {}}, "verbosity": "low"},
        "reasoning": {"effort": "high"},
        "temperature": 0.5,
        "max_output_tokens": 100,
        "metadata": {"a": "b"},
        "user": "u",
        "store": True,
        "background": True,
    }
    response = answered(collect([Began(), TextDelta("x"), Ended("stop")]), **asked)
    assert response.keys() >= REQUIRED
    for name in (
        "instructions",
        "tool_choice",
        "temperature",
        "max_output_tokens",
        "metadata",
        "user",
    ):
        assert response[name] == asked[name]
    nothing = {"description": None, "parameters": None, "strict": None}
    assert response["tools"] == [nothing | asked["tools"][0], asked["tools"][1]]
    assert response["text"] == {
        "format": {
            "type": "json_schema",
            "name": "a",
            "schema": {},
            "description": None,
            "strict": False,
        },
        "verbosity": "low",
    }
    assert response["reasoning"] == {"effort": "high", "summary": None}
    assert (response["store"], response["background"]) == (False, False)


@pytest.mark.parametrize("format", [None, {}, {"type": "text"}])
def test_null_in_a_request_s_text_is_told_as_nothing(format: dict[str, Any] | None) -> None:
    answer = collect([Began(), TextDelta("x"), Ended("stop")])
    response = answered(answer, text={"format": format, "verbosity": None})
    assert response["text"] == {"format": {"type": "text"}}


def test_null_in_a_schema_s_format_is_told_as_nothing() -> None:
    format = {"type": "json_schema", "name": "a", "schema": {"default": None}}
    answer = collect([Began(), TextDelta("x"), Ended("stop")])
    response = answered(answer, text={"format": format | {"description": None, "strict": None}})
    assert response["text"] == {"format": format | {"description": None, "strict": False}}


def test_a_request_on_several_lines_does_not_break_the_events() -> None:
    request = OURS.read_request(
        b'{"model":"m","input":"hi","tools":[\n{"type":"function",\r\n"name":"f"}],'
        b'"metadata":{"a":"\xe2\x80\xa8"}}',
        "m",
        "sse",
    )
    telling_ = telling()
    writer = OURS.reply_writer(type(telling_)("a", "m", 1, "sse", request))
    stream = writer.tell([Began(), Ended("stop")])
    assert b"\xe2\x80\xa8" not in stream
    assert bodies(stream)[0]["response"]["tools"][0]["name"] == "f"
