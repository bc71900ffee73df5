from __future__ import annotations

import json
from typing import Any

import pytest
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.dialects.base import Opening
from holdgate.core.dialects.gemini import Gemini
from holdgate.core.dialects.translation.base import Target, Telling
from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.dialects.translation.gemini.slots import unpacked
from holdgate.core.dialects.translation.gemini.translator import GeminiTranslator
from holdgate.core.values.inbound import Framing
from holdgate.core.values.neutral import Call, Effort, Message, Reasoning, Request, Text
from holdgate.core.values.neutral_reply import (
    Began,
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    TextDelta,
    ThoughtDelta,
    ThoughtEnded,
    Used,
)
from tests.dialects.translation.any_text import ANY_TEXT
from tests.dialects.translation.conversations import (
    BIG,
    ENCRYPTED,
    REDACTED,
    REPLIES,
    SIGNED,
    THOUGHT,
    USAGE,
    request,
    user,
)

TRANSLATOR = GeminiTranslator()
TARGET = Target("other", "gemini", "m")
Json = dict[str, Any]


def telling(framing: Framing = "sse", asked: Request | None = None) -> Telling:
    return Telling("ours-1", "model-asked-for", 1234, framing, asked or request(user("Hi")))


def written(events: list[Event], framing: Framing = "sse", asked: Request | None = None) -> bytes:
    writer = TRANSLATOR.reply_writer(telling(framing, asked))
    return b"".join(writer.tell([event]) for event in events)


def chunks(stream: bytes) -> list[Json]:
    found = stream.split(b"\r\n\r\n")
    assert found.pop() == b""
    assert all(one.startswith(b"data: ") for one in found)
    return [json.loads(one[6:]) for one in found]


def parts(told: list[Json]) -> list[Json]:
    return [part for one in told for part in one["candidates"][0]["content"]["parts"]]


def check(told: list[Json]) -> None:
    for one in told:
        types.GenerateContentResponse.model_validate(one)
        assert one["modelVersion"] == "model-asked-for"
        assert one["responseId"] == "ours-1"
        (candidate,) = one["candidates"]
        assert candidate["index"] == 0
        assert candidate["content"]["role"] == "model"
    assert ["finishReason" in one["candidates"][0] for one in told].index(True) == len(told) - 1


@pytest.mark.parametrize("name", REPLIES)
def test_streams_are_valid(name: str) -> None:
    told = chunks(written(REPLIES[name]))
    check(told)
    used = any(isinstance(event, Used) for event in REPLIES[name])
    assert ("usageMetadata" in told[-1]) is used


@pytest.mark.parametrize("name", REPLIES)
def test_an_array_says_the_same(name: str) -> None:
    assert json.loads(written(REPLIES[name], "array")) == chunks(written(REPLIES[name]))


@pytest.mark.parametrize("name", REPLIES)
def test_one_write_or_many(name: str) -> None:
    for framing in ("sse", "array"):
        whole = TRANSLATOR.reply_writer(telling(framing)).tell(REPLIES[name])
        assert whole == written(REPLIES[name], framing)


@pytest.mark.parametrize("name", REPLIES)
def test_a_whole_answer_says_the_same(name: str) -> None:
    body = json.loads(TRANSLATOR.write_answer(collect(REPLIES[name]), telling("whole")))
    check([body])
    last = chunks(written(REPLIES[name]))[-1]
    assert body.get("usageMetadata") == last.get("usageMetadata")
    assert body["candidates"][0]["finishReason"] == last["candidates"][0]["finishReason"]


@pytest.mark.parametrize("name", REPLIES)
def test_it_can_be_read_again(name: str) -> None:
    answer = collect(REPLIES[name])
    reader = TRANSLATOR.reply_reader(TARGET)
    events = reader.feed(written(REPLIES[name]))
    if answer.why == "pause" or (answer.why == "malformed" and not answer.parts):
        return
    again = collect(events + reader.close())
    # Google has one word for a filter and a refusal.
    same = {"refusal": "filter"}
    assert again.why == same.get(answer.why, answer.why)
    assert [p.text for p in again.parts if isinstance(p, Text | Reasoning) and p.text] == [
        p.text for p in answer.parts if not isinstance(p, Call) and p.text
    ]
    assert [(p.id, p.name) for p in again.parts if isinstance(p, Call)] == [
        (p.id, p.name) for p in answer.parts if isinstance(p, Call)
    ]


@pytest.mark.parametrize("name", REPLIES)
@pytest.mark.parametrize("framing", ["sse", "array"])
def test_it_goes_on_inside_an_opening(name: str, framing: Framing) -> None:
    ours = Gemini().opened(Opening(False, "opened-1", "model-asked-for", 1234, framing))
    stream = ours.open() + ours.feed(written(REPLIES[name], framing)) + ours.close()
    if framing == "array":
        told = json.loads(stream)
    else:
        told = [json.loads(e.removeprefix(b"data: ")) for e in stream.split(b"\n\n") if e.strip()]
    assert {one["responseId"] for one in told} == {"opened-1"}
    plain = chunks(written(REPLIES[name]))
    assert parts(told)[1:] == parts(plain)


def test_usage() -> None:
    assert chunks(written([Used(USAGE), Ended("stop")]))[-1]["usageMetadata"] == {
        "promptTokenCount": 147,
        "cachedContentTokenCount": 40,
        "candidatesTokenCount": 18,
        "thoughtsTokenCount": 12,
        "totalTokenCount": 177,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 147}],
    }


def test_a_call_is_told_whole() -> None:
    told = parts(chunks(written(REPLIES["parallel_calls"])))
    assert told[0] == {
        "functionCall": {"id": "call_1", "name": "read_file", "args": json.loads(BIG)}
    }
    assert told[1]["functionCall"]["args"] == {}
    assert BIG.encode() in written(REPLIES["parallel_calls"])


def test_interleaved_calls_keep_their_order() -> None:
    told = parts(chunks(written(REPLIES["interleaved_calls"])))
    assert [part["functionCall"]["id"] for part in told[:2]] == ["call_1", "call_2"]


def test_a_custom_tools_call_is_an_object() -> None:
    told = parts(chunks(written(REPLIES["custom_call"])))[0]["functionCall"]
    assert told["args"] == {"input": '*** Begin Patch\n+"é"\n'}


def test_a_call_that_never_ended_and_has_no_id() -> None:
    told = parts(chunks(written([CallBegan(0, "", "f"), CallDelta(0, "[1]"), Ended("tool")])))
    assert told[0]["functionCall"] == {
        "id": "call_ours-1_1",
        "name": "f",
        "args": {"_arguments": [1]},
    }


def test_nothing_follows_the_end() -> None:
    assert len(chunks(written([Ended("stop"), TextDelta("x"), Ended("stop")]))) == 1


@pytest.mark.parametrize("shown", [None, True, False])
def test_thoughts_that_are_not_wanted(shown: bool | None) -> None:
    asked = request(user("Hi"), effort=Effort("high", shown=shown))
    told = parts(chunks(written(REPLIES["thoughts"], asked=asked)))
    assert any(part.get("thought") for part in told) is (shown is not False)
    # The seals ride all the same.
    slot = next(part["thoughtSignature"] for part in told if "thoughtSignature" in part)
    assert unpacked(slot).thinking == (
        Reasoning("I think.", (SIGNED,)),
        Reasoning("", (REDACTED,)),
    )


def read_back(told: list[Json]) -> Message:
    """Give the turn that an agent returns."""
    body = {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": told}]
    }
    return TRANSLATOR.read_request(json.dumps(body).encode(), "m", "sse").messages[1]


def test_seals_survive_an_agent_that_drops_thoughts() -> None:
    events: list[Event] = [
        Began(),
        ThoughtDelta("A."),
        ThoughtEnded((SIGNED, REDACTED)),
        CallBegan(0, "c", "f"),
        CallEnded(0, (THOUGHT,)),
        ThoughtEnded((ENCRYPTED,)),
        TextDelta("So."),
        Ended("tool"),
    ]
    kept = [one for one in parts(chunks(written(events))) if not one.get("thought")]
    assert read_back(kept).parts[:4] == (
        Reasoning("A.", (SIGNED, REDACTED)),
        Call("c", "f", "{}", seals=(THOUGHT,)),
        Reasoning("", (ENCRYPTED,)),
        Text("So."),
    )


def test_words_that_were_not_signed_stay_apart() -> None:
    events: list[Event] = [
        ThoughtDelta("A."),
        ThoughtEnded(),
        ThoughtDelta("B."),
        ThoughtEnded((SIGNED,)),
        TextDelta("So."),
        Ended("stop"),
    ]
    told = parts(chunks(written(events)))
    assert read_back(told).parts[:2] == (Reasoning("A."), Reasoning("B.", (SIGNED,)))
    kept = [one for one in told if not one.get("thought")]
    assert read_back(kept).parts[0] == Reasoning("B.", (SIGNED,))


def test_pieces_of_thinking_stay_apart() -> None:
    events: list[Event] = [
        ThoughtDelta("A."),
        ThoughtEnded((SIGNED,)),
        ThoughtDelta("B."),
        ThoughtEnded((ENCRYPTED,)),
        Ended("stop"),
    ]
    assert read_back(parts(chunks(written(events)))).parts[:2] == (
        Reasoning("A.", (SIGNED,)),
        Reasoning("B.", (ENCRYPTED,)),
    )


@given(st.lists(ANY_TEXT.filter(bool), min_size=1))
def test_any_text(texts: list[str]) -> None:
    stream = written([*map(TextDelta, texts), Ended("stop")])
    stream.decode()
    assert len(stream.decode().splitlines()) == 2 * (len(texts) + 1)
    check(chunks(stream))
