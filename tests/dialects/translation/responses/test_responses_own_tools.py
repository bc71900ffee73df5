"""Tools that the dialect defines and the agent runs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.values.neutral import Call, Function, Hosted, Result, Text
from holdgate.core.values.neutral_reply import (
    Began,
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    TextDelta,
)
from tests.dialects.translation.responses.responses_feeding import answered, read, told

SEARCH = {"type": "tool_search", "execution": "client"}
SHELL = {"type": "shell", "environment": {"type": "local"}}
TOOLS = [SEARCH, {"type": "local_shell"}, SHELL, {"type": "apply_patch"}]
Json = dict[str, Any]


def events(name: str, *pieces: str) -> list[Event]:
    deltas: list[Event] = [CallDelta(0, piece) for piece in pieces]
    return [Began(), CallBegan(0, "c", name), *deltas, CallEnded(0), TextDelta("x"), Ended("tool")]


def both(found: list[Event], **request: object) -> Json:
    stream = told(found, **request)
    assert [body["sequence_number"] for body in stream] == list(range(len(stream)))
    output = stream[-1]["response"]["output"]
    assert output == answered(collect(found), **request)["output"]
    assert [body["item"] for body in stream if body["type"].endswith("item.done")] == output
    item: Json = output[0]
    return item


def test_they_are_functions_to_others() -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    own = read(tools=[*TOOLS[1:], SEARCH | {"description": "d", "parameters": schema}]).tools
    assert all(isinstance(tool, Function) for tool in own)
    assert own[-1] == Function("tool_search", "d", json.dumps(schema).encode())
    assert all(json.loads(tool.parameters) for tool in own if isinstance(tool, Function))


def test_what_the_vendor_runs_stays_its_own() -> None:
    container = {"type": "shell", "environment": {"type": "container_auto"}}
    tools = [{"type": "tool_search"}, container]
    assert all(isinstance(tool, Hosted) for tool in read(tools=tools).tools)
    assert both(events("shell", "{}"), tools=tools)["type"] == "function_call"


@pytest.mark.parametrize(
    ("name", "pieces", "item"),
    [
        (
            "tool_search",
            ['{"query":', ' "a"}'],
            {"type": "tool_search_call", "execution": "client", "arguments": {"query": "a"}},
        ),
        (
            "local_shell",
            ['{"command":\n["ls"]}'],
            {"type": "local_shell_call", "action": {"type": "exec", "env": {}, "command": ["ls"]}},
        ),
        (
            "local_shell",
            ["{}"],
            {"type": "local_shell_call", "action": {"type": "exec", "env": {}}},
        ),
        ("shell", ['{"commands":["ls"]}'], {"type": "shell_call", "action": {"commands": ["ls"]}}),
        (
            "apply_patch",
            ['{"type":"delete_file","path":"a"}'],
            {"type": "apply_patch_call", "operation": {"type": "delete_file", "path": "a"}},
        ),
        ("shell", [], {"type": "shell_call", "action": {}}),
        ("shell", ["no"], {"type": "shell_call", "action": {}}),
    ],
)
def test_their_calls_are_items_of_their_own(name: str, pieces: list[str], item: Json) -> None:
    common = {"id": "fc_abc000", "call_id": "c", "status": "completed"}
    assert both(events(name, *pieces), tools=TOOLS) == common | item


def test_they_come_back_as_calls() -> None:
    item = both(events("shell", '{"commands":["ls"]}'), tools=TOOLS)
    output = {"type": "shell_call_output", "call_id": "c", "output": [{"stdout": "a"}]}
    found = read(input=[item, output], tools=TOOLS).messages
    assert found[0].parts == (Call("c", "shell", '{"commands":["ls"]}'),)
    assert found[1].parts == (Result("c", (Text('[{"stdout":"a"}]'),)),)


def test_a_function_of_the_same_name_is_a_function() -> None:
    tools = [{"type": "apply_patch"}, {"type": "function", "name": "apply_patch"}]
    assert both(events("apply_patch", "{}"), tools=tools)["type"] == "function_call"
