"""Tools that a vendor runs itself become another vendor's like, by what the catalogue knows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdgate.core.catalog import load_preset, load_presets
from holdgate.core.dialects.translation.base import Target, Written
from holdgate.core.dialects.translation.table import TRANSLATORS
from holdgate.core.values.names import DialectName
from holdgate.core.values.neutral import Hosted
from tests.dialects.translation.conversations import request, user

# As Claude Code asks for its search: a request of its own, with this one tool.
SEARCH = {"type": "web_search_20250305", "name": "web_search", "max_uses": 8}
READ = {"name": "read", "input_schema": {"type": "object", "properties": {}}}
FORCED = {"type": "tool", "name": "web_search"}


def asked(provider: str, dialect: DialectName, *tools: Any, **more: Any) -> Written:
    """Give the request of a Messages agent as a vendor of the catalogue gets it."""
    preset = load_preset(provider)
    assert preset is not None
    hosted = frozenset(preset.hosted.get(dialect, ()))
    target = Target(provider, dialect, "m", frozenset(preset.quirks), hosted=hosted)
    messages = [{"role": "user", "content": "Search."}]
    body = {"max_tokens": 99, "messages": messages, "tools": tools, **more}
    read = TRANSLATORS["messages"].read_request(json.dumps(body).encode(), "m", "sse")
    return TRANSLATORS[dialect].write_request(read, target)


def told(written: Written) -> list[tuple[str, bool]]:
    return [(loss.path, loss.grave) for loss in written.losses]


def test_claude_codes_search_on_openai() -> None:
    found = asked("openai", "responses", SEARCH, READ)
    assert json.loads(found.body)["tools"][0] == {"type": "web_search"}
    assert told(found) == [("tools[0].max_uses", False)]


def test_claude_codes_search_on_google() -> None:
    found = asked("google", "gemini", SEARCH)
    assert json.loads(found.body)["tools"] == [{"googleSearch": {}}]
    assert told(found) == [("tools[0].max_uses", False)]


@pytest.mark.parametrize("provider", ["openai", "google", "deepseek", "moonshot", "zai"])
def test_a_chat_vendor_has_none(provider: str) -> None:
    found = asked(provider, "chat", SEARCH, READ, tool_choice=FORCED)
    body = json.loads(found.body)
    assert [tool["function"]["name"] for tool in body["tools"]] == ["read"]
    assert "tool_choice" not in body
    assert told(found) == [("tools[0]", False), ("tool_choice", False)]


def test_a_search_that_must_be_run() -> None:
    body = json.loads(asked("openai", "responses", SEARCH, READ, tool_choice=FORCED).body)
    assert body["tool_choice"] == {"type": "web_search"}
    body = json.loads(asked("google", "gemini", SEARCH, READ, tool_choice=FORCED).body)
    assert "allowedFunctionNames" not in body["toolConfig"]["functionCallingConfig"]
    body = json.loads(asked("openrouter", "responses", SEARCH, READ, tool_choice=FORCED).body)
    assert body["tool_choice"] == "auto"


@pytest.mark.parametrize(
    ("raw", "options"),
    [
        (
            {"filters": {"allowed_domains": ["x.org"]}, "user_location": {"city": "B"}},
            {
                "filters": {"allowed_domains": ["x.org"]},
                "user_location": {"type": "approximate", "city": "B"},
            },
        ),
        ({"allowed_domains": ["x.org"]}, {"filters": {"allowed_domains": ["x.org"]}}),
        ({"allowed_domains": 5, "user_location": "here", "max_uses": True}, {}),
    ],
)
def test_where_a_search_may_look(raw: Any, options: Any) -> None:
    tool = Hosted("web_search", json.dumps(raw).encode())
    target = Target("openai", "responses", "m", hosted=frozenset({"web_search"}))
    found = TRANSLATORS["responses"].write_request(request(user("Hi"), tools=(tool,)), target)
    assert json.loads(found.body)["tools"] == [{"type": "web_search"} | options]
    assert found.losses == ()


def test_what_the_catalogue_promises_can_be_said() -> None:
    promised = [
        (dialect, kind)
        for preset in load_presets().values()
        for dialect, kinds in preset.hosted.items()
        for kind in kinds
    ]
    assert ("gemini", "web_search") in promised
    for dialect, kind in promised:
        target = Target("v", dialect, "m", hosted=frozenset({kind}))
        found = TRANSLATORS[dialect].write_request(
            request(user("Hi"), tools=(Hosted(kind, b"{}"),)), target
        )
        assert len(json.loads(found.body)["tools"]) == 1, (dialect, kind)
        assert found.losses == ()
