"""What a vendor answers, as its own stream and as a whole reply, in each dialect."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from holdgate.core.values.names import DialectName
from tests.dialects.streams import sse, typed

Json = dict[str, Any]

VENDOR_ID = "vendor-1"
VENDOR_MODEL = "vendor-model-2026"


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said, in the pieces it is said in; `calls` are names with JSON texts."""

    thoughts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    calls: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        return "".join(self.words)

    @property
    def reasoning(self) -> str:
        return "".join(self.thoughts)


_PIECES = st.lists(st.text(min_size=1, max_size=8), max_size=4).map(tuple)
_ARGUMENTS = st.sampled_from(["{}", '{"n":12345678901234567890123}', '{"x":1.5e2,"y":"é\\n"}'])
_CALLS = st.lists(st.tuples(st.sampled_from(["look", "run"]), _ARGUMENTS), max_size=3).map(tuple)
ANSWERS = st.builds(Answer, _PIECES, _PIECES, _CALLS).filter(
    lambda answer: bool(answer.words or answer.calls)
)

CHAT_USAGE: Json = {
    "prompt_tokens": 100,
    "completion_tokens": 30,
    "total_tokens": 130,
    "prompt_tokens_details": {"cached_tokens": 64},
}
RESPONSES_USAGE: Json = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 64},
    "output_tokens": 30,
    "output_tokens_details": {"reasoning_tokens": 20},
    "total_tokens": 130,
}
MESSAGES_USAGE: Json = {
    "input_tokens": 36,
    "cache_creation_input_tokens": 7,
    "cache_read_input_tokens": 64,
    "cache_creation": {"ephemeral_5m_input_tokens": 7, "ephemeral_1h_input_tokens": 0},
    "service_tier": "standard",
    "output_tokens": 30,
}
GEMINI_USAGE: Json = {
    "promptTokenCount": 100,
    "candidatesTokenCount": 10,
    "thoughtsTokenCount": 20,
    "cachedContentTokenCount": 64,
    "totalTokenCount": 130,
}


def stream(dialect: DialectName, answer: Answer) -> list[bytes]:
    """Give the events of the vendor's own stream."""
    match dialect:
        case "chat":
            return _chat_stream(answer)
        case "responses":
            return _responses_stream(answer)
        case "messages":
            return _messages_stream(answer)
        case "gemini":
            return [sse(body) for body in gemini_bodies(answer)]


def whole(dialect: DialectName, answer: Answer) -> bytes:
    """Give the vendor's whole reply, indented as some write it.

    Arguments that are objects in the dialect keep their text: numbers must not change.
    """
    match dialect:
        case "chat":
            body, objects = _chat_whole(answer), False
        case "responses":
            body, objects = response(answer), False
        case "messages":
            body, objects = _messages_whole(answer), True
        case "gemini":
            body, objects = _gemini_whole(answer), True
    text = json.dumps(body, indent=1)
    if objects:
        for number, (_, arguments) in enumerate(answer.calls):
            text = text.replace(f'"arguments {number}"', arguments)
    return text.encode()


def _chat_calls(answer: Answer) -> list[Json]:
    return [
        {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": text}}
        for at, (name, text) in enumerate(answer.calls)
    ]


def _chat_stream(answer: Answer) -> list[bytes]:
    head = {"id": VENDOR_ID, "object": "chat.completion.chunk", "created": 7, "model": VENDOR_MODEL}

    def chunk(delta: Json, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return sse({**head, "system_fingerprint": "fp", "choices": [choice], "usage": None})

    said = [chunk({"role": "assistant", "content": "", "refusal": None})]
    said += [chunk({"reasoning_content": piece}) for piece in answer.thoughts]
    said += [chunk({"role": "assistant", "content": piece}) for piece in answer.words]
    for at, call in enumerate(_chat_calls(answer)):
        text = call["function"]["arguments"]
        first = {**call, "function": {**call["function"], "arguments": text[:3]}}
        said.append(chunk({"tool_calls": [{"index": at, **first}]}))
        said.append(chunk({"tool_calls": [{"index": at, "function": {"arguments": text[3:]}}]}))
    said.append(chunk({}, "tool_calls" if answer.calls else "stop"))
    said.append(sse({**head, "choices": [], "usage": CHAT_USAGE}))
    return [*said, sse(b"[DONE]")]


def _chat_whole(answer: Answer) -> Json:
    message: Json = {"role": "assistant", "content": answer.text or None, "refusal": None}
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    if answer.calls:
        message["tool_calls"] = _chat_calls(answer)
    finish = "tool_calls" if answer.calls else "stop"
    return {
        "id": VENDOR_ID,
        "object": "chat.completion",
        "created": 7,
        "model": VENDOR_MODEL,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": CHAT_USAGE,
    }


def _blocks(answer: Answer) -> list[Json]:
    blocks: list[Json] = []
    if answer.thoughts:
        blocks.append({"type": "thinking", "thinking": answer.reasoning, "signature": "Sig=="})
        blocks.append({"type": "redacted_thinking", "data": "Opaque=="})
    if answer.words:
        blocks.append({"type": "text", "text": answer.text})
    return blocks + [
        {"type": "tool_use", "id": f"call_{at}", "name": name, "input": f"arguments {at}"}
        for at, (name, _) in enumerate(answer.calls)
    ]


def _messages_whole(answer: Answer) -> Json:
    return {
        "id": VENDOR_ID,
        "type": "message",
        "role": "assistant",
        "model": VENDOR_MODEL,
        "content": _blocks(answer),
        "stop_reason": "tool_use" if answer.calls else "end_turn",
        "stop_sequence": None,
        "usage": MESSAGES_USAGE,
    }


def _messages_stream(answer: Answer) -> list[bytes]:
    whole = _messages_whole(answer)
    begun: Json = {
        "content": [],
        "stop_reason": None,
        "usage": {**MESSAGES_USAGE, "output_tokens": 1},
    }
    said = [typed("message_start", message=whole | begun), typed("ping")]
    calls = iter(answer.calls)
    for index, block in enumerate(whole["content"]):
        kind = block["type"]
        empty: Json = {}
        deltas: list[Json] = []
        if kind == "thinking":
            empty = {"thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in answer.thoughts]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        elif kind == "text":
            empty = {"text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in answer.words]
        elif kind == "tool_use":
            empty, text = {"input": {}}, next(calls)[1]
            parts = ("", text[:3], text[3:])
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
        said.append(typed("content_block_start", index=index, content_block=block | empty))
        said += [typed("content_block_delta", index=index, delta=delta) for delta in deltas]
        said.append(typed("content_block_stop", index=index))
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    said.append(typed("message_delta", delta=end, usage={"output_tokens": 30}))
    return [*said, typed("message_stop")]


def response(answer: Answer) -> Json:
    """Give a whole reply of the dialect responses."""
    output: list[Json] = []
    if answer.thoughts:
        summary = [{"type": "summary_text", "text": answer.reasoning}]
        sealed = {"encrypted_content": "Opaque=="}
        output.append({"id": "rs_1", "type": "reasoning", "summary": summary, **sealed})
    if answer.words:
        part = {"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []}
        head = {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant"}
        output.append({**head, "content": [part]})
    for at, (name, text) in enumerate(answer.calls):
        call = {"call_id": f"call_{at}", "name": name, "arguments": text}
        output.append({"id": f"fc_{at}", "type": "function_call", "status": "completed", **call})
    return {
        "id": VENDOR_ID,
        "object": "response",
        "created_at": 7,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": VENDOR_MODEL,
        "output": output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": RESPONSES_USAGE,
    }


def _responses_stream(answer: Answer) -> list[bytes]:
    whole = response(answer)
    begun = whole | {"status": "in_progress", "output": [], "usage": None}
    said: list[Json] = [
        {"type": f"response.{kind}", "response": begun}
        for kind in ("created", "queued", "in_progress")
    ]
    for index, item in enumerate(whole["output"]):
        said += _item_events(index, item, answer)
    said.append({"type": "response.completed", "response": whole})
    # The vendor's numbers start anywhere: only ours count.
    return [
        sse({**event, "sequence_number": number}, event["type"])
        for number, event in enumerate(said, 40)
    ]


def _item_events(index: int, item: Json, answer: Answer) -> list[Json]:
    at: Json = {"item_id": item["id"], "output_index": index}
    match item["type"]:
        case "reasoning":
            empty: Json = {"summary": []}
            here, member = {**at, "summary_index": 0}, "text"
            frame, kind = "response.reasoning_summary_part", "response.reasoning_summary_text"
            pieces, part = answer.thoughts, item["summary"][0]
        case "message":
            empty = {"content": [], "status": "in_progress"}
            here, member = {**at, "content_index": 0}, "text"
            frame, kind = "response.content_part", "response.output_text"
            pieces, part = answer.words, item["content"][0]
        case _:
            empty = {"arguments": "", "status": "in_progress"}
            here, member, frame = at, "arguments", ""
            kind, part = "response.function_call_arguments", item
            pieces = (item["arguments"][:3], item["arguments"][3:])
    said: list[Json] = [
        *({"type": f"{kind}.delta", **here, "delta": piece} for piece in pieces),
        {"type": f"{kind}.done", **here, member: part[member]},
    ]
    if frame:
        added = {"type": f"{frame}.added", **here, "part": {**part, "text": ""}}
        said = [added, *said, {"type": f"{frame}.done", **here, "part": part}]
    return [
        {"type": "response.output_item.added", "output_index": index, "item": item | empty},
        *said,
        {"type": "response.output_item.done", "output_index": index, "item": item},
    ]


def _gemini_body(parts: list[Json], finish: str | None) -> Json:
    candidate: Json = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    ids = {"modelVersion": VENDOR_MODEL, "responseId": VENDOR_ID}
    return {"candidates": [candidate], "usageMetadata": GEMINI_USAGE, **ids}


def _gemini_call(at: int, name: str, args: object) -> Json:
    return {"functionCall": {"id": f"call_{at}", "name": name, "args": args}}


def gemini_bodies(answer: Answer) -> list[bytes]:
    """Give the chunks of a Gemini stream, without their framing."""
    said: list[list[Json]] = [[{"text": piece, "thought": True}] for piece in answer.thoughts]
    said += [[{"text": piece}] for piece in answer.words]
    texts = [json.dumps(_gemini_body(parts, None)).encode() for parts in said]
    for at, (name, arguments) in enumerate(answer.calls):
        text = json.dumps(_gemini_body([_gemini_call(at, name, "arguments")], None))
        texts.append(text.replace('"arguments"', arguments).encode())
    return [*texts, json.dumps(_gemini_body([{"text": ""}], "STOP")).encode()]


def _gemini_whole(answer: Answer) -> Json:
    parts: list[Json] = []
    if answer.thoughts:
        parts.append({"text": answer.reasoning, "thought": True})
    if answer.words:
        parts.append({"text": answer.text})
    parts += [
        _gemini_call(at, name, f"arguments {at}") for at, (name, _) in enumerate(answer.calls)
    ]
    return _gemini_body(parts, "STOP")
