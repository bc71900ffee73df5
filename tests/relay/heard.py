"""What an agent heard: its answer put together, or its error, with the dialect's rules checked."""

from __future__ import annotations

import json
from typing import Any

from tests.dialects.opened_rules import events, read
from tests.relay.stage import Asking


def answer_of(asking: Asking) -> str:
    """Give the text of a stream that ended well, with our opening or without."""
    assert asking.what == ["start", "end"]
    array = asking.framing == "array"
    return read(asking.dialect, asking.answer if array else asking.body, array=array).text


def error_message(asking: Asking) -> str:
    """Give the message of the stream error that a stream ended with, its shape checked."""
    assert asking.what == ["start", "abort" if asking.dialect == "gemini" else "end"]
    if asking.dialect == "gemini":
        error = json.loads(asking.writes[-1].data)["error"]  # in a write of its own
        assert set(error) == {"code", "message", "status"}
        return str(error["message"])
    found = [(name, json.loads(data)) for name, data in events(asking.body)]
    bodies: list[Any] = [body for _, body in found]
    names = [name for name, _ in found]
    match asking.dialect:
        case "chat":
            assert bodies[0]["choices"][0]["delta"]["role"] == "assistant"
            assert sum('"role"' in json.dumps(body) for body in bodies) == 1
            error = bodies[-1]["error"]
            assert set(error) >= {"message", "type", "code"}
        case "responses":
            assert names.count("response.created") == 1 and names[0] == "response.created"
            assert names[1] == "response.in_progress" and names[-1] == "response.failed"
            first = bodies[0]["sequence_number"]
            numbers = [body["sequence_number"] for body in bodies]
            assert numbers == list(range(first, first + len(bodies)))
            assert len({body["response"]["id"] for body in bodies if "response" in body}) == 1
            assert bodies[-1]["response"]["status"] == "failed"
            error = bodies[-1]["response"]["error"]
            assert error["code"]
        case _:
            assert names.count("message_start") == 1 and names[0] == "message_start"
            assert names[-1] == "error" and bodies[-1]["type"] == "error"
            error = bodies[-1]["error"]
    return str(error["message"])
