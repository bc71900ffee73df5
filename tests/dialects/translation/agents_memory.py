"""What agents keep of a reply for their next request, in their own dialects: history as JSON.

`remembered` takes a reply and gives the entries that an agent adds to its messages; `answered` the
results of its calls; `asked` gives the body of its next request.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from holdgate.core.values.names import DialectName

Entry = dict[str, Any]


def remembered(dialect: DialectName, stream: bytes) -> list[Entry]:
    """Give the entries of a streamed answer."""
    events = list(_events(stream))
    match dialect:
        case "chat":
            return [_of_chat(events)]
        case "responses":
            return list(events[-1]["response"]["output"])
        case "messages":
            return [{"role": "assistant", "content": list(_blocks(events))}]
        case "gemini":
            parts = [
                part
                for event in events
                for candidate in event.get("candidates", ())
                for part in candidate.get("content", {}).get("parts", ())
            ]
            return [{"role": "model", "parts": parts}]


def remembered_whole(dialect: DialectName, body: bytes) -> list[Entry]:
    """Give the entries of an answer that was not streamed."""
    found = json.loads(body)
    match dialect:
        case "chat":
            return [found["choices"][0]["message"]]
        case "responses":
            return list(found["output"])
        case "messages":
            return [{"role": "assistant", "content": found["content"]}]
        case "gemini":
            return [found["candidates"][0]["content"]]


def said(dialect: DialectName, text: str) -> Entry:
    """Give the person's next words."""
    if dialect == "gemini":
        return {"role": "user", "parts": [{"text": text}]}
    return {"role": "user", "content": text}


def answered(dialect: DialectName, entries: list[Entry], text: str) -> list[Entry]:
    """Give the results of all calls in an answer, as the agent adds them."""
    match dialect:
        case "chat":
            calls = entries[-1].get("tool_calls", ())
            return [{"role": "tool", "tool_call_id": c["id"], "content": text} for c in calls]
        case "responses":
            return [
                {"type": "function_call_output", "call_id": item["call_id"], "output": text}
                for item in entries
                if item["type"] == "function_call"
            ]
        case "messages":
            blocks = [
                {"type": "tool_result", "tool_use_id": block["id"], "content": text}
                for block in entries[-1]["content"]
                if block["type"] == "tool_use"
            ]
            return [{"role": "user", "content": blocks}] if blocks else []
        case "gemini":
            parts = [
                {"functionResponse": {**_named(part["functionCall"]), "response": {"output": text}}}
                for part in entries[-1]["parts"]
                if "functionCall" in part
            ]
            return [{"role": "user", "parts": parts}] if parts else []


def asked(dialect: DialectName, history: list[Entry], **more: Any) -> bytes:
    """Give the body of a request with this history."""
    name = {"responses": "input", "gemini": "contents"}.get(dialect, "messages")
    limit = {"max_tokens": 20_000} if dialect == "messages" else {}
    return json.dumps({name: history, **limit, **more}).encode()


def _named(call: Entry) -> Entry:
    return {name: call[name] for name in ("id", "name") if name in call}


def _events(stream: bytes) -> Iterator[Any]:
    for line in stream.decode().split("\n"):
        data = line.removeprefix("data:").strip()
        if line.startswith("data:") and data != "[DONE]":
            yield json.loads(data)


def _of_chat(events: list[Any]) -> Entry:
    message: Entry = {"role": "assistant", "content": ""}
    for event in events:
        for choice in event["choices"]:
            delta = choice["delta"]
            for name in ("content", "reasoning_content"):
                if delta.get(name):
                    message[name] = message.get(name, "") + delta[name]
            for name in ("reasoning_details", "extra_content"):
                if name == "extra_content" and name in delta:
                    message[name] = delta[name]
                elif name in delta:
                    message.setdefault(name, []).extend(delta[name])
            for call in delta.get("tool_calls", ()):
                _add_call(message.setdefault("tool_calls", []), call)
    return message


def _add_call(calls: list[Entry], delta: Entry) -> None:
    if delta["index"] == len(calls):
        calls.append({"type": "function", "function": {"name": "", "arguments": ""}})
    call = calls[delta["index"]]
    for name in ("id", "extra_content"):
        if name in delta:
            call[name] = delta[name]
    for name, text in delta.get("function", {}).items():
        call["function"][name] += text


def _blocks(events: list[Any]) -> Iterator[Entry]:
    block: Entry = {}
    given = ""
    for event in events:
        match event:
            case {"type": "content_block_start", "content_block": dict(begun)}:
                block, given = dict(begun), ""
            case {"type": "content_block_delta", "delta": {"type": "input_json_delta"} as delta}:
                given += delta["partial_json"]
            case {"type": "content_block_delta", "delta": dict(delta)}:
                for name, text in delta.items():
                    if name != "type":
                        block[name] = block.get(name, "") + text
            case {"type": "content_block_stop"}:
                if block["type"] == "tool_use":
                    block["input"] = json.loads(given or "{}")
                yield block
