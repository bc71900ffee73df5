"""Addresses at a vendor, and where its key goes."""

from __future__ import annotations

import pytest

from holdgate.core.dialects.table import DIALECTS
from holdgate.core.values.inbound import Framing, Task
from holdgate.core.values.names import DIALECT_NAMES, DialectName

V1 = "https://relay.example/v1"
ROOT = "https://relay.example"
MODELS = f"{ROOT}/v1beta/models"


@pytest.mark.parametrize(
    ("dialect", "base", "task", "model", "framing", "url"),
    [
        ("chat", V1, "generate", "m", "sse", f"{V1}/chat/completions"),
        ("chat", V1, "generate", "a/m", "whole", f"{V1}/chat/completions"),
        ("chat", V1, "embeddings", "m", "whole", f"{V1}/embeddings"),
        ("responses", V1, "generate", "m", "sse", f"{V1}/responses"),
        ("messages", ROOT, "generate", "m", "sse", f"{ROOT}/v1/messages"),
        ("messages", ROOT, "count_tokens", "m", "whole", f"{ROOT}/v1/messages/count_tokens"),
        ("messages", f"{ROOT}/x", "generate", "m", "sse", f"{ROOT}/x/v1/messages"),
        ("gemini", ROOT, "generate", "m", "whole", f"{MODELS}/m:generateContent"),
        ("gemini", ROOT, "generate", "m", "sse", f"{MODELS}/m:streamGenerateContent?alt=sse"),
        ("gemini", ROOT, "generate", "m", "array", f"{MODELS}/m:streamGenerateContent"),
        ("gemini", ROOT, "count_tokens", "m", "whole", f"{MODELS}/m:countTokens"),
        ("gemini", ROOT, "generate", "a/m", "whole", f"{MODELS}/a%2Fm:generateContent"),
        ("gemini", ROOT, "generate", "../x", "whole", f"{MODELS}/..%2Fx:generateContent"),
        ("gemini", ROOT, "generate", "a:b", "whole", f"{MODELS}/a%3Ab:generateContent"),
        ("gemini", ROOT, "generate", "m?a=b#c", "whole", f"{MODELS}/m%3Fa%3Db%23c:generateContent"),
        ("gemini", ROOT, "generate", "a%2Fb", "whole", f"{MODELS}/a%252Fb:generateContent"),
        ("gemini", ROOT, "generate", "é m", "whole", f"{MODELS}/%C3%A9%20m:generateContent"),
        (
            "gemini",
            ROOT,
            "generate",
            "gemini-3.1-pro",
            "whole",
            f"{MODELS}/gemini-3.1-pro:generateContent",
        ),
    ],
)
def test_urls(
    dialect: DialectName, base: str, task: Task, model: str, framing: Framing, url: str
) -> None:
    assert DIALECTS[dialect].url(base, task, model, framing) == url


@pytest.mark.parametrize(
    ("dialect", "base", "url"),
    [
        ("chat", V1, f"{V1}/models"),
        ("responses", V1, f"{V1}/models"),
        ("messages", ROOT, f"{ROOT}/v1/models"),
        ("gemini", ROOT, f"{ROOT}/v1beta/models"),
    ],
)
def test_lists_of_models(dialect: DialectName, base: str, url: str) -> None:
    assert DIALECTS[dialect].models_url(base) == url


def test_places_of_keys() -> None:
    assert {name: dialect.key_place for name, dialect in DIALECTS.items()} == {
        "chat": "bearer",
        "responses": "bearer",
        "messages": "x-api-key",
        "gemini": "x-goog-api-key",
    }


def test_headers_that_a_vendor_insists_on() -> None:
    assert DIALECTS["messages"].required_headers == (("anthropic-version", "2023-06-01"),)
    others = [DIALECTS[name].required_headers for name in DIALECT_NAMES if name != "messages"]
    assert others == [(), (), ()]


def test_the_table_is_whole() -> None:
    assert tuple(DIALECTS) == DIALECT_NAMES
    assert all(dialect.name == name for name, dialect in DIALECTS.items())
