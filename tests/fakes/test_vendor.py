"""The fake vendor and the raw agent keep what they promise to the other tests."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib

import pytest

from tests.fakes.agents import Agent, Encoding, Upload, get, post, stream
from tests.fakes.vendor import (
    Call,
    Cut,
    FakeVendor,
    Json,
    Pause,
    Reply,
    Until,
    Usage,
    chat_stream,
    chat_whole,
    gemini_stream,
    messages_stream,
    messages_whole,
    responses_stream,
)

CHAT: Json = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


async def test_answers_every_path_without_a_script() -> None:
    async with FakeVendor() as vendor:
        for path, field in (
            ("/v1/chat/completions", "choices"),
            ("/v1/responses", "output"),
            ("/v1/messages?beta=true", "content"),
            ("/v1/messages/count_tokens", "input_tokens"),
            ("/v1beta/models/m:generateContent", "candidates"),
            ("/v1beta/models/m:countTokens", "totalTokens"),
            ("/v1/embeddings", "data"),
        ):
            reply = await post(vendor.url + path, CHAT)
            assert (reply.status, field in reply.json) == (200, True), path
        assert "models" in (await get(vendor.url + "/v1beta/models")).json
        assert (await get(vendor.url + "/v1/models")).json["data"][0]["id"] == "fake-model"
        assert (await get(vendor.url + "/nowhere")).status == 404
        assert vendor.in_flight == 0 and vendor.highest == 1


@pytest.mark.parametrize(
    ("path", "last"),
    [
        ("/v1/chat/completions", "[DONE]"),
        ("/v1/responses", "response.completed"),
        ("/v1/messages", "message_stop"),
        ("/v1beta/models/m:streamGenerateContent?alt=sse", '"finishReason":"STOP"'),
    ],
)
async def test_streams_event_by_event(path: str, last: str) -> None:
    async with FakeVendor(text="one two three") as vendor:
        reply = await post(vendor.url + path, {**CHAT, "stream": True})
        assert reply.header("Content-Type") == "text/event-stream"
        assert last in reply.events[-1][1]
        assert reply.ended == "whole" and len(reply.events) >= 4


async def test_a_gemini_array_is_one_json_value() -> None:
    async with FakeVendor() as vendor:
        reply = await post(vendor.url + "/v1beta/models/m:streamGenerateContent", {"contents": []})
        assert reply.json[-1]["candidates"][0]["finishReason"] == "STOP"


def test_streams_add_up_to_their_whole_reply() -> None:
    call = Call("look", {"a": [1]})
    data = [json.loads(event[6:]) for event in chat_stream("a b", call=call)[:-1]]
    deltas = [choice["delta"] for chunk in data for choice in chunk["choices"]]
    assert "".join(delta.get("content") or "" for delta in deltas) == "a b"
    arguments = [c["function"]["arguments"] for d in deltas for c in d.get("tool_calls", [])]
    assert json.loads("".join(arguments)) == {"a": [1]}
    assert data[-1]["usage"] == chat_whole("a b")["usage"]
    started = json.loads(messages_stream("a", Usage(9, 2, 4))[0].split(b"data: ")[1])
    assert started["message"]["usage"]["input_tokens"] == 5
    assert messages_whole("a", call=call)["stop_reason"] == "tool_use"
    numbers = [
        json.loads(event.split(b"data: ")[1])["sequence_number"]
        for event in responses_stream("a b", call=call)
    ]
    assert numbers == list(range(len(numbers)))
    assert b"functionCall" in gemini_stream(call=call)[0]


async def test_scripts_are_taken_in_order_by_path_and_key() -> None:
    async with FakeVendor() as vendor:
        vendor.script(Reply(429, {"Retry-After": "3"}), path="*/messages")
        vendor.script(Reply(text="<html>"), Reply(json={"n": 2}), key="k2")
        chat, mine = vendor.url + "/v1/chat/completions", {"Authorization": "Bearer k2"}
        assert "choices" in (await post(chat, CHAT)).json
        limited = await post(vendor.url + "/v1/messages", CHAT)
        assert (limited.status, limited.header("retry-after")) == (429, "3")
        assert limited.json["error"]["type"] == "rate_limit_error"
        assert (await post(chat, CHAT, mine)).body == b"<html>"
        assert (await post(chat, CHAT, mine)).json == {"n": 2}
        assert vendor.violations == 0


async def test_a_stream_is_held_until_the_test_says_so() -> None:
    gate = asyncio.Event()
    async with FakeVendor() as vendor:
        vendor.script(Reply(chunks=[b"data: 1\n\n", Until(gate), Pause(0.01), b"data: 2\n\n"]))
        async with stream(vendor.url + "/v1/chat/completions", CHAT) as reply:
            assert await reply.read_some() == b"data: 1\n\n"
            assert vendor.in_flight == 1 and vendor.requests[0].how == ""
            gate.set()
            assert (await reply.read_all()).chunks == [b"data: 1\n\n", b"data: 2\n\n"]
        await vendor.ended(1)
        assert vendor.requests[0].how == "whole"


async def test_connections_end_as_scripted() -> None:
    async with FakeVendor() as vendor:
        chat = vendor.url + "/v1/chat/completions"
        vendor.script(
            Reply(chunks=[b"a", Cut()]), Reply(chunks=[b"a", Cut("reset")]), Reply(drop=True)
        )
        assert [(await post(chat, CHAT)).ended for _ in range(3)] == ["cut", "reset", "cut"]
        await vendor.ended(3)
        assert [seen.how for seen in vendor.requests] == ["cut", "cut", "cut"]


async def test_compressed_replies_can_be_read_as_they_come() -> None:
    gate = asyncio.Event()
    async with FakeVendor() as vendor:
        chat = vendor.url + "/v1/chat/completions"
        vendor.script(Reply(json={"a": 1}, encode="gzip"))
        vendor.script(Reply(chunks=[b"data: 1\n\n", Until(gate)], encode="gzip"))
        whole = await post(chat, CHAT)
        assert whole.header("Content-Encoding") == "gzip"
        assert json.loads(gzip.decompress(whole.body)) == {"a": 1}
        async with stream(chat, CHAT) as reply:
            assert zlib.decompressobj(31).decompress(await reply.read_some()) == b"data: 1\n\n"
            gate.set()
            assert gzip.decompress((await reply.read_all()).body) == b"data: 1\n\n"


async def test_too_many_at_once_is_a_violation() -> None:
    gate = asyncio.Event()
    async with FakeVendor(limit_concurrent=1) as vendor:
        chat = vendor.url + "/v1/chat/completions"
        vendor.script(Reply(until=gate))
        async with asyncio.TaskGroup() as group:
            first = group.create_task(post(chat, CHAT))
            await vendor.arrived(1)
            second = await post(chat, CHAT)
            other = await post(chat, CHAT, {"x-api-key": "other"})
            gate.set()
        assert (first.result().status, second.status, other.status) == (200, 429, 200)
        assert second.header("Retry-After") == "1"
        assert (vendor.violations, vendor.highest) == (1, 2)
        assert (await post(chat, CHAT)).status == 200


async def test_too_many_in_the_window_is_a_violation() -> None:
    now = [100.0]
    async with FakeVendor(limit_rpm=2, window=10, clock=lambda: now[0]) as vendor:
        chat = vendor.url + "/v1/chat/completions"
        statuses = [(await post(chat, CHAT)).status for _ in range(3)]
        assert (statuses, vendor.violations) == ([200, 200, 429], 1)
        assert (await post(vendor.url + "/v1/messages/count_tokens", CHAT)).status == 200
        now[0] += 10
        assert (await post(chat, CHAT)).status == 200
        assert vendor.requests[2].violation == "2 in 10s"


async def test_a_client_that_hangs_up_frees_its_place() -> None:
    async with FakeVendor() as vendor:
        chat = vendor.url + "/v1/chat/completions"
        vendor.script(Reply(chunks=[b"12345", Until(asyncio.Event())]))
        assert (await post(chat, CHAT, hang_up_after=3)).ended == "hung up"
        await vendor.left(1)
        assert vendor.in_flight == 0
        vendor.script(Reply(chunks=[b"1", Until(asyncio.Event())]))
        async with stream(chat, CHAT) as reply:
            await reply.read_some()
            reply.hang_up(reset=True)
        await vendor.left(2)
        assert [seen.how for seen in vendor.requests] == ["left", "left"]


async def test_closing_the_vendor_ends_what_is_held() -> None:
    async with FakeVendor() as vendor:
        vendor.script(Reply(until=asyncio.Event()))
        agent = await Agent.connect(vendor.url)
        task = asyncio.get_running_loop().create_task(
            agent.send(vendor.url + "/v1/messages", Upload(body=CHAT))
        )
        await vendor.arrived(1)
    assert (await task).status in (0, 500)
    await agent.close()
    assert vendor.requests[0].how == "stopped"


async def test_requests_are_kept_as_they_came() -> None:
    async with FakeVendor() as vendor:
        url = vendor.url + "/v1/messages?beta=true&x=%20"
        raw = b'{"model" : "m",  "n": 1.5e2}'
        await post(url, raw, [("X-Odd", "a"), ("x-odd", "b"), ("x-api-key", "k")])
        seen = await vendor.arrived(1)
        assert (seen.method, seen.path, seen.query) == ("POST", "/v1/messages", "beta=true&x=%20")
        assert (seen.body, seen.key, seen.how) == (raw, "k", "whole")
        assert [pair for pair in seen.headers if pair[0].lower() == "x-odd"] == [
            ("X-Odd", "a"),
            ("x-odd", "b"),
        ]


@pytest.mark.parametrize("encode", ["gzip", "deflate", "br", "zstd"])
async def test_compressed_and_chunked_uploads(encode: Encoding) -> None:
    async with FakeVendor() as vendor:
        upload = Upload(body=CHAT, encode=encode, pieces=3)
        assert (await post(vendor.url + "/v1/messages", upload=upload)).status == 200
        seen = await vendor.arrived(1)
        assert seen.body == upload.payload()
        assert seen.header("content-encoding") == encode


async def test_expect_and_raw_host() -> None:
    async with FakeVendor() as vendor:
        upload = Upload(body=CHAT, expect=True, host="evil.example")
        reply = await post(vendor.url + "/v1/chat/completions", upload=upload)
        assert (reply.status, reply.continued) == (200, True)
        assert vendor.requests[0].header("host") == "evil.example"
        assert (await get(vendor.url + "/v1/models", method="HEAD")).ended == "whole"


async def test_an_agent_that_stops_reading_holds_the_vendor_up() -> None:
    async with FakeVendor() as vendor:
        vendor.script(Reply(chunks=[b"x" * 65536] * 400))
        url = vendor.url + "/v1/chat/completions"
        async with stream(url, CHAT, buffer=4096) as reply:
            await reply.read_some()
            with pytest.raises(TimeoutError):
                await vendor.ended(1, within=0.1)
        await vendor.left(1)
