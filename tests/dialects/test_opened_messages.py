"""A messages stream that the gateway opened: usage, and the blocks of a whole reply."""

from __future__ import annotations

import pytest

from holdgate.core.dialects.base import Opening
from holdgate.core.dialects.table import DIALECTS
from tests.dialects.opened_feeding import Json, bodies, fed, whole
from tests.dialects.streams import typed

OPENING = Opening(False, "ours-1", "model-asked-for", 1234)


def test_messages_opens_with_the_usage_of_real_ones() -> None:
    (start,) = bodies(DIALECTS["messages"].opened(OPENING).open())
    assert start["message"]["usage"] == {
        "input_tokens": 0,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 0,
    }


@pytest.mark.parametrize(
    ("start", "delta", "told"),
    [
        (
            {"input_tokens": 9, "cache_creation": {"ephemeral_5m_input_tokens": 2}},
            {"output_tokens": 5, "server_tool_use": {"web_search_requests": 1}},
            {
                "output_tokens": 5,
                "server_tool_use": {"web_search_requests": 1},
                "input_tokens": 9,
                "cache_creation": {"ephemeral_5m_input_tokens": 2},
            },
        ),
        (
            {"input_tokens": 9, "cache_read_input_tokens": 4, "output_tokens": 1},
            {"input_tokens": 0, "cache_read_input_tokens": None, "output_tokens": 5},
            {"input_tokens": 0, "cache_read_input_tokens": 4, "output_tokens": 5},
        ),
        ({"input_tokens": 9, "output_tokens": 1}, None, {"input_tokens": 9, "output_tokens": 1}),
        (None, {"output_tokens": 5}, {"output_tokens": 5}),
        (None, None, {"output_tokens": 0}),
    ],
)
def test_messages_completes_the_usage(start: object, delta: object, told: Json) -> None:
    ended = {"stop_reason": "end_turn", "stop_sequence": None}
    (found,) = fed(
        "messages",
        typed("message_start", message={"id": "v", "usage": start}),
        typed("message_delta", delta=ended, usage=delta, context_management={"x": 1}),
    )
    assert found["usage"] == told
    assert (found["delta"], found["context_management"]) == (ended, {"x": 1})


def test_messages_without_its_start_ends_all_the_same() -> None:
    (found,) = fed("messages", typed("message_delta", delta={"stop_reason": "end_turn"}))
    assert found["usage"] == {"output_tokens": 0}


def test_messages_whole_of_other_blocks() -> None:
    cited = {"type": "web_search_result_location", "url": "u"}
    search = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": "a"}}
    result = {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"x": 1}]}
    text = {"type": "text", "text": "a", "citations": [cited]}
    told = whole(
        "messages",
        {
            "content": [search, result, text, {"type": "text", "text": ""}],
            "stop_reason": None,
            "container": {"id": "box"},
            "context_management": {"applied_edits": []},
        },
    )
    starts = [body["content_block"] for body in told if body["type"] == "content_block_start"]
    empty = {"type": "text", "text": ""}
    assert starts == [search | {"input": {}}, result, empty | {"citations": []}, empty]
    assert [body["delta"] for body in told if body["type"] == "content_block_delta"] == [
        {"type": "input_json_delta", "partial_json": '{"q": "a"}'},
        {"type": "citations_delta", "citation": cited},
        {"type": "text_delta", "text": "a"},
    ]
    assert told[-2] == {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "container": {"id": "box"}, "stop_sequence": None},
        "usage": {"output_tokens": 0},
        "context_management": {"applied_edits": []},
    }
