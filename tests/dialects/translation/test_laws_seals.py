"""The law of seals: back to their maker byte by byte and in their place, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.dialects.translation.base import Target, Telling
from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.dialects.translation.table import TRANSLATORS
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.neutral import Call, Reasoning, Request, Seal, Text
from holdgate.core.values.neutral_reply import (
    Began,
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    TextDelta,
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
)
from holdgate.core.values.seals import MARK
from tests.dialects.translation import agents_memory as agent
from tests.dialects.translation.conversations import READ, request, user

# Each vendor's model that thinks, and how its agents ask it to.
MAKERS: dict[DialectName, Target] = {
    "chat": Target("openrouter", "chat", "m", frozenset({"thinking=openrouter"})),
    "responses": Target("openai", "responses", "gpt-5"),
    "messages": Target("anthropic", "messages", "claude-sonnet-4-5"),
    "gemini": Target("google", "gemini", "gemini-3-pro"),
}
THINKING: dict[DialectName, dict[str, Any]] = {
    "chat": {"reasoning_effort": "high"},
    "responses": {"reasoning": {"effort": "high"}},
    "messages": {"thinking": {"type": "enabled", "budget_tokens": 8000}},
    "gemini": {"generationConfig": {"thinkingConfig": {"thinkingBudget": 8000}}},
}
TOOLS: dict[DialectName, list[Any]] = {
    "chat": [{"type": "function", "function": {"name": "read_file"}}],
    "responses": [{"type": "function", "name": "read_file", "parameters": {"type": "object"}}],
    "messages": [{"name": "read_file", "input_schema": {"type": "object"}}],
    "gemini": [{"functionDeclarations": [{"name": "read_file", "description": "Reads."}]}],
}
OTHERS = [
    Target("another", "messages", "claude-sonnet-4-5"),
    Target("another", "responses", "gpt-5"),
    Target("another", "gemini", "gemini-3-pro"),
    Target("another", "chat", "m", frozenset({"reasoning_back", "thinking=openrouter"})),
]
Members = dict[str, msgspec.Raw]
crossed = pytest.mark.parametrize(
    ("agents", "maker"), [(a, m) for a in DIALECT_NAMES for m in DIALECT_NAMES if a != m]
)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).filter(str.strip)


@st.composite
def answers(draw: st.DrawFn, maker: DialectName, turn: int) -> list[Event]:
    """Give an answer of one of the makers, with seals where that one puts them."""
    made = Seals(MAKERS[maker].origin, turn, draw(st.binary(min_size=1, max_size=40)))
    events: list[Event] = [Began("r", "m")]
    for _ in range(draw(st.integers(1, 2)) if maker in ("messages", "responses") else 1):
        events += thought(draw, maker, made)
    if draw(st.booleans()):
        events.append(TextDelta(draw(WORDS)))
        if maker == "gemini":
            events.append(TextSealed(made.one("thought")))
    calls = draw(st.integers(1, 2))
    for number in range(calls):
        sealed = maker == "gemini" and number == 0
        seals = (made.one("thought"),) if sealed else ()
        events += [
            CallBegan(number, f"call_{turn}_{number}", "read_file"),
            CallDelta(number, "{}"),
            CallEnded(number, seals),
        ]
    return [*events, Ended("tool")]


def thought(draw: st.DrawFn, maker: DialectName, made: Seals) -> Iterator[Event]:
    hidden = maker == "messages" and draw(st.booleans())
    if not hidden:
        yield ThoughtDelta(draw(WORDS))
    match maker:
        case "messages":
            yield ThoughtEnded((made.one("redacted" if hidden else "signature"),))
        case "responses":
            yield ThoughtEnded((made.one("encrypted", id=f"rs_{len(made.all)}"),))
        case "chat":
            yield ThoughtEnded((made.one("reasoning_details"),))
        case "gemini":
            yield ThoughtEnded()


class Seals:
    """Makes seals that nobody else has made."""

    def __init__(self, origin: str, turn: int, noise: bytes) -> None:
        self.all: list[Seal] = []
        self._origin, self._stem = origin, f"SEALED{turn}{noise.hex()}"

    def one(self, kind: str, id: str = "") -> Seal:
        # Base64, as all of them are.
        value = f"{self._stem}{len(self.all):02d}"
        value += "A" * (-len(value) % 4)
        if kind == "reasoning_details":
            value = f'[{{"type": "reasoning.encrypted", "data": "{value}", "n": 1.50}}]'
        self.all.append(Seal(self._origin, kind, value, id))
        return self.all[-1]


@crossed
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_over_two_turns(agents: DialectName, maker: DialectName, data: st.DataObject) -> None:
    history = [agent.said(agents, "Read it.")]
    expected: list[Any] = []
    for turn in range(2):
        events = data.draw(answers(maker, turn))
        history += told(agents, events, whole=data.draw(st.booleans()))
        expected += places_of(events)
        check(agents, maker, history, expected)


@pytest.mark.parametrize("agents", DIALECT_NAMES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_of_two_makers_each_gets_its_own(agents: DialectName, data: st.DataObject) -> None:
    makers = data.draw(st.permutations([name for name in DIALECT_NAMES if name != agents]))[:2]
    history = [agent.said(agents, "Read it.")]
    made: list[list[Any]] = []
    for turn, maker in enumerate(makers):
        events = data.draw(answers(maker, turn))
        history += told(agents, events, whole=data.draw(st.booleans()))
        made.append(places_of(events))
    asked = understood(agents, history)
    for turn, maker in enumerate(makers):
        body = TRANSLATORS[maker].write_request(asked, MAKERS[maker]).body
        assert b"SEALED%d" % (1 - turn) not in body
        assert MARK.encode() not in body
        if maker == "chat":
            check_details(body, made[turn])
        else:
            # A thought that came before another vendor's turn need not come back.
            found = sealed_places(TRANSLATORS[maker].read_request(body, "m", "sse"), maker)
            expected = sealed_only(made[turn], maker)
            assert [place for place in expected if place in found] == found


def told(agents: DialectName, events: list[Event], *, whole: bool) -> list[Any]:
    """Give what an agent remembers of an answer, with the results of its calls."""
    asked = request(user("Hi"), dialect=agents, tools=(READ,), include_usage=True)
    telling = Telling("abc", "m", 5, "whole" if whole else "sse", asked)
    if whole:
        body = TRANSLATORS[agents].write_answer(collect(events), telling)
        entries = agent.remembered_whole(agents, body)
    else:
        stream = TRANSLATORS[agents].reply_writer(telling).tell(events)
        entries = agent.remembered(agents, stream)
    return [*entries, *agent.answered(agents, entries, "It says A.")]


def understood(agents: DialectName, history: list[Any]) -> Request:
    more = THINKING[agents] | {"tools": TOOLS[agents]}
    return TRANSLATORS[agents].read_request(agent.asked(agents, history, **more), "m", "sse")


def check(agents: DialectName, maker: DialectName, history: list[Any], expected: list[Any]) -> None:
    """The maker gets all of its seals in their places, anybody else gets none of them."""
    asked = understood(agents, history)
    body = TRANSLATORS[maker].write_request(asked, MAKERS[maker]).body
    assert MARK.encode() not in body
    if maker == "chat":
        check_details(body, expected)
    else:
        found = TRANSLATORS[maker].read_request(body, "m", "sse")
        assert sealed_places(found, maker) == sealed_only(expected, maker)
    for target in [target for target in OTHERS if target.origin != MAKERS[maker].origin]:
        other = TRANSLATORS[target.dialect].write_request(asked, target).body
        assert b"SEALED" not in other, target
        assert MARK.encode() not in other, target


def check_details(body: bytes, expected: list[Any]) -> None:
    """Entries of `reasoning_details` stand in the message of their answer, each as it was."""
    messages = msgspec.json.decode(body, type=Members).get("messages", msgspec.Raw(b"[]"))
    found = [
        bytes(message["reasoning_details"])
        for message in msgspec.json.decode(messages, type=list[Members])
        if "reasoning_details" in message and bytes(message["role"]) == b'"assistant"'
    ]
    assert found == [seal.encode() for _, _, seals in expected for seal, _ in seals]


def places_of(events: list[Event]) -> list[Any]:
    """Give what an answer's seals belong to: kind of part, its call or words, and the seals."""
    found: list[Any] = []
    said: dict[str, str] = {"thought": "", "text": ""}
    for event in events:
        match event:
            case ThoughtDelta(text):
                said["thought"] += text
            case TextDelta(text):
                said["text"] += text
            case ThoughtEnded(seals):
                found.append(("thought", said["thought"], values(seals)))
                said["thought"] = ""
            case TextSealed(seal):
                found.append(("text", said["text"], values((seal,))))
            case CallEnded(call, seals):
                found.append(("call", call, values(seals)))
            case _:
                pass
    return found


def sealed_only(places: list[Any], maker: DialectName) -> list[Any]:
    return [(kind, at(kind, said, maker), seals) for kind, said, seals in places if seals]


def at(kind: str, said: object, maker: DialectName) -> object:
    """Give what a seal is bound to. Only a signature is bound to the words of its thought."""
    return said if kind == "call" or maker == "messages" or kind == "text" else ""


def sealed_places(found: Request, maker: DialectName) -> list[Any]:
    """Give the same of a request as its maker reads it."""
    places: list[Any] = []
    for message in found.messages:
        calls = 0
        for part in message.parts:
            match part:
                case Reasoning(text, seals):
                    places.append(("thought", text, values(seals)))
                case Text(text, seals=seals):
                    places.append(("text", text, values(seals)))
                case Call(seals=seals):
                    places.append(("call", calls, values(seals)))
                    calls += 1
                case _:
                    pass
    return sealed_only(places, maker)


def values(seals: tuple[Seal, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((seal.value, seal.id) for seal in seals)
