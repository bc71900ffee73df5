"""Laws of replies in every dialect: any chunking is the same, and what was told is understood."""

from __future__ import annotations

import json
from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.dialects.translation.base import Target, Telling
from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.dialects.translation.table import TRANSLATORS
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.neutral import Call, Reasoning, Refusal, Seal, Text
from holdgate.core.values.neutral_reply import (
    Answer,
    Began,
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    RefusalDelta,
    TextDelta,
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
    Used,
    Why,
)
from holdgate.core.values.usage import Usage
from tests.dialects.translation.conversations import (
    BIG,
    NOTE,
    PATCH,
    READ,
    SEALS,
    STRANGE,
    request,
    user,
)

every_dialect = pytest.mark.parametrize("dialect", DIALECT_NAMES)
pairs = pytest.mark.parametrize(
    ("dialect", "other"), [(a, b) for a in TRANSLATORS for b in TRANSLATORS]
)

# What a dialect has no words for, and says instead.
INSTEAD: dict[DialectName, dict[Why, Why]] = {
    "chat": {"pause": "stop", "malformed": "stop"},
    "responses": {"pause": "stop", "malformed": "stop"},
    "messages": {"filter": "refusal", "malformed": "stop"},
    "gemini": {"refusal": "filter", "pause": "stop"},
}
FILTERS = ("filter", "refusal")
KNOW_CUSTOM = ("chat", "responses")
KNOW_REFUSALS = ("chat", "responses")

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
WORDS = TEXT | st.sampled_from([STRANGE, "data: {}\n\n", "[DONE]", " ", "\n", "</think>", "é😀"])
PIECES = st.lists(WORDS, min_size=1, max_size=4)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=5,
)
ARGUMENTS = st.dictionaries(TEXT, VALUES, max_size=3).map(json.dumps) | st.just(BIG)
FEW_SEALS = st.lists(st.sampled_from(SEALS), max_size=2, unique=True).map(tuple)
COUNT = st.integers(0, 100_000)
USAGE = st.builds(Usage, COUNT, COUNT, COUNT, COUNT, st.just(0))


@st.composite
def replies(draw: st.DrawFn, *, custom: bool) -> list[Event]:
    """Give a reply as a reader gives it."""
    events: list[Event] = [Began("vendor-1", "vendor-model")]
    calls = 0
    for kind in draw(st.lists(st.sampled_from(["text", "thought", "call"]), max_size=6)):
        if draw(st.booleans()):
            events.append(Used(draw(USAGE)))
        if kind == "text":
            events += map(TextDelta, draw(PIECES))
            events += map(TextSealed, draw(FEW_SEALS)[:1])
        elif kind == "thought":
            events += map(ThoughtDelta, draw(PIECES))
            events.append(ThoughtEnded(draw(FEW_SEALS)))
        else:
            events += draw(called(calls, custom))
            calls += 1
    return events + draw(endings(calls > 0))


@st.composite
def called(draw: st.DrawFn, number: int, custom: bool) -> list[Event]:
    plain = custom and draw(st.booleans())
    text = "".join(draw(PIECES)) if plain else draw(ARGUMENTS)
    cut = draw(st.integers(0, len(text)))
    deltas = [CallDelta(number, piece) for piece in (text[:cut], text[cut:]) if piece]
    name = draw(st.sampled_from(["apply_patch", "note"] if plain else ["read_file", "a", "x_y-z"]))
    return [CallBegan(number, f"call_{number}", name, plain), *deltas, CallEnded(number)]


@st.composite
def endings(draw: st.DrawFn, calls: bool) -> list[Event]:
    events: list[Event] = [Used(draw(USAGE))] if draw(st.booleans()) else []
    if calls:
        return [*events, Ended("tool")]
    why: Why = draw(st.sampled_from(["stop", "length", "filter", "pause", "refusal"]))
    if why == "pause":  # what is paused has begun
        return [TextDelta("Wait."), *events, Ended(why)]
    if why == "refusal":
        return [*map(RefusalDelta, draw(PIECES)), *events, Ended(why)]
    return [*events, Ended(why)]


def told(dialect: DialectName, events: Iterable[Event]) -> bytes:
    """Give the bytes of a stream that an agent of a dialect gets."""
    asked = request(user("Hi"), dialect=dialect, tools=(READ, PATCH, NOTE), include_usage=True)
    telling = Telling("abc", "m", 5, "sse", asked)
    return TRANSLATORS[dialect].reply_writer(telling).tell(list(events))


def heard(dialect: DialectName, pieces: Iterable[bytes]) -> list[Event]:
    """Give the events that a reader finds in a stream."""
    reader = TRANSLATORS[dialect].reply_reader(Target("v", dialect, "m"))
    return [event for piece in pieces for event in reader.feed(piece)] + reader.close()


def meaning(answer: Answer, *dialects: DialectName) -> tuple[object, ...]:
    """Give what an answer says, of that what `dialects` can say; seals have laws of their own."""
    parts: list[tuple[str, ...]] = []
    refusals = all(dialect in KNOW_REFUSALS for dialect in dialects)
    for part in answer.parts:
        match part:
            case Call():
                said: tuple[str, ...] = ("call", part.id, part.name, *arguments_of(part, dialects))
            case Reasoning(text):
                said = ("thought", text)
            case Refusal(text) if refusals:
                said = ("refusal", text)
            case Text(text) | Refusal(text):
                said = ("text", text)
        if parts and parts[-1][0] == said[0] != "call":
            parts[-1] = (said[0], parts[-1][1] + said[1])
        elif said[-1] or said[0] == "call":
            parts.append(said)
    why = answer.why
    for dialect in dialects:
        why = INSTEAD[dialect].get(why, why)
    rest = (why if why not in FILTERS else "filter", tokens(answer.usage))
    return (unordered(parts) if "chat" in dialects else parts, *rest)


def unordered(parts: list[tuple[str, ...]]) -> object:
    """Chat has one text, one thinking and the calls, without their order."""
    kinds: dict[str, list[str]] = {"text": [], "thought": [], "refusal": []}
    for kind, *said in parts:
        kinds.setdefault(kind, []).append("".join(said))
    calls = kinds.pop("call", [])
    return {kind: "".join(said) for kind, said in kinds.items()}, calls


def arguments_of(call: Call, dialects: tuple[DialectName, ...]) -> tuple[str, str]:
    """Give a call's kind and arguments; Gemini writes JSON its own way."""
    if call.custom or "gemini" not in dialects:
        return str(call.custom), call.arguments
    return str(call.custom), json.dumps(json.loads(call.arguments), sort_keys=True)


def tokens(usage: Usage | None) -> tuple[int, ...]:
    """Give what every dialect counts; cache writes are input where nobody else counts them."""
    if usage is None:
        return (0, 0, 0)
    return (usage.input + usage.cache_write, usage.cache_read, usage.output)


@every_dialect
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_what_is_told_is_understood(dialect: DialectName, data: st.DataObject) -> None:
    events = data.draw(replies(custom=dialect in KNOW_CUSTOM))
    found = collect(heard(dialect, [told(dialect, events)]))
    assert meaning(found, dialect) == meaning(collect(events), dialect)


@every_dialect
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_any_chunking_gives_the_same_events(dialect: DialectName, data: st.DataObject) -> None:
    events = data.draw(replies(custom=dialect in KNOW_CUSTOM))
    stream = told(dialect, events)
    if data.draw(st.booleans()):
        stream = stream.replace(b"\n", data.draw(st.sampled_from([b"\r\n", b"\r"])))
    places = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    cut = [stream[a:b] for a, b in zip([0, *places], [*places, len(stream)], strict=True)]
    expected = heard(dialect, [stream])
    assert heard(dialect, cut) == expected
    assert sum(isinstance(event, Ended) for event in expected) == 1


@every_dialect
def test_byte_by_byte(dialect: DialectName) -> None:
    events = replies_of_all_kinds(dialect)
    stream = told(dialect, events)
    cut = [stream[n : n + 1] for n in range(len(stream))]
    assert heard(dialect, cut) == heard(dialect, [stream])


@every_dialect
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_however_events_come_the_stream_is_the_same_but_for_its_cuts(
    dialect: DialectName, data: st.DataObject
) -> None:
    events = data.draw(replies(custom=dialect in KNOW_CUSTOM))
    asked = request(user("Hi"), dialect=dialect, tools=(READ, PATCH, NOTE), include_usage=True)
    writer = TRANSLATORS[dialect].reply_writer(Telling("abc", "m", 5, "sse", asked))
    one_by_one = b"".join(writer.tell([event]) for event in events)
    found = collect(heard(dialect, [one_by_one]))
    assert meaning(found, dialect) == meaning(collect(events), dialect)


@pairs
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_a_reply_keeps_through_two_dialects_what_both_can_say(
    dialect: DialectName, other: DialectName, data: st.DataObject
) -> None:
    both = dialect in KNOW_CUSTOM and other in KNOW_CUSTOM
    events = data.draw(replies(custom=both))
    once = heard(dialect, [told(dialect, events)])
    twice = heard(other, [told(other, once)])
    again = heard(dialect, [told(dialect, twice)])
    assert meaning(collect(again), dialect, other) == meaning(collect(events), dialect, other)


@every_dialect
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_a_whole_answer_says_the_same(dialect: DialectName, data: st.DataObject) -> None:
    answer = collect(data.draw(replies(custom=dialect in KNOW_CUSTOM)))
    asked = request(user("Hi"), dialect=dialect, tools=(READ, PATCH, NOTE))
    body = TRANSLATORS[dialect].write_answer(answer, Telling("abc", "m", 5, "whole", asked))
    found = collect(TRANSLATORS[dialect].reply_reader(Target("v", dialect, "m")).whole(body))
    assert meaning(found, dialect) == meaning(answer, dialect)


def replies_of_all_kinds(dialect: DialectName) -> list[Event]:
    """Give one reply with everything in it."""
    custom = dialect in KNOW_CUSTOM
    seal = Seal("google/gemini", "thought", "dGhvdWdodA==")
    return [
        Began("vendor-1", "vendor-model"),
        *map(ThoughtDelta, STRANGE),
        ThoughtEnded(SEALS),
        *map(TextDelta, STRANGE),
        TextSealed(seal),
        CallBegan(0, "call_0", "read_file"),
        CallDelta(0, BIG),
        CallEnded(0, (seal,)),
        CallBegan(1, "call_1", "apply_patch" if custom else "list_files", custom),
        CallDelta(1, STRANGE if custom else "{}"),
        CallEnded(1),
        Used(Usage(input=100, cache_read=40, output=30)),
        Ended("tool"),
    ]


def test_the_samples_are_of_use() -> None:
    answer = collect(replies_of_all_kinds("chat"))
    assert len(answer.parts) == 4
    assert msgspec.structs.asdict(answer)["why"] == "tool"
