"""Well-formed replies of each dialect, whole and streamed, for scripts of the fake vendor."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

MODEL = "fake-model"
CREATED = 1767225600


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a reply. `input` includes `cached`, as in all dialects but messages."""

    input: int = 7
    output: int = 5
    cached: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that a reply ends with."""

    name: str
    arguments: Json = field(default_factory=dict)
    id: str = "call_1"

    @property
    def text(self) -> str:
        return dumps(self.arguments)


USAGE = Usage()


def dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def sse(data: object, event: str = "") -> bytes:
    """Write one event; a `str` goes out as it is."""
    text = data if isinstance(data, str) else dumps(data)
    return ((f"event: {event}\n" if event else "") + f"data: {text}\n\n").encode()


def words(text: str) -> list[str]:
    """Cut a text after each space."""
    parts = text.split(" ")
    return [part + " " for part in parts[:-1]] + parts[-1:] if text else []


def halves(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]


def chat_usage(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }


def chat_call(call: Call, arguments: str) -> Json:
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def chat_whole(
    text: str = "",
    usage: Usage = USAGE,
    *,
    call: Call | None = None,
    model: str = MODEL,
    id: str = "chatcmpl-fake",
) -> Json:
    message: Json = {"role": "assistant", "content": text or None}
    if call:
        message["tool_calls"] = [chat_call(call, call.text)]
    finish = "tool_calls" if call else "stop"
    return {
        "id": id,
        "object": "chat.completion",
        "created": CREATED,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": chat_usage(usage),
    }


def chat_stream(
    text: str = "",
    usage: Usage | None = USAGE,
    *,
    call: Call | None = None,
    model: str = MODEL,
    id: str = "chatcmpl-fake",
) -> list[bytes]:
    """Give the events of a stream; `usage=None` leaves the usage chunk out."""
    head = {"id": id, "object": "chat.completion.chunk", "created": CREATED, "model": model}

    def chunk(delta: Json, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return sse({**head, "choices": [choice]})

    events = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({"content": word}) for word in words(text)]
    if call:
        events.append(chunk({"tool_calls": [{"index": 0, **chat_call(call, "")}]}))
        for part in halves(call.text):
            events.append(chunk({"tool_calls": [{"index": 0, "function": {"arguments": part}}]}))
    events.append(chunk({}, "tool_calls" if call else "stop"))
    if usage:
        events.append(sse({**head, "choices": [], "usage": chat_usage(usage)}))
    return [*events, sse("[DONE]")]


def messages_usage(usage: Usage, output: int) -> Json:
    return {
        "input_tokens": usage.input - usage.cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": output,
    }


def messages_blocks(text: str, call: Call | None) -> list[Json]:
    blocks: list[Json] = [{"type": "text", "text": text}] if text else []
    if call:
        blocks.append(
            {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
        )
    return blocks


def messages_whole(
    text: str = "",
    usage: Usage = USAGE,
    *,
    call: Call | None = None,
    model: str = MODEL,
    id: str = "msg_fake",
) -> Json:
    return {
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": messages_blocks(text, call),
        "stop_reason": "tool_use" if call else "end_turn",
        "stop_sequence": None,
        "usage": messages_usage(usage, usage.output),
    }


def messages_stream(
    text: str = "",
    usage: Usage = USAGE,
    *,
    call: Call | None = None,
    model: str = MODEL,
    id: str = "msg_fake",
) -> list[bytes]:
    def event(kind: str, **data: object) -> bytes:
        return sse({"type": kind, **data}, kind)

    whole = messages_whole(text, usage, call=call, model=model, id=id)
    blank: Json = {"content": [], "stop_reason": None, "usage": messages_usage(usage, 1)}
    events = [event("message_start", message=whole | blank)]
    for index, block in enumerate(whole["content"]):
        used = block["type"] == "tool_use"
        empty: Json = {"input": {}} if used else {"text": ""}
        events.append(event("content_block_start", index=index, content_block=block | empty))
        deltas: list[Json] = [{"type": "text_delta", "text": word} for word in words(text)]
        if used:
            parts = halves(dumps(block["input"]))
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
        events += [event("content_block_delta", index=index, delta=delta) for delta in deltas]
        events.append(event("content_block_stop", index=index))
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events.append(event("message_delta", delta=end, usage=whole["usage"]))
    return [*events, event("message_stop")]


def responses_items(text: str, call: Call | None) -> list[Json]:
    items: list[Json] = []
    if text:
        part = {"type": "output_text", "text": text, "annotations": []}
        head: Json = {"id": "msg_fake", "type": "message", "status": "completed"}
        items.append({**head, "role": "assistant", "content": [part]})
    if call:
        named = {"call_id": call.id, "name": call.name, "arguments": call.text}
        items.append({"id": "fc_fake", "type": "function_call", "status": "completed", **named})
    return items


def responses_whole(
    text: str = "",
    usage: Usage = USAGE,
    *,
    call: Call | None = None,
    model: str = MODEL,
    id: str = "resp_fake",
) -> Json:
    return {
        "id": id,
        "object": "response",
        "created_at": CREATED,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": model,
        "output": responses_items(text, call),
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": {
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": usage.cached},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.input + usage.output,
        },
    }


def responses_stream(
    text: str = "",
    usage: Usage = USAGE,
    *,
    call: Call | None = None,
    model: str = MODEL,
    id: str = "resp_fake",
) -> list[bytes]:
    whole = responses_whole(text, usage, call=call, model=model, id=id)
    begun = whole | {"status": "in_progress", "output": [], "usage": None}
    events: list[Json] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for index, item in enumerate(whole["output"]):
        events += _item_events(index, item)
    events.append({"type": "response.completed", "response": whole})
    return [
        sse({**event, "sequence_number": number}, event["type"])
        for number, event in enumerate(events)
    ]


def _item_events(index: int, item: Json) -> list[Json]:
    at: Json = {"item_id": item["id"], "output_index": index}
    called = item["type"] == "function_call"
    filled: Json = {"arguments": ""} if called else {"content": []}
    empty = {"status": "in_progress", **filled}
    inner = _call_events(at, item) if called else _text_events(at, item["content"][0])
    return [
        {"type": "response.output_item.added", "output_index": index, "item": item | empty},
        *inner,
        {"type": "response.output_item.done", "output_index": index, "item": item},
    ]


def _call_events(at: Json, item: Json) -> list[Json]:
    kind = "response.function_call_arguments"
    deltas = [{"type": f"{kind}.delta", **at, "delta": part} for part in halves(item["arguments"])]
    return [*deltas, {"type": f"{kind}.done", **at, "arguments": item["arguments"]}]


def _text_events(at: Json, part: Json) -> list[Json]:
    at = {**at, "content_index": 0}
    kind = "response.output_text"
    return [
        {"type": "response.content_part.added", **at, "part": {**part, "text": ""}},
        *({"type": f"{kind}.delta", **at, "delta": word} for word in words(part["text"])),
        {"type": f"{kind}.done", **at, "text": part["text"]},
        {"type": "response.content_part.done", **at, "part": part},
    ]


def gemini_body(part: Json, usage: Usage, model: str, id: str, finish: str | None) -> Json:
    candidate: Json = {"content": {"parts": [part], "role": "model"}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": usage.input,
            "candidatesTokenCount": usage.output,
            "totalTokenCount": usage.input + usage.output,
            "cachedContentTokenCount": usage.cached,
        },
        "modelVersion": model,
        "responseId": id,
    }


def gemini_whole(
    text: str = "",
    usage: Usage = USAGE,
    *,
    call: Call | None = None,
    model: str = MODEL,
    id: str = "gemini-fake",
) -> Json:
    found = gemini_body({"text": text}, usage, model, id, "STOP")
    if call:
        parts: list[Json] = [{"functionCall": {"name": call.name, "args": call.arguments}}]
        found["candidates"][0]["content"]["parts"] = ([{"text": text}] if text else []) + parts
    return found


def gemini_stream(
    text: str = "",
    usage: Usage = USAGE,
    *,
    call: Call | None = None,
    model: str = MODEL,
    id: str = "gemini-fake",
    array: bool = False,
) -> list[bytes]:
    """Give the events of `alt=sse`, or the pieces of a JSON array."""
    parts: list[Json] = [{"text": word} for word in words(text)]
    if call:
        parts.append({"functionCall": {"name": call.name, "args": call.arguments}})
    bodies = [gemini_body(part, usage, model, id, None) for part in parts]
    bodies.append(gemini_body({"text": ""}, usage, model, id, "STOP"))
    texts = [dumps(body) for body in bodies]
    if not array:
        return [f"data: {body}\r\n\r\n".encode() for body in texts]
    return [(",\r\n" if at else "[").encode() + body.encode() for at, body in enumerate(texts)] + [
        b"]"
    ]
