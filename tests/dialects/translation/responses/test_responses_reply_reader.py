from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.values.neutral import Call, Reasoning, Refusal, Seal, Text
from holdgate.core.values.neutral_reply import (
    Answer,
    Began,
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Failed,
    Lost,
    TextDelta,
    ThoughtDelta,
    ThoughtEnded,
    Used,
)
from holdgate.core.values.usage import Usage
from tests.dialects.translation.responses import vendor_replies as vendor
from tests.dialects.translation.responses.responses_feeding import OURS, TARGET, heard, sse

SEAL = Seal("openai/responses", "encrypted", "gAAA", "rs_1")
ANSWER = Answer(
    (
        Reasoning("I \n\nthink", (SEAL,)),
        Text("Hello"),
        Call("call_a", "read_file", '{"path":"a"}'),
        Call("call_b", "apply_patch", "*** x", custom=True),
    ),
    "tool",
    usage=Usage(input=6, cache_read=4, output=7, reasoning=2),
    id="resp_1",
    model="gpt",
)
Json = dict[str, Any]


def test_a_stream_by_the_reference() -> None:
    assert heard(sse(*vendor.by_the_reference())) == [
        Began("resp_1", "gpt"),
        ThoughtDelta("I "),
        ThoughtDelta("\n\nthink"),
        ThoughtEnded((SEAL,)),
        TextDelta("Hel"),
        TextDelta("lo"),
        CallBegan(0, "call_a", "read_file"),
        CallDelta(0, '{"path'),
        CallDelta(0, '":"a"}'),
        CallEnded(0),
        CallBegan(1, "call_b", "apply_patch", custom=True),
        CallDelta(1, "*** x"),
        CallEnded(1),
        Used(Usage(input=6, cache_read=4, output=7, reasoning=2)),
        Ended("tool"),
    ]


def _without(*ends: str) -> Callable[[list[Json]], list[Json]]:
    return lambda told: [body for body in told if not body["type"].endswith(ends)]


def _less(*members: str) -> Callable[[list[Json]], list[Json]]:
    def without(body: Json) -> Json:
        return {name: value for name, value in body.items() if name not in members}

    return lambda told: [without(body) for body in told]


def _changing_ids(told: list[Json]) -> list[Json]:
    changed = []
    for number, body in enumerate(told):
        body = json.loads(json.dumps(body).replace('"msg_1"', f'"msg_{number}x"'))
        changed.append(json.loads(json.dumps(body).replace('"fc_1"', f'"fc_{number}x"')))
    return changed


def _no_item_ids(told: list[Json]) -> list[Json]:
    return [json.loads(json.dumps(body).replace('"id": "fc_1", ', "")) for body in told]


def _one_index(told: list[Json]) -> list[Json]:
    return [body | {"output_index": 0} if "output_index" in body else body for body in told]


@pytest.mark.parametrize(
    "change",
    [
        _without(".delta"),
        _without("_text.done", "_arguments.done", "_input.done"),
        _without("item.done"),
        _without("item.added"),
        _without("item.added", "item.done"),
        _without(".delta", "_text.done", "_arguments.done", "_input.done"),
        _without(".delta", "item.added", "item.done", "part.added", "part.done"),
        lambda told: [told[0], told[-1]],
        lambda told: [told[-1]],
        _less("output_index"),
        _less("item_id"),
        _less("output_index", "item_id"),
        _less("sequence_number", "content_index"),
        _changing_ids,
        _no_item_ids,
        _one_index,
        lambda told: [body for body in told for _ in range(1 + body["type"].endswith("done"))],
        lambda told: [*told, *told],
    ],
)
def test_streams_as_some_really_send_them(change: Callable[[list[Json]], list[Json]]) -> None:
    answer = collect(heard(sse(*change(vendor.by_the_reference()))))
    thought, *rest = answer.parts
    assert tuple(rest) == ANSWER.parts[1:]
    assert isinstance(thought, Reasoning)
    assert thought.text in ("I \n\nthink", "I think")
    assert (answer.why, answer.usage) == (ANSWER.why, ANSWER.usage)


def test_items_only_in_their_done_events() -> None:
    told = [vendor.created(), *(vendor.done(n, item) for n, item in enumerate(vendor.OUTPUT))]
    assert collect(heard(sse(*told, vendor.closing(output=[])))) == ANSWER


def test_a_whole_reply() -> None:
    whole = json.dumps(vendor.response()).encode()
    assert collect(OURS.reply_reader(TARGET).whole(whole)) == ANSWER
    assert collect(heard(whole)) == ANSWER
    assert collect(heard(b"\xef\xbb\xbf\r\n" + whole)) == ANSWER
    assert collect(heard(b"data: " + whole + b"\n\n")) == ANSWER


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"<html>", b'{"output":[],"status":"queued"}'])
def test_what_is_no_whole_reply(body: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        OURS.reply_reader(TARGET).whole(body)
    with pytest.raises(EOFError):
        heard(body)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (sse({"type": "error", "code": "x", "message": "no"}), "no"),
        (b'data: {"error":{"message":"no"}}\n\n', "no"),
        (b'{"error":{"message":"no"}}', "no"),
        (sse({"type": "response.failed", "response": {"error": {"message": "no"}}}), "no"),
        (sse({"type": "response.failed", "response": {"error": {"code": "x"}}}), "x"),
        (sse(vendor.closing(status="cancelled")), "the vendor told an error without words"),
    ],
)
def test_errors_inside_of_a_reply(data: bytes, words: str) -> None:
    failed = heard(data)[-1]
    assert isinstance(failed, Failed)
    assert failed.words == words
    assert json.loads(failed.data)


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({"output": [vendor.MESSAGE]}, "stop"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "filter"),
        ({"status": "incomplete", "incomplete_details": {"reason": "steered"}}, "stop"),
        ({"status": "incomplete"}, "length"),
        (
            {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}]},
            "refusal",
        ),
    ],
)
def test_why_it_ended(members: Json, why: str) -> None:
    assert heard(sse(vendor.closing(**members)))[-1] == Ended(why)  # type: ignore[arg-type]


def test_a_refusal_in_pieces() -> None:
    part = {"type": "refusal", "refusal": "not me"}
    item = vendor.MESSAGE | {"content": [*vendor.MESSAGE["content"], part]}
    answer = collect(
        heard(
            sse(
                vendor.added(0, item, content=[]),
                vendor.event("output_text.delta", 0, "msg_1", content_index=0, delta="Hello"),
                vendor.event("refusal.delta", 0, "msg_1", content_index=1, delta="not "),
                vendor.event("refusal.delta", 0, "msg_1", content_index=1, delta="me"),
                vendor.event("refusal.done", 0, "msg_1", content_index=1, refusal="not me"),
                vendor.done(0, item),
                vendor.closing(output=[item]),
            )
        )
    )
    assert answer.parts == (Text("Hello"), Refusal("not me"))


@pytest.mark.parametrize("arguments", ["", None, " "])
def test_a_call_without_arguments(arguments: str | None) -> None:
    item = vendor.CALL | {"arguments": arguments}
    assert collect(heard(sse(vendor.closing(output=[item])))).parts == (
        Call("call_a", "read_file", "{}"),
    )


def test_calls_that_are_not_as_they_should_be() -> None:
    nameless = {"type": "function_call", "call_id": "1", "arguments": "{}"}
    idless = {"type": "function_call", "name": "f", "arguments": {"a": 1}}
    within = vendor.CALL | {"namespace": "ns"}
    found = collect(heard(sse(vendor.closing(output=[nameless, idless, within])))).parts
    assert found == (
        Call("call_resp_1_1", "f", '{"a":1}'),
        Call("call_a", "read_file", '{"path":"a"}', namespace="ns"),
    )


def test_a_name_that_comes_late() -> None:
    nameless = vendor.CALL | {"name": ""}
    events = heard(
        sse(
            vendor.added(0, nameless, arguments=""),
            vendor.event("function_call_arguments.delta", 0, "fc_1", delta='{"path":"a"}'),
            vendor.done(0, vendor.CALL),
            vendor.closing(output=[vendor.CALL]),
        )
    )
    assert collect(events).parts == (Call("call_a", "read_file", '{"path":"a"}'),)


def test_arguments_that_stand_in_the_first_event() -> None:
    events = heard(sse(vendor.added(0, vendor.CALL), vendor.closing(output=[])))
    assert collect(events).parts == (Call("call_a", "read_file", '{"path":"a"}'),)


def test_interleaved_calls() -> None:
    other = vendor.CALL | {"id": "fc_2", "call_id": "call_c", "arguments": '{"path":"b"}'}
    piece = "function_call_arguments.delta"
    events = heard(
        sse(
            vendor.added(0, vendor.CALL, arguments=""),
            vendor.added(1, other, arguments=""),
            vendor.event(piece, 0, "fc_1", delta='{"path'),
            vendor.event(piece, 1, "fc_2", delta='{"path'),
            vendor.event(piece, 0, "fc_1", delta='":"a"}'),
            vendor.event(piece, 1, "fc_2", delta='":"b"}'),
            vendor.done(1, other),
            vendor.done(0, vendor.CALL),
            vendor.closing(output=[vendor.CALL, other]),
        )
    )
    assert {
        part.id: part.arguments for part in collect(events).parts if isinstance(part, Call)
    } == {
        "call_a": '{"path":"a"}',
        "call_c": '{"path":"b"}',
    }


def test_what_no_other_dialect_has_is_lost_once() -> None:
    search = {"type": "web_search_call", "id": "ws_1"}
    events = heard(
        sse(
            vendor.added(0, search),
            vendor.event("web_search_call.searching", 0, "ws_1"),
            vendor.event("web_search_call.completed", 0, "ws_1"),
            vendor.done(0, search),
            vendor.event("brand_new", 0, "ws_1"),
            vendor.closing(output=[search, vendor.MESSAGE]),
        )
    )
    lost = [event.loss.why.rpartition(" ")[2] for event in events if isinstance(event, Lost)]
    assert lost == ["web_search_call", "brand_new"]


def test_malformed_events_are_skipped() -> None:
    good = sse(*vendor.by_the_reference())
    bad = b'data: {"type":\n\ndata: [1]\n\ndata: {"type":"response.output_item.added","item":5}\n\n'
    bad += b'data: {"type":"response.output_text.delta","delta":7}\n\ndata: \xff\n\n'
    found = [event for event in heard(bad + good) if not isinstance(event, Lost)]
    assert found == [Began(), *heard(good)[1:]]


def test_halves_of_a_character_in_two_events() -> None:
    pieces = [b"\\ud83d", b"\\ude00!"]
    data = b"".join(
        b'data: {"type":"response.output_text.delta","output_index":0,"delta":"%b"}\n\n' % piece
        for piece in pieces
    )
    whole = vendor.closing(output=[vendor.MESSAGE | {"content": []}])
    assert collect(heard(data + sse(whole))).parts == (Text("\U0001f600!"),)


@pytest.mark.parametrize("cut", [10, 1000, -1])
def test_a_cut_stream(cut: int) -> None:
    told = vendor.by_the_reference()[: cut if cut < 1000 else 12]
    with pytest.raises(EOFError):
        heard(sse(*told))


def test_the_last_event_may_lack_its_blank_line_and_others_follow_the_end() -> None:
    data = sse(*vendor.by_the_reference())
    assert collect(heard(data.rstrip(b"\n"))) == ANSWER
    assert collect(heard(data + b"data: [DONE]\n\n" + data)) == ANSWER
    assert collect(heard(b": wait\n\ndata: [DONE]\n\n" + data)) == ANSWER
