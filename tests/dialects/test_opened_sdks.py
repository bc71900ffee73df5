"""Streams that the gateway opened, read by the vendors' own libraries."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

from holdgate.core.dialects.base import Opening
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.values.names import DialectName
from tests.dialects import opened_vendors as vendors
from tests.dialects.opened_vendors import Answer
from tests.fakes.vendor import FakeVendor, Reply

ANSWER = Answer(("I ", "think"), ("Hello ", "world"), (("look", '{"n":1.5}'), ("run", "{}")))
either = pytest.mark.parametrize("whole", [False, True])


@asynccontextmanager
async def gateway(dialect: DialectName, *, whole: bool) -> AsyncIterator[str]:
    """Answer everything with a stream that was held for a while; gives the base URL."""
    table = DIALECTS[dialect]
    ours = table.opened(Opening(False, "ours-1", "model-asked-for", 1234))
    told = [ours.open(), ours.nothing(), table.keepalive("waits for mimic", "sse"), ours.nothing()]
    if whole:
        told.append(ours.whole(vendors.whole(dialect, ANSWER)))
    else:
        told += map(ours.feed, vendors.stream(dialect, ANSWER))
    told.append(ours.close())
    async with FakeVendor() as vendor:
        headers = {"Content-Type": "text/event-stream"}
        vendor.script(Reply(headers=headers, chunks=[piece for piece in told if piece]))
        yield vendor.url


@either
async def test_chat(whole: bool) -> None:
    async with (
        gateway("chat", whole=whole) as url,
        openai.AsyncOpenAI(api_key="none", base_url=url + "/v1", max_retries=0) as sdk,
        sdk.chat.completions.stream(
            model="m",
            messages=[{"role": "user", "content": "hi"}],
            stream_options={"include_usage": True},
        ) as stream,
    ):
        found = await stream.get_final_completion()
    message = found.choices[0].message
    assert (found.id, found.model) == ("ours-1", "model-asked-for")
    assert (message.role, message.content) == ("assistant", ANSWER.text)
    assert [
        (c.function.name, c.function.arguments)
        for c in message.tool_calls or ()
        if c.type == "function"
    ] == list(ANSWER.calls)
    assert found.choices[0].finish_reason == "tool_calls"
    assert found.usage and found.usage.prompt_tokens == 100


@either
async def test_responses(whole: bool) -> None:
    async with (
        gateway("responses", whole=whole) as url,
        openai.AsyncOpenAI(api_key="none", base_url=url + "/v1", max_retries=0) as sdk,
        sdk.responses.stream(model="m", input="hi") as stream,
    ):
        texts = [
            event.delta async for event in stream if event.type == "response.output_text.delta"
        ]
        found = await stream.get_final_response()
    assert (found.id, found.model) == ("ours-1", "model-asked-for")
    assert "".join(texts) == found.output_text == ANSWER.text
    assert [
        (item.name, item.arguments) for item in found.output if item.type == "function_call"
    ] == list(ANSWER.calls)
    assert found.usage and found.usage.input_tokens_details.cached_tokens == 64


@either
async def test_messages(whole: bool) -> None:
    async with (
        gateway("messages", whole=whole) as url,
        anthropic.AsyncAnthropic(api_key="none", base_url=url, max_retries=0) as sdk,
        sdk.messages.stream(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "hi"}]
        ) as stream,
    ):
        found = await stream.get_final_message()
    assert (found.id, found.model, found.stop_reason) == ("ours-1", "model-asked-for", "tool_use")
    assert [block.type for block in found.content] == [
        "thinking",
        "redacted_thinking",
        "text",
        "tool_use",
        "tool_use",
    ]
    assert [block.text for block in found.content if block.type == "text"] == [ANSWER.text]
    assert [block.signature for block in found.content if block.type == "thinking"] == ["Sig=="]
    inputs = [block.input for block in found.content if block.type == "tool_use"]
    assert inputs == [json.loads(text) for _, text in ANSWER.calls]
    usage = found.usage
    assert (usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens) == (36, 64, 30)


# The SDK's own class, built on aiohttp's, warns; the SDK is not ours to mend.
@pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")
@either
async def test_gemini(whole: bool) -> None:
    async with gateway("gemini", whole=whole) as url:
        sdk = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=url))
        try:
            stream = await sdk.aio.models.generate_content_stream(model="m", contents="hi")
            chunks = [chunk async for chunk in stream]
        finally:
            await sdk.aio.aclose()
            sdk.close()
    assert {chunk.response_id for chunk in chunks} == {"ours-1"}
    assert {chunk.model_version for chunk in chunks} == {"model-asked-for"}
    parts = [
        part
        for chunk in chunks
        for candidate in chunk.candidates or ()
        for part in (candidate.content and candidate.content.parts) or ()
    ]
    assert "".join(p.text or "" for p in parts if not p.thought) == ANSWER.text
    assert [p.function_call.name for p in parts if p.function_call] == ["look", "run"]
    last = chunks[-1]
    assert last.usage_metadata and last.usage_metadata.prompt_token_count == 100
