"""Told items: agents of `responses` name what they were told, and the vendor gets what it was."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdgate.core.relay.told_items import ToldItems
from holdgate.core.values.inbound import Framing
from holdgate.core.values.names import DialectName
from tests import virtual_loop
from tests.relay.stage import TEXT, Asking, Stage, answers, provider, settings

DIALECTS: tuple[DialectName, ...] = ("chat", "messages", "gemini")


def two_turns(other: DialectName, framing: Framing, **more: Any) -> tuple[list[Asking], Any]:
    """Ask, then go on in the way of an agent that takes the answer for stored."""

    async def scene() -> tuple[list[Asking], Any]:
        silent = dict.fromkeys(("chat", "responses", "messages", "gemini"), "")
        one = provider("one", **{k: v for k, v in silent.items() if k != other})
        stage = Stage(settings(one), {"one": [answers((other, "sse"), 1)] * 2})
        asked = [{"role": "user", "content": "Say hello."}]
        body: dict[str, Any] = {"model": "coder", "stream": framing == "sse", **more}
        first = await stage.ask(
            ("responses", framing), conversation="talk", body=_json(body, asked)
        ).done()
        named = [{"type": "item_reference", "id": each} for each in _ids(first)]
        rest: list[Any] = [*asked, *named, {"role": "user", "content": "Again."}]
        second = await stage.ask(
            ("responses", framing), conversation="talk", body=_json(body, rest)
        ).done()
        await stage.until(stage.now())
        return [first, second], stage.upstream.asked

    return virtual_loop.run(scene())


def _json(body: dict[str, Any], input: list[Any]) -> bytes:
    return json.dumps({**body, "input": input}).encode()


def _ids(asking: Asking) -> list[str]:
    text = asking.body.decode()
    if asking.framing == "sse":
        lines = [line[6:] for line in text.splitlines() if line.startswith("data: {")]
        return [item["id"] for item in json.loads(lines[-1])["response"]["output"]]
    return [item["id"] for item in json.loads(text)["output"]]


@pytest.mark.parametrize("framing", ["sse", "whole"])
@pytest.mark.parametrize("other", DIALECTS)
def test_what_an_agent_names_reaches_the_vendor(other: DialectName, framing: Framing) -> None:
    (_, second), asked = two_turns(other, framing)
    assert second.record.state == "done" and not second.record.losses
    assert TEXT in asked[1].outgoing.body.decode()


def test_nothing_is_kept_for_an_agent_that_does_not_want_it() -> None:
    (_, second), asked = two_turns("chat", "sse", store=False)
    assert len(asked) == 1 and second.told[0].status == 400
    assert "only its vendor has stored" in second.body.decode()


def test_the_oldest_is_forgotten() -> None:
    items = ToldItems(most=700)
    for number in range(3):
        items.keep("talk", b'{"output":[{"type":"message","id":"msg_%d"}]}' % number)
        items.keep("talk", b'{"output":[{"type":"message","id":"msg_%d"}]}' % number)
    bodies = [b'{"input":[{"type":"item_reference","id":"msg_%d"}]}' % n for n in range(3)]
    known = [b"item_reference" not in items.give_back("talk", body) for body in bodies]
    assert known == [False, True, True]
    assert b"item_reference" in items.give_back("another", bodies[2])
