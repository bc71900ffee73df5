from __future__ import annotations

import json
from typing import Any

import pytest

from holdgate.core.dialects.translation.gemini.slots import packed
from holdgate.core.dialects.translation.gemini.translator import GeminiTranslator
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import (
    Audio,
    Call,
    Choice,
    Document,
    Effort,
    Format,
    Function,
    Hosted,
    Image,
    Loss,
    Message,
    Reasoning,
    Request,
    Result,
    Sampling,
    Seal,
    Text,
)
from holdgate.core.values.seals import wrap
from tests.dialects.translation.conversations import (
    BIG,
    ENCRYPTED,
    PIXEL,
    REDACTED,
    SIGNED,
    THOUGHT,
)

READER = GeminiTranslator()


def read(body: object) -> Request:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return READER.read_request(data, "model-asked-for", "sse")


def content(*parts: object, role: str = "user") -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def messages(*contents: object) -> tuple[Message, ...]:
    return read({"contents": list(contents)}).messages


def call(name: str, id: str = "", **args: object) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": args} | ({"id": id} if id else {})}


def response(name: str, value: object, id: str = "") -> dict[str, Any]:
    told = {"name": name, "response": value} | ({"id": id} if id else {})
    return {"functionResponse": told}


def one_result(*told: object) -> Result:
    found = messages(content(call("read"), role="model"), content(*told))[1].parts[0]
    assert isinstance(found, Result)
    return found


def test_a_text() -> None:
    found = read(
        {"contents": [content({"text": "hi"})], "safetySettings": [], "labels": {"a": "b"}}
    )
    assert found.messages == (Message("user", (Text("hi"),)),)
    assert (found.dialect, found.model) == ("gemini", "model-asked-for")
    assert not found.losses
    assert not found.extra


@pytest.mark.parametrize(
    ("role", "told"),
    [("user", "user"), ("function", "user"), ("model", "assistant"), (None, "user")],
)
def test_roles(role: str | None, told: str) -> None:
    one: dict[str, Any] = {"parts": [{"text": "hi"}]} | ({"role": role} if role else {})
    assert messages(one)[0].role == told


@pytest.mark.parametrize(
    "system",
    [
        "Be brief.",
        {"parts": [{"text": "Be brief."}]},
        {"role": "system", "parts": {"text": "Be brief."}},
        [{"text": "Be brief."}],
        {"text": "Be brief."},
    ],
)
@pytest.mark.parametrize("name", ["systemInstruction", "system_instruction"])
def test_a_system_instruction(system: object, name: str) -> None:
    found = read({name: system, "contents": [content({"text": "hi"})]})
    assert found.messages[0] == Message("system", (Text("Be brief."),))


def test_snake_case_is_understood_everywhere() -> None:
    found = read(
        {
            "system_instruction": {"parts": [{"text": "S"}]},
            "contents": [
                content({"inline_data": {"mime_type": "image/png", "data": PIXEL}}),
                content({"function_call": {"name": "f", "args": {"snake_case": 1}}}, role="model"),
                content({"function_response": {"name": "f", "response": {"output": "x"}}}),
            ],
            "tools": [
                {"function_declarations": [{"name": "f", "parameters_json_schema": {"a_b": 1}}]},
            ],
            "tool_config": {
                "function_calling_config": {"mode": "any", "allowed_function_names": ["f"]}
            },
            "generation_config": {
                "max_output_tokens": 5,
                "stop_sequences": ["END"],
                "response_mime_type": "application/json",
                "thinking_config": {"include_thoughts": True, "thinking_budget": 100},
            },
        }
    )
    assert found.messages[1].parts == (Image("image/png", PIXEL),)
    made = found.messages[2].parts[0]
    assert isinstance(made, Call)
    assert made.arguments == '{"snake_case": 1}'
    assert found.tools == (Function("f", "", b'{"a_b": 1}'),)
    assert found.choice == Choice("one", ("f",))
    assert found.max_output == 5
    assert found.sampling.stops == ("END",)
    assert found.format == Format()
    assert found.effort == Effort(budget=100, shown=True)


def test_arguments_stay_as_they_were_written() -> None:
    body = b'{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":%s}}]}]}'
    found = read(body % BIG.encode()).messages[0].parts[0]
    assert isinstance(found, Call)
    assert found.arguments == BIG


def test_calls_without_ids_are_paired_by_name_and_order() -> None:
    found = messages(
        content({"text": "Read."}),
        content(call("read", p="a"), call("list"), call("read", p="b"), role="model"),
        content(
            {"text": "And?"},
            response("list", {"output": "L"}),
            response("read", {"output": "A"}),
            response("read", {"output": "B"}),
        ),
    )
    calls = [part for part in found[1].parts if isinstance(part, Call)]
    results = [part for part in found[2].parts if isinstance(part, Result)]
    ids = [one.id for one in calls]
    assert len(set(ids)) == 3
    assert [one.call_id for one in results] == [ids[1], ids[0], ids[2]]
    assert [one.name for one in results] == ["list", "read", "read"]
    # Results come first.
    assert found[2].parts[-1] == Text("And?")


def test_an_id_counts_more_than_the_order() -> None:
    found = messages(
        content(call("read", "x"), call("read", "y"), role="model"),
        content(response("read", {"output": "Y"}, "y"), response("read", {"output": "X"}, "x")),
    )
    assert [part.call_id for part in found[1].parts if isinstance(part, Result)] == ["y", "x"]


def test_an_id_that_only_the_response_has_goes_by_name() -> None:
    # Gemini CLI makes an id for a call that came without.
    found = messages(
        content(call("read"), role="model"), content(response("read", {"output": "X"}, "read-17"))
    )
    made = found[0].parts[0]
    assert isinstance(made, Call)
    assert [part.call_id for part in found[1].parts if isinstance(part, Result)] == [made.id]


def test_an_id_that_comes_again_names_another_call() -> None:
    found = messages(
        content(call("read", "x"), role="model"),
        content(response("read", {"output": "1"}, "x")),
        content(call("read", "x"), role="model"),
        content(response("read", {"output": "2"}, "x")),
    )
    calls = [part.id for one in found for part in one.parts if isinstance(part, Call)]
    results = [part.call_id for one in found for part in one.parts if isinstance(part, Result)]
    assert calls == results
    assert len(set(calls)) == 2


def test_ids_of_earlier_turns_stay() -> None:
    turn = [content({"text": "x"}), content(call("f"), role="model"), content(response("f", {}))]
    assert messages(*turn) == messages(*turn, *turn)[:3]


@pytest.mark.parametrize(
    ("value", "text", "is_error"),
    [
        ({"output": "ok"}, "ok", False),
        ({"result": "ok"}, "ok", False),
        ({"output": {"a": 1}}, '{"a": 1}', False),
        ({"error": "no such file"}, "no such file", True),
        ({"error": {"code": 2}}, '{"code": 2}', True),
        ({"output": "x", "exit": 1}, '{"output": "x", "exit": 1}', False),
        ({"temperature": 14.50}, '{"temperature": 14.5}', False),
        ("text", "text", False),
        ([1, 2], "[1, 2]", False),
    ],
)
def test_what_a_response_says(value: object, text: str, is_error: bool) -> None:
    found = one_result(response("read", value))
    assert found.parts == (Text(text),)
    assert found.is_error is is_error


def test_media_in_a_response() -> None:
    told = response("read", {"output": "see"})
    told["functionResponse"]["parts"] = [
        {"inlineData": {"mimeType": "image/png", "data": PIXEL}},
        {"fileData": {"mimeType": "application/pdf", "fileUri": "https://example.org/a.pdf"}},
    ]
    assert one_result(told).parts == (
        Text("see"),
        Image("image/png", PIXEL),
        Document("application/pdf", url="https://example.org/a.pdf"),
    )


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ({"inlineData": {"mimeType": "image/png", "data": "-_8"}}, Image("image/png", "+/8=")),
        ({"inlineData": {"mimeType": "audio/mpeg", "data": "AAAA"}}, Audio("AAAA", "mp3")),
        (
            {"inlineData": {"mimeType": "application/pdf", "data": "AAAA"}},
            Document("application/pdf", "AAAA"),
        ),
        (
            {"fileData": {"fileUri": "https://example.org/a.png"}},
            Image("image/png", url="https://example.org/a.png"),
        ),
        (
            {"fileData": {"fileUri": "gs://b/a.png", "mimeType": "image/png"}},
            Image("image/png", file_id="gs://b/a.png"),
        ),
    ],
)
def test_media(part: object, told: object) -> None:
    assert messages(content(part))[0].parts == (told,)


@pytest.mark.parametrize(
    "part",
    [
        {"inlineData": {"mimeType": "video/mp4", "data": "AAAA"}},
        {"fileData": {"fileUri": "https://www.youtube.com/watch?v=1"}},
    ],
)
def test_a_video_is_a_grave_loss(part: object) -> None:
    found = read({"contents": [content({"text": "see"}, part)]})
    assert [loss.grave for loss in found.losses] == [True]
    assert found.losses[0].path.startswith("contents[0].parts[1]")


def test_code_that_google_ran_is_kept_as_text() -> None:
    found = read(
        {
            "contents": [
                content(
                    {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
                    {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
                    role="model",
                )
            ]
        }
    )
    assert found.messages[0].parts == (Text("```python\nprint(1)\n```"), Text("```\n1\n```"))
    assert len(found.losses) == 2


def test_thoughts_are_reasoning() -> None:
    found = messages(
        content(
            {"text": "I ", "thought": True},
            {"text": "think.", "thought": True},
            {"text": "So."},
            role="model",
        )
    )
    assert found[0].parts == (Reasoning("I think."), Text("So."))


def test_a_signature_that_is_not_ours_is_googles() -> None:
    found = messages(content(call("f") | {"thoughtSignature": "CiQB"}, role="model"))[0].parts[0]
    assert isinstance(found, Call)
    assert found.seals == (Seal("/gemini", "thought", "CiQB"),)


def test_seals_come_back_to_where_they_belong() -> None:
    thinking = (Reasoning("", (SIGNED,)), Reasoning("", (REDACTED, ENCRYPTED)))
    found = messages(
        content(
            {"text": "Hm.", "thought": True},
            {"text": "So.", "thoughtSignature": packed((), thinking)},
            call("f") | {"thoughtSignature": wrap(THOUGHT)},
            role="model",
        )
    )[0].parts
    assert found[:3] == (
        Reasoning("Hm.", (SIGNED,)),
        Reasoning("", (REDACTED, ENCRYPTED)),
        Text("So."),
    )
    assert isinstance(found[3], Call)
    assert found[3].seals == (THOUGHT,)


def test_seals_survive_the_alphabet_for_urls() -> None:
    strange = Seal("a/messages", "signature", "?>?>~~~\u00ff")
    text = (
        packed((strange,), (Reasoning("", (SIGNED,)),))
        .replace("+", "-")
        .replace("/", "_")
        .rstrip("=")
    )
    parts = messages(content({"text": "x", "thought_signature": text}, role="model"))[0].parts
    assert parts == (Reasoning("", (SIGNED,)), Text("x", seals=(strange,)))


def test_tools() -> None:
    found = read(
        {
            "contents": [content({"text": "hi"})],
            "tools": [
                {"functionDeclarations": [{"name": "f", "description": "F."}], "googleSearch": {}},
                {"codeExecution": {}},
                {"urlContext": {}},
            ],
        }
    )
    assert found.tools == (
        Function("f", "F."),
        Hosted("web_search", b'{"googleSearch":{}}'),
        Hosted("code", b'{"codeExecution":{}}'),
        Hosted("web_fetch", b'{"urlContext":{}}'),
    )


@pytest.mark.parametrize(
    ("config", "choice"),
    [
        ({"mode": "AUTO"}, Choice("auto")),
        ({"mode": "NONE"}, Choice("none")),
        ({"mode": "ANY"}, Choice("required")),
        ({"mode": "ANY", "allowedFunctionNames": ["f"]}, Choice("one", ("f",))),
        ({"mode": "ANY", "allowedFunctionNames": ["f", "g"]}, Choice("required", ("f", "g"))),
        ({"mode": "VALIDATED", "allowedFunctionNames": ["f"]}, Choice("auto", ("f",))),
        ({"mode": "MODE_UNSPECIFIED"}, None),
        ({}, None),
    ],
)
def test_choices(config: object, choice: Choice | None) -> None:
    body = {"contents": [content({"text": "hi"})], "toolConfig": {"functionCallingConfig": config}}
    assert read(body).choice == choice


def settings(**config: object) -> Request:
    return read({"contents": [content({"text": "hi"})], "generationConfig": config})


def test_settings() -> None:
    found = settings(
        temperature=0,
        topP=0.5,
        topK=40.0,
        seed="7",
        stopSequences=["END"],
        presencePenalty=1,
        frequencyPenalty=-1,
        maxOutputTokens=100,
        responseModalities=["TEXT"],
        candidateCount=1,
    )
    assert found.sampling == Sampling(0, 0.5, 40, 1, -1, 7, ("END",))
    assert found.max_output == 100
    assert not found.losses


@pytest.mark.parametrize(
    ("config", "effort"),
    [
        ({"thinkingBudget": 0}, Effort("none")),
        ({"thinkingBudget": -1, "includeThoughts": True}, Effort(adaptive=True, shown=True)),
        ({"thinkingBudget": 4000}, Effort(budget=4000)),
        ({"thinkingLevel": "HIGH", "includeThoughts": False}, Effort("high", shown=False)),
    ],
)
def test_efforts(config: object, effort: Effort) -> None:
    assert settings(thinkingConfig=config).effort == effort


def test_formats() -> None:
    schema = {"type": "object", "properties": {"type": {"type": "string"}}}
    google = {"type": "OBJECT", "properties": {"type": {"type": "STRING"}}}
    kind = "application/json"
    by_json = settings(responseMimeType=kind, responseJsonSchema=schema).format
    by_openapi = settings(responseMimeType=kind, responseSchema=google).format
    assert by_json is not None
    assert by_openapi is not None
    assert json.loads(by_json.schema) == schema
    assert json.loads(by_openapi.schema) == schema
    assert settings(responseMimeType=kind).format == Format()
    assert settings(responseMimeType="text/plain").format is None


@pytest.mark.parametrize(
    ("config", "grave"),
    [
        ({"candidateCount": 2}, True),
        ({"responseLogprobs": True}, False),
        ({"mediaResolution": "MEDIA_RESOLUTION_LOW"}, False),
        ({"responseModalities": ["TEXT", "IMAGE"]}, True),
        ({"responseModalities": ["AUDIO"]}, True),
        ({"responseMimeType": "text/x.enum"}, False),
    ],
)
def test_losses_of_settings(config: dict[str, Any], grave: bool) -> None:
    assert [loss.grave for loss in settings(**config).losses] == [grave]


def test_what_only_google_has() -> None:
    found = read(
        {"contents": [content({"text": "hi"})], "cachedContent": "cachedContents/1", "x": 1}
    )
    assert found.losses == (
        Loss("cachedContent", "a part of the conversation that only Google has", grave=True),
    )
    assert found.extra == {"x": b"1"}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"[]", "JSON object"),
        (b"", "JSON object"),
        ({}, "contents"),
        ({"contents": []}, "contents"),
        ({"contents": 7}, "contents"),
        ({"contents": [{"role": "king", "parts": []}]}, "contents[0].role"),
        ({"contents": [{"parts": [7]}]}, "contents[0].parts[0]"),
        ({"contents": [content({"text": 7})]}, "contents[0].parts[0].text"),
        ({"contents": [content({"functionCall": {"name": "f", "args": 7}})]}, "args"),
        ({"contents": [content({"functionCall": {}})]}, "name"),
        ({"contents": [content({"text": ""})], "tools": [{"functionDeclarations": [{}]}]}, "name"),
        ({"contents": [content({"text": ""})], "generationConfig": {"topP": "x"}}, "topP"),
        (b'{"contents":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "deeply"),
    ],
)
def test_what_is_no_request_is_a_fault(body: object, words: str) -> None:
    with pytest.raises(Fault) as caught:
        read(body)
    assert caught.value.kind is FaultKind.REQUEST
    assert words in caught.value.message


def test_half_a_character_is_no_fault() -> None:
    found = read(b'{"contents":[{"parts":[{"text":"a\\ud83d"}]}]}')
    assert found.messages == (Message("user", (Text("a\ufffd"),)),)


def test_texts_in_place_of_objects() -> None:
    assert messages("hi", {"parts": ["there"]}) == (
        Message("user", (Text("hi"),)),
        Message("user", (Text("there"),)),
    )


def test_a_system_content_in_the_conversation() -> None:
    found = messages(content({"text": "S"}, {"inlineData": {}}, role="system"))
    assert found == (Message("system", (Text("S"),)),)


def test_a_system_instruction_with_more_than_text() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
    for parts in ([image], [image, {"text": "S"}]):
        found = read({"systemInstruction": {"parts": parts}, "contents": ["hi"]})
        assert [loss.grave for loss in found.losses] == [True]


def test_parts_that_only_google_knows() -> None:
    found = read(
        {
            "contents": [
                content({"text": "x", "mediaResolution": {"level": "LOW"}}, {"toolCall": {}}, {})
            ]
        }
    )
    assert found.messages[0].parts == (Text("x"),)
    assert {loss.path for loss in found.losses} == {
        "contents[0].parts[0].mediaResolution",
        "contents[0].parts[1].toolCall",
    }


def test_a_part_that_is_a_signature_alone() -> None:
    found = messages(content({"text": "x"}, {"thoughtSignature": wrap(THOUGHT)}, role="model"))
    assert found[0].parts == (Text("x"), Text("", seals=(THOUGHT,)))


@pytest.mark.parametrize("cut", [17, 30, 60])
def test_a_slot_that_was_cut_belongs_to_nobody(cut: int) -> None:
    text = wrap(SIGNED)[:cut]
    assert messages(content({"text": "x", "thoughtSignature": text}))[0].parts == (Text("x"),)


def test_what_a_response_cannot_hold() -> None:
    told = response("read", {})
    told["functionResponse"]["parts"] = [
        {"text": "t"},
        {"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}},
        {"other": 1},
    ]
    found = read({"contents": [content(call("read"), role="model"), content(told)]})
    assert found.messages[1].parts[0].parts == (Text("t"),)  # type: ignore[union-attr]
    assert [loss.grave for loss in found.losses] == [True, False]


def test_a_request_wrapped_for_a_count() -> None:
    inner = {"model": "models/m", "contents": [content({"text": "hi"})]}
    assert read({"generateContentRequest": inner}).messages == (Message("user", (Text("hi"),)),)
