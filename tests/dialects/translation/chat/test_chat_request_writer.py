"""Requests as chat vendors get them."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.catalog import load_presets
from holdgate.core.dialects.translation.base import Target, ToolRef, Written
from holdgate.core.dialects.translation.chat.request_reader import read_request
from holdgate.core.dialects.translation.chat.request_writer import write_request
from holdgate.core.values.errors import Fault
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
    Sampling,
    Seal,
    Text,
)

F = Function("f", "d", b'{"type":"object","properties":{"p":{"maximum":1.5e2}}}')

GRAMMAR = b'{"type":"grammar","syntax":"lark","definition":"s: /x/"}'


def target(*quirks: str, model: str = "m", **more: Any) -> Target:
    return Target("v", "chat", model, frozenset(quirks), **more)


def request(*messages: Message, **more: Any) -> Request:
    return Request("messages", "asked", messages or (Message("user", (Text("hi"),)),), **more)


def written(*messages: Message, to: Target | None = None, **more: Any) -> Written:
    return write_request(request(*messages, **more), to or target())


def body(*messages: Message, to: Target | None = None, **more: Any) -> Any:
    return json.loads(written(*messages, to=to, **more).body)


def told(*messages: Message, to: Target | None = None, **more: Any) -> Any:
    return body(*messages, to=to, **more)["messages"]


def grave(found: Written) -> list[str]:
    return [loss.path for loss in found.losses if loss.grave]


def user(*parts: Part) -> Message:
    return Message("user", parts)


def says(*parts: Part) -> Message:
    return Message("assistant", parts)


def test_the_common_denominator() -> None:
    assert body() == {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "user", "content": "hi"}],
    }


def test_one_system_message_stands_first() -> None:
    messages = (
        Message("system", (Text("S1"), Text("S2"))),
        Message("developer", (Text("D"),)),
        user(Text("hi")),
        says(Text("yes")),
        Message("system", (Text("late"),)),
        user(Text("more")),
    )
    assert told(*messages) == [
        {"role": "system", "content": "S1\n\nS2\n\nD"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "yes"},
        {"role": "user", "content": "late\n\nmore"},
    ]
    roles = [message["role"] for message in told(*messages, to=target("late_system"))]
    assert roles == ["system", "user", "assistant", "system", "user"]
    roles = [message["role"] for message in told(*messages, to=target("openai"))]
    assert roles == ["system", "developer", "user", "assistant", "system", "user"]


def test_calls_and_results() -> None:
    found = told(
        user(Text("hi")),
        says(Text("look"), Call("a", "f", '{"p":1.5e2}'), Call("b", "g", "")),
        user(
            Text("brief"),
            Result("b", (Text("B"),), is_error=True),
            Result("a", (Text("A1"), Text("A2"))),
        ),
    )
    assert [message["role"] for message in found] == ["user", "assistant", "tool", "tool", "user"]
    assert found[1] == {
        "role": "assistant",
        "content": "look",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"p":1.5e2}'}},
            {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}},
        ],
    }
    assert found[2] == {"role": "tool", "tool_call_id": "a", "content": "A1\n\nA2"}
    assert found[3] == {"role": "tool", "tool_call_id": "b", "content": "Error: B"}
    assert found[4] == {"role": "user", "content": "brief"}


def test_no_user_follows_a_result_where_roles_must_alternate() -> None:
    messages = (
        user(Text("hi")),
        says(Call("a", "f", "{}")),
        user(Result("a", (Text("A"),)), Text("brief")),
    )
    found = told(*messages, to=target("strict_alternation"))
    assert [message["role"] for message in found] == ["user", "assistant", "tool"]
    assert found[2]["content"] == "A\n\nbrief"


def test_content_is_null_beside_calls() -> None:
    found = told(user(Text("hi")), says(Call("a", "f", "{}")), user(Result("a", (Text("A"),))))
    assert found[1]["content"] is None


def test_arguments_that_are_no_object() -> None:
    found = written(user(Text("hi")), says(Call("a", "f", "[1"), Call("b", "f", '"x"')), user())
    calls = json.loads(found.body)["messages"][1]["tool_calls"]
    assert [json.loads(c["function"]["arguments"]) for c in calls] == [
        {"input": "[1"},
        {"input": '"x"'},
    ]
    assert any("no object" in loss.why for loss in found.losses)


def test_images_of_results_follow_all_results() -> None:
    image = Image(media_type="image/png", data="AAAA")
    found = told(
        user(Text("hi")),
        says(Call("a", "f", "{}"), Call("b", "f", "{}")),
        user(Result("a", (Text("see"), image)), Result("b", (image,)), Text("and?")),
    )
    assert [message["role"] for message in found[2:]] == ["tool", "tool", "user"]
    assert found[2]["content"] == "see"
    assert found[3]["content"]
    kinds = [part["type"] for part in found[4]["content"]]
    assert kinds == ["text", "image_url", "text", "image_url", "text"]
    assert "f" in found[4]["content"][0]["text"]
    assert found[4]["content"][1]["image_url"]["url"] == "data:image/png;base64,AAAA"


def test_parts_of_a_user() -> None:
    found = told(
        user(
            Image(url="https://a.test/a.png", detail="low"),
            Image(media_type="image/jpeg", data="/9j/"),
            Document(media_type="application/pdf", data="JVBERi0=", name="a.pdf"),
            Document(media_type="text/plain", data="YWJj", name="n.txt"),
            Document(text="plain"),
            Audio("AAAA", "wav"),
        )
    )
    assert found[0]["content"] == [
        {"type": "image_url", "image_url": {"url": "https://a.test/a.png", "detail": "low"}},
        {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,/9j/"}},
        {
            "type": "file",
            "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
        },
        {"type": "text", "text": "n.txt:\nabc"},
        {"type": "text", "text": "plain"},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
    ]


@pytest.mark.parametrize(
    "part", [Image(file_id="f"), Document(file_id="f"), Document(url="https://a.test/a.pdf")]
)
def test_what_only_another_vendor_has_is_a_grave_loss(part: Part) -> None:
    assert len(grave(written(user(Text("hi"), part)))) == 1


def test_long_and_odd_names_are_told_and_refound() -> None:
    long = "mcp__" + "x" * 70
    tools = (
        Function(long + "a"),
        Function(long + "b"),
        Namespace("ns", (Function("f"),)),
        Custom(
            "apply_patch", "patches", b'{"type":"grammar","syntax":"lark","definition":"s: /x/"}'
        ),
    )
    messages = (
        user(Text("hi")),
        says(Call("t", long + "b", "{}"), Call("u", "apply_patch", "free", custom=True)),
        user(Result("t", (Text("x"),)), Result("u", (Text("y"),))),
    )
    found = written(*messages, tools=tools, choice=Choice("one", (long + "b",)))
    names = [tool["function"]["name"] for tool in json.loads(found.body)["tools"]]
    assert len(set(names)) == 4
    assert all(len(name) <= 64 for name in names)
    calls = json.loads(found.body)["messages"][1]["tool_calls"]
    assert calls[0]["function"]["name"] == names[1]
    assert json.loads(calls[1]["function"]["arguments"]) == {"input": "free"}
    assert json.loads(found.body)["tool_choice"]["function"]["name"] == names[1]
    assert found.names[names[1]] == ToolRef(long + "b")
    assert found.names["ns__f"] == ToolRef("f", "ns")
    assert found.names["apply_patch"].custom


def test_openai_knows_custom_tools_and_allowed_ones() -> None:
    found = body(
        user(Text("hi")),
        says(Call("a", "p", "free", custom=True)),
        user(Result("a", (Text("y"),), custom=True)),
        to=target("openai"),
        tools=(Custom("p", "d", GRAMMAR), Function("f", strict=True)),
        choice=Choice("required", ("p", "f")),
        parallel=True,
    )
    grammar_told = {"type": "grammar", "grammar": {"syntax": "lark", "definition": "s: /x/"}}
    custom = {"name": "p", "description": "d", "format": grammar_told}
    assert found["tools"][0] == {"type": "custom", "custom": custom}
    assert found["tools"][1]["function"]["strict"] is True
    assert found["messages"][1]["tool_calls"][0]["custom"] == {"name": "p", "input": "free"}
    assert found["tool_choice"]["allowed_tools"] == {
        "mode": "required",
        "tools": [
            {"type": "custom", "custom": {"name": "p"}},
            {"type": "function", "function": {"name": "f"}},
        ],
    }
    assert found["parallel_tool_calls"] is True


def test_others_are_not_told_of_tools_that_are_not_allowed() -> None:
    found = body(tools=(F, Function("g")), choice=Choice("auto", ("g",)))
    assert [tool["function"]["name"] for tool in found["tools"]] == ["g"]
    assert found["tool_choice"] == "auto"


def test_schemas_stay_as_they_are() -> None:
    found = written(tools=(F, Function("g"), Function("h", parameters=b'{"properties":{}}')))
    assert b'"parameters":' + F.parameters in found.body
    tools = json.loads(found.body)["tools"]
    assert tools[1]["function"]["parameters"] == {"type": "object", "properties": {}}
    assert tools[2]["function"]["parameters"] == {"type": "object", "properties": {}}
    assert "strict" not in tools[0]["function"]


def test_the_schemas_of_moonshot() -> None:
    schema = {
        "$schema": "x",
        "type": "object",
        "properties": {
            "anyOf": {"type": "string"},
            "type": {"type": "string", "anyOf": [{"const": 1}, {"type": "null"}]},
            "l": {"type": "array", "items": {"$schema": "x", "type": "string"}},
        },
    }
    tool = Function("f", parameters=json.dumps(schema).encode())
    found = body(tools=(tool,), to=target("schema=moonshot"))["tools"][0]["function"]["parameters"]
    assert found == {
        "type": "object",
        "properties": {
            "anyOf": {"type": "string"},
            "type": {"anyOf": [{"type": "string", "const": 1}, {"type": "null"}]},
            "l": {"type": "array", "items": {"type": "string"}},
        },
    }


def test_tool_choice_and_parallel_calls() -> None:
    assert body(tools=(F,), choice=Choice("required"), parallel=False)["tool_choice"] == "required"
    assert body(tools=(F,), parallel=False)["parallel_tool_calls"] is False
    assert "parallel_tool_calls" not in body(tools=(F,), parallel=True)
    assert "tool_choice" not in body(choice=Choice("required"))
    found = written(
        tools=(F,),
        choice=Choice("required"),
        parallel=False,
        to=target("no_tool_choice_required", "no_parallel_tool_calls"),
    )
    assert not {"tool_choice", "parallel_tool_calls"} & json.loads(found.body).keys()
    assert {loss.path for loss in found.losses} == {"tool_choice", "parallel_tool_calls"}
    thinking = target("no_tool_choice_thinking")
    assert "tool_choice" not in body(tools=(F,), choice=Choice("required"), to=thinking)
    off = body(tools=(F,), choice=Choice("required"), effort=Effort("none"), to=thinking)
    assert off["tool_choice"] == "required"


def test_a_tool_that_the_vendor_does_not_run_is_a_told_loss() -> None:
    search = Hosted("web_search", b"{}")
    found = written(tools=(search, F))
    assert [(loss.path, loss.grave) for loss in found.losses] == [("tools[0]", False)]
    has = target("openai", hosted=frozenset({"web_search"}))
    assert body(tools=(search,), to=has)["web_search_options"] == {}


@pytest.mark.parametrize(
    ("quirk", "effort", "expected"),
    [
        ("", Effort("high"), {"reasoning_effort": "high"}),
        ("", Effort("xhigh"), {"reasoning_effort": "high"}),
        ("", Effort("minimal"), {"reasoning_effort": "low"}),
        ("", Effort(budget=1024), {"reasoning_effort": "low"}),
        ("", Effort(adaptive=True), {}),
        ("openai", Effort("xhigh"), {"reasoning_effort": "xhigh"}),
        ("thinking=none", Effort("high"), {}),
        ("thinking=deepseek", Effort("none"), {"thinking": {"type": "disabled"}}),
        (
            "thinking=deepseek",
            Effort("xhigh"),
            {"thinking": {"type": "enabled"}, "reasoning_effort": "max"},
        ),
        ("thinking=zai", Effort(adaptive=True), {"thinking": {"type": "enabled"}}),
        ("thinking=moonshot", Effort("low"), {"thinking": {"type": "enabled"}}),
        ("thinking=qwen", Effort("none"), {"enable_thinking": False}),
        (
            "thinking=qwen",
            Effort(budget=99),
            {"enable_thinking": True, "thinking_budget": 99},
        ),
        ("thinking=openrouter", Effort("max"), {"reasoning": {"effort": "xhigh"}}),
        ("thinking=openrouter", Effort(budget=99), {"reasoning": {"max_tokens": 99}}),
        ("thinking=openrouter", Effort(adaptive=True), {"reasoning": {"enabled": True}}),
        (
            "thinking=openrouter",
            Effort("low", shown=False),
            {"reasoning": {"effort": "low", "exclude": True}},
        ),
    ],
)
def test_effort(quirk: str, effort: Effort, expected: dict[str, Any]) -> None:
    found = written(effort=effort, to=target(*filter(None, [quirk])))
    names = ("reasoning_effort", "thinking", "enable_thinking", "thinking_budget", "reasoning")
    assert {k: v for k, v in json.loads(found.body).items() if k in names} == expected
    assert expected.keys() <= found.optional


def test_the_newest_model_of_moonshot_has_levels() -> None:
    found = body(effort=Effort("medium"), to=target("thinking=moonshot", model="kimi-k3"))
    assert found["reasoning_effort"] == "high"
    assert "thinking" not in found


@pytest.mark.parametrize(
    ("to", "asked", "expected"),
    [
        (target(), 50, {"max_tokens": 50}),
        (target(), 0, {}),
        (target(output=40), 50, {"max_tokens": 40}),
        (target("needs_max_tokens=8192"), 0, {"max_tokens": 8192}),
        (target("needs_max_tokens=8192", output=99), 0, {"max_tokens": 99}),
        (target("max_completion_tokens"), 50, {"max_completion_tokens": 50}),
        (target("openai", model="gpt-4o"), 50, {"max_tokens": 50}),
        (target("openai", model="gpt-5.1"), 50, {"max_completion_tokens": 50}),
        (target("openai", model="o3-mini"), 50, {"max_completion_tokens": 50}),
        (target(without=frozenset({"max_tokens"})), 50, {"max_completion_tokens": 50}),
    ],
)
def test_the_limit(to: Target, asked: int, expected: dict[str, int]) -> None:
    found = body(max_output=asked, to=to)
    assert {k: v for k, v in found.items() if k.startswith("max_")} == expected


def test_sampling() -> None:
    sampling = Sampling(temperature=1.6, top_p=0.5, top_k=5, seed=1, stops=("a", "b"))
    found = written(sampling=sampling, to=target("max_temperature=1", "max_stops=1"))
    told = json.loads(found.body)
    assert (told["temperature"], told["top_p"], told["seed"], told["stop"]) == (1, 0.5, 1, ["a"])
    assert "top_k" not in told
    assert {loss.path for loss in found.losses} == {"temperature", "stop", "top_k"}
    assert body(sampling=sampling, to=target("top_k"))["top_k"] == 5
    assert body(sampling=Sampling(temperature=0))["temperature"] == 0
    reasoning = body(sampling=sampling, to=target("openai", model="o3"))
    assert not {"temperature", "top_p", "stop"} & reasoning.keys()
    kimi = body(sampling=sampling, to=target("fixed_sampling=kimi", model="kimi-k2.5"))
    assert "temperature" not in kimi
    assert kimi["stop"] == ["a", "b"]


def test_formats() -> None:
    schema = b'{"type":"object","maximum":1.5e2}'
    found = written(format=Format(schema, "an answer", strict=True))
    assert b'"schema":' + schema in found.body
    told = json.loads(found.body)["response_format"]["json_schema"]
    assert (told["name"], told["strict"]) == ("an_answer", True)
    assert body(format=Format())["response_format"] == {"type": "json_object"}
    only = body(format=Format(schema), to=target("json_object_only"))
    assert only["response_format"] == {"type": "json_object"}
    assert schema.decode() in only["messages"][0]["content"]


def test_what_only_openai_is_told() -> None:
    more: dict[str, Any] = {
        "cache_key": "k",
        "verbosity": "low",
        "user": "u",
        "service_tier": "flex",
    }
    names = {"prompt_cache_key", "verbosity", "user", "service_tier"}
    assert not names & body(**more).keys()
    assert names <= body(to=target("openai"), **more).keys()
    assert body(to=target("cache_key"), **more)["prompt_cache_key"] == "k"


def test_what_a_vendor_refused_before_is_left_out() -> None:
    found = written(
        effort=Effort("high"),
        tools=(F,),
        to=target(without=frozenset({"stream_options", "reasoning_effort", "tools"})),
    )
    told = json.loads(found.body)
    assert "stream_options" not in told
    assert "reasoning_effort" not in told
    assert "tools" in told  # without them it would be another request
    assert "stream_options" not in body(to=target("no_stream_options"))


def test_thoughts_go_back_where_they_must() -> None:
    messages = (
        user(Text("hi")),
        says(Reasoning("hm"), Call("a", "f", "{}")),
        user(Result("a", (Text("A"),))),
        says(Text("done")),
        user(Text("more")),
    )
    assert not any("reasoning_content" in message for message in told(*messages))
    found = told(*messages, to=target("reasoning_back"))
    assert [m["reasoning_content"] for m in found if m["role"] == "assistant"] == ["hm", " "]


def test_a_turn_that_only_thought_is_not_told() -> None:
    found = told(user(Text("a")), says(Reasoning("hm")), user(Text("b")))
    assert found == [{"role": "user", "content": "a\n\nb"}]


def test_seals_go_back_to_their_maker_only() -> None:
    details = '[{"type":"reasoning.encrypted","data":"e","n":12345678901234567890}]'
    mine = Seal("v/chat", "reasoning_details", details)
    signature = Seal("v/chat", "thought_signature", "s")
    others = (Seal("w/chat", "reasoning_details", "[1]"), Seal("/chat", "thought_signature", "t"))
    found = written(
        user(Text("hi")),
        says(
            Reasoning("hm", (mine, others[0])),
            Text("a", seals=(signature,)),
            Call("a", "f", "{}", seals=(signature,)),
            Call("b", "f", "{}", seals=others[1:]),
        ),
        user(Result("a", (Text("A"),)), Result("b", (Text("B"),))),
    )
    answer = json.loads(found.body)["messages"][1]
    assert details[1:-1].encode() in found.body
    google = {"google": {"thought_signature": "s"}}
    assert answer["extra_content"] == google
    assert [call.get("extra_content") for call in answer["tool_calls"]] == [google, None]
    assert found.losses == ()


def test_refusals() -> None:
    messages = (user(Text("hi")), says(Refusal("no")), user(Text("why")))
    assert told(*messages)[1] == {"role": "assistant", "content": "no"}
    openai = told(*messages, to=target("openai"))[1]
    assert openai == {"role": "assistant", "content": None, "refusal": "no"}


def test_cache_marks() -> None:
    messages = (
        Message("system", (Text("S1"), Text("S2", CacheMark("1h")))),
        user(Text("hi", CacheMark())),
    )
    assert "cache_control" not in written(*messages).body.decode()
    claude = target("cache_marks", model="anthropic/claude-x")
    found = told(*messages, to=claude)
    assert found[0]["content"] == [
        {"type": "text", "text": "S1"},
        {"type": "text", "text": "S2", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
    ]
    assert found[1]["content"][0]["cache_control"] == {"type": "ephemeral"}
    assert "cache_control" not in written(*messages, to=target("cache_marks")).body.decode()


def test_claude_is_marked_for_agents_that_do_not() -> None:
    claude = target("cache_marks", model="anthropic/claude-x")
    found = told(
        Message("system", (Text("S"),)),
        user(Text("hi")),
        says(Call("a", "f", "{}")),
        user(Result("a", (Text("A"),))),
        to=claude,
    )
    marked = ["cache_control" in json.dumps(message) for message in found]
    assert marked == [True, False, False, True]


def test_losses_of_members() -> None:
    found = written(extra={"x": b"1"}, previous_id="r", verbosity="low")
    assert {loss.path: loss.grave for loss in found.losses} == {
        "x": False,
        "previous_response_id": True,
        "verbosity": False,
    }


def test_half_a_character_is_mended() -> None:
    found = written(user(Text("a\ud83d")), says(Call("a\ud83d", "f", '{"x":"\ud83d"}')))
    json.loads(found.body.decode())


TURNS = (
    Message("system", (Text("S"),)),
    user(Text("one")),
    says(Reasoning("hm"), Text("look"), Call("a", "f", '{"p":1}')),
    user(Result("a", (Text("A"), Image(url="https://a.test/i")))),
    says(Text("two")),
    user(Text("three"), Image(media_type="image/png", data="AAAA")),
    says(Call("b", "f", "{}"), Call("c", "f", "{}")),
    user(Result("b", (Text("B"),)), Result("c", (Text("C"),)), Text("four")),
    says(Text("five")),
    user(Text("six")),
)


@pytest.mark.parametrize("quirks", [(), ("openai",), ("reasoning_back", "max_stops=1")])
def test_earlier_turns_stay_the_same_bytes(quirks: tuple[str, ...]) -> None:
    bodies = [
        written(*TURNS[:length], tools=(F,), to=target(*quirks)).body for length in (2, 4, 6, 8, 10)
    ]
    for shorter, longer in pairwise(bodies):
        assert longer.startswith(shorter.removesuffix(b"]}"))


def test_the_catalogues_quirks_are_handled() -> None:
    for preset in load_presets().values():
        to = Target("v", "chat", "m", frozenset(preset.quirks))
        assert json.loads(write_request(request(tools=(F,)), to).body)["stream"] is True


WORDS = st.sampled_from(
    [
        "role", "content", "type", "text", "tool_calls", "id", "function", "name", "arguments",
        "user", "assistant", "tool", "system", "image_url", "url", "file", "file_data",
        "input_audio", "data", "reasoning_details", "custom", "input", "tool_call_id", "a", "b",
    ]
)  # fmt: skip
LIKELY = st.recursive(
    WORDS | st.text(max_size=3) | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=15,
)
ROLES = st.sampled_from(["user", "assistant", "system", "tool", "developer", "function"])
MESSAGES = st.fixed_dictionaries(
    {"role": ROLES},
    optional={
        "content": LIKELY,
        "tool_call_id": st.sampled_from(["a", "b"]),
        "tool_calls": st.lists(
            st.fixed_dictionaries(
                {
                    "id": st.sampled_from(["a", "b"]),
                    "function": st.fixed_dictionaries({"name": WORDS}),
                }
            ),
            max_size=2,
        ),
    },
)


@given(st.lists(MESSAGES, min_size=1, max_size=6))
def test_what_can_be_read_can_be_written(messages: list[Any]) -> None:
    try:
        read = read_request(json.dumps({"messages": messages}).encode(), "m")
    except Fault:
        return
    found = json.loads(write_request(read, target()).body)["messages"]
    open: list[str] = []
    for message in found:
        if message["role"] == "tool":
            assert message["tool_call_id"] == open.pop(0)
            continue
        assert not open, "a call without a result"
        open = [call["id"] for call in message.get("tool_calls", [])]
