"""The demo model in OpenAI's Responses."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from holdgate.core.server.demo import chat
from holdgate.core.server.demo.ask import (
    Ask,
    Frame,
    JsonObject,
    Refused,
    Stamp,
    Tool,
    count_of,
    object_of,
    objects_of,
    size_of,
    sse,
    text_of,
    texts_in,
)
from holdgate.core.server.demo.script import Answer, fragments, words

refusal = chat.refusal

_Event = Callable[..., Frame]


def read(body: JsonObject) -> Ask:
    """Read a request. Raises Refused."""
    if not text_of(body.get("model")):
        raise Refused(400, "Missing required parameter: 'model'.")
    if not body.get("input"):
        raise Refused(400, "Missing required parameter: 'input'.")
    said, result = _last(body["input"])
    return Ask(
        model=text_of(body["model"]),
        words=said,
        tools=_tools(body),
        result=result,
        prompt_tokens=size_of(body),
        longest=count_of(body.get("max_output_tokens")),
        stream=body.get("stream") is True,
    )


def whole(ask: Ask, answer: Answer, stamp: Stamp) -> JsonObject:
    """Give the body of a reply that is not streamed."""
    return _finished(ask, answer, stamp)


def frames(ask: Ask, answer: Answer, stamp: Stamp) -> Iterator[Frame]:
    """Give the stream of a reply: created, in_progress, one item from added to done, the end."""
    numbers = itertools.count()

    def event(kind: str, shown: int = 0, **data: object) -> Frame:
        data = {"type": f"response.{kind}", "sequence_number": next(numbers), **data}
        return Frame(sse(data, f"response.{kind}"), shown)

    begun = _response(ask, stamp, "in_progress")
    yield event("created", response=begun)
    yield event("in_progress", response=begun)
    yield event("output_item.added", output_index=0, item=_empty_item(answer, stamp))
    yield from (_call_events if answer.call else _text_events)(event, answer, stamp)
    yield event("output_item.done", output_index=0, item=_item(answer, stamp))
    final = _finished(ask, answer, stamp)
    yield event(text_of(final["status"]), response=final)


def _text_events(event: _Event, answer: Answer, stamp: Stamp) -> Iterator[Frame]:
    at: JsonObject = {"item_id": _item_id(answer, stamp), "output_index": 0, "content_index": 0}
    yield event("content_part.added", **at, part=_part(""))
    for word in words(answer.text):
        yield event("output_text.delta", 1, **at, delta=word, logprobs=[])
    yield event("output_text.done", **at, text=answer.text, logprobs=[])
    yield event("content_part.done", **at, part=_part(answer.text))


def _call_events(event: _Event, answer: Answer, stamp: Stamp) -> Iterator[Frame]:
    at: JsonObject = {"item_id": _item_id(answer, stamp), "output_index": 0}
    text = answer.call.text if answer.call else ""
    for part in fragments(text):
        yield event("function_call_arguments.delta", 1, **at, delta=part)
    name = answer.call.name if answer.call else ""
    yield event("function_call_arguments.done", **at, name=name, arguments=text)


def _last(given: object) -> tuple[str, str | None]:
    """Give the last user message and the tool output that follows it."""
    if isinstance(given, str):
        return given, None
    said, result = "", None
    for item in objects_of(given):
        if text_of(item.get("type")).endswith("_call_output"):
            result = texts_in(item.get("output"))
        elif item.get("role") == "user":
            said, result = texts_in(item.get("content")), None
    return said, result


def _tools(body: JsonObject) -> tuple[Tool, ...]:
    if body.get("tool_choice") == "none":
        return ()
    return tuple(
        Tool(text_of(spec["name"]), object_of(spec.get("parameters")))
        for spec in objects_of(body.get("tools"))
        if spec.get("type") == "function" and text_of(spec.get("name"))
    )


def _response(ask: Ask, stamp: Stamp, status: str) -> JsonObject:
    return {
        "id": f"resp_{stamp.token}",
        "object": "response",
        "created_at": stamp.created,
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "max_output_tokens": ask.longest or None,
        "metadata": {},
        "model": ask.model,
        "output": [],
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "store": False,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": None,
    }


def _finished(ask: Ask, answer: Answer, stamp: Stamp) -> JsonObject:
    status = "incomplete" if answer.stop == "length" else "completed"
    found = _response(ask, stamp, status) | {"output": [_item(answer, stamp)]}
    if status == "incomplete":
        found["incomplete_details"] = {"reason": "max_output_tokens"}
    found["usage"] = {
        "input_tokens": answer.prompt_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": answer.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": answer.prompt_tokens + answer.output_tokens,
    }
    return found


def _item_id(answer: Answer, stamp: Stamp) -> str:
    return f"fc_{stamp.token}" if answer.call else f"msg_{stamp.token}"


def _item(answer: Answer, stamp: Stamp) -> JsonObject:
    head: JsonObject = {
        "id": _item_id(answer, stamp),
        "status": "incomplete" if answer.stop == "length" else "completed",
    }
    if answer.call:
        head |= {"type": "function_call", "call_id": f"call_{stamp.token}"}
        return head | {"name": answer.call.name, "arguments": answer.call.text}
    return head | {"type": "message", "role": "assistant", "content": [_part(answer.text)]}


def _empty_item(answer: Answer, stamp: Stamp) -> JsonObject:
    empty: JsonObject = {"arguments": ""} if answer.call else {"content": []}
    return _item(answer, stamp) | {"status": "in_progress"} | empty


def _part(text: str) -> JsonObject:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
