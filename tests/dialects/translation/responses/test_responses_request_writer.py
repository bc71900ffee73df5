from __future__ import annotations

import json

import pytest

from holdgate.core.dialects.translation.base import Target, ToolRef
from holdgate.core.values.neutral import (
    Audio,
    Call,
    Choice,
    Custom,
    Document,
    Effort,
    Format,
    Function,
    Hosted,
    Image,
    Loss,
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
from tests.dialects.translation.conversations import turns
from tests.dialects.translation.responses.responses_feeding import OURS, TARGET, THINKER, write


def of(*messages: Message, **more: object) -> Request:
    return Request("chat", "m", messages, **more)  # type: ignore[arg-type]


def user(*parts: Part) -> Message:
    return Message("user", parts)


HI = user(Text("hi"))


def test_the_smallest_request() -> None:
    body, written = write(of(HI))
    assert body == {
        "model": "gpt-4.1",
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
        ],
        "store": False,
        "stream": True,
    }
    assert (written.losses, written.names) == ((), {})
    assert written.optional == {"store"}


def test_leading_system_messages_are_instructions_later_ones_are_items() -> None:
    one, two = Message("system", (Text("1"),)), Message("system", (Text("2"), Text("3")))
    body, _ = write(of(one, two, HI, Message("developer", (Text("4"),)), one))
    assert body["instructions"] == "1\n\n2\n\n3"
    assert [item["role"] for item in body["input"]] == ["user", "developer", "developer"]


def test_a_system_message_alone_is_the_input() -> None:
    body, _ = write(of(Message("system", (Text("1"),))))
    assert "instructions" not in body
    assert [item["role"] for item in body["input"]] == ["developer"]


def test_media() -> None:
    body, written = write(
        of(
            user(
                Image(media_type="image/png", data="QUJD", detail="high"),
                Image(url="https://x"),
                Image(file_id="file-1"),
                Document(media_type="application/pdf", data="UERG", name="a.pdf"),
                Document(media_type="application/pdf", data="UERG"),
                Document(url="https://x"),
                Document(file_id="file-1"),
                Document(text="words", name="title"),
                Audio("QQ", "wav"),
            )
        )
    )
    data = "data:application/pdf;base64,UERG"
    assert body["input"][0]["content"] == [
        {"type": "input_image", "detail": "high", "image_url": "data:image/png;base64,QUJD"},
        {"type": "input_image", "detail": "auto", "image_url": "https://x"},
        {"type": "input_image", "detail": "auto", "file_id": "file-1"},
        {"type": "input_file", "filename": "a.pdf", "file_data": data},
        {"type": "input_file", "filename": "document.pdf", "file_data": data},
        {"type": "input_file", "file_url": "https://x"},
        {"type": "input_file", "file_id": "file-1"},
        {"type": "input_text", "text": "title\n\nwords"},
    ]
    assert [(loss.path, loss.grave) for loss in written.losses] == [("messages[0].parts[8]", True)]


def test_calls_results_and_reasoning_keep_their_order() -> None:
    mine = Seal("openai/responses", "encrypted", "gAAA", "rs_1")
    others = Seal("a/messages", "signature", "sig")
    body, written = write(
        of(
            HI,
            Message(
                "assistant",
                (
                    Reasoning("thought", (mine,)),
                    Reasoning("other", (others,)),
                    Text("I look"),
                    Refusal("no"),
                    Call("c" * 70, "f.g", '{"n":1.5e2}'),
                    Call("2", "p", "*** x", custom=True),
                ),
            ),
            user(
                Result("c" * 70, (Text("A"),)),
                Result("2", (Text("B"), Image(url="https://x")), custom=True),
                Text("go on"),
            ),
            tools=(Function("f.g"), Custom("p")),
        )
    )
    long = body["input"][3]["call_id"]
    assert len(long) == 64
    assert body["input"][1:] == [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "thought"}],
            "encrypted_content": "gAAA",
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [
                {"type": "output_text", "text": "I look"},
                {"type": "refusal", "refusal": "no"},
            ],
        },
        {"type": "function_call", "call_id": long, "name": "f_g", "arguments": '{"n":1.5e2}'},
        {"type": "custom_tool_call", "call_id": "2", "name": "p", "input": "*** x"},
        {"type": "function_call_output", "call_id": long, "output": "A"},
        {
            "type": "custom_tool_call_output",
            "call_id": "2",
            "output": [
                {"type": "input_text", "text": "B"},
                {"type": "input_image", "detail": "auto", "image_url": "https://x"},
            ],
        },
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go on"}]},
    ]
    assert written.names == {"f_g": ToolRef("f.g")}
    assert b"sig" not in written.body


@pytest.mark.parametrize(
    ("parts", "output"),
    [
        ((Text("File not there"),), "Error: File not there"),
        ((Text("<error>no</error>"),), "<error>no</error>"),
        ((), "Error"),
    ],
)
def test_errors_are_told_in_words(parts: tuple[Text, ...], output: str) -> None:
    call = Message("assistant", (Call("1", "f", "{}"),))
    body, _ = write(of(HI, call, user(Result("1", parts, is_error=True))))
    assert body["input"][-1]["output"] == output


def test_what_reading_and_settling_lost_is_told_too() -> None:
    lost = Loss("input[0]", "gone", grave=True)
    _, written = write(of(HI, user(Result("1", (Text("orphan"),))), losses=(lost,)))
    assert written.losses[0] == lost
    assert len(written.losses) == 2
    assert b"orphan" in written.body


def test_errors_with_images() -> None:
    image = Image(url="https://x")
    calls = Message("assistant", (Call("1", "f", "{}"), Call("2", "f", "{}")))
    body, _ = write(
        of(
            HI,
            calls,
            user(
                Result("1", (image,), is_error=True),
                Result("2", (Text("no"), image), is_error=True),
            ),
        )
    )
    told = [item["output"][0]["text"] for item in body["input"][-2:]]
    assert told == ["Error", "Error: no"]


def test_tools() -> None:
    schema = b'{"type":"object","properties":{"n":{"maximum":123456789012345678901234567890}}}'
    grammar = b'{"type":"grammar","grammar":{"syntax":"lark","definition":"x"}}'
    body, written = write(
        of(
            HI,
            tools=(
                Function("f", "d", schema),
                Function("g", strict=True),
                Custom("p", "patch", grammar),
                Namespace("ns", (Function("in"),), "n"),
                Hosted("web_search", b"{}"),
                Hosted("computer", b"{}"),
            ),
            choice=Choice("one", ("p",)),
            parallel=False,
        )
    )
    empty = {"type": "object", "properties": {}}
    assert schema in written.body
    assert body["tools"][1:] == [
        {"type": "function", "name": "g", "parameters": empty, "strict": True},
        {
            "type": "custom",
            "name": "p",
            "description": "patch",
            "format": {"type": "grammar", "syntax": "lark", "definition": "x"},
        },
        {
            "type": "namespace",
            "name": "ns",
            "description": "n",
            "tools": [{"type": "function", "name": "in", "parameters": empty, "strict": False}],
        },
    ]
    assert body["tools"][0]["strict"] is False
    assert body["tool_choice"] == {"type": "custom", "name": "p"}
    assert body["parallel_tool_calls"] is False
    assert [(loss.path, loss.grave) for loss in written.losses] == [
        ("tools[4]", False),
        ("tools[5]", True),
    ]


def test_hosted_tools_of_the_vendor() -> None:
    target = Target("openai", "responses", "m", hosted=frozenset({"web_search", "code"}))
    tools = (Hosted("web_search", b"{}"), Hosted("code", b"{}"))
    body, written = write(of(HI, tools=tools), target)
    assert [tool["type"] for tool in body["tools"]] == ["web_search", "code_interpreter"]
    assert written.losses == ()


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        (Choice("auto"), "auto"),
        (Choice("none"), "none"),
        (Choice("required"), "required"),
        (Choice("one", ("f.g",)), {"type": "function", "name": "f_g"}),
        (
            Choice("required", ("f.g", "p")),
            {
                "type": "allowed_tools",
                "mode": "required",
                "tools": [{"type": "function", "name": "f_g"}, {"type": "custom", "name": "p"}],
            },
        ),
    ],
)
def test_choice(choice: Choice, told: object) -> None:
    body, _ = write(of(HI, tools=(Function("f.g"), Custom("p")), choice=choice))
    assert body["tool_choice"] == told


def test_reasoning_is_asked_for_in_a_form_that_can_be_given_back() -> None:
    body, written = write(of(HI, effort=Effort(budget=8000, shown=True)), THINKER)
    assert body["reasoning"] == {"effort": "medium", "summary": "auto"}
    assert body["include"] == ["reasoning.encrypted_content"]
    assert {"include", "reasoning"} <= written.optional
    assert "include" in write(of(HI), THINKER)[0]
    assert "include" not in write(of(HI, effort=Effort(level="none")))[0]


def test_models_that_reason_take_no_sampling() -> None:
    sampling = Sampling(temperature=0.2, top_p=1)
    body, written = write(of(HI, sampling=sampling), THINKER)
    assert not {"temperature", "top_p"} & body.keys()
    assert [loss.path for loss in written.losses] == ["temperature"]
    assert write(of(HI, sampling=sampling))[0]["temperature"] == 0.2


def test_what_the_dialect_cannot_say() -> None:
    sampling = Sampling(temperature=3, top_k=1, seed=0, presence_penalty=1.0, stops=("x",))
    request = of(HI, sampling=sampling, max_output=5, service_tier="batch", extra={"n": b"2"})
    body, written = write(request)
    assert (body["temperature"], body["max_output_tokens"]) == (2.0, 16)
    assert {loss.path for loss in written.losses} == {
        "temperature",
        "top_k",
        "presence_penalty",
        "stops",
        "max_output",
        "service_tier",
        "n",
    }
    assert not any(loss.grave for loss in written.losses)


def test_format_and_verbosity() -> None:
    format = Format(b'{"type":"object"}', "a b", "d", True)
    body, written = write(of(HI, format=format, verbosity="low"))
    assert body["text"] == {
        "format": {
            "type": "json_schema",
            "name": "a_b",
            "description": "d",
            "schema": {"type": "object"},
            "strict": True,
        },
        "verbosity": "low",
    }
    assert "text" not in written.optional
    body, written = write(of(HI, verbosity="low"))
    assert "text" in written.optional
    assert write(of(HI, format=Format()))[0]["text"] == {"format": {"type": "json_object"}}


def test_limits_and_keys() -> None:
    target = Target("openai", "responses", "m", output=100, without=frozenset({"user", "input"}))
    body, _ = write(of(HI, max_output=1000, user="u", cache_key="k" * 100), target)
    assert body["max_output_tokens"] == 100
    assert len(body["prompt_cache_key"]) == 64
    assert "user" not in body
    assert body["input"]


def test_earlier_turns_are_the_same_in_every_turn() -> None:
    last: list[str] = []
    for request in turns("chat"):
        body, _ = write(request)
        items = [json.dumps(item) for item in body["input"]]
        assert items[: len(last) - 1] == last[:-1]
        last = items
    assert OURS.write_request(of(HI), TARGET) == OURS.write_request(of(HI), TARGET)
