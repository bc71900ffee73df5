"""The tail of a stream: however long it was and however it was cut, its end can be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.dialects.base import End, Ending
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.values.names import DialectName
from holdgate.core.values.usage import Usage
from holdgate.core.wire.sse import EVENT_ENDS
from holdgate.core.wire.tail import HEAD, KEPT, Tail
from tests.wire.cutting import PLACES, cut, pieces


def sse(data: object, name: str = "") -> bytes:
    text = (
        json.dumps(data, separators=(",", ":"), ensure_ascii=False)
        if not isinstance(data, str)
        else data
    )
    return (f"event: {name}\n" if name else "").encode() + b"data: " + text.encode() + b"\n\n"


@dataclass(frozen=True)
class Closing:
    """How a dialect ends a stream: `fill` is an event of so many bytes, `last` closes it."""

    dialect: DialectName
    fill: Callable[[int], bytes]
    last: Callable[[int], bytes]


def prose(size: int) -> str:
    """Give a text of about so many bytes, with all that a cut may fall into."""
    return ('x é 世界 "quoted" {\\n} \u2028\n' * (size // 30 + 1))[: size // 2 + size % 2]


def chat_chunk(size: int, **more: Any) -> bytes:
    return sse({"choices": [{"delta": {"content": prose(size)}, "finish_reason": None, **more}]})


def responses_completed(size: int) -> bytes:
    content = [{"type": "output_text", "text": prose(size // 9)}] * 9
    item = {"type": "message", "content": content}
    usage = {"input_tokens": 7, "output_tokens": 5}
    response = {"id": "resp_1", "status": "completed", "output": [item], "usage": usage}
    return sse({"type": "response.completed", "response": response}, "response.completed")


def gemini_chunk(size: int, **more: Any) -> bytes:
    return sse({"candidates": [{"content": {"parts": [{"text": prose(size)}]}}], **more})


def gemini_last(size: int) -> bytes:
    parts = [{"text": prose(size // 9)}] * 9
    candidate = {"content": {"parts": parts}, "finishReason": "STOP"}
    usage = {"promptTokenCount": 7, "candidatesTokenCount": 5}
    return sse({"candidates": [candidate], "usageMetadata": usage})


CHAT = Closing(
    "chat",
    chat_chunk,
    lambda size: (
        chat_chunk(size, finish_reason="stop")
        + sse({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 5}})
    ),
)
CHAT_DONE = Closing("chat", chat_chunk, lambda size: CHAT.last(size) + sse("[DONE]"))
RESPONSES = Closing(
    "responses",
    lambda size: sse(
        {"type": "response.output_text.delta", "delta": prose(size)}, "response.output_text.delta"
    ),
    responses_completed,
)
RESPONSES_NAMELESS = Closing(
    "responses",
    lambda size: sse({"type": "response.output_text.delta", "delta": prose(size)}),
    lambda size: responses_completed(size).removeprefix(b"event: response.completed\n"),
)
MESSAGES = Closing(
    "messages",
    lambda size: sse(
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": prose(size)}},
        "content_block_delta",
    ),
    lambda size: (
        sse(
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn"},
                "usage": {"input_tokens": 7, "output_tokens": 5},
            },
            "message_delta",
        )
        + sse({"type": "message_stop"}, "message_stop")
    ),
)
GEMINI = Closing("gemini", gemini_chunk, gemini_last)

CLOSINGS = {
    "chat": CHAT,
    "chat with [DONE]": CHAT_DONE,
    "responses": RESPONSES,
    "responses without names": RESPONSES_NAMELESS,
    "messages": MESSAGES,
    "gemini": GEMINI,
}
WHOLE = Ending(End.WHOLE, Usage(input=7, output=5))


def ending(closing: Closing, chunks: list[bytes]) -> Ending:
    tail = Tail()
    for chunk in chunks:
        tail.add(chunk)
    return DIALECTS[closing.dialect].ending(tail, None)


@pytest.mark.parametrize("name", CLOSINGS)
@settings(deadline=None, max_examples=40)
@given(
    fills=st.lists(st.integers(min_value=0, max_value=9000), max_size=20),
    last=st.integers(min_value=0, max_value=3000),
    crlf=st.booleans(),
    places=PLACES,
)
def test_any_stream_in_any_cut(
    name: str, fills: list[int], last: int, crlf: bool, places: list[int]
) -> None:
    closing = CLOSINGS[name]
    stream = b"".join(map(closing.fill, fills)) + closing.last(last)
    if crlf:
        stream = stream.replace(b"\n", b"\r\n")
    assert ending(closing, cut(stream, places)) == WHOLE


@pytest.mark.parametrize("size", [40_000, 40_009, 40_018, 500_000])
@pytest.mark.parametrize("piece", [1400, 16_384, 1 << 20])
@pytest.mark.parametrize("name", CLOSINGS)
def test_a_last_event_of_any_size(name: str, piece: int, size: int) -> None:
    closing = CLOSINGS[name]
    stream = closing.fill(10) * 3 + closing.last(size)
    assert ending(closing, list(pieces(stream, piece))) == WHOLE


@pytest.mark.parametrize("name", ["responses", "responses without names"])
def test_a_large_last_event_at_any_place_of_the_cut(name: str) -> None:
    closing = CLOSINGS[name]
    first = closing.fill(50_000)
    last = closing.last(3 * KEPT)
    for spare in range(-8, 8):
        # The cut falls `spare` bytes beside the border of both events.
        stream = [first, last[: KEPT + spare], last[KEPT + spare :]]
        assert ending(closing, stream) == WHOLE, spare


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("name", CLOSINGS)
def test_a_last_event_without_its_blank_line(name: str, end: bytes) -> None:
    closing = CLOSINGS[name]
    stream = (closing.fill(10) + closing.last(200)).removesuffix(b"\n\n").replace(b"\n", end)
    assert ending(closing, [stream]) == WHOLE


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("name", CLOSINGS)
def test_each_line_end(name: str, end: bytes) -> None:
    closing = CLOSINGS[name]
    stream = closing.fill(10) * 3 + closing.last(200)
    assert ending(closing, [stream.replace(b"\n", end)]) == WHOLE


@pytest.mark.parametrize("name", CLOSINGS)
def test_comments_after_the_end(name: str) -> None:
    closing = CLOSINGS[name]
    assert ending(closing, [closing.fill(10), closing.last(200)] + [b": alive\n\n"] * 20) == WHOLE


@pytest.mark.parametrize("name", CLOSINGS)
def test_a_long_stream_without_its_end_is_cut(name: str) -> None:
    closing = CLOSINGS[name]
    assert ending(closing, [closing.fill(300)] * 500).end is End.CUT


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(min_value=1, max_value=9000), max_size=30))
def test_it_keeps_little_and_the_very_end(sizes: list[int]) -> None:
    tail = Tail()
    whole = b""
    for number, size in enumerate(sizes):
        chunk = bytes([97 + number % 26]) * size
        whole += chunk
        tail.add(chunk)
        assert len(tail.bytes) <= 4 * KEPT + HEAD
    assert tail.bytes[-KEPT:] == whole[-KEPT:]


@pytest.mark.parametrize("end", EVENT_ENDS)
@given(places=PLACES)
def test_how_it_ends_in_any_cut(end: bytes, places: list[int]) -> None:
    tail = Tail()
    for chunk in cut(b"data: x" + end, places):
        tail.add(chunk)
    assert tail.ends_with(EVENT_ENDS)
    tail.add(b"d")
    assert not tail.ends_with(EVENT_ENDS)


def test_nothing_said_ends_with_nothing() -> None:
    assert not Tail().ends_with(EVENT_ENDS)
    assert Tail().bytes == b""
    assert Tail().last_events() == []
