"""The vendors' own SDKs, driven against the demo vendor over loopback."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

from holdgate.core.server.demo.vendor import DemoVendor
from holdgate.core.values.clock import Clock
from tests.server.demo_turns import (
    ARGUMENTS,
    MODEL,
    SCHEMA,
)

NOW = 1_800_000_000


@pytest.fixture
async def url() -> AsyncIterator[str]:
    vendor = DemoVendor(Clock(lambda: 0.0, lambda: NOW), words_per_second=0)
    yield await vendor.start()
    await vendor.stop()


async def test_openai_chat(url: str) -> None:
    async with openai.AsyncOpenAI(base_url=url + "/v1", api_key="none", max_retries=0) as client:
        assert [model.id async for model in client.models.list()] == [MODEL]
        whole = await client.chat.completions.create(
            model=MODEL, messages=[{"role": "user", "content": "hello"}]
        )
        assert "“hello”" in (whole.choices[0].message.content or "")
        chunks = await client.chat.completions.create(
            model=MODEL,
            messages=[{"role": "user", "content": "hello"}],
            stream=True,
            stream_options={"include_usage": True},
        )
        found = [chunk async for chunk in chunks]
        texts = [chunk.choices[0].delta.content or "" for chunk in found if chunk.choices]
        assert "".join(texts) == whole.choices[0].message.content
        assert found[-1].usage and whole.usage
        assert found[-1].usage.completion_tokens == whole.usage.completion_tokens
        async with client.chat.completions.stream(
            model=MODEL,
            messages=[{"role": "user", "content": "a tool"}],
            tools=[{"type": "function", "function": {"name": "look", "parameters": SCHEMA}}],
        ) as events:
            done = await events.get_final_completion()
        calls = done.choices[0].message.tool_calls or []
        assert [json.loads(call.function.arguments) for call in calls] == [ARGUMENTS]


async def test_openai_responses(url: str) -> None:
    async with openai.AsyncOpenAI(base_url=url + "/v1", api_key="none", max_retries=0) as client:
        whole = await client.responses.create(model=MODEL, input="hello")
        assert "“hello”" in whole.output_text
        async with client.responses.stream(model=MODEL, input="hello") as events:
            final = await events.get_final_response()
        assert final.output_text == whole.output_text
        async with client.responses.stream(
            model=MODEL,
            input="a tool",
            tools=[{"type": "function", "name": "look", "parameters": SCHEMA, "strict": False}],
        ) as events:
            item = (await events.get_final_response()).output[0]
        assert item.type == "function_call"
        assert json.loads(item.arguments) == ARGUMENTS


async def test_anthropic(url: str) -> None:
    async with anthropic.AsyncAnthropic(base_url=url, api_key="none", max_retries=0) as client:
        whole = await client.messages.create(
            model=MODEL, max_tokens=500, messages=[{"role": "user", "content": "hello"}]
        )
        assert whole.content[0].type == "text" and "“hello”" in whole.content[0].text
        async with client.messages.stream(
            model=MODEL, max_tokens=500, messages=[{"role": "user", "content": "hello"}]
        ) as events:
            assert "".join([text async for text in events.text_stream]) == whole.content[0].text
            usage = (await events.get_final_message()).usage
            assert usage.output_tokens == whole.usage.output_tokens
        async with client.messages.stream(
            model=MODEL,
            max_tokens=500,
            messages=[{"role": "user", "content": "a tool"}],
            tools=[{"name": "look", "input_schema": SCHEMA}],
        ) as events:
            block = (await events.get_final_message()).content[0]
        assert block.type == "tool_use" and block.input == ARGUMENTS
        counted = await client.messages.count_tokens(
            model=MODEL, messages=[{"role": "user", "content": "hello"}]
        )
        assert counted.input_tokens > 0
        assert [model.id async for model in client.models.list()] == [MODEL]


# The SDK's own class, built on aiohttp's, warns; the SDK is not ours to mend.
@pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")
async def test_google(url: str) -> None:
    options = types.HttpOptions(base_url=url)
    client = genai.Client(api_key="none", http_options=options)
    try:
        aio = client.aio.models
        whole = await aio.generate_content(model=MODEL, contents="hello")
        assert "“hello”" in (whole.text or "")
        stream = await aio.generate_content_stream(model=MODEL, contents="hello")
        chunks = [chunk async for chunk in stream]
        assert "".join(chunk.text or "" for chunk in chunks) == whole.text
        assert chunks[-1].usage_metadata == whole.usage_metadata
        spec = types.FunctionDeclaration(name="look", parameters_json_schema=SCHEMA)
        tool = types.Tool(function_declarations=[spec])
        config = types.GenerateContentConfig(tools=[tool])
        called = await aio.generate_content(model=MODEL, contents="a tool", config=config)
        assert [call.args for call in called.function_calls or []] == [ARGUMENTS]
        counted = await aio.count_tokens(model=MODEL, contents="hello")
        assert (counted.total_tokens or 0) > 0
    finally:
        await client.aio.aclose()
        client.close()
