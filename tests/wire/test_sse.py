"""Event streams: whatever the pieces, the line ends and the habits, the same events."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.wire.sse import EVENT_ENDS, Event, Splitter, parse_event
from tests.wire.cutting import PLACES, cut, pieces

LINE_ENDS = ("\n", "\r\n", "\r")


def events(chunks: list[bytes]) -> list[Event]:
    """Give the events with data; a last one without its blank line is one too."""
    splitter = Splitter()
    raw = [event for chunk in chunks for event in splitter.feed(chunk)]
    return [event for event in map(parse_event, [*raw, splitter.close()]) if event.data is not None]


def by_the_rule(stream: bytes) -> list[Event]:
    """Read a whole stream line by line, as the rule is written."""
    found: list[Event] = []
    name, data = "", list[bytes]()
    lines = re.split(rb"\r\n|\n|\r", stream.removeprefix(b"\xef\xbb\xbf"))
    for line in [*lines, b""]:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if not line:
            found += [Event(name, b"\n".join(data))] if data else []
            name, data = "", []
        elif field == b"data":
            data.append(value)
        elif field == b"event":
            name = value.decode().strip()
    return found


LINES = st.lists(
    st.sampled_from(
        [
            "",
            "",
            ": keepalive",
            ":",
            "event: ping",
            "event:error",
            "id: 7",
            "retry: 100",
            "data",
            "data:",
            "data: ",
            "data:x",
            "data:  two spaces",
            'data: {"a": "b"}',
            "data: [DONE]",
            "data: \u2028 and \x0b \x0c \x85 are no line ends",
            "database: no",
            "junk",
        ]
    ),
    max_size=14,
)


@settings(deadline=None)
@given(LINES, st.sampled_from(LINE_ENDS), st.booleans(), PLACES)
def test_any_cut_gives_the_same_events(
    lines: list[str], end: str, bom: bool, places: list[int]
) -> None:
    stream = ("\ufeff" * bom + "".join(line + end for line in lines)).encode()
    assert events(cut(stream, places)) == events([stream]) == by_the_rule(stream)


@settings(deadline=None)
@given(LINES, st.lists(st.sampled_from(LINE_ENDS), min_size=14, max_size=14), PLACES)
def test_line_ends_may_be_mixed(lines: list[str], ends: list[str], places: list[int]) -> None:
    stream = "".join(line + end for line, end in zip(lines, ends, strict=False)).encode()
    assert events(cut(stream, places)) == by_the_rule(stream)


@settings(deadline=None)
@given(st.text(max_size=40).filter(lambda text: not re.search("[\r\n]", text)))
def test_byte_by_byte_keeps_every_character(text: str) -> None:
    stream = f"event: x\ndata: {text}\n\n".encode()
    assert events(list(pieces(stream, 1))) == [Event("x", text.encode())]


@settings(deadline=None)
@given(LINES, st.sampled_from(LINE_ENDS), PLACES)
def test_not_a_byte_is_lost(lines: list[str], end: str, places: list[int]) -> None:
    stream = "".join(line + end for line in lines).encode()
    splitter = Splitter()
    raw = [event for chunk in cut(stream, places) for event in splitter.feed(chunk)]
    assert b"".join([*raw, splitter.close()]) == stream


@pytest.mark.parametrize(
    ("raw", "event"),
    [
        (b"data: x\n\n", Event("", b"x")),
        (b"data:x\n\n", Event("", b"x")),
        (b"data:  x\n\n", Event("", b" x")),
        (b"data: a\ndata: b\ndata:\n\n", Event("", b"a\nb\n")),
        (b"data\n\n", Event("", b"")),
        (b"event: ping\ndata: {}\n\n", Event("ping", b"{}")),
        (b"event:ping\r\ndata:{}\r\n\r\n", Event("ping", b"{}")),
        (b"data: 1\revent: late\r\r", Event("late", b"1")),
        (b"event: one\nevent: two\ndata: x\n\n", Event("two", b"x")),
        (b": keepalive\n\n", Event("", None)),
        (b": keepalive\ndata: x\n\n", Event("", b"x")),
        (b"event: alone\n\n", Event("alone", None)),
        (b"\xef\xbb\xbfdata: x\n\n", Event("", b"x")),
        (b"data: \xe2\x80\xa8\n\n", Event("", b"\xe2\x80\xa8")),
        (b"data: a:b\n\n", Event("", b"a:b")),
        (b"\n\n", Event("", None)),
        (b"", Event("", None)),
    ],
)
def test_one_event(raw: bytes, event: Event) -> None:
    assert parse_event(raw) == event


def test_an_event_comes_with_its_last_byte() -> None:
    splitter = Splitter()
    assert splitter.feed(b"data: 1\n") == []
    assert splitter.feed(b"\n") == [b"data: 1\n\n"]
    assert splitter.feed(b"data: 2\r\n\r") == []
    assert splitter.feed(b"\ndata: 3") == [b"data: 2\r\n\r\n"]
    assert splitter.close() == b"data: 3"


def test_nothing_is_left_after_the_close() -> None:
    splitter = Splitter()
    splitter.feed(b"data: half")
    assert splitter.close() == b"data: half"
    assert splitter.close() == b""
    assert splitter.feed(b"data: 1\n\n") == [b"data: 1\n\n"]


@pytest.mark.parametrize("end", EVENT_ENDS)
def test_what_ends_an_event_does(end: bytes) -> None:
    assert Splitter().feed(b"data: x" + end) == [b"data: x" + end]


def test_a_line_of_megabytes_costs_no_more_than_its_bytes() -> None:
    stream = b"data: " + bytes(8 << 20).replace(b"\0", b"x") + b"\n\n"
    before = time.process_time()
    assert [len(event.data or b"") for event in events(list(pieces(stream, 256)))] == [8 << 20]
    assert time.process_time() - before < 1


def test_many_events_in_one_piece_cost_no_more_than_their_bytes() -> None:
    stream = b"data: x\n\n" * 100_000
    before = time.process_time()
    assert len(Splitter().feed(stream)) == 100_000
    assert time.process_time() - before < 1
