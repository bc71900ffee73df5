"""Streams and whole replies of ours, read by OpenAI's own library."""

from __future__ import annotations

import openai

from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.values.neutral import Seal
from holdgate.core.values.neutral_reply import (
    Began,
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    RefusalDelta,
    TextDelta,
    ThoughtDelta,
    ThoughtEnded,
    Used,
)
from holdgate.core.values.usage import Usage
from tests.dialects.translation.responses.responses_feeding import OURS, telling
from tests.fakes.vendor import FakeVendor, Reply

EVENTS: list[Event] = [
    Began(),
    ThoughtDelta("hm"),
    ThoughtEnded((Seal("a/messages", "signature", "sig"),)),
    TextDelta("Hel"),
    TextDelta("lo"),
    RefusalDelta("no"),
    CallBegan(0, "a", "f"),
    CallDelta(0, '{"x":1}'),
    CallEnded(0),
    CallBegan(1, "b", "p", custom=True),
    CallDelta(1, "*** y"),
    CallEnded(1),
    Used(Usage(input=5, output=6)),
    Ended("tool"),
]
KINDS = ["reasoning", "message", "message", "function_call", "custom_tool_call"]


async def test_the_stream_helper() -> None:
    writer = OURS.reply_writer(telling())
    told = [writer.tell([event]) for event in EVENTS]
    async with FakeVendor() as vendor:
        headers = {"Content-Type": "text/event-stream"}
        vendor.script(Reply(headers=headers, chunks=[piece for piece in told if piece]))
        async with (
            openai.AsyncOpenAI(api_key="none", base_url=vendor.url + "/v1", max_retries=0) as sdk,
            sdk.responses.stream(model="m", input="hi") as stream,
        ):
            seen = [event.type async for event in stream]
            found = await stream.get_final_response()
    assert (seen[0], seen[-1]) == ("response.created", "response.completed")
    assert [item.type for item in found.output] == KINDS
    assert found.output_text == "Hello"
    assert found.usage is not None
    assert found.usage.total_tokens == 11


async def test_a_whole_reply() -> None:
    body = OURS.write_answer(collect(EVENTS), telling())
    async with FakeVendor() as vendor:
        vendor.script(Reply(headers={"Content-Type": "application/json"}, chunks=[body]))
        async with openai.AsyncOpenAI(
            api_key="none", base_url=vendor.url + "/v1", max_retries=0
        ) as sdk:
            found = await sdk.responses.create(model="m", input="hi")
    assert [item.type for item in found.output] == KINDS
    assert (found.status, found.output_text) == ("completed", "Hello")
