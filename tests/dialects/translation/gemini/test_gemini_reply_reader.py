from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.dialects.translation.base import Target
from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.dialects.translation.gemini.reply_reader import GeminiReplyReader
from holdgate.core.values.neutral import Call, Loss, Reasoning, Seal, Text
from holdgate.core.values.neutral_reply import (
    Answer,
    Began,
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    Failed,
    Lost,
    TextDelta,
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
    Used,
)
from holdgate.core.values.usage import Usage

Json = dict[str, Any]
SIGNATURE = "CiQB0e2Kb1p3x/+sig=="


def reader() -> GeminiReplyReader:
    return GeminiReplyReader(Target("google", "gemini", "case-model"))


def seal(id: str = "") -> Seal:
    return Seal("google/gemini", "thought", SIGNATURE, id)


def chunk(*parts: object, reason: str = "", **rest: object) -> Json:
    candidate: Json = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if reason:
        candidate["finishReason"] = reason
    return {"candidates": [candidate], "modelVersion": "m-1", "responseId": "r-1"} | rest


def sse(*chunks: object) -> bytes:
    return b"".join(
        b"data: " + (one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\r\n\r\n"
        for one in chunks
    )


def read(stream: bytes) -> list[Event]:
    one = reader()
    return one.feed(stream) + one.close()


def answer(*chunks: object) -> Answer:
    return collect(read(sse(*chunks)))


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def call(name: str = "f", **rest: object) -> Json:
    return {"functionCall": {"name": name, "args": {"a": 1}} | rest}


def test_a_text() -> None:
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 11}
    events = read(
        sse(chunk({"text": "Hel"}), chunk({"text": "lo"}, reason="STOP", usageMetadata=usage))
    )
    assert events == [
        Began("r-1", "m-1"),
        TextDelta("Hel"),
        TextDelta("lo"),
        Used(Usage(input=9, output=2)),
        Ended("stop"),
    ]


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "filter"),
        ("RECITATION", "filter"),
        ("LANGUAGE", "filter"),
        ("BLOCKLIST", "filter"),
        ("PROHIBITED_CONTENT", "filter"),
        ("SPII", "filter"),
        ("IMAGE_SAFETY", "filter"),
        ("MALFORMED_FUNCTION_CALL", "malformed"),
        ("UNEXPECTED_TOOL_CALL", "malformed"),
        ("OTHER", "stop"),
        ("NEVER_HEARD_OF", "stop"),
    ],
)
def test_finish_reasons(reason: str, why: str) -> None:
    events = read(sse(chunk({"text": "x"}, reason=reason)))
    assert events[-1] == Ended(why)  # type: ignore[arg-type]
    assert any(isinstance(one, Lost) for one in events) is (reason not in ("STOP", "MAX_TOKENS"))


@pytest.mark.parametrize("reason", ["OTHER", "NEVER_HEARD_OF", "MISSING_THOUGHT_SIGNATURE"])
def test_an_end_for_no_reason_without_an_answer_is_a_failure(reason: str) -> None:
    failed = read(sse(chunk(reason=reason)))[-1]
    assert isinstance(failed, Failed)
    assert reason in failed.words


def test_a_stop_with_a_call_is_the_tools() -> None:
    found = answer(chunk({"text": "I look. "}), chunk(call()), chunk({"text": ""}, reason="STOP"))
    assert found.why == "tool"
    assert [type(part) for part in found.parts] == [Text, Call]


def test_a_finish_reason_in_each_chunk_and_usage_after_it() -> None:
    found = answer(
        chunk({"text": "a"}, reason="STOP"),
        chunk({"text": "b"}, reason="STOP"),
        {"usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2}},
    )
    assert found.parts == (Text("ab"),)
    assert found.usage == Usage(input=7, output=2)


def test_usage_is_cumulative_and_told_at_the_beginning_and_the_end() -> None:
    def used(output: int) -> Json:
        return {
            "promptTokenCount": 100,
            "cachedContentTokenCount": 90,
            "thoughtsTokenCount": 5,
            "candidatesTokenCount": output,
            "toolUsePromptTokenCount": 3,
        }

    events = read(
        sse(
            *(chunk({"text": "x"}, usageMetadata=used(n)) for n in (1, 2)),
            chunk(reason="STOP", usageMetadata=used(3)),
        )
    )
    assert [event.usage for event in events if isinstance(event, Used)] == [
        Usage(input=13, cache_read=90, output=6, reasoning=5),
        Usage(input=13, cache_read=90, output=8, reasoning=5),
    ]


def test_thoughts() -> None:
    events = read(
        sse(
            chunk({"text": "I ", "thought": True}),
            chunk({"text": "think.", "thought": True}, {"text": "So."}),
            chunk({"text": "", "thoughtSignature": SIGNATURE}, reason="STOP"),
        )
    )
    assert events[1:] == [
        ThoughtDelta("I "),
        ThoughtDelta("think."),
        ThoughtEnded(),
        TextDelta("So."),
        TextSealed(seal()),
        Ended("stop"),
    ]


def test_a_signed_thought() -> None:
    part = {"text": "Hm.", "thought": True, "thoughtSignature": SIGNATURE}
    found = answer(chunk(part, {"text": "So."}, reason="STOP"))
    assert found.parts == (Reasoning("Hm.", (seal(),)), Text("So."))


def test_a_signature_alone_makes_no_thought() -> None:
    found = answer(chunk({"text": "Hi", "thoughtSignature": SIGNATURE}, reason="STOP"))
    assert found.parts == (Text("Hi", seals=(seal(),)),)


def test_calls() -> None:
    signed = call("read", id="own") | {"thoughtSignature": SIGNATURE}
    events = read(sse(chunk(signed, {"functionCall": {"name": "now"}}, reason="STOP")))
    began = [event for event in events if isinstance(event, CallBegan)]
    assert (began[0].id, began[0].name, began[1].name) == ("own", "read", "now")
    assert began[1].id.startswith("call_")
    assert [event for event in events if isinstance(event, CallDelta)] == [
        CallDelta(0, '{"a": 1}'),
        CallDelta(1, "{}"),
    ]
    assert [event for event in events if isinstance(event, CallEnded)] == [
        CallEnded(0, (seal("own"),)),
        CallEnded(1),
    ]


def test_arguments_stay_as_they_were_written() -> None:
    args = '{"offset":12345678901234567890123,"ratio":1.5e2,"zulu":1,"alpha":[1,null]}'
    text = json.dumps(chunk(call(), reason="STOP")).replace('{"a": 1}', args)
    assert collect(read(sse(text.encode()))).parts[0].arguments == args  # type: ignore[union-attr]


def test_made_ids_are_never_the_same() -> None:
    ids = [
        part.id
        for response in ("r-1", "r-2")
        for part in answer(
            chunk(call(), call(), responseId=response),
            chunk(call(id="x"), call(id="x"), reason="STOP"),
        ).parts
        if isinstance(part, Call)
    ]
    assert len(ids) == 8
    assert len(set(ids)) == 7  # "x" is the vendor's own


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (None, "{}"),
        ("", "{}"),
        ('{"a":1}', '{"a":1}'),
        ("what?", '{"_arguments":"what?"}'),
        ([1], '{"_arguments":[1]}'),
    ],
)
def test_arguments_of_other_shapes(args: object, told: str) -> None:
    found = answer(chunk({"functionCall": {"name": "f", "args": args}}, reason="STOP")).parts[0]
    assert isinstance(found, Call)
    assert found.arguments == told


def test_streamed_arguments() -> None:
    def piece(path: str, **value: object) -> Json:
        return {"jsonPath": path} | value

    found = answer(
        chunk({"functionCall": {"name": "f", "id": "v", "willContinue": True}}),
        chunk(
            {
                "functionCall": {
                    "willContinue": True,
                    "partialArgs": [piece("$.place.city", stringValue="New ", willContinue=True)],
                }
            }
        ),
        chunk(
            {
                "functionCall": {
                    "willContinue": True,
                    "partialArgs": [
                        piece("$.place.city", stringValue="Delhi"),
                        piece("$.n", numberValue=3.0),
                        piece("$['odd key']", boolValue=True),
                        piece("$.list[1].x", nullValue="NULL_VALUE"),
                    ],
                }
            }
        ),
        chunk({"functionCall": {}}),
        chunk(call("g"), reason="STOP"),
    )
    first, second = found.parts
    assert isinstance(first, Call)
    assert isinstance(second, Call)
    assert json.loads(first.arguments) == {
        "place": {"city": "New Delhi"},
        "n": 3,
        "odd key": True,
        "list": [None, {"x": None}],
    }
    assert (first.id, first.name, second.name) == ("v", "f", "g")


def test_a_blocked_prompt_is_filtered() -> None:
    body = {
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
        "usageMetadata": {"promptTokenCount": 9},
    }
    for events in (read(sse(body)), reader().whole(json.dumps(body).encode())):
        assert kinds(events) == ["Began", "Used", "Lost", "Ended"]
        assert events[-1] == Ended("filter")


@pytest.mark.parametrize("before", [b"", sse(chunk({"text": "x"}))])
@pytest.mark.parametrize(
    "error",
    [
        b'data: {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}\n\n',
        b'{\n  "error": {\n    "code": 503,\n    "message": "overloaded"\n  }\n}\n',
        b'[{"error": {"message": "overloaded"}}]',
        b'data: {"error": "overloaded"}\n\n',
    ],
)
def test_errors(before: bytes, error: bytes) -> None:
    events = read(before + error + sse(chunk({"text": "never"}, reason="STOP")) * (not before))
    failed = events[-1]
    assert isinstance(failed, Failed)
    assert failed.words == "overloaded"
    assert b"overloaded" in failed.data


@pytest.mark.parametrize(
    "stream",
    [
        b"",
        b"\r\n\r\n",
        sse(chunk({"text": "x"})),
        sse(chunk({"text": "x"})) + b'data: {"candidates":[{"finishRea',
        b"[" + json.dumps(chunk({"text": "x"})).encode(),
        b"<html>not an answer</html>",
        sse({"usageMetadata": {"promptTokenCount": 1}}),
    ],
)
def test_a_stream_without_its_end_was_cut(stream: bytes) -> None:
    one = reader()
    one.feed(stream)
    with pytest.raises(EOFError):
        one.close()


def test_it_tells_when_all_was_said() -> None:
    one = reader()
    one.feed(sse(chunk({"text": "x"})))
    assert not one.is_complete
    one.feed(sse(chunk(reason="STOP")))
    assert one.is_complete


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[]",
        b'{"candidates":[]}',
        b"<html>",
        b'"text"',
        b'{"candidates":[{"content":{}}]}',
    ],
)
def test_what_is_no_reply(body: bytes) -> None:
    with pytest.raises(ValueError):
        reader().whole(body)


def test_a_whole_reply() -> None:
    body = json.dumps(chunk({"text": "ok"}), indent=2).encode()
    assert reader().whole(body)[1:] == [TextDelta("ok"), Ended("stop")]
    array = b"[" + body + b",\n" + json.dumps(chunk(reason="MAX_TOKENS")).encode() + b"]"
    assert reader().whole(array)[1:] == [TextDelta("ok"), Ended("length")]


def test_what_no_agent_can_be_told() -> None:
    events = read(
        sse(
            chunk({"text": "x"}, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}),
            chunk({"executableCode": {"code": "1"}}, {"codeExecutionResult": {"output": "1"}}),
            {
                "candidates": [
                    {
                        "groundingMetadata": {"a": 1},
                        "citationMetadata": {"b": 1},
                        "finishReason": "STOP",
                    },
                    {"index": 1, "content": {"parts": [{"text": "other"}]}},
                ]
            },
        )
    )
    lost = {event.loss.path: event.loss.grave for event in events if isinstance(event, Lost)}
    assert lost == {
        "inlineData": True,
        "executableCode": False,
        "groundingMetadata": False,
        "citationMetadata": False,
        "candidates[1]": False,
    }
    assert collect(events).parts == (Text("x"),)


def test_malformed_events_are_skipped() -> None:
    events = read(
        sse(
            b"{oops",
            chunk({"text": "a"}),
            b"7",
            b"[" * 100_000,
            chunk({"text": "b"}, reason="STOP"),
        )
    )
    assert collect(events).parts == (Text("ab"),)
    assert Lost(Loss("stream", "an event that is no JSON object")) in events


@pytest.mark.parametrize(
    "odd",
    [
        {"candidates": None},
        {"candidates": [{}]},
        {"candidates": [{"content": None}]},
        {"candidates": [{"content": {"parts": None}}]},
        {"candidates": [{"content": {"parts": [{}]}}]},
        {"candidates": [{"content": {"parts": [{"text": None, "thought": None}]}}]},
        {"candidates": [{"content": {"parts": [{"text": 7}]}, "index": "0"}]},
        {"candidates": [{"content": {"parts": [{"functionCall": 7}]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": {}}]}}]},
        {"candidates": 7, "usageMetadata": 7, "promptFeedback": 7, "modelVersion": 7},
        {"candidates": [7], "error": None},
        {},
    ],
)
def test_odd_chunks_do_no_harm(odd: object) -> None:
    assert answer(odd, chunk({"text": "ok"}, reason="STOP")).parts == (Text("ok"),)


def test_a_chunk_with_members_of_other_types_still_says_its_text() -> None:
    odd = chunk({"text": "ok", "thought": "no"}, call(), reason="STOP", modelVersion=7)
    assert [type(part) for part in answer(odd).parts] == [Text, Call]


def test_halves_of_a_character_in_two_deltas() -> None:
    first, second = (
        json.dumps(chunk({"text": "X"})).replace('"X"', half).encode()
        for half in ('"a\\ud83d"', '"\\ude00b"')
    )
    assert answer(first, second, chunk(reason="STOP")).parts == (Text("a😀b"),)
    assert answer(first, chunk(reason="STOP")).parts == (Text("a\ufffd"),)


_LOOSE = (
    b"\xef\xbb\xbf: comment\r\rdata:"
    + json.dumps(chunk({"text": "é\u2028"}), ensure_ascii=False).encode()
    + b"\r\rid: 7\n"
    + b'data: {\ndata: "candidates": [{"content": {"parts": [{"text": "b"}]}}]\ndata: }\n'
    + b"\n"
    + sse(chunk({"text": "hm", "thought": True}), chunk(call(), call()))
    + b"\n\n"
    + sse(chunk({"text": "c", "thoughtSignature": SIGNATURE}))
    + b"event: x\r\ndata: "
    + json.dumps(chunk(reason="STOP", usageMetadata={"promptTokenCount": 5})).encode()
)
_ARRAY = json.dumps(
    [chunk({"text": 'a{"'}), chunk(call()), chunk({"text": "b"}, reason="STOP")], indent=1
).encode()


_PLAIN = sse(*(chunk({"text": str(n)}) for n in range(9)), chunk(call(), reason="STOP"))


@pytest.mark.parametrize(
    "stream", [_PLAIN, _PLAIN.replace(b"\r", b""), _LOOSE, _ARRAY, _LOOSE + b"\n\ndata: [DONE]\n\n"]
)
@given(data=st.data())
def test_any_chunking_gives_the_same_events(stream: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=20)))
    one = reader()
    events: list[Event] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        events += one.feed(stream[start:end])
    assert events + one.close() == read(stream)


def test_byte_by_byte() -> None:
    for stream in (_PLAIN, _LOOSE, _ARRAY):
        one = reader()
        events = [event for at in range(len(stream)) for event in one.feed(stream[at : at + 1])]
        assert events + one.close() == read(stream)
    assert collect(read(_LOOSE)).parts[0] == Text("é\u2028b")


def test_a_line_of_megabytes() -> None:
    stream = sse(chunk({"text": "x" * 10_000_000}, reason="STOP"))
    one = reader()
    events = [e for at in range(0, len(stream), 65536) for e in one.feed(stream[at : at + 65536])]
    assert len(events) == 2
    assert one.close() == [Ended("stop")]


@given(
    st.binary(max_size=300) | st.text(max_size=200).map(lambda text: f"data: {text}\n\n".encode())
)
def test_nothing_is_raised_but_the_end(data: bytes) -> None:
    one = reader()
    one.feed(data)
    with suppress(EOFError):
        one.close()
