"""The law of prompt caches: what was sent once is sent again byte by byte, turn after turn.

Vendors cache a prompt by its beginning. So the messages of an agent's next request, told in any
vendor's dialect, begin with the bytes of those before; its tools and system stay the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from holdgate.core.catalog import load_presets
from holdgate.core.dialects.translation.base import Target, Telling
from holdgate.core.dialects.translation.table import TRANSLATORS
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.neutral import Seal
from holdgate.core.values.neutral_reply import (
    Began,
    CallEnded,
    Ended,
    Event,
    TextDelta,
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
)
from tests.dialects.translation import agents_memory as agent
from tests.dialects.translation.conversations import (
    BIG,
    PIXEL,
    READ,
    SEALS,
    STRANGE,
    called,
    request,
    user,
)

MODELS: dict[DialectName, tuple[str, ...]] = {
    "chat": ("m", "gpt-5", "kimi-k3"),
    "responses": ("m", "gpt-5"),
    "messages": ("m", "claude-sonnet-4-5", "claude-opus-4-6"),
    "gemini": ("m", "gemini-2.5-pro", "gemini-3-pro"),
}
# Vendors with the same ways are one: many differ by their address only.
TARGETS = list(
    {
        (dialect, model, preset.quirks): Target(name, dialect, model, frozenset(preset.quirks))
        for name, preset in reversed(tuple(load_presets().items()))
        for dialect in preset.bases
        for model in MODELS[dialect]
    }.values()
)
PROMPT: dict[DialectName, str] = {
    "chat": "messages",
    "responses": "input",
    "messages": "messages",
    "gemini": "contents",
}
BEFORE = ("system", "instructions", "systemInstruction", "tools", "toolConfig", "tool_choice")
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
NAMES = ("read_file", "files.read", "x" * 64)
MARK = {"cache_control": {"type": "ephemeral"}}
DETAILS = Seal("openrouter/chat", "reasoning_details", '[{"type":"reasoning.text","n":1.0}]')
THINKING: dict[DialectName, dict[str, Any]] = {
    "chat": {"reasoning_effort": "high"},
    "responses": {"reasoning": {"effort": "high"}, "include": ["reasoning.encrypted_content"]},
    "messages": {"thinking": {"type": "enabled", "budget_tokens": 8000}},
    "gemini": {"generationConfig": {"thinkingConfig": {"thinkingBudget": 8000}}},
}


def system_and_tools(dialect: DialectName) -> dict[str, Any]:
    """Give what stands before the messages of an agent's request."""
    described = [{"name": name, "description": "Does it."} for name in NAMES]
    match dialect:
        case "chat":
            tools = [{"function": tool | {"parameters": SCHEMA}} for tool in described]
            return {"tools": [{"type": "function", **tool} for tool in tools]}
        case "responses":
            functions = [{"type": "function", **t, "parameters": SCHEMA} for t in described]
            patch = {"type": "custom", "name": "apply_patch", "description": "Patches."}
            return {"instructions": "Be brief.", "tools": [*functions, patch]}
        case "messages":
            system = [{"type": "text", "text": "Be brief.", **MARK}]
            return {"system": system, "tools": [t | {"input_schema": SCHEMA} for t in described]}
        case "gemini":
            declared = [tool | {"parametersJsonSchema": SCHEMA} for tool in described]
            system_ = {"parts": [{"text": "Be brief."}]}
            return {"systemInstruction": system_, "tools": [{"functionDeclarations": declared}]}


def with_image(dialect: DialectName, text: str) -> agent.Entry:
    """Give what the person says with a picture."""
    url = f"data:image/png;base64,{PIXEL}"
    match dialect:
        case "chat":
            parts: list[Any] = [{"type": "image_url", "image_url": {"url": url}}]
            return {"role": "user", "content": [*parts, {"type": "text", "text": text}]}
        case "responses":
            parts = [{"type": "input_image", "image_url": url}]
            return {"role": "user", "content": [*parts, {"type": "input_text", "text": text}]}
        case "messages":
            source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
            parts = [{"type": "image", "source": source}, {"type": "text", "text": text}]
            return {"role": "user", "content": parts}
        case "gemini":
            data = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
            return {"role": "user", "parts": [data, {"text": text}]}


def replies(seals: tuple[Seal, ...]) -> list[list[Event]]:
    """Give the answers of one conversation, sealed by a vendor."""
    thought: list[Event] = [ThoughtDelta("Hm. "), ThoughtDelta(STRANGE), ThoughtEnded(seals)]
    first = called(0, "call_1", "read_file", BIG)
    second = called(1, "toolu/2:odd", "files.read", '{"path":"b"}')
    first[-1] = CallEnded(0, seals)
    began = Began("r", "m")
    return [
        [began, *thought, TextDelta("I look."), *first, *second, Ended("tool")],
        [began, *thought, *called(0, "call_3", "x" * 64, "{}"), Ended("tool")],
        [began, TextDelta(STRANGE), *map(TextSealed, seals[:1]), Ended("stop")],
        [began, *thought, TextDelta("So."), Ended("stop")],
        [began, *called(0, "call_4", "read_file", "{}"), Ended("tool")],
        [began, TextDelta("Done."), Ended("stop")],
    ]


def bodies(
    dialect: DialectName, seals: tuple[Seal, ...], *, thinks: bool = True
) -> Iterator[bytes]:
    """Give an agent's requests, one a turn, as it would send them."""
    told = request(user("Hi"), dialect=dialect, tools=(READ,), include_usage=True)
    history = [with_image(dialect, "Mend it.")]
    if dialect == "chat":
        history.insert(0, {"role": "system", "content": "Be brief."})
    more = system_and_tools(dialect) | (THINKING[dialect] if thinks else {})
    for number, reply in enumerate(replies(seals)):
        yield agent.asked(dialect, marked(dialect, history), **more)
        writer = TRANSLATORS[dialect].reply_writer(Telling(f"r{number}", "m", 5, "sse", told))
        entries = agent.remembered(dialect, writer.tell(reply))
        results = agent.answered(dialect, entries, STRANGE)
        history += [*entries, *results]
        if not results or number == 1:
            history.append(with_image(dialect, f"Go on, {number}."))
    yield agent.asked(dialect, marked(dialect, history), **more)


def marked(dialect: DialectName, history: list[Any]) -> list[Any]:
    """Give the history as an agent with cache marks sends it: the last turn bears one."""
    if dialect != "messages":
        return history
    *before, last = history
    content = last["content"]
    return [*before, last | {"content": [*content[:-1], content[-1] | MARK]}]


def prompt(target: Target, body: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Give the messages without their closing bracket, and what stands before them."""
    unmarked = re.sub(rb',?"cache_control":\{[^{}]*\}', b"", body)
    found = msgspec.json.decode(unmarked, type=dict[str, msgspec.Raw])
    before = {name: bytes(found[name]) for name in BEFORE if name in found}
    return bytes(found[PROMPT[target.dialect]]).removesuffix(b"]"), before


SEALED = {"": (), "openrouter": (DETAILS,)} | {s.origin.partition("/")[0]: (s,) for s in SEALS}


@pytest.mark.parametrize(
    ("maker", "thinks"), [*((name, True) for name in SEALED), ("anthropic", False)]
)
@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_earlier_turns_are_told_byte_by_byte_again(
    dialect: DialectName, maker: str, *, thinks: bool
) -> None:
    asked = [
        TRANSLATORS[dialect].read_request(body, "m", "sse")
        for body in bodies(dialect, SEALED[maker], thinks=thinks)
    ]
    broken: list[str] = []
    for target in TARGETS:
        writer = TRANSLATORS[target.dialect]
        told = [prompt(target, writer.write_request(each, target).body) for each in asked]
        for number, ((early, before), (late, after)) in enumerate(pairwise(told)):
            if not late.startswith(early):
                broken.append(f"{target.provider} {target.dialect} {target.model} {number}")
            assert before == after, (target, number)
    assert broken == []


def test_the_conversations_are_as_agents_send_them() -> None:
    for dialect in DIALECT_NAMES:
        sent = list(bodies(dialect, SEALS))
        assert len(sent) == 7
        histories = [json.loads(body)[PROMPT[dialect]] for body in sent]
        assert all(len(a) < len(b) for a, b in pairwise(histories))
