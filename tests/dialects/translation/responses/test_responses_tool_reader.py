"""An agent's tools and its choice among them."""

from __future__ import annotations

import pytest

from holdgate.core.values.neutral import (
    Choice,
    Custom,
    Function,
    Hosted,
    Namespace,
    Result,
    Text,
)
from tests.dialects.translation.responses.responses_feeding import OURS, read


def test_tools_keep_their_json() -> None:
    schema = '{"type": "object", "properties": {"n": {"maximum": 123456789012345678901234567890}}}'
    grammar = '{"type":"grammar","syntax":"lark","definition":"start: /.+/s"}'
    body = (
        '{"model":"m","input":"hi","tools":['
        f'{{"type":"function","name":"f","description":"d","parameters":{schema},"strict":true}},'
        '{"type":"function","name":"now","parameters":null},'
        f'{{"type":"custom","name":"patch","format":{grammar}}},'
        '{"type":"namespace","name":"ns","description":"n","tools":[{"type":"function","name":"g"}]},'
        '{"type":"web_search_preview_2025_03_11"},{"type":"image_generation"}]}'
    )
    assert OURS.read_request(body.encode(), "m", "sse").tools == (
        Function("f", "d", schema.encode(), True),
        Function("now"),
        Custom("patch", "", grammar.encode()),
        Namespace("ns", (Function("g"),), "n"),
        Hosted("web_search", b'{"type":"web_search_preview_2025_03_11"}'),
        Hosted("image_generation", b'{"type":"image_generation"}'),
    )


def test_items_bring_tools_along() -> None:
    tool = {"type": "function", "name": "f"}
    found = {"type": "tool_search_output", "call_id": "1", "tools": [{**tool, "name": "g"}, tool]}
    more = {"type": "additional_tools", "role": "developer", "tools": [{**tool, "name": "h"}]}
    request = read(tools=[tool], input=[found, more])
    assert request.tools == (Function("f"), Function("g"), Function("h"))
    assert request.messages[0].parts == (Result("1", (Text("found: g, f"),), name="tool_search"),)


@pytest.mark.parametrize(
    ("said", "choice"),
    [
        ("auto", Choice("auto")),
        ("none", Choice("none")),
        ("required", Choice("required")),
        ({"type": "function", "name": "f"}, Choice("one", ("f",))),
        ({"type": "custom", "name": "p"}, Choice("one", ("p",))),
        (
            {
                "type": "allowed_tools",
                "mode": "required",
                "tools": [{"type": "function", "name": "f"}],
            },
            Choice("required", ("f",)),
        ),
        (None, None),
    ],
)
def test_tool_choice(said: object, choice: Choice | None) -> None:
    assert read(tool_choice=said).choice == choice


def test_a_choice_of_a_hosted_tool_is_lost() -> None:
    request = read(tool_choice={"type": "file_search"})
    assert request.choice is None
    assert [loss.path for loss in request.losses] == ["tool_choice"]
