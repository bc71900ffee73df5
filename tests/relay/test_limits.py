"""What vendors say of their limits in good replies, and counts that nobody waits for."""

from __future__ import annotations

import json

import pytest

from tests.relay.stage import (
    Pair,
    Stage,
    answers,
    answers_whole,
    data,
    end,
    head,
    played,
    provider,
    sent,
    settings,
    whole_of,
)

CHAT: Pair = ("chat", "whole")
WHOLE = whole_of("chat")


def test_a_window_that_a_good_reply_calls_used_up_closes_the_lane() -> None:
    used_up = {
        "content-type": "application/json",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "8s",
    }
    first = [sent(), head(0.0, 200, **{k.replace("-", "_"): v for k, v in used_up.items()})]
    scripts = {"one": [[*first, data(0.0, WHOLE), end()], answers_whole("chat")]}

    async def scene(stage: Stage) -> None:
        one = stage.ask(CHAT)
        await stage.until(1)
        two = stage.ask(CHAT)
        await stage.until(7)
        assert [one.record.state, two.record.state] == ["done", "waiting"]
        await stage.until(9)
        assert [one.record.state, two.record.state] == ["done", "done"]
        assert [at for at, _ in stage.asked] == [0, pytest.approx(8, abs=0.3)]

    played(scene, settings(provider("one")), scripts)


@pytest.mark.parametrize(
    ("pair", "field"),
    [(("messages", "whole"), "input_tokens"), (("gemini", "whole"), "totalTokens")],
)
def test_a_count_of_tokens_does_not_wait(pair: Pair, field: str) -> None:
    async def scene(stage: Stage) -> None:
        stage.ask(CHAT)
        await stage.until(1)
        count = stage.ask(
            pair, body=b'{"messages":[],"contents":[]}' + b" " * 400, task="count_tokens"
        )
        await stage.until(1.1)
        assert count.record.state == "done"
        assert json.loads(count.told[-1].data)[field] == pytest.approx(107, abs=2)
        assert len(stage.asked) == 1 and len(stage.lane().line) == 0

    endless = {"one": [[sent(100.0)], answers(CHAT)]}
    played(scene, settings(provider("one", concurrency=1)), endless)
