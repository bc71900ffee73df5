"""What an agent's Messages request is understood as."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdgate.core.dialects.translation.messages.request_reader import read_request
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import (
    CacheMark,
    Call,
    Choice,
    Document,
    Effort,
    Format,
    Function,
    Hosted,
    Image,
    Message,
    Reasoning,
    Request,
    Result,
    Seal,
    Text,
)
from holdgate.core.values.seals import wrap


def read(**body: Any) -> Request:
    whole = {"model": "m", "max_tokens": 100, "messages": [{"role": "user", "content": "hi"}]}
    return read_request(json.dumps(whole | body).encode(), "asked")


def parts(*blocks: Any, role: str = "assistant") -> tuple[Any, ...]:
    request = read(messages=[{"role": role, "content": list(blocks)}])
    return request.messages[0].parts


def test_the_least() -> None:
    request = read()
    assert request.model == "asked"
    assert request.dialect == "messages"
    assert request.messages == (Message("user", (Text("hi"),)),)
    assert request.max_output == 100
    assert not request.losses
    assert not request.extra


def test_system_is_the_first_message_and_may_come_again() -> None:
    request = read(
        system=[
            {"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1.197.abc;"},
            {"type": "text", "text": "One", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
        ],
        messages=[{"role": "user", "content": "hi"}, {"role": "system", "content": "Late"}],
    )
    assert request.messages == (
        Message("system", (Text("One", CacheMark("1h")),)),
        Message("user", (Text("hi"),)),
        Message("system", (Text("Late"),)),
    )
    assert not request.losses


def test_a_billing_header_in_front_of_the_prompt_goes_alone() -> None:
    assert read(system="x-anthropic-billing-header: v=1\nBe brief.").messages[0].parts == (
        Text("Be brief."),
    )


def test_a_call_keeps_its_arguments_as_written() -> None:
    body = (
        b'{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f",'
        b'"input":{ "n": 12345678901234567890123, "x": 1.5e2, "b": {"z":1,"a":2} }}]}],'
        b'"tools":[{"name":"f","input_schema":{"type":"object", '
        b'"properties":{"n":{"maximum":1e3}}}}]}'
    )
    request = read_request(body, "m")
    text = '{ "n": 12345678901234567890123, "x": 1.5e2, "b": {"z":1,"a":2} }'
    assert request.messages[0].parts == (Call("t1", "f", text),)
    schema = b'{"type":"object", "properties":{"n":{"maximum":1e3}}}'
    assert request.tools == (Function("f", parameters=schema),)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("plain", (Text("plain"),)),
        ("", ()),
        (None, ()),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": ""}], (Text("a"),)),
        ({"rows": 1}, (Text('{"rows": 1}'),)),
        (
            [
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": "A"},
                }
            ],
            (Image("image/png", "A"),),
        ),
        ([{"type": "tool_reference", "tool_name": "grep"}], (Text("tool: grep"),)),
    ],
)
def test_results(content: Any, told: tuple[Any, ...]) -> None:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": True}
    assert parts(block, role="user") == (Result("t1", told, is_error=True),)


def test_a_result_without_content() -> None:
    block = {"type": "tool_result", "tool_use_id": "t1"}
    assert parts(block, role="user") == (Result("t1", ()),)


def test_media() -> None:
    found = parts(
        {"type": "image", "source": {"type": "url", "url": "https://x/a.png"}},
        {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
        {
            "type": "document",
            "title": "spec.pdf",
            "context": "draft",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"},
        },
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "T"}},
        {"type": "document", "source": {"type": "url", "url": "https://x/a.pdf"}},
        {"type": "document", "source": {"type": "file", "file_id": "file_2"}},
        {
            "type": "document",
            "source": {"type": "content", "content": [{"type": "text", "text": "in it"}]},
        },
        {
            "type": "search_result",
            "source": "https://x",
            "title": "X",
            "content": [{"type": "text", "text": "found"}],
        },
        role="user",
    )
    assert found == (
        Image(url="https://x/a.png"),
        Image(file_id="file_1"),
        Text("draft"),
        Document("application/pdf", "JVBE", name="spec.pdf"),
        Document("text/plain", text="T"),
        Document(url="https://x/a.pdf"),
        Document(file_id="file_2"),
        Document("text/plain", text="in it"),
        Text("X\nhttps://x\nfound"),
    )


def test_thoughts() -> None:
    ours = Seal("deepseek/chat", "reasoning", "r1", "id")
    assert parts(
        {"type": "thinking", "thinking": "a", "signature": "theirs"},
        {"type": "thinking", "thinking": "b", "signature": wrap(ours)},
        {"type": "thinking", "thinking": "c", "signature": ""},
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "redacted_thinking", "data": "hidden"},
        {"type": "redacted_thinking", "data": wrap(ours)},
    ) == (
        Reasoning("a", (Seal("/messages", "signature", "theirs"),)),
        Reasoning("b", (ours,)),
        Reasoning("c"),
        Reasoning(seals=(Seal("/messages", "redacted", "hidden"),)),
        Reasoning(seals=(ours,)),
    )


def test_what_the_vendor_s_own_tools_found_is_kept_as_text() -> None:
    request = read(
        messages=[
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "server_tool_use",
                        "id": "s1",
                        "name": "web_search",
                        "input": {"q": 1},
                    },
                    {
                        "type": "web_search_tool_result",
                        "tool_use_id": "s1",
                        "content": [
                            {"type": "web_search_result", "title": "T", "url": "https://x"}
                        ],
                    },
                ],
            }
        ]
    )
    assert request.messages[0].parts == (Text("[web_search_tool_result]\nT\nhttps://x"),)
    assert [loss.path for loss in request.losses] == [
        "messages[0].content[0]",
        "messages[0].content[1]",
    ]
    assert not any(loss.grave for loss in request.losses)


def test_tools_of_all_kinds() -> None:
    request = read(
        tools=[
            {"name": "a", "description": "d", "input_schema": {"type": "object"}, "strict": True},
            {"type": "web_search_20250305", "name": "web_search"},
            {"type": "bash_20250124", "name": "bash"},
            {"type": "computer_20250124", "name": "computer"},
            {"type": "custom", "name": "b", "cache_control": {"type": "ephemeral"}},
        ]
    )
    first, search, bash, computer, last = request.tools
    assert first == Function("a", "d", b'{"type": "object"}', True)
    assert isinstance(search, Hosted) and search.kind == "web_search"
    assert json.loads(search.raw)["type"] == "web_search_20250305"
    assert isinstance(bash, Function) and bash.name == "bash"
    assert json.loads(bash.parameters)["properties"]["command"] == {"type": "string"}
    assert isinstance(computer, Hosted) and computer.kind == "computer"
    assert last == Function("b", cache=CacheMark())
    assert [(loss.path, loss.grave) for loss in request.losses] == [("tools[3]", True)]


@pytest.mark.parametrize(
    ("choice", "told", "parallel"),
    [
        ({"type": "auto"}, Choice("auto"), None),
        ({"type": "any", "disable_parallel_tool_use": True}, Choice("required"), False),
        ({"type": "none"}, Choice("none"), None),
        ({"type": "tool", "name": "f"}, Choice("one", ("f",)), None),
    ],
)
def test_choices(choice: Any, told: Choice, parallel: bool | None) -> None:
    request = read(tool_choice=choice)
    assert (request.choice, request.parallel) == (told, parallel)


@pytest.mark.parametrize(
    ("thinking", "config", "told"),
    [
        ({"type": "enabled", "budget_tokens": 2048}, None, Effort(budget=2048)),
        ({"type": "adaptive"}, {"effort": "high"}, Effort("high", adaptive=True)),
        ({"type": "adaptive", "display": "omitted"}, None, Effort(adaptive=True, shown=False)),
        ({"type": "disabled"}, {"effort": "high"}, Effort("none")),
        (None, {"effort": "low"}, Effort("low")),
        (None, None, None),
    ],
)
def test_efforts(thinking: Any, config: Any, told: Effort | None) -> None:
    assert read(thinking=thinking, output_config=config).effort == told


def test_the_rest() -> None:
    request = read(
        output_config={"format": {"type": "json_schema", "schema": {"type": "object"}}},
        temperature=1,
        top_p=0.5,
        top_k=3,
        stop_sequences=["END", ""],
        service_tier="auto",
        metadata={"user_id": "u1"},
        mcp_servers=[{"url": "https://x"}],
        container=None,
        context_management={"edits": []},
        stream=True,
    )
    assert request.format == Format(b'{"type": "object"}')
    sampling = request.sampling
    assert (sampling.temperature, sampling.top_p, sampling.top_k) == (1.0, 0.5, 3)
    assert sampling.stops == ("END",)
    assert request.user == "u1"
    assert request.service_tier == "auto"
    assert dict(request.extra) == {"mcp_servers": b'[{"url": "https://x"}]'}


@pytest.mark.parametrize(
    "user_id",
    [
        json.dumps({"device_id": "d", "account_uuid": "a", "session_id": "s-1"}),
        "user_abc_account__session_s-1",
    ],
)
def test_claude_code_s_session_is_kept_and_its_person_is_not(user_id: str) -> None:
    request = read(metadata={"user_id": user_id})
    assert (request.user, request.cache_key) == ("", "s-1")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"messages": "hi"}, "$.messages"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": 1}]}, "$.messages[0].content"),
        ({"tools": [{"type": "custom"}]}, "tools[0]"),
        (
            {"messages": [{"role": "user", "content": [{"type": "tool_use", "name": "f"}]}]},
            "messages[0]",
        ),
        ({"tool_choice": {"type": "some"}}, "tool_choice.type"),
        ({"thinking": {"type": "deep"}}, "thinking.type"),
        ({"max_tokens": "many"}, "$.max_tokens"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image"}]}]},
            "messages[0].content[0].source",
        ),
        (
            {
                "messages": [
                    {"role": "user", "content": [{"type": "tool_result", "content": [{"type": 1}]}]}
                ]
            },
            "messages[0].content[0].content",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_path(body: Any, path: str) -> None:
    with pytest.raises(Fault) as raised:
        read(**body)
    assert raised.value.kind is FaultKind.REQUEST
    assert path in raised.value.message


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b'{"messages":null}'])
def test_no_request(body: bytes) -> None:
    with pytest.raises(Fault) as raised:
        read_request(body, "m")
    assert raised.value.kind is FaultKind.REQUEST


def test_half_a_character_is_mended() -> None:
    body = b'{"messages":[{"role":"user","content":"cut \\ud83d"}],"max_tokens":1}'
    assert read_request(body, "m").messages[0].parts == (Text("cut \ufffd"),)


def test_odd_blocks() -> None:
    request = read(
        messages=[
            {
                "role": "user",
                "content": [
                    {"type": "container_upload", "file_id": "f"},
                    {
                        "type": "document",
                        "source": {
                            "type": "content",
                            "content": [{"type": "image", "source": {"type": "url", "url": "u"}}],
                        },
                    },
                    {"type": "document", "source": {"type": "content", "content": "words"}},
                    {"type": "mcp_tool_result", "content": [[[[[[[[[["deep"]]]]]]]]]]},
                ],
            }
        ]
    )
    assert request.messages[0].parts == (Image(url="u"), Document("text/plain", text="words"))
    assert [(loss.path, loss.grave) for loss in request.losses] == [
        ("messages[0].content[0]", True),
        ("messages[0].content[3]", False),
    ]
