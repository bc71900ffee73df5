"""What vendors are tested with: which models, and what the limit of the answer is called."""

from __future__ import annotations

import json

import pytest

from holdgate.core.catalog import load_presets
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay.pings import limit_name, models_for, other_limit
from holdgate.core.values.names import DIALECT_NAMES, DialectName

NEW, OLD = "max_completion_tokens", "max_tokens"
USE_NEW = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. "
    "Use 'max_completion_tokens' instead."
)
USE_OLD = "Unrecognized request argument supplied: max_completion_tokens"


def refusal(words: str) -> bytes:
    return json.dumps({"error": {"message": words, "param": OLD}}).encode()


@pytest.mark.parametrize(
    ("preset", "model", "name"),
    [
        ("openai", "gpt-5", NEW),
        ("openai", "o3", NEW),
        ("openai", "gpt-4o", OLD),
        ("azure", "gpt-5", NEW),
        ("minimax", "MiniMax-M3", NEW),
        ("moonshot", "kimi-k3", NEW),
        ("deepseek", "deepseek-chat", OLD),
    ],
)
def test_the_limit_is_called_as_the_vendor_has_it(preset: str, model: str, name: str) -> None:
    assert limit_name("chat", model, load_presets()[preset].quirks) == name


def test_there_is_room_to_think() -> None:
    told = json.loads(DIALECTS["chat"].tiny_request("gpt-5", NEW))
    assert OLD not in told and told[NEW] > 1000
    assert json.loads(DIALECTS["chat"].tiny_request("m"))[OLD] == 16


@pytest.mark.parametrize("status", [400, 422])
def test_the_other_name_is_tried_where_one_is_refused(status: int) -> None:
    assert other_limit("chat", OLD, status, refusal(USE_NEW)) == NEW
    assert other_limit("chat", NEW, status, refusal(USE_OLD)) == OLD
    # FastAPI's validation has no message of its own.
    body = json.dumps({"detail": [{"loc": ["body", NEW], "msg": "extra"}]}).encode()
    assert other_limit("chat", NEW, status, body) == OLD


@pytest.mark.parametrize(
    ("dialect", "status", "body"),
    [
        ("chat", 400, refusal("no such thing")),
        ("chat", 401, refusal(USE_NEW)),
        ("chat", 200, refusal(USE_NEW)),
        ("chat", None, b""),
        ("chat", 400, b""),
        ("messages", 400, refusal("max_tokens: must be more")),
    ],
)
def test_nothing_else_is_asked_twice(dialect: DialectName, status: int | None, body: bytes) -> None:
    assert other_limit(dialect, OLD, status, body) == ""


def test_the_models_of_a_dialect_come_first() -> None:
    models = ("whisper-1", "gpt-5", "gemini-3", "claude-x", "text-embedding-3")
    assert {each: models_for(each, models)[0] for each in DIALECT_NAMES} == {
        "chat": "gpt-5",
        "responses": "gpt-5",
        "messages": "claude-x",
        "gemini": "gemini-3",
    }
