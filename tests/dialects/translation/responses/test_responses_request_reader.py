from __future__ import annotations

import json

import pytest

from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import (
    Audio,
    Call,
    Document,
    Effort,
    Format,
    Function,
    Image,
    Loss,
    Message,
    Reasoning,
    Refusal,
    Result,
    Seal,
    Text,
)
from tests.dialects.translation.responses.responses_feeding import OURS, read


def messages(*items: object) -> tuple[Message, ...]:
    return read(input=list(items)).messages


def test_a_text_and_instructions() -> None:
    assert read(instructions="be", input="hi").messages == (
        Message("system", (Text("be"),)),
        Message("user", (Text("hi"),)),
    )


def test_messages_with_and_without_their_type() -> None:
    assert messages(
        {"role": "developer", "content": [{"type": "input_text", "text": "D"}]},
        {"type": "message", "role": "user", "content": "more"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "y"}]},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
        {"role": "system", "content": "late"},
    ) == (
        Message("developer", (Text("D"),)),
        Message("user", (Text("more"),)),
        Message("assistant", (Text("y"), Refusal("no"))),
        Message("system", (Text("late"),)),
    )


def test_media() -> None:
    content = [
        {"type": "input_image", "image_url": "data:image/png;base64,QUJD", "detail": "low"},
        {"type": "input_image", "image_url": "https://x/y.png"},
        {"type": "input_image", "file_id": "file-1"},
        {
            "type": "input_file",
            "file_data": "data:application/pdf;base64,UERG",
            "filename": "a.pdf",
        },
        {"type": "input_file", "file_data": "UERG", "filename": "a.txt"},
        {"type": "input_file", "file_url": "https://x/y.pdf"},
        {"type": "input_audio", "input_audio": {"data": "QQ", "format": "wav"}},
    ]
    assert messages({"role": "user", "content": content})[0].parts == (
        Image(media_type="image/png", data="QUJD", detail="low"),
        Image(url="https://x/y.png"),
        Image(file_id="file-1"),
        Document(media_type="application/pdf", data="UERG", name="a.pdf"),
        Document(media_type="text/plain", data="UERG", name="a.txt"),
        Document(url="https://x/y.pdf"),
        Audio("QQ", "wav"),
    )


def test_calls_and_their_outputs() -> None:
    image = {"type": "input_image", "image_url": "data:image/png;base64,QUJD"}
    found = messages(
        {
            "type": "function_call",
            "id": "fc",
            "call_id": "1",
            "name": "f",
            "arguments": '{"a":1.5e2}',
        },
        {"type": "function_call", "call_id": "2", "name": "g", "arguments": "", "namespace": "ns"},
        {"type": "custom_tool_call", "call_id": "3", "name": "patch", "input": "*** x"},
        {"type": "function_call_output", "call_id": "1", "output": "A"},
        {
            "type": "function_call_output",
            "call_id": "2",
            "output": [{"type": "input_text", "text": "B"}, image],
        },
        {"type": "custom_tool_call_output", "call_id": "3", "output": "done"},
        {"role": "user", "content": "go on"},
    )
    assert found == (
        Message(
            "assistant",
            (
                Call("1", "f", '{"a":1.5e2}'),
                Call("2", "g", "{}", namespace="ns"),
                Call("3", "patch", "*** x", custom=True),
            ),
        ),
        Message(
            "user",
            (
                Result("1", (Text("A"),)),
                Result("2", (Text("B"), Image(media_type="image/png", data="QUJD"))),
                Result("3", (Text("done"),), custom=True),
            ),
        ),
        Message("user", (Text("go on"),)),
    )


def test_an_output_may_say_that_it_failed() -> None:
    output = {"content": "bad", "success": False}
    (message,) = messages({"type": "function_call_output", "call_id": "1", "output": output})
    assert message.parts == (Result("1", (Text("bad"),), is_error=True),)


def test_the_dialects_own_calls_are_calls() -> None:
    action = {"type": "exec", "command": ["ls"], "env": {}}
    found = messages(
        {
            "type": "local_shell_call",
            "id": "l",
            "call_id": "1",
            "action": action,
            "status": "completed",
        },
        {"type": "local_shell_call_output", "id": "1", "output": "a"},
    )
    call = Call("1", "local_shell", json.dumps(action, separators=(",", ":")))
    assert [each.parts for each in found] == [(call,), (Result("1", (Text("a"),)),)]


def test_reasoning_of_the_agents_own_vendor() -> None:
    item = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}],
        "encrypted_content": "gAAAA",
    }
    seal = Seal("/responses", "encrypted", "gAAAA", "rs_1")
    assert messages(item)[0].parts == (Reasoning("a\n\nb", (seal,)),)


def test_reasoning_in_the_open() -> None:
    content = [{"type": "reasoning_text", "text": "hm"}]
    item = {"type": "reasoning", "summary": [], "content": content, "encrypted_content": None}
    assert messages(item)[0].parts == (Reasoning("hm"),)
    assert messages({"type": "reasoning", "summary": []}) == ()


def test_items_that_cannot_be_told() -> None:
    request = read(
        input=[
            {"type": "item_reference", "id": "msg_1"},
            {"id": "msg_2"},
            {"type": "compaction", "encrypted_content": "x"},
            {"type": "web_search_call", "id": "ws", "status": "completed"},
            {"type": "ghost_snapshot", "ghost_commit": {}},
            {"type": "brand_new"},
        ]
    )
    assert request.messages == ()
    assert [(loss.path, loss.grave) for loss in request.losses] == [
        ("input[0]", True),
        ("input[1]", True),
        ("input[2]", True),
        ("input[3]", False),
        ("input[5]", False),
    ]


def test_what_hosted_tools_said_stays_readable() -> None:
    mcp = {"type": "mcp_call", "server_label": "s", "name": "n", "arguments": "{}", "output": "42"}
    code = {
        "type": "code_interpreter_call",
        "code": "1",
        "outputs": [{"type": "logs", "logs": "2"}],
    }
    request = read(input=[mcp, code])
    assert request.messages == (
        Message("assistant", (Text("[s.n({})]\n42"), Text("[code]\n1\n[output]\n2"))),
    )
    assert [loss.path for loss in request.losses] == ["input[0]", "input[1]"]


def test_settings() -> None:
    request = read(
        parallel_tool_calls=False,
        text={
            "format": {
                "type": "json_schema",
                "name": "a",
                "strict": True,
                "schema": {"type": "object"},
            },
            "verbosity": "low",
        },
        reasoning={"effort": "high", "summary": "detailed"},
        temperature=0.5,
        top_p=0.9,
        max_output_tokens=100,
        user="u",
        prompt_cache_key="k",
        service_tier="flex",
        previous_response_id="resp_1",
        store=True,
        client_metadata={"a": "b"},
        include=["reasoning.encrypted_content"],
        stream=True,
    )
    assert request.parallel is False
    assert request.format == Format(b'{"type": "object"}', "a", "", True)
    assert request.effort == Effort(level="high", shown=True, summary="detailed")
    assert (request.sampling.temperature, request.sampling.top_p) == (0.5, 0.9)
    assert (request.max_output, request.user, request.cache_key) == (100, "u", "k")
    assert (request.verbosity, request.service_tier) == ("low", "flex")
    assert request.previous_id == "resp_1"
    assert (request.losses, dict(request.extra)) == ((), {})


def test_what_only_its_vendor_knows_is_told() -> None:
    request = read(
        conversation="c",
        background=True,
        truncation="auto",
        include=["message.output_text.logprobs"],
        reasoning={"effort": "wild", "mode": "pro"},
        new_member=[1],
    )
    assert {loss.path: loss.grave for loss in request.losses} == {
        "conversation": True,
        "background": False,
        "truncation": False,
        "include": False,
        "reasoning.effort": False,
        "reasoning.mode": False,
    }
    assert dict(request.extra) == {"new_member": b"[1]"}


def test_what_says_nothing_is_no_loss() -> None:
    quiet = read(background=False, truncation="disabled", top_logprobs=0, text={}, user=None)
    assert quiet.losses == ()
    assert read(text={"format": {"type": "json_object"}}).format == Format()
    assert read(text={"format": {"type": "text"}}).format is None


def test_media_of_an_assistant_are_a_grave_loss() -> None:
    content = [{"type": "input_image", "image_url": "https://x"}, {"type": "video"}]
    request = read(input=[{"role": "assistant", "content": content}])
    assert [loss.grave for loss in request.losses] == [True, True]
    assert Loss("input[0].content[1]", "a part of type video", grave=True) in request.losses


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (b"[]", "body"),
        (b"nope", "body"),
        (b'{"model":"m","input":5}', "input"),
        (b'{"model":"m","input":[5]}', "input[0]"),
        (b'{"model":"m","input":[{"role":"king","content":"x"}]}', "input[0].role"),
        (b'{"model":"m","input":[{"role":"user","content":5}]}', "input[0].content"),
        (b'{"model":"m","input":[{"role":"user","content":[5]}]}', "input[0].content[0]"),
        (b'{"model":"m","input":[{"type":"function_call","call_id":"1"}]}', "input[0].name"),
        (b'{"model":"m","tools":5}', "tools"),
        (b'{"model":"m","tools":[5]}', "tools[0]"),
        (b'{"model":"m","tools":[{"type":"function"}]}', "tools[0].name"),
        (b'{"model":"m","instructions":5}', "instructions"),
        (b'{"model":"m","text":5}', "text"),
        (b'{"model":"m","include":5}', "include"),
        (b'{"model":"m","temperature":"hot"}', "temperature"),
        (b'{"model":"m","parallel_tool_calls":"yes"}', "parallel_tool_calls"),
        (b'{"model":"m","input":' + b"[" * 100_000, "body"),
        (b'{"model":"m","input":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "body"),
    ],
)
def test_what_is_no_request(body: bytes, path: str) -> None:
    with pytest.raises(Fault) as raised:
        OURS.read_request(body, "m", "sse")
    assert raised.value.kind is FaultKind.REQUEST
    assert path in raised.value.message


def test_halves_of_characters_are_no_fault() -> None:
    body = b'{"model":"m","input":"a\\ud83d b","tools":[{"type":"function","name":"f"}]}'
    request = OURS.read_request(body, "m", "sse")
    assert request.tools == (Function("f"),)
    assert request.messages == (Message("user", (Text("a\ufffd b"),)),)
