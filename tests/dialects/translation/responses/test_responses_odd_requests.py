"""What agents send that is not quite as the reference has it."""

from __future__ import annotations

from typing import Any

import pytest

from holdgate.core.values.errors import Fault
from holdgate.core.values.neutral import (
    Choice,
    Custom,
    Document,
    Format,
    Function,
    Image,
    Message,
    Reasoning,
    Refusal,
    Request,
    Result,
    Text,
)
from tests.dialects.translation.responses.responses_feeding import OURS, read, write


def test_content_in_odd_forms() -> None:
    request = read(
        input=[
            "bare",
            {"role": "user", "content": None},
            {"role": "user", "content": ["a", {"text": "b"}, {"type": "input_text", "text": None}]},
            {
                "role": "user",
                "content": [{"type": "input_image", "image_url": {"url": "https://x"}}],
            },
            {"role": "user", "content": [{"type": "input_image", "image_url": "data:text,no"}]},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
        ]
    )
    assert [each.parts for each in request.messages] == [
        (Text("bare"),),
        (),
        (Text("a"), Text("b"), Text("")),
        (Image(url="https://x"),),
        (Image(url="data:text,no"),),
        (Refusal("no"),),
    ]


def test_media_without_anything_in_them() -> None:
    content = [
        {"type": "input_image"},
        {"type": "input_file"},
        {"type": "input_file", "file_id": "f"},
    ]
    request = read(input=[{"role": "user", "content": content}])
    assert request.messages[0].parts == (Document(file_id="f"),)
    assert [loss.grave for loss in request.losses] == [True, True]


@pytest.mark.parametrize(
    ("output", "parts"),
    [
        (None, ()),
        (5, (Text("5"),)),
        ({"a": 1}, (Text('{"a":1}'),)),
        ([{"a": 1}], (Text('[{"a":1}]'),)),
        ([{"type": "refusal", "refusal": "no"}], (Text("no"),)),
        ([{"type": "input_audio", "data": "QQ"}], ()),
        (
            {"type": "computer_screenshot", "image_url": "https://x"},
            (Image(url="https://x"),),
        ),
    ],
)
def test_outputs_in_odd_forms(output: object, parts: tuple[Text | Image, ...]) -> None:
    request = read(input=[{"type": "function_call_output", "call_id": "1", "output": output}])
    assert request.messages == (Message("user", (Result("1", parts),)),)


def test_arguments_that_are_no_text() -> None:
    calls = [
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": {"a": 1}},
        {"type": "custom_tool_call", "call_id": "2", "name": "p"},
        {"type": "local_shell_call", "call_id": "3"},
        {"type": "tool_search_call", "call_id": "4", "arguments": '{"query":"a"}'},
    ]
    parts: Any = read(input=calls).messages[0].parts
    assert [part.arguments for part in parts] == ['{"a":1}', "", "{}", '{"query":"a"}']


def test_hosted_tools_that_said_nothing() -> None:
    found = {"type": "file_search_call", "results": [{"text": "a"}, {}]}
    nothing = {"type": "file_search_call", "results": None}
    between = {"type": "agent_message", "content": [{"type": "input_text", "text": "b"}]}
    request = read(input=[found, nothing, between])
    said = (Text("[found in files]\na"), Text("b"))
    assert request.messages == (Message("assistant", said),)
    assert [loss.path for loss in request.losses] == ["input[0]", "input[1]", "input[2]"]


def test_tools_as_chat_has_them_and_without_a_type() -> None:
    tools = [
        {"type": "function", "function": {"name": "f", "parameters": {}}},
        {"name": "g", "strict": "yes"},
        {"type": "custom", "custom": {"name": "p"}},
        {"name": "g"},
    ]
    assert read(tools=tools).tools == (
        Function("f", parameters=b"{}"),
        Function("g"),
        Custom("p"),
    )
    choice = {"type": "function", "function": {"name": "f"}}
    assert read(tool_choice=choice).choice == Choice("one", ("f",))
    assert read(tool_choice={"type": "auto"}).choice == Choice("auto")


def test_what_is_within_a_namespace() -> None:
    inner = [{"type": "web_search"}, {"type": "function", "name": "f"}]
    request = read(tools=[{"type": "namespace", "name": "ns", "tools": inner}])
    assert [(loss.path, loss.grave) for loss in request.losses] == [("tools[0]", True)]


def test_instructions_as_a_response_repeats_them() -> None:
    item = {"role": "developer", "content": "be"}
    assert read(instructions=[item]).messages[0] == Message("developer", (Text("be"),))
    assert read(input=None).messages == ()


def test_formats_that_nobody_knows() -> None:
    request = read(text={"format": {"type": "xml"}})
    assert (request.format, request.losses[0].grave) == (None, True)
    assert read(text={"format": {"type": "json_schema", "schema": 5}}).format == Format()


@pytest.mark.parametrize(
    "body",
    [
        {"input": [{"type": "additional_tools", "tools": 5}]},
        {"input": [{"role": "user", "content": [{"type": "input_text", "text": 5}]}]},
        {"user": 5},
    ],
)
def test_wrong_types(body: dict[str, object]) -> None:
    with pytest.raises(Fault):
        read(**body)


def test_numbers_beyond_all_bounds() -> None:
    with pytest.raises(Fault):
        OURS.read_request(b'{"model":"m","max_output_tokens":1e999}', "m", "sse")


def test_reasoning_without_text_and_seals_of_several_makers_are_written_as_nothing() -> None:
    parts = (Reasoning("a"), Image(url="https://x"), Text(""))
    body, written = write(Request("chat", "m", (Message("assistant", parts),)))
    assert body["input"] == []
    assert [loss.grave for loss in written.losses] == [True]
