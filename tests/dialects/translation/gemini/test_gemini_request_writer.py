from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from google.genai import types

from holdgate.core.dialects.translation.base import Target, ToolRef
from holdgate.core.dialects.translation.gemini.content_writer import NO_PROOF
from holdgate.core.dialects.translation.gemini.translator import GeminiTranslator
from holdgate.core.values.neutral import (
    Choice,
    Document,
    Effort,
    Function,
    Image,
    Loss,
    Reasoning,
    Request,
    Sampling,
    Seal,
    Text,
)
from tests.dialects.translation.conversations import (
    BIG,
    PIXEL,
    READ,
    REQUESTS,
    SEARCH,
    SIGNED,
    THOUGHT,
    assistant,
    call,
    request,
    result,
    said,
    turns,
    user,
)

WRITER = GeminiTranslator()
TARGET = Target("google", "gemini", "case-model")
Json = dict[str, Any]


def target(model: str = "case-model", **rest: Any) -> Target:
    return Target("google", "gemini", model, **rest)


def body(asked: Request, to: Target = TARGET) -> Json:
    found = json.loads(WRITER.write_request(asked, to).body)
    assert isinstance(found, dict)
    return found


def config(asked: Request, to: Target = TARGET) -> Json:
    found = body(asked, to).get("generationConfig", {})
    assert isinstance(found, dict)
    return found


def losses(asked: Request, to: Target = TARGET) -> tuple[Loss, ...]:
    return WRITER.write_request(asked, to).losses


def valid(told: Json) -> None:
    """Check a body by the library's types and by the rules that they do not know."""
    contents = told["contents"]
    assert contents[0]["role"] == "user"
    for one in contents:
        assert one["parts"]
        types.Content.model_validate(one)
    for before, after in pairwise(contents):
        assert before["role"] != after["role"]
        calls = [part["functionCall"] for part in before["parts"] if "functionCall" in part]
        answers = [p["functionResponse"] for p in after["parts"] if "functionResponse" in p]
        assert [c["name"] for c in calls] == [a["name"] for a in answers]
        assert [c.get("id") for c in calls] == [a.get("id") for a in answers]
        assert all("functionResponse" in part for part in after["parts"][: len(answers)])
    for tool in told.get("tools", []):
        types.Tool.model_validate(tool)
    if "generationConfig" in told:
        settings = told["generationConfig"] | {"responseJsonSchema": None}
        types.GenerationConfig.model_validate(settings)
    if "toolConfig" in told:
        types.ToolConfig.model_validate(told["toolConfig"])


@pytest.mark.parametrize("model", ["case-model", "gemini-2.0-flash", "gemini-3.1-pro-preview"])
@pytest.mark.parametrize("name", REQUESTS)
def test_all_is_valid(name: str, model: str) -> None:
    valid(body(REQUESTS[name], target(model)))


def test_earlier_turns_are_written_the_same() -> None:
    bodies = [WRITER.write_request(one, TARGET).body for one in turns()]
    for before, after in pairwise(bodies):
        earlier, later = json.loads(before), json.loads(after)
        assert earlier["contents"] == later["contents"][: len(earlier["contents"])]
        cut = before.rindex(b"]")
        assert after.startswith(before[: cut - 1])


def test_a_system_message_late_in_the_conversation() -> None:
    told = body(REQUESTS["system_in_the_middle"])
    assert "systemInstruction" not in told
    assert told["contents"][2]["parts"] == [
        {"text": "<system-reminder>\nNow be brief.\n</system-reminder>"},
        {"text": "Go on"},
    ]


def test_system_messages_alone_are_the_users() -> None:
    assert body(request(said("system", "Hi"))) == {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}]
    }


def test_the_first_content_is_the_users() -> None:
    assert [one["role"] for one in body(request(assistant("Hi"), user("Yes")))["contents"]] == [
        "user",
        "model",
        "user",
    ]


def test_arguments_are_spliced() -> None:
    assert f'"args":{BIG}'.encode() in WRITER.write_request(REQUESTS["big_integers"], TARGET).body


def test_arguments_that_are_no_object() -> None:
    asked = REQUESTS["arguments_that_are_no_json"]
    made = body(asked)["contents"][1]["parts"][0]["functionCall"]
    assert made["args"] == {"_arguments": '{"path":'}
    assert [loss.path for loss in losses(asked)] == ["messages[1].parts[0].arguments"]


def test_a_failed_result() -> None:
    told = body(REQUESTS["error_result"])["contents"][2]["parts"][0]["functionResponse"]
    assert told == {"name": "read_file", "response": {"error": "no file"}, "id": "call_1"}


def test_an_image_in_a_result_is_within_it_where_the_model_takes_that() -> None:
    parts = body(REQUESTS["image_result"], target("gemini-3-flash"))["contents"][2]["parts"]
    assert len(parts) == 1
    assert parts[0]["functionResponse"]["parts"] == [
        {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
    ]


def test_an_image_in_a_result_follows_all_results_elsewhere() -> None:
    asked = request(
        user("Look."),
        assistant(call("a"), call("b")),
        user(result("a", Image("image/png", PIXEL)), result("b", "two"), "Well?"),
    )
    parts = body(asked)["contents"][2]["parts"]
    assert [next(iter(part)) for part in parts] == [
        "functionResponse",
        "functionResponse",
        "text",
        "inlineData",
        "text",
    ]
    assert parts[2]["text"] == "[from the result of read_file]"


@pytest.mark.parametrize(
    ("url", "model", "part"),
    [
        (
            f"data:image/png;base64,{PIXEL}",
            "x",
            {"inlineData": {"mimeType": "image/png", "data": PIXEL}},
        ),
        (
            "https://a.org/b.jpg?c",
            "gemini-2.5-pro",
            {"fileData": {"mimeType": "image/jpeg", "fileUri": "https://a.org/b.jpg?c"}},
        ),
        (
            "gs://a/b.png",
            "gemini-2.0-flash",
            {"fileData": {"mimeType": "image/png", "fileUri": "gs://a/b.png"}},
        ),
        ("https://a.org/b.jpg", "gemini-2.0-flash", None),
        ("http://a.org/b.jpg", "gemini-2.5-pro", None),
    ],
)
def test_images_by_address(url: str, model: str, part: Json | None) -> None:
    asked = request(user("See", Image(url=url)))
    assert body(asked, target(model))["contents"][0]["parts"][1:] == ([part] if part else [])
    assert [loss.grave for loss in losses(asked, target(model))] == ([] if part else [True])


@pytest.mark.parametrize(
    "part",
    [
        Image("image/gif", "AAAA"),
        Image(url="data:image/svg+xml;base64,AAAA"),
        Document("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "AAAA"),
    ],
)
def test_what_google_cannot_read(part: Image | Document) -> None:
    assert [loss.grave for loss in losses(request(user("See", part)))] == [True]


def test_a_tool_that_comes_twice() -> None:
    told = body(request(user("Hi"), tools=(READ, READ)))["tools"][0]["functionDeclarations"]
    assert len(told) == 1


def test_own_seals_go_back_to_their_place() -> None:
    parts = body(REQUESTS["sealed_call"])["contents"][1]["parts"]
    assert parts[0]["thoughtSignature"] == THOUGHT.value
    parts = body(REQUESTS["reasoning"])["contents"][3]["parts"]
    assert parts == [{"text": "Done.", "thoughtSignature": THOUGHT.value}]


def test_seals_of_others_go_nowhere() -> None:
    other = Target("other", "gemini", "case-model")
    assert b"thoughtSignature" not in WRITER.write_request(REQUESTS["sealed_call"], other).body
    assert SIGNED.value.encode() not in WRITER.write_request(REQUESTS["reasoning"], TARGET).body


def test_a_seal_that_stood_before_its_call_finds_it() -> None:
    seal = Seal("google/gemini", "thought", "c2ln", "call_2")
    asked = request(
        user("Read."),
        assistant(Reasoning("Hm.", (seal,)), "I read.", call("call_1"), call("call_2")),
        user(result("call_1", "a"), result("call_2", "b")),
    )
    parts = body(asked)["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in parts] == [None, None, "c2ln"]


def test_a_seal_without_words_goes_to_what_follows() -> None:
    asked = request(user("Hi"), assistant(Reasoning("", (THOUGHT,)), "So."), user("And?"))
    parts = body(asked)["contents"][1]["parts"]
    assert parts == [{"text": "So.", "thoughtSignature": THOUGHT.value}]


def test_a_seal_at_the_end_is_an_empty_text() -> None:
    asked = request(user("Hi"), assistant("So.", Text("", seals=(THOUGHT,))), user("And?"))
    assert body(asked)["contents"][1]["parts"] == [
        {"text": "So."},
        {"text": "", "thoughtSignature": THOUGHT.value},
    ]


def test_a_signed_thought_is_a_thought_again() -> None:
    asked = request(user("Hi"), assistant(Reasoning("Hm.", (THOUGHT,)), "So."), user("And?"))
    assert body(asked)["contents"][1]["parts"] == [
        {"text": "Hm.", "thought": True, "thoughtSignature": THOUGHT.value},
        {"text": "So."},
    ]


def test_unsigned_calls_are_marked_where_the_catalogue_says_so() -> None:
    asked = REQUESTS["parallel_calls"]
    marked = target("gemini-3-flash", quirks=frozenset({NO_PROOF}))
    parts = body(asked, marked)["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in parts] == [
        None,
        "skip_thought_signature_validator",
        None,
    ]
    assert b"thoughtSignature" not in WRITER.write_request(asked, target("gemini-3-flash")).body
    signed = body(REQUESTS["sealed_call"], marked)["contents"][1]["parts"][0]
    assert signed["thoughtSignature"] == THOUGHT.value


def test_names_are_changed_where_they_must() -> None:
    tools = tuple(map(Function, ("9lives", "a/b", "a.b-c_d", "-x")))
    written = WRITER.write_request(request(user("Hi"), tools=tools), TARGET)
    told = [one["name"] for one in json.loads(written.body)["tools"][0]["functionDeclarations"]]
    assert told == ["_lives", "a_b", "a.b-c_d", "_x"]
    assert written.names["a_b"] == ToolRef("a/b")


def test_calls_of_the_history_bear_the_told_name() -> None:
    asked = request(
        user("Hi"), assistant(call("1", "a/b")), user(result("1", "x")), tools=(Function("a/b"),)
    )
    contents = body(asked)["contents"]
    assert contents[1]["parts"][0]["functionCall"]["name"] == "a_b"
    assert contents[2]["parts"][0]["functionResponse"]["name"] == "a_b"


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        (Choice("auto"), {"mode": "AUTO"}),
        (Choice("none"), {"mode": "NONE"}),
        (Choice("required"), {"mode": "ANY"}),
        (Choice("one", ("read_file",)), {"mode": "ANY", "allowedFunctionNames": ["read_file"]}),
        (
            Choice("auto", ("read_file",)),
            {"mode": "VALIDATED", "allowedFunctionNames": ["read_file"]},
        ),
    ],
)
def test_choices(choice: Choice, told: Json) -> None:
    asked = request(user("Hi"), tools=(READ,), choice=choice)
    assert body(asked)["toolConfig"] == {"functionCallingConfig": told}


def test_a_choice_without_tools_is_none() -> None:
    assert "toolConfig" not in body(request(user("Hi"), choice=Choice("auto")))


def test_hosted_tools() -> None:
    has = target(hosted=frozenset({"web_search"}))
    alone = request(user("Hi"), tools=(SEARCH,))
    assert body(alone, has)["tools"] == [{"googleSearch": {}}]
    assert not losses(alone, has)
    assert "tools" not in body(alone)
    assert [loss.grave for loss in losses(alone)] == [False]
    beside = request(user("Hi"), tools=(READ, SEARCH))
    assert len(body(beside, has)["tools"]) == 1
    assert [loss.grave for loss in losses(beside, has)] == [False]


@pytest.mark.parametrize(
    ("model", "effort", "told"),
    [
        ("gemini-3-pro-preview", Effort("medium"), {"thinkingLevel": "HIGH"}),
        ("gemini-3.1-pro-preview", Effort("medium"), {"thinkingLevel": "MEDIUM"}),
        ("gemini-3-flash", Effort("max"), {"thinkingLevel": "HIGH"}),
        ("gemini-3-flash", Effort("none"), {"thinkingLevel": "MINIMAL"}),
        ("models/gemini-3.5-flash", Effort(budget=1000), {"thinkingLevel": "LOW"}),
        (
            "gemini-4-argon",
            Effort("low", shown=True),
            {"thinkingLevel": "LOW", "includeThoughts": True},
        ),
        ("gemini-flash-latest", Effort("low"), {"thinkingLevel": "LOW"}),
        ("gemini-2.5-flash", Effort("none"), {"thinkingBudget": 0}),
        ("gemini-2.5-pro", Effort("none"), {"thinkingBudget": 128}),
        ("gemini-2.5-pro", Effort("max"), {"thinkingBudget": 32768}),
        ("gemini-2.5-flash-lite", Effort(budget=10), {"thinkingBudget": 512}),
        (
            "gemini-2.5-flash",
            Effort(adaptive=True, shown=True),
            {"thinkingBudget": -1, "includeThoughts": True},
        ),
        ("case-model", Effort("low"), {"thinkingBudget": 1024}),
        ("gemini-2.0-flash", Effort("high"), None),
    ],
)
def test_efforts(model: str, effort: Effort, told: Json | None) -> None:
    assert config(request(user("Hi"), effort=effort), target(model)).get("thinkingConfig") == told


def test_settings_within_what_google_takes() -> None:
    asked = request(
        user("Hi"),
        max_output=9000,
        sampling=Sampling(temperature=3, seed=2**40, stops=("", *"abcdef")),
    )
    assert config(asked, target(output=8192)) == {
        "temperature": 2.0,
        "maxOutputTokens": 8192,
        "stopSequences": list("abcde"),
    }
    assert {loss.path for loss in losses(asked)} == {"temperature", "seed", "stops"}


def test_nothing_is_a_value() -> None:
    assert config(request(user("Hi"), sampling=Sampling(temperature=0, top_p=0.5))) == {
        "temperature": 0,
        "topP": 0.5,
    }


def test_what_a_vendor_refused_is_left_out() -> None:
    asked = request(user("Hi"), max_output=5)
    assert "generationConfig" not in body(asked, target(without=frozenset({"generationConfig"})))


def test_losses_of_what_google_has_no_member_for() -> None:
    found = losses(REQUESTS["all_else"])
    assert {loss.path for loss in found} == {"logit_bias", "verbosity", "service_tier"}
    assert not any(loss.grave for loss in found)
    assert losses(request(user("Hi"), previous_id="resp_1"))[0].grave
