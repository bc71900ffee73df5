"""Translation in the relay: every agent on every vendor, streamed and whole, as in a relay."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdgate.core.values.errors import FaultKind
from holdgate.core.values.inbound import Framing
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.settings import Provider
from tests import virtual_loop
from tests.relay.heard import answer_of, error_message
from tests.relay.stage import (
    TEXT,
    Asking,
    Pair,
    Script,
    Stage,
    answers,
    answers_whole,
    data,
    end,
    error_of,
    events_of,
    provider,
    refuses,
    sent,
    settings,
    stream_head,
)

FRAMINGS: dict[DialectName, tuple[Framing, ...]] = {
    "chat": ("sse", "whole"),
    "responses": ("sse", "whole"),
    "messages": ("sse", "whole"),
    "gemini": ("sse", "array", "whole"),
}
CROSSED = [
    ((agent, framing), other)
    for agent in DIALECT_NAMES
    for framing in FRAMINGS[agent]
    for other in DIALECT_NAMES
    if other != agent
]
STREAMED = [(pair, other) for pair, other in CROSSED if pair[1] != "whole"]
crossed = pytest.mark.parametrize(("pair", "other"), CROSSED, ids=str)
crossed_streams = pytest.mark.parametrize(("pair", "other"), STREAMED, ids=str)


def speaking(name: str, dialect: DialectName, **more: Any) -> Provider:
    """Give a provider that speaks one dialect only."""
    silent: dict[str, Any] = {each: "" for each in DIALECT_NAMES if each != dialect}
    return provider(name, **{**silent, **more})


def question(agent: DialectName, framing: Framing, words: str = "Say hello.") -> bytes:
    """Give an agent's request as its dialect writes it."""
    streamed = framing != "whole"
    match agent:
        case "gemini":
            body: Any = {"contents": [{"role": "user", "parts": [{"text": words}]}]}
        case "responses":
            body = {"model": "coder", "stream": streamed, "input": words}
        case _:
            turn = {"role": "user", "content": words}
            body = {"model": "coder", "stream": streamed, "max_tokens": 64, "messages": [turn]}
    return json.dumps(body).encode()


def one(pair: Pair, providers: list[Provider], scripts: dict[str, list[Script]]) -> Any:
    """Ask once and give what became of it, and the stage."""

    async def scene() -> tuple[Asking, Stage]:
        stage = Stage(settings(*providers), scripts)
        asking = await stage.ask(pair, body=question(*pair)).done()
        await stage.until(stage.now())
        assert stage.is_idle()
        return asking, stage

    return virtual_loop.run(scene())


def text_of(asking: Asking) -> str:
    """Give the answer's text, streamed or whole."""
    if asking.framing != "whole":
        return answer_of(asking)
    assert asking.what == ["answer"] and asking.told[0].status == 200
    body = json.loads(asking.body)
    match asking.dialect:
        case "chat":
            return str(body["choices"][0]["message"]["content"])
        case "responses":
            return str(body["output"][-1]["content"][0]["text"])
        case "messages":
            return str(body["content"][-1]["text"])
        case _:
            return str(body["candidates"][0]["content"]["parts"][-1]["text"])


@crossed
def test_a_streamed_answer_is_told_in_the_agents_dialect(pair: Pair, other: DialectName) -> None:
    asking, stage = one(pair, [speaking("one", other)], {"one": [answers((other, "sse"), 1)]})
    assert text_of(asking) == TEXT
    assert asking.record.state == "done" and asking.record.tries[0].dialect == other
    usage = asking.record.usage
    assert usage is not None and (usage.input, usage.output) == (7, 5)
    assert len(stage.upstream.asked) == 1


@crossed
def test_an_answer_in_one_piece_is_understood_too(pair: Pair, other: DialectName) -> None:
    asking, _ = one(pair, [speaking("one", other)], {"one": [answers_whole(other, 1)]})
    assert text_of(asking) == TEXT


@crossed_streams
def test_it_goes_on_inside_an_opening_of_the_gateways(pair: Pair, other: DialectName) -> None:
    asking, _ = one(pair, [speaking("one", other)], {"one": [answers((other, "sse"), 200)]})
    assert text_of(asking) == TEXT
    assert asking.record.kept_alive > 10


@crossed
def test_a_vendors_error_is_told_in_the_agents_dialect(pair: Pair, other: DialectName) -> None:
    body = error_of(other, "invalid_request_error", "no such thing")
    asking, _ = one(pair, [speaking("one", other)], {"one": [refuses(400, body)]})
    assert asking.what == ["answer"] and asking.told[0].status == 400
    error = json.loads(asking.body)["error"]
    assert error["message"].startswith("one: ")
    assert asking.record.fault is FaultKind.REQUEST


@crossed_streams
def test_an_error_after_content_ends_the_stream_as_one(pair: Pair, other: DialectName) -> None:
    events = events_of((other, "sse"))
    kept = {"chat": 2, "responses": -2, "messages": -2, "gemini": 1}[other]
    cut = [data(0, event) for event in events[:kept]]
    script = [sent(), stream_head("sse", 1), *cut, end()]
    asking, _ = one(pair, [speaking("one", other)], {"one": [script]})
    assert error_message(asking).startswith("one: ")


@crossed_streams
def test_after_a_relay_that_failed_a_translation_answers(pair: Pair, other: DialectName) -> None:
    own = speaking("one", pair[0])
    scripts = {"one": [refuses(503, error_of(pair[0]))], "two": [answers((other, "sse"), 1)]}
    asking, stage = one(pair, [own, speaking("two", other)], scripts)
    assert text_of(asking) == TEXT
    assert [each.provider for each in stage.upstream.asked] == ["one", "two"]


@crossed_streams
def test_after_a_translation_that_failed_a_relay_answers(pair: Pair, other: DialectName) -> None:
    scripts = {"one": [refuses(503, error_of(other))], "two": [answers(pair, 1)]}
    asking, stage = one(pair, [speaking("one", other), speaking("two", pair[0])], scripts)
    assert text_of(asking) == TEXT
    assert [each.provider for each in stage.upstream.asked] == ["one", "two"]


@crossed
def test_nothing_of_the_agents_own_goes_to_the_vendor(pair: Pair, other: DialectName) -> None:
    _, stage = one(pair, [speaking("one", other)], {"one": [answers((other, "sse"))]})
    outgoing = stage.upstream.asked[0].outgoing
    names = {name for name, _ in outgoing.headers}
    assert names <= {
        "content-type", "user-agent", "accept-encoding", "authorization", "x-api-key",
        "x-goog-api-key", "anthropic-version", "anthropic-beta",
    }  # fmt: skip
    body = json.loads(outgoing.body)
    # What is wanted whole, and is short, is asked for whole.
    short = pair[1] == "whole" and pair[0] in ("chat", "messages")
    assert other == "gemini" or body["stream"] is not short


@pytest.mark.parametrize("hosted", [("web_search",), ()])
def test_a_vendor_is_asked_for_the_tools_that_it_runs(hosted: tuple[str, ...]) -> None:
    async def scene() -> tuple[Asking, Stage]:
        one = speaking("one", "responses", hosted={"responses": hosted})
        stage = Stage(settings(one), {"one": [answers(("responses", "sse"), 1)]})
        body = json.loads(question("messages", "sse"))
        body["tools"] = [{"type": "web_search_20250305", "name": "web_search"}]
        asking = await stage.ask(("messages", "sse"), body=json.dumps(body).encode()).done()
        await stage.until(stage.now())
        return asking, stage

    asking, stage = virtual_loop.run(scene())
    assert text_of(asking) == TEXT
    body = json.loads(stage.upstream.asked[0].outgoing.body)
    assert body.get("tools", []) == [{"type": kind} for kind in hosted]
    assert bool(asking.record.losses) != bool(hosted)


def test_a_member_that_the_gateway_added_and_a_vendor_refuses_is_left_out_from_then_on() -> None:
    pair: Pair = ("messages", "sse")
    words = error_of("chat", "invalid_request_error", "Unknown parameter: 'stream_options'.")
    scripts = {"one": [refuses(400, words), *[answers(("chat", "sse"))] * 2]}

    async def scene() -> Stage:
        stage = Stage(settings(speaking("one", "chat")), scripts)
        for words in ("Say hello.", "Once more."):
            asking = await stage.ask(pair, body=question(*pair, words)).done()
            assert text_of(asking) == TEXT
        return stage

    stage = virtual_loop.run(scene())
    bodies = [json.loads(each.outgoing.body) for each in stage.upstream.asked]
    assert ["stream_options" in body for body in bodies] == [True, False, False]


def test_a_member_that_the_agent_asked_for_is_never_left_out() -> None:
    pair: Pair = ("messages", "sse")
    words = error_of("chat", "invalid_request_error", "messages: too many, and tools refused")
    asking, stage = one(pair, [speaking("one", "chat")], {"one": [refuses(400, words)]})
    assert asking.told[0].status == 400 and len(stage.upstream.asked) == 1


def test_what_cannot_be_said_goes_to_who_can_be_told() -> None:
    """A document by its URL: Chat has no words for it, Messages has."""
    source = {"type": "url", "url": "https://example.com/a.pdf"}
    content = [{"type": "document", "source": source}, {"type": "text", "text": "Read it."}]
    body = {"model": "coder", "stream": True, "max_tokens": 64}
    asked = json.dumps(body | {"messages": [{"role": "user", "content": content}]}).encode()

    async def scene(*providers: Provider) -> tuple[Asking, Stage]:
        stage = Stage(settings(*providers), {"two": [answers(("messages", "sse"))]})
        return await stage.ask(("messages", "sse"), body=asked).done(), stage

    asking, stage = virtual_loop.run(scene(speaking("one", "chat"), speaking("two", "messages")))
    assert text_of(asking) == TEXT
    assert [each.provider for each in stage.upstream.asked] == ["two"]
    asking, stage = virtual_loop.run(scene(speaking("one", "chat")))
    assert asking.told[0].status == 400 and not stage.upstream.asked
    assert "cannot say messages[0]" in json.loads(asking.body)["error"]["message"]
    assert asking.record.losses


def test_a_vendors_compaction_words_reach_the_agent_that_knows_them() -> None:
    words = "This model's maximum context length is 8192 tokens, you asked for 9000."
    body = error_of("chat", "invalid_request_error", words)
    asking, _ = one(("messages", "sse"), [speaking("one", "chat")], {"one": [refuses(400, body)]})
    assert "prompt is too long" in json.loads(asking.body)["error"]["message"]
    body = error_of("messages", "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")
    asking, _ = one(("chat", "sse"), [speaking("one", "messages")], {"one": [refuses(400, body)]})
    assert json.loads(asking.body)["error"]["code"] == "context_length_exceeded"


def test_a_chat_agent_gives_back_what_belongs_to_a_call_without_knowing_it() -> None:
    signed = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2ln"}
    part = {"content": {"role": "model", "parts": [signed]}, "finishReason": "STOP", "index": 0}
    reply = b"data: " + json.dumps({"responseId": "r", "candidates": [part]}).encode() + b"\n\n"
    script = [sent(), stream_head("sse"), data(0, reply), end()]
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    turn: list[Any] = [{"role": "user", "content": "hi"}]

    async def scene() -> Any:
        stage = Stage(settings(speaking("one", "gemini")), {"one": [script, script]})
        body = {"model": "coder", "messages": turn, "tools": [tool]}
        first = stage.ask(("chat", "whole"), body=json.dumps(body).encode(), conversation="t")
        message = json.loads((await first.done()).body)["choices"][0]["message"]
        call = message["tool_calls"][0]
        kept = {"id": call["id"], "type": "function", "function": call["function"]}
        turn.append({"role": "assistant", "content": None, "tool_calls": [kept]})
        turn.append({"role": "tool", "tool_call_id": call["id"], "content": "ok"})
        second = stage.ask(("chat", "whole"), body=json.dumps(body).encode(), conversation="t")
        await second.done()
        return json.loads(stage.upstream.asked[1].outgoing.body)

    parts = virtual_loop.run(scene())["contents"][1]["parts"]
    assert parts[0]["thoughtSignature"] == "c2ln"


def test_what_a_vendor_does_anyway_is_no_loss() -> None:
    async def scene() -> list[list[str]]:
        stage = Stage(settings(speaking("one", "chat")), {"one": [answers(("chat", "sse"))] * 2})
        told: list[list[str]] = []
        for top_k in (64, 40):
            body = json.loads(question("gemini", "sse"))
            body["generationConfig"] = {"temperature": 1, "topP": 0.95, "topK": top_k}
            asking = await stage.ask(("gemini", "sse"), body=json.dumps(body).encode()).done()
            told.append([loss.path for loss in asking.record.losses])
        return told

    assert virtual_loop.run(scene()) == [[], ["top_k"]]
