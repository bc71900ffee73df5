"""What an agent reads of a stream, and the rules of each dialect's order of events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from holdgate.core.values.names import DialectName
from holdgate.core.wire.sse import Splitter, parse_event

Json = dict[str, Any]


@dataclass(slots=True)
class Read:
    """An answer as an agent puts it together.

    `ids` and `models` are all that were told, `openings` how often a chat stream said its role.
    """

    reasoning: str = ""
    text: str = ""
    calls: list[list[Any]] = field(default_factory=list)
    usage: Json | None = None
    end: str = ""
    ids: set[str] = field(default_factory=set)
    models: set[str] = field(default_factory=set)
    openings: int = 1

    @property
    def answer(self) -> tuple[object, ...]:
        """What must be the same, whoever opened the stream."""
        return (self.reasoning, self.text, self.calls, self.usage, self.end)


def exact(text: str | bytes) -> Any:
    """Read JSON so that numbers that look different are different."""
    return json.loads(text, parse_float=Decimal)


def read(dialect: DialectName, stream: bytes, *, array: bool = False) -> Read:
    """Read a stream that ended well. Fails where the dialect's order is broken."""
    if dialect == "gemini":
        return _gemini(exact(stream) if array else [exact(data) for _, data in events(stream)])
    if dialect == "chat":
        return _chat([data for _, data in events(stream)])
    bodies = []
    for name, data in events(stream):
        bodies.append(exact(data))
        assert bodies[-1]["type"] == name
    return _messages(bodies) if dialect == "messages" else _responses(bodies)


def events(stream: bytes) -> Iterator[tuple[str, bytes]]:
    """Give names and data; comments and pings are skipped, as clients do."""
    splitter = Splitter()
    for raw in [*splitter.feed(stream), splitter.close()]:
        event = parse_event(raw)
        if event.data is not None and event.name != "ping":
            yield event.name, event.data


def _chat(data: list[bytes]) -> Read:
    told = Read(openings=0)
    assert data.pop() == b"[DONE]"
    for number, chunk in enumerate(map(exact, data)):
        told.ids.add(chunk["id"])
        told.models.add(chunk["model"])
        assert chunk["object"] == "chat.completion.chunk"
        if chunk.get("usage"):
            assert told.end and number == len(data) - 1
            told.usage = chunk["usage"]
        for choice in chunk["choices"]:
            assert not told.end
            assert number or choice["delta"]["role"] == "assistant"
            told.openings += "role" in choice["delta"]
            _chat_delta(told, choice["delta"])
            told.end = choice["finish_reason"] or ""
    assert told.end
    return told


def _chat_delta(told: Read, delta: Json) -> None:
    told.text += delta.get("content") or ""
    told.reasoning += delta.get("reasoning_content") or ""
    for call in delta.get("tool_calls", ()):
        if call["index"] == len(told.calls):
            told.calls.append([call["id"], call["function"]["name"], ""])
        else:
            assert "id" not in call
        told.calls[call["index"]][2] += call["function"]["arguments"]


def _messages(bodies: list[Json]) -> Read:
    told = Read()
    start, stop = bodies.pop(0), bodies.pop()
    assert (start["type"], stop["type"]) == ("message_start", "message_stop")
    told.ids.add(start["message"]["id"])
    told.models.add(start["message"]["model"])
    assert start["message"]["content"] == []
    blocks, block = 0, None
    for body in bodies:
        assert not told.end
        match body["type"]:
            case "content_block_start":
                assert block is None and body["index"] == blocks
                block, blocks = body["content_block"], blocks + 1
                _messages_block(told, block)
            case "content_block_delta":
                assert block is not None and body["index"] == blocks - 1
                _messages_delta(told, block["type"], body["delta"])
            case "content_block_stop":
                assert block is not None and body["index"] == blocks - 1
                block = None
            case "message_delta":
                assert block is None
                assert body["delta"]["stop_reason"] or not blocks
                told.end = body["delta"]["stop_reason"] or ""
                told.usage = body["usage"]
            case kind:
                raise AssertionError(kind)
    assert told.end and told.usage
    told.usage = {**start["message"]["usage"], **told.usage}
    return told


def _messages_block(told: Read, block: Json) -> None:
    match block["type"]:
        case "text":
            assert block["text"] == ""
        case "thinking":
            assert (block["thinking"], block["signature"]) == ("", "")
        case "tool_use":
            assert block["input"] == {}
            told.calls.append([block["id"], block["name"], ""])
        case "redacted_thinking":
            told.reasoning += f"<{block['data']}>"
        case kind:
            raise AssertionError(kind)


def _messages_delta(told: Read, block: str, delta: Json) -> None:
    match block, delta["type"]:
        case "text", "text_delta":
            told.text += delta["text"]
        case "thinking", "thinking_delta":
            told.reasoning += delta["thinking"]
        case "thinking", "signature_delta":
            told.reasoning += f"<{delta['signature']}>"
        case "tool_use", "input_json_delta":
            told.calls[-1][2] += delta["partial_json"]
        case pair:
            raise AssertionError(pair)


def _responses(bodies: list[Json]) -> Read:
    told = Read()
    first = bodies[0]["sequence_number"]
    assert [body["sequence_number"] for body in bodies] == [first + n for n in range(len(bodies))]
    for body in bodies:
        if "response" in body:
            told.ids.add(body["response"]["id"])
            told.models.add(body["response"]["model"])
    kinds = [body["type"] for body in bodies]
    assert kinds[0] == "response.created" and kinds.count("response.created") == 1
    end = bodies[-1]["response"]
    told.end, told.usage = end["status"], end["usage"]
    assert kinds[-1] == f"response.{told.end}"
    inner = [body for body in bodies[:-1] if "response" not in body]
    lead = len(bodies) - 1 - len(inner)
    assert set(kinds[1:lead]) <= {"response.in_progress", "response.queued"}
    for index, item in enumerate(end["output"]):
        mine = [body for body in inner if body["output_index"] == index]
        assert inner[: len(mine)] == mine
        del inner[: len(mine)]
        _item(told, item, mine)
    assert inner == []
    return told


def _item(told: Read, item: Json, bodies: list[Json]) -> None:
    """Check the events of one item against the item that the last event repeats."""
    added, done = bodies[0], bodies[-1]
    assert (added["type"], done["type"]) == (
        "response.output_item.added",
        "response.output_item.done",
    )
    assert done["item"] == item and added["item"]["id"] == item["id"]
    assert all(body["item_id"] == item["id"] for body in bodies[1:-1])
    said = "".join(body["delta"] for body in bodies if body["type"].endswith(".delta"))
    kinds = [body["type"].removeprefix("response.") for body in bodies[1:-1]]
    match item["type"]:
        case "function_call":
            assert added["item"]["arguments"] == ""
            assert kinds[-1] == "function_call_arguments.done"
            assert said == item["arguments"]
            told.calls.append([item["call_id"], item["name"], said])
        case "message":
            assert added["item"]["content"] == []
            assert (kinds[0], kinds[-1]) == ("content_part.added", "content_part.done")
            assert said == item["content"][0]["text"]
            told.text += said
        case "reasoning":
            assert added["item"]["summary"] == []
            names = ("reasoning_summary_part.added", "reasoning_summary_part.done")
            assert (kinds[0], kinds[-1]) == names
            assert said == item["summary"][0]["text"]
            told.reasoning += said + item["encrypted_content"]
        case kind:
            raise AssertionError(kind)


def _gemini(bodies: list[Json]) -> Read:
    told = Read()
    for body in bodies:
        told.ids.add(body["responseId"])
        told.models.add(body["modelVersion"])
        told.usage = body.get("usageMetadata", told.usage)
        (candidate,) = body["candidates"]
        assert not told.end
        told.end = candidate.get("finishReason", "")
        for part in candidate["content"]["parts"]:
            if call := part.get("functionCall"):
                told.calls.append([call["id"], call["name"], call["args"]])
            elif part.get("thought"):
                told.reasoning += part["text"]
            else:
                told.text += part["text"]
    assert told.end
    return told
