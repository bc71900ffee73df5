"""What a Messages vendor is sent."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from holdgate.core.dialects.translation.base import Target, ToolRef, Written
from holdgate.core.dialects.translation.messages.request_writer import write_request
from holdgate.core.values.neutral import (
    Audio,
    CacheMark,
    Call,
    Choice,
    Custom,
    Document,
    Effort,
    Format,
    Function,
    Hosted,
    Image,
    Message,
    Namespace,
    Part,
    Reasoning,
    Refusal,
    Request,
    Result,
    Role,
    Sampling,
    Seal,
    Text,
)

PNG = "iVBORw0KGgoAAAA"
HI = Message("user", (Text("hi"),))
READ = Function("read", "Reads.", b'{"type":"object","properties":{"path":{"type":"string"}}}')
MARK = {"type": "ephemeral"}


def target(model: str = "claude-sonnet-4-5", **more: Any) -> Target:
    return Target("anthropic", "messages", model, **more)


def request(*messages: Message, **more: Any) -> Request:
    return Request("chat", "asked", messages or (HI,), **more)


def write(*messages: Message, to: Target | None = None, **more: Any) -> Written:
    return write_request(request(*messages, **more), to or target())


def sent(*messages: Message, to: Target | None = None, **more: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(write(*messages, to=to, **more).body)
    return body


def said(role: Role, *parts: Part) -> Message:
    return Message(role, parts)


def text(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


def turns(body: dict[str, Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Give the turns without cache marks."""
    for turn in body["messages"]:
        for block in turn["content"]:
            block.pop("cache_control", None)
    return [(turn["role"], turn["content"]) for turn in body["messages"]]


def test_the_least() -> None:
    assert sent() == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 32_000,
        "messages": [{"role": "user", "content": [text("hi", cache_control=MARK)]}],
        "stream": True,
    }


@pytest.mark.parametrize(
    ("model", "output", "asked", "told"),
    [
        ("claude-3-opus-20240229", 0, 0, 4096),
        ("claude-opus-4-8", 0, 0, 32_000),
        ("glm-5", 0, 0, 32_000),
        ("glm-5", 8192, 0, 8192),
        ("glm-5", 8192, 20_000, 8192),
        ("glm-5", 0, 500, 500),
        ("claude-sonnet-4-5", 0, 1_000_000, 64_000),
    ],
)
def test_max_tokens(model: str, output: int, asked: int, told: int) -> None:
    written = write(to=target(model, output=output), max_output=asked)
    assert json.loads(written.body)["max_tokens"] == told
    assert bool(written.losses) == (asked > told)


def test_systems_lead_or_remind() -> None:
    body = sent(
        said("system", Text("One")),
        said("developer", Text("Two")),
        HI,
        said("assistant", Text("ho")),
        said("system", Text("Late")),
        said("user", Text("go")),
    )
    assert body["system"] == [text("One"), text("Two", cache_control=MARK)]
    assert turns(body) == [
        ("user", [text("hi")]),
        ("assistant", [text("ho")]),
        ("user", [text("<system-reminder>\nLate\n</system-reminder>"), text("go")]),
    ]


def test_nothing_but_a_system_prompt() -> None:
    assert turns(sent(said("system", Text("Go")))) == [("user", [text("Continue.")])]


def test_a_user_begins() -> None:
    assert turns(sent(said("assistant", Text("hello")), HI))[0] == ("user", [text("Continue.")])


def test_white_space_is_no_text() -> None:
    body = sent(said("user", Text(" "), Text("hi")), said("assistant", Text(" \n")), HI)
    assert turns(body) == [("user", [text("hi"), text("hi")])]


def test_calls_and_results() -> None:
    body = sent(
        HI,
        said(
            "assistant", Text("look"), Call("call_1", "read", '{"n":1.5e2}'), Call("f:0", "now", "")
        ),
        said(
            "user",
            Result("call_1", (Text("A"), Image("image/png", PNG))),
            Result("f:0", (Text(" "),)),
            Text("go on"),
        ),
        tools=(READ, Function("now")),
    )
    (_, (_, call, other)), (_, (first, second, last)) = turns(body)[1:]
    assert call == {"type": "tool_use", "id": "call_1", "name": "read", "input": {"n": 150.0}}
    assert other["input"] == {}
    assert first["tool_use_id"] == "call_1"
    assert [block["type"] for block in first["content"]] == ["text", "image"]
    assert second == {"type": "tool_result", "tool_use_id": other["id"]}
    assert set(other["id"]) <= set("abcdefghijklmnopqrstuvwxyz0123456789")
    assert last == text("go on")
    assert b'"input":{"n":1.5e2}' in write(said("assistant", Call("c", "f", '{"n":1.5e2}'))).body


@pytest.mark.parametrize("arguments", ["[1]", "nope", '"x"', "NaN", '{"a":'])
def test_arguments_that_are_no_object(arguments: str) -> None:
    written = write(HI, said("assistant", Call("c", "f", arguments)), HI)
    call = json.loads(written.body)["messages"][1]["content"][0]
    assert call["input"] == {"_raw": arguments}
    assert any("JSON object" in loss.why for loss in written.losses)


def test_an_error_holds_text_only() -> None:
    result = Result("c", (Text("no"), Image("image/png", PNG)), is_error=True)
    body = sent(HI, said("assistant", Call("c", "f", "{}")), said("user", result, Text("so?")))
    found = turns(body)[2][1]
    assert [block["type"] for block in found] == ["tool_result", "image", "text"]
    assert found[0]["is_error"] is True
    assert found[0]["content"] == [text("no")]


def test_custom_tools_and_namespaces() -> None:
    custom = Custom("apply_patch", "patches", b'{"type":"grammar","definition":"start: x"}')
    space = Namespace("mcp", (Function("read.file"),))
    call = Call("c", "apply_patch", "*** Begin", custom=True)
    written = write(HI, said("assistant", call), tools=(custom, space, READ))
    body = json.loads(written.body)
    names = [tool["name"] for tool in body["tools"]]
    assert names[0] == "apply_patch" and names[2] == "read"
    assert body["tools"][0]["input_schema"]["required"] == ["input"]
    assert body["messages"][1]["content"][0]["input"] == {"input": "*** Begin"}
    assert written.names == {
        "apply_patch": ToolRef("apply_patch", custom=True),
        names[1]: ToolRef("read.file", "mcp"),
    }


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        (b"", {"type": "object", "properties": {}}),
        (b"{}", {"type": "object", "properties": {}}),
        (b"nonsense", {"type": "object", "properties": {}}),
        (b'{"properties":{"a":{}}}', {"type": "object", "properties": {"a": {}}}),
        (b'{"type":"OBJECT","properties":{}}', {"type": "object", "properties": {}}),
        (
            b'{"anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{}}}]}',
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {}}},
        ),
        (
            b'{"type":"object","properties":{"anyOf":{"type":"string"}}}',
            {"type": "object", "properties": {"anyOf": {"type": "string"}}},
        ),
    ],
)
def test_schemas(schema: bytes, told: Any) -> None:
    assert sent(tools=(Function("f", parameters=schema),))["tools"][0]["input_schema"] == told


@pytest.mark.parametrize(
    ("choice", "parallel", "told"),
    [
        (None, None, None),
        (None, True, None),
        (None, False, {"type": "auto", "disable_parallel_tool_use": True}),
        (Choice("auto"), None, {"type": "auto"}),
        (Choice("required"), False, {"type": "any", "disable_parallel_tool_use": True}),
        (Choice("one", ("read",)), None, {"type": "tool", "name": "read"}),
        (Choice("none"), False, {"type": "none"}),
    ],
)
def test_choices(choice: Choice | None, parallel: bool | None, told: Any) -> None:
    body = sent(tools=(READ,), choice=choice, parallel=parallel)
    assert body.get("tool_choice") == told


def test_only_allowed_tools_are_told() -> None:
    body = sent(tools=(READ, Function("now")), choice=Choice("required", ("now",)))
    assert [tool["name"] for tool in body["tools"]] == ["now"]
    assert body["tool_choice"] == {"type": "any"}


def test_no_choice_without_tools() -> None:
    assert "tool_choice" not in sent(choice=Choice("required"))


def test_a_history_of_calls_needs_tools() -> None:
    body = sent(HI, said("assistant", Call("c", "f", "{}")), said("user", Result("c", ())))
    assert [tool["name"] for tool in body["tools"]] == ["f"]
    assert body["tool_choice"] == {"type": "none"}


def test_hosted_tools() -> None:
    raw = b'{"filters":{"allowed_domains":["x.org"]},"user_location":{"city":"B"}}'
    tools = (Hosted("web_search", raw), READ)
    written = write(tools=tools)
    assert [tool["name"] for tool in json.loads(written.body)["tools"]] == ["read"]
    assert [(loss.path, loss.grave) for loss in written.losses] == [("tools[0]", False)]
    body = sent(tools=tools, to=target(hosted=frozenset({"web_search"})))
    assert body["tools"][0] == {
        "type": "web_search_20250305",
        "name": "web_search",
        "allowed_domains": ["x.org"],
        "user_location": {"type": "approximate", "city": "B"},
    }


@pytest.mark.parametrize(
    ("part", "told"),
    [
        (Image("", PNG), ("image", "base64", "image/png")),
        (Image("image/gif", PNG), ("image", "base64", "image/png")),
        (Image("image/jpg", "AAAA"), ("image", "base64", "image/jpeg")),
        (Image(url="https://x/a.png"), ("image", "url", None)),
        (Document("application/pdf", "AAAA"), ("document", "base64", "application/pdf")),
        (Document("", "JVBERi0x"), ("document", "base64", "application/pdf")),
        (Document(url="https://x/a.pdf"), ("document", "url", None)),
        (Document(text="words"), ("document", "text", "text/plain")),
        (
            Document("text/csv", base64.b64encode(b"a,b").decode()),
            ("document", "text", "text/plain"),
        ),
    ],
)
def test_media(part: Image | Document, told: tuple[str, str, str | None]) -> None:
    (block,) = turns(sent(said("user", part)))[0][1]
    source = block["source"]
    assert (block["type"], source["type"], source.get("media_type")) == told


@pytest.mark.parametrize(
    "part",
    [
        Image("image/svg+xml", "AAAA"),
        Image(url="gs://bucket/a.png"),
        Image(file_id="file_1"),
        Document("application/zip", "AAAA"),
        Audio("AAAA", "wav"),
    ],
)
def test_media_that_cannot_be_told(part: Part) -> None:
    written = write(said("user", part, Text("see")))
    assert [(loss.path, loss.grave) for loss in written.losses] == [
        ("messages[0].content[0]", True)
    ]


def test_seals_go_back_to_their_maker_only() -> None:
    body = sent(
        HI,
        said(
            "assistant",
            Reasoning("mine", (Seal("anthropic/messages", "signature", "SIG"),)),
            Reasoning("", (Seal("anthropic/messages", "redacted", "HIDDEN"),)),
            Reasoning("other's", (Seal("bedrock/messages", "signature", "X"),)),
            Reasoning("agent's", (Seal("/messages", "signature", "X"),)),
            Reasoning("unsigned"),
            Call("c", "f", "{}", seals=(Seal("g/gemini", "thought", "X"),)),
            Text("shown", seals=(Seal("g/gemini", "thought", "X"),)),
        ),
        said("user", Result("c", ())),
    )
    assert turns(body)[1][1] == [
        {"type": "thinking", "thinking": "mine", "signature": "SIG"},
        {"type": "redacted_thinking", "data": "HIDDEN"},
        {"type": "tool_use", "id": "c", "name": "f", "input": {}},
        text("shown"),
    ]


def test_the_assistant_s_last_words_are_gone_on_with() -> None:
    prefill = said("assistant", Text("The answer is \n"))
    assert turns(sent(HI, prefill))[-1] == ("assistant", [text("The answer is")])
    for written in (
        write(HI, prefill, to=target("claude-opus-4-6")),
        write(HI, prefill, effort=Effort("high")),
    ):
        assert turns(json.loads(written.body))[-1] == ("user", [text("Continue.")])
        assert written.losses


def test_the_last_calls_are_answered() -> None:
    body = sent(HI, said("assistant", Call("c", "f", "{}")))
    role, (block,) = turns(body)[-1]
    assert (role, block["type"], block["is_error"]) == ("user", "tool_result", True)


def test_refusals_are_text() -> None:
    assert turns(sent(HI, said("assistant", Refusal("no")), HI))[1][1] == [text("no")]


def test_formats() -> None:
    schema = b'{"type":"object","properties":{"minimum":{"type":"integer","minimum":1}}}'
    body = sent(format=Format(schema))
    assert body["output_config"]["format"] == {
        "type": "json_schema",
        "schema": {
            "type": "object",
            "properties": {"minimum": {"type": "integer", "description": "minimum: 1"}},
            "additionalProperties": False,
        },
    }
    for written in (
        write(format=Format()),
        write(format=Format(schema), to=target("claude-3-5-haiku")),
    ):
        body = json.loads(written.body)
        assert "output_config" not in body
        assert body["system"][0]["text"].startswith("Answer with one JSON object")
        assert written.losses


def test_marks_stay_and_the_last_four_count() -> None:
    mark = CacheMark("1h")
    messages = [said("system", Text("s", mark)), said("user", Text("a", mark), Text("b"))]
    messages += [said("assistant", Text("c", mark)), said("user", Text("d", mark), Text("e", mark))]
    body = sent(*messages, tools=(Function("f", cache=mark),))
    marked = [block for turn in body["messages"] for block in turn["content"]]
    assert [block["text"] for block in marked if "cache_control" in block] == ["a", "c", "d", "e"]
    assert marked[0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert "cache_control" not in body["tools"][0] | body["system"][0]


def test_our_own_marks() -> None:
    body = sent(said("system", Text("s")), HI, tools=(READ,))
    assert body["system"][-1]["cache_control"] == MARK
    assert "cache_control" not in body["tools"][0]
    body = sent(tools=(READ,))
    assert body["tools"][-1]["cache_control"] == MARK


def test_what_has_no_word() -> None:
    written = write(
        sampling=Sampling(presence_penalty=1, seed=3),
        verbosity="low",
        service_tier="flex",
        previous_id="resp_1",
        user="u",
        extra={"logit_bias": b"{}"},
    )
    assert {(loss.path, loss.grave) for loss in written.losses} == {
        ("presence_penalty", False),
        ("seed", False),
        ("verbosity", False),
        ("service_tier", False),
        ("previous_response_id", True),
        ("logit_bias", False),
    }
    assert json.loads(written.body)["metadata"] == {"user_id": "u"}
    assert written.optional == {"metadata"}


def test_what_was_refused_is_left_out() -> None:
    to = target("glm-5", without=frozenset({"thinking", "metadata"}))
    body = sent(effort=Effort("high"), user="u", to=to)
    assert not {"thinking", "metadata"} & body.keys()


def test_odd_schemas() -> None:
    schema = (
        b'{"type":"object","anyOf":7,"properties":[],'
        b'"oneOf":[{"properties":{"a":{"const":"\\ud83d"}}}]}'
    )
    told = sent(tools=(Function("f", parameters=schema),))["tools"][0]["input_schema"]
    assert told == {"type": "object", "properties": {"a": {"const": "\ufffd"}}}
    answer = b'{"type":"array","minItems":3,"items":{"type":["object","null"],"description":"d"}}'
    body = sent(format=Format(answer))
    assert body["output_config"]["format"]["schema"] == {
        "type": "array",
        "description": "minItems: 3",
        "items": {"type": ["object", "null"], "description": "d", "additionalProperties": False},
    }


def test_a_tool_within_a_namespace_is_chosen() -> None:
    tools = (Namespace("mcp", (Function("read"), Function("write"))), Function("now"))
    body = sent(tools=tools, choice=Choice("one", ("write",)))
    assert body["tool_choice"] == {"type": "tool", "name": "mcp__write"}
    body = sent(tools=tools, choice=Choice("auto", ("read",)))
    assert [tool["name"] for tool in body["tools"]] == ["mcp__read"]


def test_a_strict_tool_and_a_document_with_a_name() -> None:
    written = write(
        said("user", Document("text/plain", "?", name="a.txt"), Document(text="t", name="b.txt")),
        tools=(Function("f", strict=True), Hosted("web_fetch", b"?"), Hosted("web_search", b"?")),
        to=target(hosted=frozenset({"web_fetch", "web_search"})),
    )
    body = json.loads(written.body)
    assert body["messages"][0]["content"][0]["title"] == "b.txt"
    assert [tool["name"] for tool in body["tools"]] == ["f", "web_fetch", "web_search"]
    assert [loss.path for loss in written.losses] == ["tools[0]", "messages[0].content[0]"]
