"""A turn in each dialect for tests: its requests, and its replies checked and put together."""

from __future__ import annotations

import itertools
import json
from typing import Any, get_args

from holdgate.core.values.names import DialectName
from tests.fakes.agents import RawReply, post

MODEL = "demo-model"
Json = dict[str, Any]

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "count": {"type": "integer"},
        "mode": {"type": "string", "enum": ["fast", "slow"]},
        "spare": {"type": "string"},
    },
    "required": ["path", "count", "mode"],
}
ARGUMENTS = {"path": "demo", "count": 1, "mode": "fast"}
RESULT = "3 files: a b c"
DIALECTS: tuple[DialectName, ...] = get_args(DialectName)


def body_of(dialect: DialectName, words: str, tools: bool = False, result: str = "") -> Json:
    """A request: what the user said, maybe tools, maybe a call and its result."""
    spec = {"name": "look", "description": "Look.", "parameters": SCHEMA}
    match dialect:
        case "chat":
            turns: list[Json] = [{"role": "user", "content": words}]
            call: Json = {
                "id": "c1",
                "type": "function",
                "function": {"name": "look", "arguments": "{}"},
            }
            if result:
                turns.append({"role": "assistant", "content": None, "tool_calls": [call]})
                turns.append({"role": "tool", "tool_call_id": "c1", "content": result})
            offered: Json = {"tools": [{"type": "function", "function": spec}]} if tools else {}
            return {"model": MODEL, "messages": turns, **offered}
        case "responses":
            turns = [{"role": "user", "content": [{"type": "input_text", "text": words}]}]
            if result:
                called = {"type": "function_call", "call_id": "c1", "name": "look"}
                turns.append({**called, "arguments": "{}"})
                turns.append({"type": "function_call_output", "call_id": "c1", "output": result})
            offered = {"tools": [{"type": "function", **spec}]} if tools else {}
            return {"model": MODEL, "input": turns, **offered}
        case "messages":
            turns = [{"role": "user", "content": words}]
            if result:
                use: Json = {"type": "tool_use", "id": "c1", "name": "look", "input": {}}
                done = {"type": "tool_result", "tool_use_id": "c1", "content": result}
                turns.append({"role": "assistant", "content": [use]})
                turns.append({"role": "user", "content": [done, {"type": "text", "text": "tool"}]})
            offered = {"tools": [{"name": "look", "input_schema": SCHEMA}]} if tools else {}
            return {"model": MODEL, "max_tokens": 500, "messages": turns, **offered}
        case "gemini":
            turns = [{"role": "user", "parts": [{"text": words}]}]
            if result:
                response = {"name": "look", "response": {"output": result}}
                turns.append(
                    {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]}
                )
                turns.append({"role": "user", "parts": [{"functionResponse": response}]})
            offered = {"tools": [{"functionDeclarations": [spec]}]} if tools else {}
            return {"contents": turns, **offered}


async def ask(url: str, dialect: DialectName, body: Json, stream: bool = False) -> RawReply:
    verb = "streamGenerateContent?alt=sse" if stream else "generateContent"
    path = {
        "chat": "/v1/chat/completions",
        "responses": "/v1/responses",
        "messages": "/v1/messages",
        "gemini": f"/v1beta/models/{MODEL}:{verb}",
    }[dialect]
    streamed = {"stream": True} if stream and dialect != "gemini" else {}
    return await post(url + path, {**body, **streamed})


def said(dialect: DialectName, reply: Json) -> tuple[str, list[tuple[str, Json]], str]:
    """The text, the calls and the end of a whole reply."""
    match dialect:
        case "chat":
            choice = reply["choices"][0]
            calls = [call["function"] for call in choice["message"].get("tool_calls", [])]
            found = [(call["name"], json.loads(call["arguments"])) for call in calls]
            return choice["message"]["content"] or "", found, choice["finish_reason"]
        case "responses":
            items = reply["output"]
            texts = [part["text"] for item in items for part in item.get("content", [])]
            calls = [item for item in items if item["type"] == "function_call"]
            found = [(call["name"], json.loads(call["arguments"])) for call in calls]
            return "".join(texts), found, reply["status"]
        case "messages":
            blocks = reply["content"]
            found = [(b["name"], b["input"]) for b in blocks if b["type"] == "tool_use"]
            return "".join(b.get("text", "") for b in blocks), found, reply["stop_reason"]
        case "gemini":
            parts = reply["candidates"][0]["content"]["parts"]
            calls = [part["functionCall"] for part in parts if "functionCall" in part]
            found = [(call["name"], call["args"]) for call in calls]
            text = "".join(part.get("text", "") for part in parts)
            return text, found, reply["candidates"][0]["finishReason"]


def gather_chat(events: list[tuple[str, str]]) -> Json:
    assert events[-1] == ("", "[DONE]")
    chunks = [json.loads(data) for _, data in events[:-1]]
    assert len({chunk["id"] for chunk in chunks}) == 1
    choices = [chunk["choices"][0] for chunk in chunks if chunk["choices"]]
    deltas = [choice["delta"] for choice in choices]
    assert deltas[0]["role"] == "assistant" and all("role" not in d for d in deltas[1:])
    assert [c["finish_reason"] for c in choices[:-1]] == [None] * (len(choices) - 1)
    parts = [call for delta in deltas for call in delta.get("tool_calls", [])]
    assert all(part["index"] == 0 for part in parts)
    assert all("id" not in part and "name" not in part["function"] for part in parts[1:])
    message: Json = {"content": "".join(delta.get("content") or "" for delta in deltas)}
    if parts:
        whole = "".join(part["function"]["arguments"] for part in parts)
        name = parts[0]["function"]["name"]
        message["tool_calls"] = [{"function": {"name": name, "arguments": whole}}]
    last = {"message": message, "finish_reason": choices[-1]["finish_reason"]}
    return {"choices": [last], "usage": chunks[-1].get("usage")}


def gather_responses(events: list[tuple[str, str]]) -> Json:
    datas = [json.loads(data) for _, data in events]
    assert [name for name, _ in events] == [data["type"] for data in datas]
    assert [data["sequence_number"] for data in datas] == list(range(len(datas)))
    kinds = [kind for kind, _ in itertools.groupby(data["type"] for data in datas)]
    inner = ["content_part.added", "output_text.delta", "output_text.done", "content_part.done"]
    if datas[2]["item"]["type"] == "function_call":
        inner = ["function_call_arguments.delta", "function_call_arguments.done"]
    order = ["created", "in_progress", "output_item.added", *inner, "output_item.done"]
    assert kinds[:-1] == [f"response.{kind}" for kind in order]
    final: Json = datas[-1]["response"]
    assert kinds[-1] == f"response.{final['status']}"
    assert {data["response"]["id"] for data in datas if "response" in data} == {final["id"]}
    items = {data["item"]["id"] for data in datas if "item" in data}
    assert items == {data["item_id"] for data in datas if "item_id" in data}
    assert items == {final["output"][0]["id"]}
    deltas = "".join(data.get("delta", "") for data in datas)
    item = final["output"][0]
    assert deltas == (item["content"][0]["text"] if "content" in item else item["arguments"])
    return final


def gather_messages(events: list[tuple[str, str]]) -> Json:
    datas = [json.loads(data) for _, data in events if data != '{"type":"ping"}']
    assert [name for name, _ in events if name != "ping"] == [data["type"] for data in datas]
    assert [kind for kind, _ in itertools.groupby(data["type"] for data in datas)] == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert all(data["index"] == 0 for data in datas if "index" in data)
    block: Json = dict(datas[1]["content_block"])
    deltas = [data["delta"] for data in datas if data["type"] == "content_block_delta"]
    if block["type"] == "tool_use":
        block["input"] = json.loads("".join(delta["partial_json"] for delta in deltas))
    else:
        block["text"] = "".join(delta["text"] for delta in deltas)
    end = datas[-2]
    assert datas[0]["message"]["usage"]["input_tokens"] == end["usage"]["input_tokens"]
    reason = end["delta"]["stop_reason"]
    return {**datas[0]["message"], "content": [block], "stop_reason": reason, "usage": end["usage"]}


def gather_gemini(chunks: list[Json]) -> Json:
    assert len({chunk["responseId"] for chunk in chunks}) == 1
    candidates = [chunk["candidates"][0] for chunk in chunks]
    assert all("finishReason" not in candidate for candidate in candidates[:-1])
    parts = [part for candidate in candidates for part in candidate["content"]["parts"]]
    last = {**candidates[-1], "content": {"parts": parts, "role": "model"}}
    return {"candidates": [last], "usageMetadata": chunks[-1]["usageMetadata"]}


def gather(dialect: DialectName, reply: RawReply) -> Json:
    """Check a stream's order and put it together to a whole reply."""
    match dialect:
        case "chat":
            return gather_chat(reply.events)
        case "responses":
            return gather_responses(reply.events)
        case "messages":
            return gather_messages(reply.events)
        case "gemini":
            return gather_gemini([json.loads(data) for _, data in reply.events])
