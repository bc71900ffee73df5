"""How much each model is told to think, and how its next token may be drawn."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdgate.core.dialects.translation.base import Target, Written
from holdgate.core.dialects.translation.messages.claude_models import traits_of
from holdgate.core.dialects.translation.messages.request_writer import write_request
from holdgate.core.values.neutral import (
    Call,
    Choice,
    Effort,
    Function,
    Message,
    Reasoning,
    Request,
    Result,
    Sampling,
    Seal,
    Text,
)

HI = Message("user", (Text("hi"),))
ADAPTIVE = {"type": "adaptive", "display": "summarized"}


def write(model: str, *messages: Message, **more: Any) -> Written:
    request = Request("chat", "asked", messages or (HI,), **more)
    return write_request(request, Target("anthropic", "messages", model))


def sent(model: str, *messages: Message, **more: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(write(model, *messages, **more).body)
    return body


@pytest.mark.parametrize(
    ("model", "output", "efforts", "off"),
    [
        ("claude-3-haiku-20240307", 4096, 0, "absent"),
        ("claude-3-5-sonnet-20241022", 8192, 0, "absent"),
        ("anthropic/claude-3.7-sonnet", 64_000, 0, "absent"),
        ("claude-opus-4-20250514", 32_000, 0, "absent"),
        ("claude-opus-4-1@20250805", 32_000, 0, "absent"),
        ("claude-sonnet-4-5-20250929", 64_000, 0, "absent"),
        ("claude-opus-4-6", 128_000, 4, "absent"),
        ("us.anthropic.claude-sonnet-4-6-v1:0", 64_000, 4, "absent"),
        ("anthropic/claude-4.7-opus", 128_000, 5, "absent"),
        ("claude-opus-5", 128_000, 5, "disabled"),
        ("claude-sonnet-5-5", 128_000, 5, "between_tools"),
        ("claude-opus-5-5", 128_000, 5, "never"),
        ("claude-fable-5", 128_000, 5, "never"),
        ("claude-mythos-preview", 128_000, 5, "never"),
        ("deepseek-chat", 0, 0, "disabled"),
    ],
)
def test_names(model: str, output: int, efforts: int, off: str) -> None:
    traits = traits_of(model)
    assert (traits.output, len(traits.efforts), traits.off) == (output, efforts, off)


@pytest.mark.parametrize(
    ("model", "effort", "thinking", "level"),
    [
        ("claude-opus-4-6", Effort("high"), ADAPTIVE, "high"),
        ("claude-opus-4-6", Effort("xhigh"), ADAPTIVE, "high"),
        ("claude-opus-4-8", Effort("xhigh"), ADAPTIVE, "xhigh"),
        ("claude-opus-4-8", Effort("minimal"), ADAPTIVE, "low"),
        ("claude-opus-4-8", Effort(budget=9000), ADAPTIVE, "medium"),
        ("claude-opus-4-8", Effort(shown=False), ADAPTIVE | {"display": "omitted"}, None),
        ("claude-opus-4-8", Effort("none"), None, None),
        ("claude-opus-5", Effort("none"), {"type": "disabled"}, None),
        ("claude-sonnet-5-5", Effort("none"), {"type": "between_tools"}, None),
        ("claude-opus-5-5", Effort("none"), None, "low"),
        ("claude-sonnet-4-5", Effort("none"), None, None),
        ("claude-sonnet-4-5", Effort("low"), {"type": "enabled", "budget_tokens": 1024}, None),
        ("claude-sonnet-4-5", Effort(budget=7), {"type": "enabled", "budget_tokens": 1024}, None),
        (
            "claude-sonnet-4-5",
            Effort(adaptive=True),
            {"type": "enabled", "budget_tokens": 8192},
            None,
        ),
        ("claude-sonnet-4-5", Effort(shown=True), None, None),
        ("glm-5", Effort("none"), {"type": "disabled"}, None),
        ("glm-5", Effort("high"), {"type": "enabled", "budget_tokens": 24576}, None),
    ],
)
def test_efforts(model: str, effort: Effort, thinking: Any, level: str | None) -> None:
    body = sent(model, effort=effort)
    assert body.get("thinking") == thinking
    assert body.get("output_config") == (None if level is None else {"effort": level})


@pytest.mark.parametrize(
    ("asked", "max_tokens", "budget"),
    [(0, 56_576, 24_576), (30_000, 30_000, 24_576), (8000, 8000, 4000), (1500, 1500, 1024)],
)
def test_a_budget_is_within_the_limit(asked: int, max_tokens: int, budget: int) -> None:
    body = sent("claude-sonnet-4-5", effort=Effort("high"), max_output=asked)
    assert body["max_tokens"] == max_tokens
    assert body["thinking"]["budget_tokens"] == budget


def test_no_room_for_thoughts() -> None:
    written = write("claude-sonnet-4-5", effort=Effort("high"), max_output=1000)
    assert "thinking" not in json.loads(written.body)
    assert [loss.path for loss in written.losses] == ["effort"]


@pytest.mark.parametrize("signed", [False, True])
def test_a_turn_of_calls_begins_with_a_thought(signed: bool) -> None:
    seal = Seal("anthropic/messages" if signed else "deepseek/chat", "signature", "S")
    called = Message("assistant", (Reasoning("hm", (seal,)), Call("c", "f", "{}")))
    answered = Message("user", (Result("c", (Text("r"),)),))
    for model, thinks in (
        ("claude-sonnet-4-5", signed),
        ("claude-opus-4-8", True),
        ("deepseek-chat", True),
    ):
        body = sent(model, HI, called, answered, effort=Effort("high"))
        assert ("thinking" in body) == thinks, model


@pytest.mark.parametrize(
    ("model", "effort", "choice", "thinking"),
    [
        ("claude-sonnet-4-5", Effort("high"), "auto", "enabled"),
        ("claude-sonnet-4-5", None, "any", None),
        ("claude-opus-5", None, "any", "disabled"),
        ("claude-opus-5", Effort("none"), "any", "disabled"),
        ("claude-opus-5-5", None, "auto", None),
        ("claude-opus-4-8", Effort("none"), "any", None),
    ],
)
def test_who_thinks_is_not_forced(
    model: str, effort: Effort | None, choice: str, thinking: str | None
) -> None:
    written = write(model, tools=(Function("f"),), choice=Choice("required"), effort=effort)
    body = json.loads(written.body)
    assert body["tool_choice"]["type"] == choice
    assert body.get("thinking", {}).get("type") == thinking
    assert ("tool_choice" in [loss.path for loss in written.losses]) == (choice == "auto")


@pytest.mark.parametrize(
    ("model", "effort", "sampling", "told"),
    [
        ("claude-sonnet-4-5", None, Sampling(temperature=1.6), {"temperature": 1}),
        ("claude-sonnet-4-5", None, Sampling(0.2, 0.5, 7), {"temperature": 0.2, "top_k": 7}),
        ("claude-sonnet-4-5", None, Sampling(top_p=0.5), {"top_p": 0.5}),
        ("claude-sonnet-4-5", Effort("low"), Sampling(0.2, 0.96, 7), {}),
        ("claude-sonnet-4-5", Effort("low"), Sampling(top_p=0.96), {"top_p": 0.96}),
        ("claude-sonnet-4-5", Effort("low"), Sampling(1.0), {"temperature": 1}),
        ("claude-opus-4-8", None, Sampling(0.2, 0.5, 7), {}),
        ("claude-opus-4-8", None, Sampling(1.0), {"temperature": 1}),
        ("glm-5", None, Sampling(0.2, 0.5), {"temperature": 0.2, "top_p": 0.5}),
        ("glm-5", None, Sampling(stops=("END", "\n")), {"stop_sequences": ["END"]}),
    ],
)
def test_sampling(model: str, effort: Effort | None, sampling: Sampling, told: Any) -> None:
    names = ("temperature", "top_p", "top_k", "stop_sequences")
    body = sent(model, effort=effort, sampling=sampling)
    assert {name: body[name] for name in names if name in body} == told
