"""Keepsakes: thinking and seals come back to their calls, in the order in which they were said."""

from __future__ import annotations

import json
from typing import Any

from holdgate.core.relay.keepsakes import Gathering, Keepsakes
from holdgate.core.values.neutral import Call, Message, Part, Reasoning, Seal, Text
from holdgate.core.values.neutral_reply import (
    CallBegan,
    CallEnded,
    Event,
    TextDelta,
    ThoughtDelta,
    ThoughtEnded,
)
from tests import virtual_loop
from tests.relay.stage import (
    Asking,
    Stage,
    answers,
    data,
    end,
    provider,
    sent,
    settings,
    stream_head,
)

SEAL = Seal("one/messages", "thinking", "opaque")


def thought(words: str) -> list[Event]:
    """Give a sealed thought."""
    return [ThoughtDelta(words), ThoughtEnded((SEAL,))]


def called(number: int, *seals: Seal) -> list[Event]:
    """Give a call."""
    return [CallBegan(number, f"call_{number}", "look"), CallEnded(number, seals)]


def back(events: list[Event], *parts: Part) -> list[str]:
    """Give in short what becomes of an agent's turn after a reply."""
    keepsakes = Keepsakes()
    gathering = Gathering(keepsakes, "talk")
    for event in events:
        gathering.see([event])
    (message,) = keepsakes.give_back("talk", (Message("assistant", parts),))
    return [_short(part) for part in message.parts]


def _short(part: Part) -> str:
    match part:
        case Reasoning(text, seals) | Text(text, seals=seals):
            return text + "!" * len(seals)
        case Call(id, seals=seals):
            return id + "!" * len(seals)
    raise AssertionError(part)


def call(number: int) -> Call:
    """Give a call as a chat agent gives it back."""
    return Call(f"call_{number}", "look", "{}")


def test_thinking_before_a_text_comes_back_before_it() -> None:
    events = [*thought("a"), TextDelta("say"), *called(0), *called(1)]
    assert back(events, Text("say"), call(0), call(1)) == ["a!", "say", "call_0", "call_1"]


def test_thinking_after_a_text_comes_back_after_it() -> None:
    events = [*thought("a"), TextDelta("say"), *thought("b"), *called(0)]
    assert back(events, Text("say"), call(0)) == ["a!", "say", "b!", "call_0"]


def test_each_call_has_its_own() -> None:
    events = [*thought("a"), *called(0, SEAL), *thought("b"), *called(1)]
    parts = (Reasoning("a b"), Text("say"), call(0), call(1))
    assert back(events, *parts) == ["say", "a!", "call_0!", "b!", "call_1"]


def test_what_the_agent_brought_stays() -> None:
    events = [*thought("a"), *called(0, SEAL)]
    assert back(events, Reasoning("mine", (SEAL,)), call(0)) == ["mine!", "call_0!"]
    assert back(called(0, SEAL), Reasoning("mine"), call(0)) == ["mine", "call_0!"]
    assert back(events, Reasoning("mine"), call(7)) == ["mine", "call_7"]


def test_gemini_gets_its_signature_back_from_an_agent_that_leaves_it_out() -> None:
    called = {"functionCall": {"name": "look", "args": {}, "id": "c1"}, "thoughtSignature": "sig"}
    reply = {"candidates": [{"content": {"parts": [called]}, "finishReason": "STOP"}]}
    event = b"data: " + json.dumps(reply).encode() + b"\r\n\r\n"
    script = [sent(), stream_head("sse", 1), data(0, event), end()]

    async def scene() -> Any:
        silent = dict.fromkeys(("chat", "responses", "messages"), "")
        stage = Stage(
            settings(provider("one", **silent)), {"one": [script, answers(("gemini", "sse"))]}
        )
        first = await _messages(stage, []).done()
        text = first.body.decode()
        started = [json.loads(line[6:]) for line in text.splitlines() if '"tool_use"' in line]
        call = next(each["content_block"] for each in started if "content_block" in each)
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": "seen"}
        await _messages(
            stage, [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        ).done()
        return json.loads(stage.upstream.asked[1].outgoing.body)

    body = virtual_loop.run(scene())
    (part,) = body["contents"][1]["parts"]
    assert part["functionCall"]["name"] == "look" and part["thoughtSignature"] == "sig"


def _messages(stage: Stage, more: list[Any]) -> Asking:
    body = {
        "model": "coder",
        "stream": True,
        "max_tokens": 64,
        "tools": [{"name": "look", "input_schema": {"type": "object"}}],
        "messages": [{"role": "user", "content": "Look."}, *more],
    }
    return stage.ask(("messages", "sse"), conversation="talk", body=json.dumps(body).encode())
