"""The vendors' own SDKs through the gateway: whole, streamed, a tool turn, and what goes wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import anthropic
import openai
import pytest
from anthropic.types import MessageParam
from google import genai
from google.genai import errors, types
from openai.types.chat import ChatCompletionUserMessageParam

from tests.fakes.vendor import (
    Call,
    Cut,
    FakeVendor,
    Reply,
    chat_stream,
    chat_whole,
    gemini_stream,
    gemini_whole,
    messages_stream,
    messages_whole,
    responses_stream,
    responses_whole,
)
from tests.fakes.vendor_replies import TEXT
from tests.journeys.gateway import AGENT_KEY, Running, provider, running

MODEL = "fake/fake-model"
LOOK = Call("look", {"path": "a b", "count": 3})
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["path", "count"],
}

pytestmark = pytest.mark.filterwarnings(
    # google-genai's own class, built on aiohttp's, warns; the SDK is not ours to mend.
    "ignore:Inheritance class AiohttpClientSession:DeprecationWarning"
)

# A limit that lifts in hours is told; a shorter one is waited for. A 5xx is asked twice more.
SPENT = {"Retry-After": "7200"}
SOON = {"Retry-After": "0"}


def failing(status: int) -> list[Reply]:
    """Give what a vendor says until its error is told."""
    if status >= 500:
        return [Reply(status, SOON)] * 3
    return [Reply(status, SPENT if status == 429 else {})]


@pytest.fixture
async def vendor() -> AsyncIterator[FakeVendor]:
    async with FakeVendor() as fake:
        yield fake


@pytest.fixture
async def gateway(vendor: FakeVendor, tmp_path: Path) -> AsyncIterator[Running]:
    async with running(tmp_path, provider(vendor.url)) as run:
        yield run


@pytest.fixture
async def faulty(vendor: FakeVendor, tmp_path: Path) -> AsyncIterator[Running]:
    """A gateway with a provider for each error, for their keys rest after it."""
    names = ["fake", *(f"on{status}" for status in (400, 401, 409, 429, 503, 529))]
    config = "".join(provider(vendor.url, name=name) for name in names)
    async with running(tmp_path, config) as run:
        yield run


def openai_at(gateway: Running) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=gateway.url + "/v1", api_key=AGENT_KEY, max_retries=0)


def anthropic_at(gateway: Running) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(base_url=gateway.url, api_key=AGENT_KEY, max_retries=0)


@contextmanager
def google_of(gateway: Running, options: types.HttpOptions | None = None) -> Iterator[genai.Client]:
    options = options or types.HttpOptions(base_url=gateway.url)
    client = genai.Client(api_key=AGENT_KEY, http_options=options)
    try:
        yield client
    finally:
        client.close()


@asynccontextmanager
async def google_at(gateway: Running) -> AsyncIterator[genai.client.AsyncClient]:
    with google_of(gateway) as client:
        try:
            yield client.aio
        finally:
            await client.aio.aclose()


# OpenAI: chat.


async def test_openai_chat_whole_and_streamed(gateway: Running) -> None:
    async with openai_at(gateway) as client:
        assert [model.id async for model in client.models.list()] == [MODEL]
        whole = await client.chat.completions.create(
            model=MODEL, messages=[{"role": "user", "content": "hello"}]
        )
        assert whole.choices[0].message.content == TEXT
        chunks = await client.chat.completions.create(
            model=MODEL,
            messages=[{"role": "user", "content": "hello"}],
            stream=True,
            stream_options={"include_usage": True},
        )
        found = [chunk async for chunk in chunks]
        texts = [chunk.choices[0].delta.content or "" for chunk in found if chunk.choices]
        assert "".join(texts) == TEXT
        assert found[-1].usage == whole.usage
        embedded = await client.embeddings.create(
            model=MODEL, input=["a", "b"], encoding_format="float"
        )
        assert [each.embedding for each in embedded.data] == [[0.5, -0.5]] * 2


async def test_openai_chat_tool_turn(gateway: Running, vendor: FakeVendor) -> None:
    vendor.script(Reply(chunks=chat_stream(call=LOOK)), Reply(json=chat_whole("seen")))
    async with openai_at(gateway) as client:
        async with client.chat.completions.stream(
            model=MODEL,
            messages=[{"role": "user", "content": "look"}],
            tools=[{"type": "function", "function": {"name": "look", "parameters": SCHEMA}}],
        ) as events:
            done = await events.get_final_completion()
        (call,) = done.choices[0].message.tool_calls or []
        assert json.loads(call.function.arguments) == LOOK.arguments
        last = await client.chat.completions.create(
            model=MODEL,
            messages=[
                {"role": "user", "content": "look"},
                {
                    "role": "assistant",
                    "tool_calls": [
                        {
                            "id": call.id,
                            "type": "function",
                            "function": {"name": "look", "arguments": call.function.arguments},
                        }
                    ],
                },
                {"role": "tool", "tool_call_id": call.id, "content": "3 files"},
            ],
        )
    assert last.choices[0].message.content == "seen"
    assert vendor.requests[-1].json["messages"][-1]["content"] == "3 files"


async def test_openai_errors(faulty: Running, vendor: FakeVendor) -> None:
    async with openai_at(faulty) as client:

        async def ask(model: str) -> object:
            turn = ChatCompletionUserMessageParam(role="user", content="hello")
            return await client.chat.completions.create(model=model, messages=[turn])

        with pytest.raises(openai.NotFoundError, match="fake/fake-model"):
            await ask("fake-modle")
        for status, kind in (
            (400, openai.BadRequestError),
            (401, openai.InternalServerError),  # 502: an agent would sign out
            (409, openai.ConflictError),
            (429, openai.RateLimitError),
            (503, openai.InternalServerError),
        ):
            vendor.script(*failing(status))
            with pytest.raises(kind):
                await ask(f"on{status}/fake-model")
        vendor.script(Reply(chunks=[*chat_stream("one two")[:3], Cut()]))
        chunks = await client.chat.completions.create(
            model=MODEL, messages=[{"role": "user", "content": "hello"}], stream=True
        )
        with pytest.raises(openai.APIError, match="fake: "):
            async for _ in chunks:
                pass


# OpenAI: responses.


async def test_openai_responses_whole_and_streamed(gateway: Running) -> None:
    async with openai_at(gateway) as client:
        whole = await client.responses.create(model=MODEL, input="hello")
        assert whole.output_text == TEXT
        async with client.responses.stream(model=MODEL, input="hello") as events:
            final = await events.get_final_response()
        assert final.output_text == TEXT
        assert final.usage == whole.usage


async def test_openai_responses_tool_turn(gateway: Running, vendor: FakeVendor) -> None:
    vendor.script(Reply(chunks=responses_stream(call=LOOK)), Reply(json=responses_whole("seen")))
    async with openai_at(gateway) as client:
        async with client.responses.stream(
            model=MODEL,
            input="look",
            tools=[{"type": "function", "name": "look", "parameters": SCHEMA, "strict": False}],
        ) as events:
            item = (await events.get_final_response()).output[0]
        assert item.type == "function_call"
        assert json.loads(item.arguments) == LOOK.arguments
        last = await client.responses.create(
            model=MODEL,
            input=[
                {"role": "user", "content": "look"},
                {
                    "type": "function_call",
                    "call_id": item.call_id,
                    "name": item.name,
                    "arguments": item.arguments,
                },
                {"type": "function_call_output", "call_id": item.call_id, "output": "3 files"},
            ],
        )
    assert last.output_text == "seen"
    assert vendor.requests[-1].json["input"][-1]["output"] == "3 files"


async def test_openai_responses_errors(gateway: Running, vendor: FakeVendor) -> None:
    async with openai_at(gateway) as client:
        with pytest.raises(openai.NotFoundError, match="fake/fake-model"):
            await client.responses.create(model="fake-modle", input="hello")
        vendor.script(Reply(chunks=[*responses_stream("one two")[:6], Cut()]))
        async with client.responses.stream(model=MODEL, input="hello") as events:
            found = [event async for event in events]
        last = found[-1]
        assert last.type == "response.failed"
        assert last.response.error and last.response.error.message.startswith("fake: ")


# Anthropic.


async def test_anthropic_whole_and_streamed(gateway: Running) -> None:
    async with anthropic_at(gateway) as client:
        assert [model.id async for model in client.models.list()] == [MODEL]
        whole = await client.messages.create(
            model=MODEL, max_tokens=50, messages=[{"role": "user", "content": "hello"}]
        )
        assert whole.content[0].type == "text" and whole.content[0].text == TEXT
        async with client.messages.stream(
            model=MODEL, max_tokens=50, messages=[{"role": "user", "content": "hello"}]
        ) as events:
            assert "".join([text async for text in events.text_stream]) == TEXT
            final = await events.get_final_message()
        assert final.usage.output_tokens == whole.usage.output_tokens
        counted = await client.messages.count_tokens(
            model=MODEL, messages=[{"role": "user", "content": "hello"}]
        )
        assert counted.input_tokens > 0


async def test_anthropic_tool_turn(gateway: Running, vendor: FakeVendor) -> None:
    vendor.script(Reply(chunks=messages_stream("Well.", call=LOOK)))
    vendor.script(Reply(json=messages_whole("seen")))
    async with anthropic_at(gateway) as client:
        async with client.messages.stream(
            model=MODEL,
            max_tokens=50,
            messages=[{"role": "user", "content": "look"}],
            tools=[{"name": "look", "input_schema": SCHEMA}],
        ) as events:
            used = (await events.get_final_message()).content[1]
        assert used.type == "tool_use" and used.input == LOOK.arguments
        last = await client.messages.create(
            model=MODEL,
            max_tokens=50,
            messages=[
                {"role": "user", "content": "look"},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "tool_use", "id": used.id, "name": "look", "input": used.input}
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": used.id, "content": "3 files"}
                    ],
                },
            ],
        )
    assert last.content[0].type == "text" and last.content[0].text == "seen"
    assert vendor.requests[-1].json["messages"][-1]["content"][0]["content"] == "3 files"


async def test_anthropic_errors(faulty: Running, vendor: FakeVendor) -> None:
    async with anthropic_at(faulty) as client:

        async def ask(model: str) -> object:
            turn: MessageParam = {"role": "user", "content": "hello"}
            return await client.messages.create(model=model, max_tokens=9, messages=[turn])

        with pytest.raises(anthropic.NotFoundError, match="fake/fake-model"):
            await ask("fake-modle")
        for status, kind in (
            (400, anthropic.BadRequestError),
            (401, anthropic.InternalServerError),
            (429, anthropic.RateLimitError),
            (529, anthropic.InternalServerError),
        ):
            vendor.script(*failing(status))
            with pytest.raises(kind):
                await ask(f"on{status}/fake-model")
        vendor.script(Reply(chunks=[*messages_stream("one two")[:4], Cut()]))
        async with client.messages.stream(
            model=MODEL, max_tokens=9, messages=[{"role": "user", "content": "hello"}]
        ) as events:
            with pytest.raises(anthropic.APIError, match="fake: "):
                await events.get_final_message()


# Google.


async def test_google_whole_and_streamed(gateway: Running) -> None:
    async with google_at(gateway) as client:
        whole = await client.models.generate_content(model=MODEL, contents="hello")
        assert whole.text == TEXT
        stream = await client.models.generate_content_stream(model=MODEL, contents="hello")
        chunks = [chunk async for chunk in stream]
        assert "".join(chunk.text or "" for chunk in chunks) == TEXT
        assert chunks[-1].usage_metadata == whole.usage_metadata
        counted = await client.models.count_tokens(model=MODEL, contents="hello")
        assert (counted.total_tokens or 0) > 0


async def test_google_lists_the_models(gateway: Running) -> None:
    options = types.HttpOptions(base_url=gateway.url, api_version="v1beta")
    with google_of(gateway, options) as client:
        listed = await asyncio.to_thread(lambda: [model.name for model in client.models.list()])
    assert listed == [f"models/{MODEL}"]


async def test_google_tool_turn(gateway: Running, vendor: FakeVendor) -> None:
    vendor.script(Reply(chunks=gemini_stream("Well.", call=LOOK)), Reply(json=gemini_whole("seen")))
    spec = types.FunctionDeclaration(name="look", parameters_json_schema=SCHEMA)
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[spec])])
    async with google_at(gateway) as client:
        stream = await client.models.generate_content_stream(
            model=MODEL, contents="look", config=config
        )
        calls = [call async for chunk in stream for call in chunk.function_calls or []]
        assert [(call.name, call.args) for call in calls] == [("look", LOOK.arguments)]
        result = types.Part.from_function_response(name="look", response={"output": "3 files"})
        used = types.Part.from_function_call(name="look", args=LOOK.arguments)
        last = await client.models.generate_content(
            model=MODEL,
            contents=[
                types.Content(role="user", parts=[types.Part(text="look")]),
                types.Content(role="model", parts=[used]),
                types.Content(role="user", parts=[result]),
            ],
            config=config,
        )
    assert last.text == "seen"
    told = vendor.requests[-1].json["contents"][-1]["parts"][0]["functionResponse"]
    assert told["response"] == {"output": "3 files"}


async def test_google_errors(faulty: Running, vendor: FakeVendor) -> None:
    async with google_at(faulty) as client:
        with pytest.raises(errors.ClientError) as unknown:
            await client.models.generate_content(model="fake-modle", contents="hello")
        assert (unknown.value.code, unknown.value.status) == (404, "NOT_FOUND")
        assert MODEL in str(unknown.value)
        vendor.script(*failing(429), *failing(503))
        with pytest.raises(errors.ClientError) as limited:
            await client.models.generate_content(model="on429/fake-model", contents="hello")
        assert limited.value.code == 429
        with pytest.raises(errors.ServerError):
            await client.models.generate_content(model="on503/fake-model", contents="hi")


# All of them as most programs use them: from a thread that waits.


async def test_the_sdks_that_wait(gateway: Running) -> None:
    assert await asyncio.to_thread(_all_in_a_thread, gateway) == [TEXT] * 4


def _all_in_a_thread(gateway: Running) -> list[str]:
    said: list[str] = []
    with openai.OpenAI(base_url=gateway.url + "/v1", api_key=AGENT_KEY) as client:
        done = client.chat.completions.create(
            model=MODEL, messages=[{"role": "user", "content": "hi"}]
        )
        said.append(done.choices[0].message.content or "")
        with client.responses.stream(model=MODEL, input="hi") as events:
            said.append(events.get_final_response().output_text)
    with (
        anthropic.Anthropic(base_url=gateway.url, api_key=AGENT_KEY) as claude,
        claude.messages.stream(
            model=MODEL, max_tokens=9, messages=[{"role": "user", "content": "hi"}]
        ) as messages,
    ):
        said.append("".join(messages.text_stream))
    with google_of(gateway) as google:
        chunks = google.models.generate_content_stream(model=MODEL, contents="hi")
        said.append("".join(chunk.text or "" for chunk in chunks))
    return said


async def test_the_demo_provider_answers_without_a_key(tmp_path: Path) -> None:
    async with running(tmp_path, demo=True) as gateway, openai_at(gateway) as client:
        assert [model.id async for model in client.models.list()] == ["demo/demo-model"]
        whole = await client.chat.completions.create(
            model="demo-model", messages=[{"role": "user", "content": "hi"}], max_tokens=5
        )
        assert (whole.choices[0].message.content or "").startswith("Hello from Holdgate")
