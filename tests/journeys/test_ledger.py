"""The ledger and the control API tell of each request and each try what really happened."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from holdgate.core.store.callers import GatewayKeys
from holdgate.core.store.ledger import FILE_NAME
from holdgate.core.values.clock import system_clock
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from tests.fakes.agents import Agent, RawReply, Upload, post, stream
from tests.fakes.vendor import (
    Cut,
    FakeVendor,
    Json,
    Reply,
    Until,
    Usage,
    chat_stream,
    chat_whole,
    gemini_stream,
    gemini_whole,
    messages_stream,
    messages_whole,
    responses_stream,
    responses_whole,
)
from tests.journeys.gateway import Running, asking, provider, running

USED = Usage(input=100, output=30, cached=40)


def with_reasoning(dialect: DialectName, reply: Json) -> Json:
    """Let 7 of the tokens of a whole reply be reasoning."""
    match dialect:
        case "chat":
            reply["usage"]["completion_tokens_details"] = {"reasoning_tokens": 7}
        case "responses":
            reply["usage"]["output_tokens_details"] = {"reasoning_tokens": 7}
        case "gemini":  # outside the candidates' tokens there
            reply["usageMetadata"]["thoughtsTokenCount"] = 7
            reply["usageMetadata"]["candidatesTokenCount"] = 23
        case "messages":  # does not tell them
            pass
    return reply


WHOLE = {
    "chat": chat_whole("hi", USED),
    "responses": responses_whole("hi", USED),
    "messages": messages_whole("hi", USED),
    "gemini": gemini_whole("hi", USED),
}
STREAM = {
    "chat": chat_stream("a b", USED),
    "responses": responses_stream("a b", USED),
    "messages": messages_stream("a b", USED),
    "gemini": gemini_stream("a b", USED),
}


async def turn(
    gateway: Running,
    dialect: DialectName,
    model: str = "fake/nick",
    *,
    stream: bool = False,
    headers: Mapping[str, str] | None = None,
    words: str = "hi",
) -> RawReply:
    path, upload = asking(dialect, model, stream=stream, headers=headers, words=words)
    return await post(gateway.url + path, upload=upload)


NICK = '[{ id = "nick", vendor_id = "real-1" }]'


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_row_for_a_request_and_one_for_its_try(
    tmp_path: Path, dialect: DialectName, streamed: bool
) -> None:
    key = GatewayKeys(tmp_path / "state", lambda: 0.0).add("laptop")
    keys = 'keys = [{ name = "home", value = "env:FAKE_KEY" }]'
    clock = system_clock()
    before = clock.wall()
    async with FakeVendor() as vendor:
        whole = with_reasoning(dialect, {**WHOLE[dialect]})
        scripted = Reply(chunks=STREAM[dialect]) if streamed else Reply(json=whole)
        vendor.script(scripted)
        async with running(tmp_path, provider(vendor.url, key=keys, models=NICK)) as gateway:
            headers = {
                "User-Agent": "claude-cli/2.1.0 (external, cli)",
                "x-api-key": key,
                "X-Claude-Code-Session-Id": "session-1",
            }
            reply = await turn(gateway, dialect, stream=streamed, headers=headers)
            assert reply.status == 200
    after = clock.wall()
    (row,) = gateway.ledger()
    assert row["id"] == reply.header("X-Holdgate-Request")
    assert (row["agent"], row["key"], row["address"]) == ("claude-code", "laptop", "127.0.0.1")
    assert (row["conversation"], row["dialect"]) == ("session-1", dialect)
    assert (row["model"], row["candidate"], row["stream"]) == ("fake/nick", "fake/nick", streamed)
    assert (row["state"], row["status"], row["fault"]) == ("done", 200, None)
    assert (row["input"], row["cache_read"], row["output"]) == (60, 40, 30)
    assert row["reasoning"] == (0 if streamed or dialect == "messages" else 7)
    (tried,) = row["tries"]
    assert (tried["provider"], tried["key"], tried["model"]) == ("fake", "home", "nick")
    assert (tried["dialect"], tried["status"], tried["fault"]) == (dialect, 200, None)
    times = [row["arrived"], tried["started"], tried["first_byte"], tried["ended"], row["ended"]]
    assert times == sorted(times)
    assert before <= times[0] and times[-1] <= after
    assert row["waited"] == 0
    assert _notes(row)[0]["what"] == "arrived"


def _notes(row: Json) -> list[Json]:
    return [{"at": at, "what": what, "detail": detail} for at, what, detail in row["timeline"]]


async def test_each_try_has_its_row_and_its_fault(tmp_path: Path) -> None:
    # A key rests after a fault: each case has one of its own.
    names = ("broken", "dropping", "limited")
    async with FakeVendor() as one, FakeVendor() as two:
        config = provider(two.url, name="two")
        for name in names:
            config += provider(one.url, name=name)
            config += f'[routes.to-{name}]\ncandidates = ["{name}/fake-model", "two/fake-model"]\n'
        one.script(Reply(500), Reply(drop=True), Reply(drop=True), Reply(429))
        async with running(tmp_path, config) as gateway:
            for name in names:
                assert (await turn(gateway, "chat", f"to-{name}")).status == 200
    told = [
        [(each["provider"], each["status"], each["fault"]) for each in row["tries"]]
        for row in gateway.ledger()
    ]
    end = ("two", 200, None)
    assert told == [
        [("broken", 500, "server error"), end],
        [("dropping", None, "network"), ("dropping", None, "network"), end],
        [("limited", 429, "rate limited"), end],
    ]
    assert [row["candidate"] for row in gateway.ledger()] == ["two/fake-model"] * 3


async def test_what_went_wrong_is_told_as_the_agent_was_told(tmp_path: Path) -> None:
    events = STREAM["messages"]
    async with FakeVendor() as vendor:
        names = ("refused", "busy", "cut")
        config = "".join(provider(vendor.url, name=name) for name in names)
        async with running(tmp_path, config) as gateway:
            refused, busy, cut = (f"{name}/fake-model" for name in names)
            vendor.script(Reply(401), *[Reply(503, {"Retry-After": "0"})] * 3)
            vendor.script(Reply(chunks=[*events[:4], Cut()]))
            assert (await turn(gateway, "messages", refused)).status == 502
            assert (await turn(gateway, "messages", refused, words="more")).status == 502
            assert (await turn(gateway, "messages", busy)).status == 503
            assert (await turn(gateway, "messages", cut, stream=True)).status == 200
            assert (await turn(gateway, "messages", "nobody")).status == 404
    told = [(row["state"], row["status"], row["fault"]) for row in gateway.ledger()]
    assert told == [
        ("failed", 502, "key refused"),
        ("failed", 502, "key refused"),
        ("failed", 503, "overloaded"),
        ("failed", 200, "cut stream"),
        ("failed", 404, "model unknown"),
    ]
    assert all(row["message"] for row in gateway.ledger())
    tries = [[each["fault"] for each in row["tries"]] for row in gateway.ledger()]
    # A refused key is not asked again; an overloaded vendor is, twice.
    assert tries == [["key refused"], [], ["overloaded"] * 3, ["cut stream"], []]


async def test_who_left_is_gone_and_who_waited_has_waited(tmp_path: Path) -> None:
    go = asyncio.Event()
    async with FakeVendor() as vendor:
        config = provider(vendor.url, "concurrency = 1")
        async with running(tmp_path, config) as gateway:
            vendor.script(Reply(until=go))
            path, upload = asking("chat")
            async with begun(gateway, path, upload) as first:
                await vendor.arrived(1)
                async with begun(gateway, path, upload) as second:
                    await gateway.waiting(1)
                    async with begun(gateway, path, upload) as third:
                        await gateway.waiting(2)
                        second.writer.transport.abort()
                        await gateway.waiting(1)
                        go.set()
                        for agent in (first, third):
                            assert (await agent.reader.readline()).startswith(b"HTTP/1.1 200")
    served, left, last = gateway.ledger()
    assert (served["state"], served["waited"]) == ("done", 0)
    assert (left["state"], left["status"], left["tries"]) == ("gone", None, [])
    assert (last["state"], last["status"]) == ("done", 200)
    for row in (left, last):
        assert 0 < row["waited"] <= row["ended"] - row["arrived"] + 0.001
        assert "in line" in [note["what"] for note in _notes(row)]
    assert last["tries"][0]["started"] >= last["arrived"] + last["waited"] - 0.01


async def test_who_left_in_mid_stream_is_gone_too(tmp_path: Path) -> None:
    events = STREAM["chat"]
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        vendor.script(Reply(chunks=[*events[:3], Until(asyncio.Event())]))
        path, upload = asking("chat", stream=True)
        async with stream(gateway.url + path, upload=upload) as reply:
            await reply.read_until(events[2])
            reply.hang_up()
        await vendor.left(1)
    (row,) = gateway.ledger()
    assert row["state"] == "gone"
    assert row["tries"][0]["status"] == 200 and row["tries"][0]["ended"] is not None


# A ledger that cannot be written.


async def test_a_ledger_that_cannot_be_written_breaks_no_reply(tmp_path: Path) -> None:
    (tmp_path / "state" / FILE_NAME).mkdir(parents=True)
    async with FakeVendor() as fake, running(tmp_path, provider(fake.url), ledger=False) as gateway:
        for dialect in DIALECT_NAMES * 3:
            reply = await turn(gateway, dialect, "fake/fake-model", stream=True)
            assert (reply.status, reply.ended) == (200, "whole")
            # The writer comes round meanwhile: it says so once, however often it tries.
            await gateway.until(lambda _: "cannot be written" in gateway.log_text())
        assert (await gateway.control("/api/status"))["requests"] == []
        assert (await gateway.asked("/api/requests")).status == 200
        assert (await gateway.asked("/api/requests/hg-x")).status == 404
    assert gateway.log_text().count("cannot be written") == 1
    assert str(tmp_path / "state" / FILE_NAME) in gateway.log_text()


# The control API.


async def test_live_requests_are_shown_with_their_time_line(tmp_path: Path) -> None:
    go = asyncio.Event()
    async with FakeVendor() as vendor:
        config = provider(vendor.url, "concurrency = 1")
        async with running(tmp_path, config) as gateway:
            vendor.script(Reply(chunks=[*STREAM["chat"][:3], Until(go), *STREAM["chat"][3:]]))
            path, upload = asking("chat", stream=True, headers={"User-Agent": "codex_exec/1.0"})
            async with stream(gateway.url + path, upload=upload) as reply:
                await reply.read_until(STREAM["chat"][2])
                async with begun(gateway, path, upload) as waiting:
                    await gateway.waiting(1)
                    await check_live(gateway, reply.reply)
                    go.set()
                    assert (await reply.read_all()).ended == "whole"
                    assert (await waiting.reader.readline()).startswith(b"HTTP/1.1 200")


@asynccontextmanager
async def begun(gateway: Running, path: str, upload: Upload) -> AsyncIterator[Agent]:
    """Send a request without waiting for its reply's head."""
    agent = await Agent.connect(gateway.url)
    payload = upload.payload()
    agent.writer.write(upload.head(gateway.url + path, len(payload)) + payload)
    try:
        yield agent
    finally:
        await agent.close()


async def check_live(gateway: Running, reply: RawReply) -> None:
    """Check what the control API shows of one that passes and one that waits."""
    waits, passes = (await gateway.control("/api/requests"))["requests"]
    assert (waits["state"], passes["state"]) == ("waiting", "passing")
    assert passes["id"] == reply.header("X-Holdgate-Request")
    assert passes == await gateway.control(f"/api/requests/{passes['id']}")
    assert (passes["agent"], passes["model"]) == ("codex", "fake/fake-model")
    assert passes["ended"] is None and passes["tries"][0]["first_byte"] is not None
    assert waits["tries"] == [] and waits["timeline"]
    for state, ids in (
        ("passing", [passes["id"]]),
        ("waiting", [waits["id"]]),
        ("waiting,passing", [waits["id"], passes["id"]]),
        ("done", []),
    ):
        shown = (await gateway.control(f"/api/requests?state={state}"))["requests"]
        assert [each["id"] for each in shown] == ids
    shown = await gateway.control("/api/status")
    assert shown["counts"] == {"waiting": 1, "held": 0, "passing": 1}
    first, second = shown["requests"]
    assert (first["state"], first["candidate"]) == ("passing", "fake/fake-model")
    assert (second["position"], second["reason"]) == (1, "waits for fake")


KEYS = {
    "id", "agent", "conversation", "model", "dialect", "stream", "state", "arrived", "ended",
    "status", "fault", "waited", "kept_alive", "usage", "losses", "tries", "timeline",
}  # fmt: skip
TRY_KEYS = {
    "provider", "key", "model", "dialect", "started", "first_byte", "ended", "status", "fault",
    "rest",
}  # fmt: skip


async def test_past_requests_are_shown_newest_first(tmp_path: Path) -> None:
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        replies = [await turn(gateway, each, "fake/fake-model") for each in DIALECT_NAMES]
        ids = [reply.header("X-Holdgate-Request") for reply in reversed(replies)]
        shown = await gateway.until(
            lambda found: [each["id"] for each in found["requests"]] == ids, "/api/requests"
        )
        assert {each["state"] for each in shown["requests"]} == {"done"}
        found = await gateway.control("/api/requests?limit=2&state=done,failed")
        assert [each["id"] for each in found["requests"]] == ids[:2]
        one = await gateway.control(f"/api/requests/{ids[0]}")
        assert set(one) >= KEYS and one["status"] == 200
        assert [set(each) for each in one["tries"]] == [TRY_KEYS]
        assert one["usage"]["output"] == 5
        assert one["timeline"][0]["what"] == "arrived"


async def test_a_request_is_never_unknown_between_live_and_past(tmp_path: Path) -> None:
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        for streamed in (False, True):
            reply = await turn(gateway, "chat", "fake/fake-model", stream=streamed)
            id = reply.header("X-Holdgate-Request")
            assert (await gateway.asked(f"/api/requests/{id}")).status == 200
            listed = (await gateway.control("/api/requests"))["requests"]
            assert listed[0]["id"] == id
