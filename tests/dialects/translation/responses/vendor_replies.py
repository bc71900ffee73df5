"""Replies of a Responses vendor, as the reference has them and as some really send them."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

USAGE: Json = {
    "input_tokens": 10,
    "input_tokens_details": {"cached_tokens": 4},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 2},
    "total_tokens": 17,
}
THOUGHT: Json = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "I "}, {"type": "summary_text", "text": "think"}],
    "encrypted_content": "gAAA",
}
MESSAGE: Json = {
    "type": "message",
    "id": "msg_1",
    "status": "completed",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "Hello", "annotations": []}],
}
CALL: Json = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_a",
    "name": "read_file",
    "arguments": '{"path":"a"}',
    "status": "completed",
}
PATCH: Json = {
    "type": "custom_tool_call",
    "id": "ctc_1",
    "call_id": "call_b",
    "name": "apply_patch",
    "input": "*** x",
    "status": "completed",
}
OUTPUT = [THOUGHT, MESSAGE, CALL, PATCH]


def response(status: str = "completed", **members: Any) -> Json:
    return {
        "id": "resp_1",
        "object": "response",
        "model": "gpt",
        "status": status,
        "output": OUTPUT,
        "usage": USAGE,
        **members,
    }


def created() -> Json:
    begun = response("in_progress", output=[], usage=None)
    return {"type": "response.created", "response": begun}


def closing(**members: Any) -> Json:
    return {"type": "response.completed", "response": response(**members)}


def added(index: int, item: Json, **empty: object) -> Json:
    begun = {**item, "status": "in_progress", **empty}
    return {"type": "response.output_item.added", "output_index": index, "item": begun}


def done(index: int, item: Json) -> Json:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def event(kind: str, index: int, id: str, **members: object) -> Json:
    return {"type": f"response.{kind}", "output_index": index, "item_id": id, **members}


def by_the_reference() -> list[Json]:
    """Give the whole stream, with all that is said several times."""
    told = [created(), added(0, THOUGHT, summary=[], encrypted_content="")]
    for part, text in enumerate(("I ", "think")):
        at = {"summary_index": part}
        told += [
            event("reasoning_summary_part.added", 0, "rs_1", **at, part={}),
            event("reasoning_summary_text.delta", 0, "rs_1", **at, delta=text),
            event("reasoning_summary_text.done", 0, "rs_1", **at, text=text),
            event("reasoning_summary_part.done", 0, "rs_1", **at, part={}),
        ]
    told += [
        done(0, THOUGHT),
        added(1, MESSAGE, content=[]),
        event("content_part.added", 1, "msg_1", content_index=0, part={}),
        event("output_text.delta", 1, "msg_1", content_index=0, delta="Hel"),
        event("output_text.delta", 1, "msg_1", content_index=0, delta="lo"),
        event("output_text.done", 1, "msg_1", content_index=0, text="Hello"),
        event("content_part.done", 1, "msg_1", content_index=0, part=MESSAGE["content"][0]),
        done(1, MESSAGE),
        added(2, CALL, arguments=""),
        event("function_call_arguments.delta", 2, "fc_1", delta='{"path'),
        event("function_call_arguments.delta", 2, "fc_1", delta='":"a"}'),
        event("function_call_arguments.done", 2, "fc_1", arguments='{"path":"a"}'),
        done(2, CALL),
        added(3, PATCH, input=""),
        event("custom_tool_call_input.delta", 3, "ctc_1", delta="*** x"),
        event("custom_tool_call_input.done", 3, "ctc_1", input="*** x"),
        done(3, PATCH),
        closing(),
    ]
    return [{**body, "sequence_number": number} for number, body in enumerate(told)]
