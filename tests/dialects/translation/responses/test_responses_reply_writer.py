from __future__ import annotations

from typing import Any

import pytest

from holdgate.core.dialects.base import Opening
from holdgate.core.dialects.responses_opened import ResponsesOpened
from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.values.neutral import Reasoning, Seal, Text
from holdgate.core.values.neutral_reply import (
    Began,
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    Failed,
    TextDelta,
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
    Used,
)
from holdgate.core.values.usage import Usage
from tests.dialects.translation.conversations import REPLIES
from tests.dialects.translation.responses.responses_feeding import (
    OURS,
    REQUIRED,
    bodies,
    heard,
    telling,
    told,
)

SEAL = Seal("g/gemini", "thought", "sig")


def kinds(found: list[dict[str, Any]]) -> list[str]:
    return [body["type"].removeprefix("response.") for body in found]


def check(found: list[dict[str, Any]]) -> None:
    """Check what holds for every stream by the reference."""
    assert [body["sequence_number"] for body in found] == list(range(len(found)))
    assert kinds(found)[:2] == ["created", "in_progress"]
    assert kinds(found)[-1] in ("completed", "incomplete")
    output, ids = found[-1]["response"]["output"], dict[int, str]()
    for body in found[2:-1]:
        index = body["output_index"]
        ids.setdefault(index, body.get("item_id") or body["item"]["id"])
        assert ids[index] == body.get("item_id", body.get("item", {}).get("id"))
        if body["type"] == "response.output_item.done":
            assert output[index] == body["item"]
    opened = [body["output_index"] for body in found if body["type"].endswith("item.added")]
    assert opened == list(range(len(output)))
    for response in (found[0]["response"], found[-1]["response"]):
        assert response.keys() >= REQUIRED


def test_a_text() -> None:
    found = told(
        [
            Began(),
            TextDelta("Hel"),
            TextDelta("lo\u2028"),
            Used(Usage(1, 2, 3, 4, 1)),
            Ended("stop"),
        ]
    )
    check(found)
    assert kinds(found)[2:] == [
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    assert found[4]["logprobs"] == found[6]["logprobs"] == []
    assert found[6]["text"] == "Hello\u2028"
    part = {"type": "output_text", "text": "Hello\u2028", "annotations": [], "logprobs": []}
    response = found[-1]["response"]
    assert response["output"] == [
        {
            "type": "message",
            "id": "msg_abc000",
            "status": "completed",
            "role": "assistant",
            "content": [part],
        }
    ]
    assert (response["id"], response["model"]) == ("resp_abc", "asked/for")
    assert (response["status"], response["completed_at"]) == ("completed", 1_700_000_000)
    assert response["usage"] == {
        "input_tokens": 6,
        "input_tokens_details": {"cached_tokens": 2, "cache_write_tokens": 3},
        "output_tokens": 4,
        "output_tokens_details": {"reasoning_tokens": 1},
        "total_tokens": 10,
    }


def test_a_thought() -> None:
    found = told(
        [Began(), ThoughtDelta("I "), ThoughtDelta("think"), ThoughtEnded(), Ended("stop")]
    )
    check(found)
    assert kinds(found)[2:-1] == [
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
    ]
    item = {
        "type": "reasoning",
        "id": "rs_abc000",
        "summary": [{"type": "summary_text", "text": "I think"}],
    }
    assert found[-1]["response"]["output"] == [item]


def test_calls() -> None:
    events: list[Event] = [
        Began(),
        CallBegan(0, "a", "f", namespace="ns"),
        CallDelta(0, '{"x"'),
        CallDelta(0, ":1}"),
        CallEnded(0),
        CallBegan(1, "b", "p", custom=True),
        CallDelta(1, "*** y"),
        CallEnded(1),
        CallBegan(2, "c", "now"),
        CallEnded(2),
        Ended("tool"),
    ]
    found = told(events)
    check(found)
    assert kinds(found)[2:] == [
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "output_item.added",
        "custom_tool_call_input.delta",
        "custom_tool_call_input.done",
        "output_item.done",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ]
    assert found[-1]["response"]["output"] == [
        {
            "type": "function_call",
            "id": "fc_abc000",
            "call_id": "a",
            "name": "f",
            "namespace": "ns",
            "arguments": '{"x":1}',
            "status": "completed",
        },
        {
            "type": "custom_tool_call",
            "id": "ctc_abc001",
            "call_id": "b",
            "name": "p",
            "input": "*** y",
            "status": "completed",
        },
        {
            "type": "function_call",
            "id": "fc_abc002",
            "call_id": "c",
            "name": "now",
            "arguments": "{}",
            "status": "completed",
        },
    ]


def test_interleaved_calls_are_told_one_after_the_other() -> None:
    events: list[Event] = [
        Began(),
        CallBegan(0, "a", "f"),
        CallBegan(1, "b", "f"),
        CallDelta(1, "{"),
        TextDelta("between"),
        CallDelta(0, "{"),
        CallBegan(2, "c", "f"),
        CallDelta(1, "}"),
        CallEnded(1),
        CallDelta(0, "}"),
        CallDelta(7, "nobody's"),
        CallEnded(0),
        CallDelta(2, '{"z":1}'),
        CallEnded(2),
        CallEnded(2),
        TextDelta(" after"),
        Ended("tool"),
    ]
    found = told(events)
    check(found)
    output = found[-1]["response"]["output"]
    assert [item.get("call_id", item["type"]) for item in output] == [
        "a",
        "b",
        "message",
        "c",
        "message",
    ]
    assert [item.get("arguments") for item in output] == ["{}", "{}", None, '{"z":1}', None]


@pytest.mark.parametrize("name", sorted(REPLIES))
@pytest.mark.parametrize("at_once", [True, False])
def test_all_kinds_of_replies(name: str, at_once: bool) -> None:
    writer = OURS.reply_writer(telling())
    events = REPLIES[name]
    pieces = [events] if at_once else [[event] for event in events]
    found = bodies(b"".join(map(writer.tell, pieces)))
    if isinstance(events[-1], Ended):
        check(found)
        mine, whole = collect(events), found[-1]["response"]
        texts = [
            part["text"]
            for item in whole["output"]
            for part in item.get("content", ())
            if "text" in part
        ]
        assert "".join(texts) == "".join(part.text for part in mine.parts if isinstance(part, Text))


def test_a_reply_that_was_cut_by_its_length() -> None:
    call: list[Event] = [CallBegan(0, "a", "f"), CallDelta(0, '{"x')]
    for events in ([TextDelta("half")], call):
        found = told([Began(), *events, Ended("length")])
        check(found)
        response = found[-1]["response"]
        assert found[-1]["type"] == "response.incomplete"
        assert response["incomplete_details"] == {"reason": "max_output_tokens"}
        assert (response["status"], response["completed_at"]) == ("incomplete", None)
        assert [item["status"] for item in response["output"]] == ["incomplete"]


def test_nothing_follows_a_failure_or_the_end() -> None:
    found = told([Began(), TextDelta("a"), Failed("no", b"{}"), TextDelta("b"), Ended("stop")])
    assert kinds(found)[-1] == "output_text.delta"
    found = told([Began(), Ended("stop"), TextDelta("b"), Ended("stop")])
    check(found)
    assert kinds(found)[2:] == ["completed"]
    assert OURS.reply_writer(telling()).tell([]) == b""


def test_the_stream_goes_on_inside_of_an_opening() -> None:
    opened = ResponsesOpened(Opening(False, "resp_ours", "asked/for", 5))
    stream = opened.open()
    writer = OURS.reply_writer(telling())
    for event in next(iter(REPLIES.values())):
        stream += opened.feed(writer.tell([event]))
    found = bodies(stream + opened.close())
    assert [body["sequence_number"] for body in found] == list(range(len(found)))
    assert {body["response"]["id"] for body in found if "response" in body} == {"resp_ours"}


def test_what_is_written_is_understood() -> None:
    for name, events in REPLIES.items():
        if not isinstance(events[-1], Ended):
            continue
        bare: list[Event] = [
            event for event in events if not isinstance(event, TextSealed | ThoughtEnded)
        ]
        if any(isinstance(event, CallEnded) and event.seals for event in bare):
            continue
        mine, back = collect(bare), collect(heard(OURS.reply_writer(telling()).tell(bare)))
        assert [part for part in back.parts if not isinstance(part, Reasoning)] == [
            part for part in mine.parts if not isinstance(part, Reasoning)
        ], name
