"""A responses stream that the gateway opened: numbers, and the items of a whole reply."""

from __future__ import annotations

import pytest

from holdgate.core.dialects.base import Opening
from holdgate.core.dialects.table import DIALECTS
from tests.dialects.opened_feeding import Json, bodies, fed, whole
from tests.dialects.streams import sse, typed


def test_responses_begins_where_it_is_told_to() -> None:
    opening = Opening(False, "ours-1", "model-asked-for", 1234, sequence=5)
    ours = DIALECTS["responses"].opened(opening)
    told = ours.open() + ours.feed(typed("response.x") + typed("error", code="x"))
    assert [body["sequence_number"] for body in bodies(told)] == [5, 6, 7, 8]


def test_responses_leaves_other_events_unnumbered() -> None:
    told = fed("responses", typed("keepalive"), typed("keepalive", sequence_number=70))
    assert told == [{"type": "keepalive"}, {"type": "keepalive", "sequence_number": 2}]


def test_responses_reads_the_type_from_the_name_too() -> None:
    (told,) = fed(
        "responses", sse({"response": {"id": "v"}}, "response.created"), sse({}, "response.x")
    )
    assert told == {"sequence_number": 2}


@pytest.mark.parametrize(
    ("status", "closing"),
    [
        ("completed", "response.completed"),
        ("incomplete", "response.incomplete"),
        ("failed", "response.failed"),
        ("cancelled", "response.failed"),
        (None, "response.completed"),
    ],
)
def test_responses_whole_ends_by_its_status(status: str | None, closing: str) -> None:
    (told,) = whole("responses", {"id": "v", "status": status, "output": [], "x": 1})
    assert (told["type"], told["sequence_number"]) == (closing, 2)
    assert told["response"] == {
        "id": "ours-1",
        "status": status,
        "output": [],
        "x": 1,
        "model": "model-asked-for",
    }


def kinds_and_texts(told: list[Json]) -> list[tuple[str, object]]:
    names = ("delta", "text", "refusal", "arguments", "input", "code", "annotation", "part", "item")
    return [
        (body["type"].removeprefix("response."), next((body[n] for n in names if n in body), None))
        for body in told[:-1]
    ]


def test_responses_whole_of_a_message_with_notes_and_a_refusal() -> None:
    note = {"type": "url_citation", "url": "u"}
    part = {"type": "output_text", "text": "a", "annotations": [note], "logprobs": [{"x": 1}]}
    no = {"type": "refusal", "refusal": "no"}
    new = {"type": "new", "data": 1}
    item = {"id": "m", "type": "message", "status": "completed", "content": [part, no, new]}
    told = whole("responses", {"output": [item]})
    assert kinds_and_texts(told) == [
        ("output_item.added", item | {"status": "in_progress", "content": []}),
        ("content_part.added", part | {"text": "", "annotations": [], "logprobs": []}),
        ("output_text.delta", "a"),
        ("output_text.annotation.added", note),
        ("output_text.done", "a"),
        ("content_part.done", part),
        ("content_part.added", {"type": "refusal", "refusal": ""}),
        ("refusal.delta", "no"),
        ("refusal.done", "no"),
        ("content_part.done", no),
        ("content_part.added", new),
        ("content_part.done", new),
        ("output_item.done", item),
    ]
    assert told[2]["logprobs"] == told[4]["logprobs"] == [{"x": 1}]
    assert [body["content_index"] for body in told[1:-2]] == [0] * 5 + [1] * 4 + [2] * 2


def test_responses_whole_of_other_items() -> None:
    custom = {"id": "c", "type": "custom_tool_call", "call_id": "1", "name": "n", "input": "x"}
    code = {"id": "i", "type": "code_interpreter_call", "code": None}
    search = {"id": "w", "type": "web_search_call", "status": "completed", "action": {"q": 1}}
    thought = {"type": "reasoning_text", "text": "hm"}
    reasoning = {"id": "r", "type": "reasoning", "summary": [], "content": [thought]}
    told = whole("responses", {"output": [custom, code, search, reasoning]})
    assert kinds_and_texts(told) == [
        ("output_item.added", custom | {"input": ""}),
        ("custom_tool_call_input.delta", "x"),
        ("custom_tool_call_input.done", "x"),
        ("output_item.done", custom),
        ("output_item.added", code),
        ("output_item.done", code),
        ("output_item.added", search | {"status": "in_progress"}),
        ("output_item.done", search),
        ("output_item.added", reasoning | {"content": []}),
        ("content_part.added", {"type": "reasoning_text", "text": ""}),
        ("reasoning_text.delta", "hm"),
        ("reasoning_text.done", "hm"),
        ("content_part.done", thought),
        ("output_item.done", reasoning),
    ]


def test_responses_whole_gives_items_an_id() -> None:
    call = {"type": "function_call", "call_id": "1", "name": "n", "arguments": ""}
    told = whole("responses", {"output": [call]})
    named = call | {"id": "item_ours-1_0"}
    assert [body["type"] for body in told] == [
        "response.output_item.added",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert told[1]["item_id"] == "item_ours-1_0" and told[1]["name"] == "n"
    assert told[0]["item"] == told[2]["item"] == told[3]["response"]["output"][0] == named
