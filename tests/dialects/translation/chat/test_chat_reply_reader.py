"""Replies of chat vendors, with the traps that are known."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.dialects.translation.base import Target
from holdgate.core.dialects.translation.chat.reply_reader import ChatReplyReader
from holdgate.core.values.neutral import Seal
from holdgate.core.values.neutral_reply import (
    Began,
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    Failed,
    Lost,
    RefusalDelta,
    TextDelta,
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
    Used,
)
from holdgate.core.values.usage import Usage

TARGET = Target("v", "chat", "m")
DONE = b"data: [DONE]\n\n"


def chunk(delta: Any = None, **choice: Any) -> dict[str, Any]:
    first = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": None} | choice
    return {"id": "c1", "object": "chat.completion.chunk", "model": "vm", "choices": [first]}


def call(index: int | None = None, arguments: Any = None, **more: Any) -> dict[str, Any]:
    name = more.pop("name", None)
    function = {k: v for k, v in (("name", name), ("arguments", arguments)) if v is not None}
    told = more | {"function": function}
    return {"tool_calls": [told if index is None else told | {"index": index}]}


def finish(word: str = "stop") -> dict[str, Any]:
    return chunk({}, finish_reason=word)


def sse(*items: Any) -> bytes:
    texts = (item if isinstance(item, bytes) else json.dumps(item).encode() for item in items)
    return b"".join(b"data: " + text + b"\n\n" for text in texts)


def events(*data: bytes) -> list[Event]:
    reader = ChatReplyReader(TARGET)
    found = [event for piece in data for event in reader.feed(piece)]
    return found + reader.close()


def heard(*items: Any) -> list[Event]:
    """Give what a stream of these tells, without its beginning."""
    found = events(sse(*items, b"[DONE]"))
    assert found[0] == Began("c1", "vm")
    return found[1:]


def calls(found: list[Event]) -> list[tuple[str, str, str]]:
    """Give id, name and arguments of the calls, and check their order."""
    told: dict[int, list[str]] = {}
    open: set[int] = set()
    for event in found:
        if isinstance(event, CallBegan):
            assert event.call == len(told)
            told[event.call] = [event.id, event.name, ""]
            open.add(event.call)
        elif isinstance(event, CallDelta):
            assert event.call in open
            told[event.call][2] += event.text
        elif isinstance(event, CallEnded):
            open.remove(event.call)
    assert not open
    return [(id, name, arguments) for id, name, arguments in told.values()]


def text(found: list[Event]) -> str:
    return "".join(event.text for event in found if isinstance(event, TextDelta))


def test_text() -> None:
    assert heard(
        chunk({"role": "assistant", "content": ""}),
        chunk({"content": "Hi"}),
        chunk({"content": "!", "refusal": None, "tool_calls": None}),
        finish(),
    ) == [TextDelta("Hi"), TextDelta("!"), Ended("stop")]


def test_thoughts_end_before_the_text() -> None:
    assert heard(
        chunk({"role": "assistant", "content": None, "reasoning_content": "hm"}),
        chunk({"reasoning_content": "m", "content": None}),
        chunk({"content": "Hi", "reasoning_content": None}),
        finish(),
    ) == [
        ThoughtDelta("hm"),
        ThoughtDelta("m"),
        ThoughtEnded(),
        TextDelta("Hi"),
        Ended("stop"),
    ]


def test_both_names_of_thinking_say_the_same() -> None:
    found = heard(chunk({"reasoning": "hm", "reasoning_content": "hm"}), finish())
    assert found[:2] == [ThoughtDelta("hm"), ThoughtEnded()]


def test_details_are_one_seal() -> None:
    details = [
        {"type": "reasoning.text", "text": "h", "index": 0, "format": "x"},
        {"type": "reasoning.text", "text": "m", "index": 0, "signature": "s"},
        {"type": "reasoning.encrypted", "data": "e", "id": "r", "index": 1},
    ]
    found = heard(
        chunk({"reasoning": "h", "reasoning_details": details[:1]}),
        chunk({"reasoning": "m", "reasoning_details": details[1:2]}),
        chunk({"content": "a"}),
        chunk({"reasoning_details": details[2:]}),
        finish(),
    )
    seals = [seal for event in found if isinstance(event, ThoughtEnded) for seal in event.seals]
    assert [(seal.origin, seal.kind) for seal in seals] == [("v/chat", "reasoning_details")] * 2
    assert [json.loads(seal.value) for seal in seals] == [
        [{"type": "reasoning.text", "text": "hm", "index": 0, "format": "x", "signature": "s"}],
        details[2:],
    ]
    assert "".join(e.text for e in found if isinstance(e, ThoughtDelta)) == "hm"


F = "f"
CALLS = [
    pytest.param(
        [
            call(id="a", name=F, arguments='{"p"'),
            call(arguments=":1}"),
            call(id="b", name=F, arguments="{}"),
        ],
        [("a", F, '{"p":1}'), ("b", F, "{}")],
        id="no index",
    ),
    pytest.param(
        [
            {"tool_calls": [{"function": {"name": F, "arguments": "{}"}}] * 2},
        ],
        [(None, F, "{}"), (None, F, "{}")],
        id="neither index nor id, whole in one chunk",
    ),
    pytest.param(
        [call(0, id="a", name=F, arguments="{"), call(0, id="", name="", arguments="}")],
        [("a", F, "{}")],
        id="empty id and name later",
    ),
    pytest.param(
        [call(0, id="a", name=F, arguments='{"p":'), call(0, id="a", name=F, arguments="1}")],
        [("a", F, '{"p":1}')],
        id="id and name repeated",
    ),
    pytest.param(
        [call(0, id="a", name=F, arguments='{"p":'), call(0, id="z", arguments="1}")],
        [("a", F, '{"p":1}')],
        id="a new id for each piece",
    ),
    pytest.param(
        [call(0, id="a", name=F, arguments="{}"), call(0, id="b", name="g", arguments="{}")],
        [("a", F, "{}"), ("b", "g", "{}")],
        id="two ids on one index",
    ),
    pytest.param(
        [call(0, id="a", name=F, arguments="{}"), call(0, id="b", name=F, arguments="{}")],
        [("a", F, "{}"), ("b", F, "{}")],
        id="two ids of one tool on one index",
    ),
    pytest.param(
        [call(0, name=F, arguments="{}"), call(0, name=F, arguments="{}")],
        [(None, F, "{}"), (None, F, "{}")],
        id="two calls without ids on one index",
    ),
    pytest.param(
        [call(0, id="a", name=F), call(0, arguments='{"p":1}')],
        [("a", F, '{"p":1}')],
        id="arguments only in the last",
    ),
    pytest.param(
        [call(0, id="a", arguments='{"p"'), call(0, name=F, arguments=":1}")],
        [("a", F, '{"p":1}')],
        id="the name later",
    ),
    pytest.param([call(0, id="a", name=F, arguments="")], [("a", F, "{}")], id="no arguments"),
    pytest.param([call(0, id="a", name=F)], [("a", F, "{}")], id="arguments missing"),
    pytest.param(
        [call("0", id="a", name=F, arguments="{"), call("0", arguments="}")],  # type: ignore[arg-type]
        [("a", F, "{}")],
        id="the index as a text",
    ),
    pytest.param(
        [call(1, id="a", name=F, arguments="{}"), call(2, id="b", name=F, arguments="{}")],
        [("a", F, "{}"), ("b", F, "{}")],
        id="indices from one",
    ),
    pytest.param(
        [call(0, id="a", name=F, arguments="{}"), call(1, id="a", name=F, arguments="{}")],
        [("a", F, "{}"), ("a_2", F, "{}")],
        id="one id twice",
    ),
    pytest.param(
        [
            call(0, id="a", name=F, arguments=""),
            call(1, id="b", name="g", arguments=""),
            call(0, arguments='{"x":'),
            call(1, arguments='{"y":'),
            call(0, arguments="1}"),
            call(1, arguments="2}"),
        ],
        [("a", F, '{"x":1}'), ("b", "g", '{"y":2}')],
        id="interleaved",
    ),
    pytest.param(
        [{"function_call": {"name": F, "arguments": "{"}}, {"function_call": {"arguments": "}"}}],
        [(None, F, "{}")],
        id="the older function_call",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("deltas", "expected"), CALLS)
@pytest.mark.parametrize("word", ["tool_calls", "stop", "function_call"])
def test_calls(deltas: list[Any], expected: list[Any], word: str) -> None:
    found = heard(*map(chunk, deltas), finish(word))
    told = calls(found)
    assert [(name, arguments) for _, name, arguments in told] == [e[1:] for e in expected]
    assert all(
        id == wanted for (id, *_), (wanted, *_) in zip(told, expected, strict=True) if wanted
    )
    assert all(id for id, *_ in told)
    assert len({id for id, *_ in told}) == len(told)
    assert found[-1] == Ended("tool")


def test_arguments_as_an_object_stay_exact() -> None:
    raw = b'{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f",'
    raw += b'"arguments":{"n":12345678901234567890,"x":1.5e2}}}]}}]}'
    told = calls(events(sse(raw, finish("tool_calls"))))
    assert told == [("a", "f", '{"n":12345678901234567890,"x":1.5e2}')]


def test_a_text_and_a_call_in_one_chunk() -> None:
    found = heard(chunk({"content": "I look"} | call(0, id="a", name=F, arguments="{}")), finish())
    assert isinstance(found[0], TextDelta)
    assert calls(found) == [("a", F, "{}")]


def test_a_text_after_a_call() -> None:
    found = heard(
        chunk(call(0, id="a", name=F, arguments="{}")), chunk({"content": "so"}), finish()
    )
    assert found == [
        CallBegan(0, "a", F),
        CallDelta(0, "{}"),
        CallEnded(0),
        TextDelta("so"),
        Ended("tool"),
    ]


def test_a_custom_call() -> None:
    delta = {"tool_calls": [{"index": 0, "id": "a", "custom": {"name": "p", "input": "x"}}]}
    more = {"tool_calls": [{"index": 0, "custom": {"input": "}y"}}]}
    assert heard(chunk(delta), chunk(more), finish("tool_calls"))[:4] == [
        CallBegan(0, "a", "p", custom=True),
        CallDelta(0, "x"),
        CallDelta(0, "}y"),
        CallEnded(0),
    ]


def test_signatures_of_gemini() -> None:
    google = {"extra_content": {"google": {"thought_signature": "sig"}}}
    seal = Seal("v/chat", "thought_signature", "sig")
    found = heard(chunk(call(0, id="a", name=F, arguments="{}", **google)), finish("tool_calls"))
    assert CallEnded(0, (seal,)) in found
    assert heard(chunk({"content": "a"}), chunk(google), finish())[1] == TextSealed(seal)


def test_a_call_without_a_name_is_lost() -> None:
    found = heard(chunk({"content": "a"}), chunk(call(0, id="a", arguments="{}")), finish())
    assert isinstance(found[1], Lost)
    assert found[-1] == Ended("stop")


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("stop", "stop"),
        ("eos", "stop"),
        ("end_turn", "stop"),
        ("STOP", "stop"),
        ("tool_calls", "stop"),
        ("length", "length"),
        ("max_tokens", "length"),
        ("repetition", "length"),
        ("content_filter", "filter"),
        ("sensitive", "filter"),
        ("something_new", "stop"),
    ],
)
def test_why_it_ended(word: str, why: str) -> None:
    assert heard(chunk({"content": "a"}), finish(word))[-1] == Ended(why)  # type: ignore[arg-type]


@pytest.mark.parametrize("word", ["error", "network_error", "insufficient_system_resource"])
def test_a_vendor_that_gave_up(word: str) -> None:
    found = heard(chunk({"content": "a"}), finish(word))[-1]
    assert isinstance(found, Failed)
    assert word in found.words


def test_finish_reasons_that_say_nothing() -> None:
    found = heard(
        chunk({"content": "a"}, finish_reason=""),
        chunk({"content": "b"}, finish_reason=""),
        finish("length"),
        finish("stop"),
    )
    assert text(found) == "ab"
    assert found[-1] == Ended("length")


def test_the_stop_sequence_where_it_is_told() -> None:
    assert heard(chunk({"content": "a"}), chunk({}, finish_reason="stop", stop_reason="END"))[
        -1
    ] == Ended("stop", "END")


def test_a_refusal() -> None:
    assert heard(chunk({"refusal": "I "}), chunk({"refusal": "won't"}), finish()) == [
        RefusalDelta("I "),
        RefusalDelta("won't"),
        Ended("refusal"),
    ]


def test_content_as_parts() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    found = heard(
        chunk({"content": [thought]}), chunk({"content": [{"type": "text", "text": "a"}]}), finish()
    )
    assert found == [ThoughtDelta("hm"), ThoughtEnded(), TextDelta("a"), Ended("stop")]


def test_strange_deltas() -> None:
    found = heard(
        chunk({"content": "a"}),
        {"choices": []},
        {"choices": None},
        {"id": "x"},
        {"choices": [{"index": 0, "delta": None, "finish_reason": None}]},
        {"choices": [5, {"delta": 5}]},
        b"no json",
        b"[1]",
        chunk({"content": "b"}, index=1),
        chunk({"tool_calls": 5}),
        finish(),
    )
    assert text(found) == "a"
    assert [type(e) for e in found if isinstance(e, Lost)] == [Lost] * 3
    assert found[-1] == Ended("stop")


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 2}, Usage(input=10, output=2)),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 3},
                "completion_tokens_details": {"reasoning_tokens": 2},
            },
            Usage(3, 4, 3, 5, 2),
        ),
        ({"prompt_tokens": 10, "prompt_cache_hit_tokens": 4}, Usage(6, 4)),
        ({"prompt_tokens": 10, "cached_tokens": 4}, Usage(6, 4)),
        ({"prompt_tokens": 10, "prompt_tokens_details": None}, Usage(10)),
    ],
)
@pytest.mark.parametrize("place", ["chunk", "last", "choice", "groq"])
def test_usage(usage: Any, expected: Usage, place: str) -> None:
    items: list[Any] = [chunk({"content": "a"})]
    match place:
        case "chunk":
            items += [finish(), {"id": "c1", "choices": [], "usage": usage}]
        case "last":
            items.append(finish() | {"usage": usage})
        case "choice":
            items.append(chunk({}, finish_reason="stop", usage=usage))
        case _:
            items.append(finish() | {"x_groq": {"usage": usage}})
    found = heard(*items)
    assert [event.usage for event in found if isinstance(event, Used)] == [expected]


def test_usage_on_every_chunk_is_not_counted_twice() -> None:
    items = [
        chunk({"content": "a"}) | {"usage": {"prompt_tokens": 9, "completion_tokens": n}}
        for n in range(3)
    ]
    found = heard(*items, finish() | {"usage": {"prompt_tokens": 0, "completion_tokens": 0}})
    told = [event.usage for event in found if isinstance(event, Used)]
    assert told[-1] == Usage(input=9, output=2)
    assert text(found) == "aaa"


def test_usage_in_pieces() -> None:
    found = heard(
        chunk({"content": "a"}) | {"usage": {"prompt_tokens": 9}},
        finish() | {"usage": {"completion_tokens": 4, "prompt_cache_hit_tokens": 3}},
    )
    assert [e.usage for e in found if isinstance(e, Used)][-1] == Usage(6, 3, 0, 4)


@pytest.mark.parametrize(
    "told",
    [
        {"error": {"message": "too much", "code": 1302}},
        {"error": "too much"},
        {"object": "error", "message": "too much"},
        chunk({}, finish_reason="error", error={"message": "too much"}),
    ],
)
def test_an_error_in_the_stream(told: Any) -> None:
    reader = ChatReplyReader(TARGET)
    found = reader.feed(sse(chunk({"content": "a"}), told, chunk({"content": "b"})))
    assert found[-1] == Failed("too much", json.dumps(told).encode())
    assert reader.feed(sse(chunk({"content": "c"}))) == []
    assert reader.close() == []


def test_nothing_counts_after_the_end() -> None:
    reader = ChatReplyReader(TARGET)
    assert reader.feed(sse(chunk({"content": "a"}), finish(), b"[DONE]"))[-1] == Ended("stop")
    assert reader.feed(sse(chunk({"content": "b"}))) == []
    assert reader.close() == []


def test_done_without_a_finish_reason() -> None:
    assert heard(chunk({"content": "a"}))[-1] == Ended("stop")
    assert heard(chunk(call(0, id="a", name=F, arguments="{}")))[-1] == Ended("tool")
    assert isinstance(heard(chunk(call(0, id="a", name=F, arguments='{"a')))[-1], Failed)
    assert isinstance(heard(chunk({"role": "assistant"}))[-1], Failed)


@pytest.mark.parametrize("data", [b"", b"\n\n", sse(chunk({"content": "a"})), b"data: {\n\n"])
def test_a_cut_stream(data: bytes) -> None:
    with pytest.raises(EOFError):
        events(data)


def test_a_finish_reason_without_done_is_whole() -> None:
    data = sse(chunk({"content": "a"}), finish()).removesuffix(b"\n\n")
    assert events(data)[-1] == Ended("stop")


MESSAGE = {
    "role": "assistant",
    "content": "I look",
    "reasoning_content": "hm",
    "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": F, "arguments": {"p": 1}}},
        {"id": "b", "type": "function", "function": {"name": "g", "arguments": None}},
        {"id": "c", "type": "function", "function": {"name": "g", "arguments": ""}},
    ],
}
WHOLE = {
    "id": "c1",
    "object": "chat.completion",
    "model": "vm",
    "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "tool_calls"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
}


def as_whole(body: bytes) -> list[Event]:
    return ChatReplyReader(TARGET).whole(body)


@pytest.mark.parametrize("read", [as_whole, events])
@pytest.mark.parametrize("lead", [b"", b"\n \n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_a_whole_reply(read: Any, lead: bytes) -> None:
    if lead.startswith(b"\n") and read is as_whole:
        lead = b""
    found = read(lead + json.dumps(WHOLE, indent=1).encode())
    assert found[0] == Began("c1", "vm")
    assert found[1:4] == [ThoughtDelta("hm"), ThoughtEnded(), TextDelta("I look")]
    assert [(n, json.loads(a)) for _, n, a in calls(found)] == [(F, {"p": 1}), ("g", {}), ("g", {})]
    assert Used(Usage(input=3, output=2)) in found
    assert found[-1] == Ended("tool")


def test_a_whole_reply_as_an_event() -> None:
    found = events(sse(WHOLE, b"[DONE]"))
    assert text(found) == "I look"
    assert len(calls(found)) == 3


def test_the_whole_message_again_in_the_last_chunk() -> None:
    last = chunk(None, finish_reason="tool_calls", message=MESSAGE)
    found = heard(
        chunk({"content": "I look"}), chunk(call(0, id="a", name=F, arguments='{"p":1}')), last
    )
    assert text(found) == "I look"
    assert [arguments for _, _, arguments in calls(found)] == ['{"p":1}', "{}", "{}"]


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"choices":5}'])
def test_what_is_no_reply(body: bytes) -> None:
    with pytest.raises(ValueError):
        as_whole(body)


def test_an_error_instead_of_a_whole_reply() -> None:
    assert as_whole(b'{"error":{"message":"busy"}}')[-1] == Failed(
        "busy", b'{"error":{"message":"busy"}}'
    )


def test_halves_of_characters_are_joined() -> None:
    found = heard(
        chunk({"content": "a\ud83d"}), chunk({"content": "\ude00b"}), chunk({"content": "\ud83d"}),
        finish(),
    )  # fmt: skip
    assert text(found) == "a\U0001f600b\ufffd"
    told = heard(
        chunk(call(0, id="a", name=F, arguments='{"x":"\ud83d')),
        chunk(call(0, arguments='\ude00"}')),
        finish("tool_calls"),
    )
    assert calls(told) == [("a", F, '{"x":"\U0001f600"}')]


STREAM = [
    chunk({"role": "assistant", "content": None}),
    chunk({"reasoning_content": "denk\u00e9"}),
    chunk({"content": "a\u2028b\u0085c \U0001f600"}),
    chunk(call(0, id="a", name=F, arguments='{"p":"\u65e5')),
    chunk(call(0, arguments='\u672c"}')),
    chunk(call(1, id="b", name="g", arguments="{}")),
    finish("tool_calls"),
    {"id": "c1", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}},
]
FRAMES = (
    "data: %s\n\n",
    "data:%s\r\n\r\n",
    "data: %s\r\r",
    ": hold\n\nid: 7\nevent: message\ndata: %s\n\n",
    "\n\ndata: %s\n\n",
)


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=40), st.sampled_from(FRAMES), st.booleans()
)
def test_any_chunking_tells_the_same(sizes: list[int], frame: str, bom: bool) -> None:
    texts = [json.dumps(item, ensure_ascii=False) for item in STREAM]
    data = "".join(frame % text for text in [*texts, "[DONE]"]).encode()
    data = b"\xef\xbb\xbf" * bom + data
    reader = ChatReplyReader(TARGET)
    found, at, turn = [], 0, 0
    while at < len(data):
        size = sizes[turn % len(sizes)]
        found += reader.feed(data[at : at + size])
        at, turn = at + size, turn + 1
    found += reader.close()
    assert found == events(sse(*STREAM, b"[DONE]"))


def test_data_over_several_lines() -> None:
    lines = (b'{"choices":[{"index":0,', b'"delta":{"content":"a"},', b'"finish_reason":"stop"}]}')
    data = b"".join(b"data: " + line + b"\n" for line in lines) + b"\n"
    assert text(events(data)) == "a"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "delta",
                    "message",
                    "content",
                    "tool_calls",
                    "function",
                    "name",
                    "arguments",
                    "index",
                    "id",
                    "usage",
                    "error",
                    "finish_reason",
                    "reasoning_details",
                    "extra_content",
                    "google",
                    "custom",
                    "function_call",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(st.lists(JSON, max_size=5))
def test_whatever_comes_raises_nothing_but_a_cut(items: list[Any]) -> None:
    reader = ChatReplyReader(TARGET)
    found = reader.feed(sse(*items, *(chunk({"tool_calls": item}) for item in items)))
    found += reader.feed(sse(*(chunk(item) for item in items)))
    try:
        found += reader.close()
    except EOFError:
        return
    if isinstance(found[-1], Ended):
        calls(found)


@given(st.binary(max_size=200))
def test_any_bytes_raise_nothing_but_a_cut(data: bytes) -> None:
    try:
        events(data)
    except EOFError:
        return


def test_deep_nesting_is_lost() -> None:
    deep = b'{"choices":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    found = events(sse(chunk({"content": "a"}), deep, finish()))
    assert text(found) == "a"


def test_long_lines_and_many_pieces_take_linear_time() -> None:
    long = "x" * 3_000_000
    data = sse(chunk(call(0, id="a", name=F, arguments=json.dumps({"p": long}))), finish())
    began = time.perf_counter()
    reader = ChatReplyReader(TARGET)
    found = [e for at in range(0, len(data), 4096) for e in reader.feed(data[at : at + 4096])]
    found += reader.close()
    assert len(calls(found)[0][2]) > len(long)
    pieces = [chunk(call(0, id="a", name=F, arguments='{"p":"'))]
    pieces += [chunk(call(0, name=F, arguments="x" * 9 + "}"))] * 20_000
    events(sse(*pieces, chunk(call(0, arguments='"}')), finish()))
    assert time.perf_counter() - began < 10
