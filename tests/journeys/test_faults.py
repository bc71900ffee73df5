"""What goes wrong at a vendor, on the way or at the agent: told truly, and no place is lost."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal, overload

import pytest

from holdgate.core.values.names import DIALECT_NAMES, DialectName
from tests.fakes.agents import Agent, RawReply, Upload, post, stream
from tests.fakes.vendor import (
    Chunk,
    Cut,
    FakeVendor,
    Json,
    Pause,
    Reply,
    Until,
    chat_stream,
    error,
    gemini_stream,
    messages_stream,
    responses_stream,
    sse,
)
from tests.journeys.gateway import (
    SECOND_KEY,
    VENDOR_KEY,
    Running,
    asking,
    body_of,
    path_of,
    provider,
    running,
)

JSON = {"Content-Type": "application/json"}
ROUTE = '[routes.both]\ncandidates = ["one/fake-model", "two/fake-model"]\n'
# Keys rest after faults: where a test is about what is said and not about that, each case has a
# provider, and so a key, of its own; what is tried after a limit of a moment is a probe, and its
# fault is told without asking again.
KINDS = {"whole": False, "streamed": True}
MOMENT = Reply(429, {"Retry-After": "0"})


@asynccontextmanager
async def between(
    home: Path, *lines: str, vendor: FakeVendor | None = None
) -> AsyncIterator[tuple[FakeVendor, Running]]:
    """A vendor called `fake` and a gateway before it."""
    async with vendor or FakeVendor() as fake, running(home, provider(fake.url, *lines)) as run:
        yield fake, run


@asynccontextmanager
async def several(home: Path, *names: str) -> AsyncIterator[tuple[FakeVendor, Running]]:
    """A gateway with a provider of each name, all at one vendor, below a path of that name."""
    async with FakeVendor() as fake:
        config = "".join(provider(f"{fake.url}/{name}", name=name) for name in names)
        async with running(home, config) as run:
            yield fake, run


def asked_of(vendor: FakeVendor, name: str) -> int:
    """Say how often one of `several` was asked."""
    return sum(seen.path.startswith(f"/{name}/") for seen in vendor.requests)


@asynccontextmanager
async def route(home: Path, *lines: str) -> AsyncIterator[tuple[FakeVendor, FakeVendor, Running]]:
    """Two vendors behind the route `both`; the second answers with a text of its own."""
    async with FakeVendor() as one, FakeVendor(text="I am the second.") as two:
        config = provider(one.url, *lines, name="one")
        config += provider(two.url, name="two", key='key = "env:SECOND_KEY"') + ROUTE
        async with running(home, config) as run:
            yield one, two, run


async def turn(
    gateway: Running,
    dialect: DialectName,
    model: str = "fake/fake-model",
    *,
    stream: bool = False,
    words: str = "hi",
) -> RawReply:
    path, upload = asking(dialect, model, stream=stream, words=words)
    return await post(gateway.url + path, upload=upload)


def dead_port() -> int:
    """Give a port that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def error_of(dialect: DialectName, body: Json) -> Json:
    """Check that a body is an error in the gateway's own words; give its inner object."""
    assert isinstance(body["error"], dict)
    if dialect == "messages":
        assert body["type"] == "error" and "request_id" in body
    if dialect in ("chat", "responses"):
        assert set(body["error"]) == {"message", "type", "code", "param"}
    found: Json = body["error"]
    return found


# A vendor's own errors.

# A 429 is absorbed: see test_a_limit_is_waited_for. These are asked so often before they are told.
STATUSES = {400: 1, 404: 1, 409: 1, 413: 1, 422: 1, 408: 3, 500: 3, 502: 3, 503: 3, 529: 3}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_vendors_error_keeps_status_body_and_retry_after(
    tmp_path: Path, dialect: DialectName, streamed: bool
) -> None:
    async def ask(vendor: FakeVendor, gateway: Running, status: int, times: int) -> None:
        # What may be asked again is, after the time that the vendor says.
        wait = "17" if times == 1 else "0.1"
        body = json.dumps(error(dialect, status, f"No: {status} é").json, indent=1)
        headers = {**JSON, "Retry-After": wait, "request-id": "req_9", "x-no": "1"}
        vendor.script(*[Reply(status, headers, text=body)] * times, path=f"/s{status}/*")
        model = f"s{status}/fake-model"
        reply = await turn(gateway, dialect, model, stream=streamed, words=str(status))
        assert (reply.status, reply.body) == (status, body.encode())
        assert reply.header("Retry-After") == wait
        assert reply.header("Content-Type") == "application/json"
        assert reply.header("request-id") == "req_9"
        assert reply.header("x-no") is None
        assert (reply.header("X-Holdgate-Request") or "").startswith("hg-")
        assert asked_of(vendor, f"s{status}") == times

    async with several(tmp_path, *[f"s{status}" for status in STATUSES]) as (vendor, gateway):
        await asyncio.gather(*[ask(vendor, gateway, *each) for each in STATUSES.items()])


async def test_a_5xx_of_the_only_candidate_is_asked_twice_more(tmp_path: Path) -> None:
    async def ask(vendor: FakeVendor, gateway: Running, name: str, failures: int) -> RawReply:
        broken = Reply(500, JSON, text='{"error": {"message": "No luck."}}')
        vendor.script(*[broken] * failures, path=f"/{name}/*")
        return await turn(gateway, "chat", f"{name}/fake-model", stream=True, words=name)

    loop = asyncio.get_running_loop()
    async with several(tmp_path, "sick", "shaky") as (vendor, gateway):
        began = loop.time()
        sick, shaky = await asyncio.gather(
            ask(vendor, gateway, "sick", 3), ask(vendor, gateway, "shaky", 2)
        )
        assert 3.0 <= loop.time() - began < 6.0
        assert (sick.status, sick.json) == (500, {"error": {"message": "No luck."}})
        assert sick.header("Retry-After") == "2"  # its key rests for so long now
        assert (shaky.status, shaky.ended) == (200, "whole")
        assert [asked_of(vendor, name) for name in ("sick", "shaky")] == [3, 3]


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@pytest.mark.parametrize("kind", ["text/plain; charset=utf-8", "text/html"])
async def test_an_error_to_a_streamed_request_keeps_its_content_type(
    tmp_path: Path, dialect: DialectName, kind: str
) -> None:
    async with between(tmp_path) as (vendor, gateway):
        vendor.script(MOMENT, Reply(503, {"Content-Type": kind}, text="busy"))
        reply = await turn(gateway, dialect, stream=True)
        assert (reply.status, reply.body) == (503, b"busy")
        assert reply.header("Content-Type") == kind


@pytest.mark.parametrize("status", [401, 403, 407])
@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_refused_key_is_told_as_502_naming_the_provider(
    tmp_path: Path, dialect: DialectName, status: int
) -> None:
    async with several(tmp_path, *KINDS) as (vendor, gateway):
        for name, streamed in KINDS.items():
            headers = {"WWW-Authenticate": "Bearer"}
            body = error(dialect, status, f"Incorrect API key provided: {VENDOR_KEY}.").json
            vendor.script(Reply(status, headers, json=body))
            # The second time it is told without asking the vendor.
            for words in (f"{name} 1", f"{name} 2"):
                model = f"{name}/fake-model"
                reply = await turn(gateway, dialect, model, stream=streamed, words=words)
                assert reply.status == 502
                said = error_of(dialect, reply.json)["message"]
                assert said.startswith(f"{name}: ") and str(status) in said
                assert VENDOR_KEY.encode() not in reply.body and "***" in said
                assert reply.header("WWW-Authenticate") is None
            assert asked_of(vendor, name) == 1


async def test_geminis_own_way_to_refuse_a_key_is_502_too(tmp_path: Path) -> None:
    async with between(tmp_path) as (vendor, gateway):
        details = [
            {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
        ]
        told = {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}
        vendor.script(Reply(400, json={"error": {**told, "details": details}}))
        reply = await turn(gateway, "gemini", stream=True)
        assert reply.status == 502
        assert reply.json["error"]["status"] == "UNAVAILABLE"
        assert reply.json["error"]["message"].startswith("fake: ")


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_key_that_a_vendor_quotes_is_masked(tmp_path: Path, dialect: DialectName) -> None:
    async with between(tmp_path) as (vendor, gateway):
        body = json.dumps(error(dialect, 400, f"{VENDOR_KEY} may not; {VENDOR_KEY}").json)
        vendor.script(Reply(400, JSON, text=body), Reply(400, text=f"key={VENDOR_KEY}"))
        reply = await turn(gateway, dialect)
        assert (reply.status, reply.body) == (400, body.replace(VENDOR_KEY, "***").encode())
        assert reply.header("Content-Length") == str(len(reply.body))
        assert (await turn(gateway, dialect, stream=True)).body == b"key=***"
        event = json.dumps(EVENTS[dialect][0]).replace("boom", f"The key {VENDOR_KEY} is odd.")
        vendor.script(MOMENT, Reply(chunks=[sse(event)]))
        reply = await turn(gateway, dialect, stream=True)
        assert VENDOR_KEY.encode() not in reply.body and b"The key *** is odd." in reply.body
        shown = await gateway.control("/api/status")
        assert VENDOR_KEY not in json.dumps(shown)


CREDIT: dict[str, tuple[DialectName, int, Json]] = {
    "openai": (
        "chat",
        429,
        {"error": {"message": "You exceeded your quota.", "code": "insufficient_quota"}},
    ),
    "openai responses": (
        "responses",
        429,
        {"error": {"message": "You exceeded your quota.", "type": "insufficient_quota"}},
    ),
    "plain 402": ("chat", 402, {"error": {"message": "Insufficient Balance"}}),
    "anthropic 402": (
        "messages",
        402,
        {"type": "error", "error": {"type": "billing_error", "message": "Pay first."}},
    ),
    "anthropic 400": (
        "messages",
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "Your credit balance is too low to access the Anthropic API.",
            },
        },
    ),
}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("case", CREDIT)
async def test_spent_credit_is_told_as_402_with_the_vendors_words(
    tmp_path: Path, case: str, streamed: bool
) -> None:
    dialect, status, body = CREDIT[case]
    async with between(tmp_path) as (vendor, gateway):
        vendor.script(Reply(status, {"Retry-After": "5"}, json=body))
        reply = await turn(gateway, dialect, stream=streamed)
        assert reply.status == 402
        told = error_of(dialect, reply.json)
        assert told["type"] == "billing_error"
        assert told["message"].startswith("fake: ") and body["error"]["message"] in told["message"]
        if dialect != "messages":
            assert told["code"] == "insufficient_quota"


# Answers that are none.

NO_ANSWERS = {
    "a web page": Reply(
        text="<html><title>Sign in</title></html>", headers={"Content-Type": "text/html"}
    ),
    "nothing": Reply(text="", headers=JSON),
    "blanks": Reply(text=" \n", headers=JSON),
    "half JSON": Reply(text='{"choices": [', headers=JSON),
    "words": Reply(text="It works!"),
    "a redirect": Reply(302, {"Location": "https://login.example/"}, text="moved"),
    "no content": Reply(204, text=""),
}


@pytest.mark.parametrize("what", NO_ANSWERS)
@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_200_that_is_no_answer_is_502(
    tmp_path: Path, dialect: DialectName, what: str
) -> None:
    async with between(tmp_path) as (vendor, gateway):
        for streamed in (False, True):
            vendor.script(NO_ANSWERS[what])
            reply = await turn(gateway, dialect, stream=streamed, words=f"streamed: {streamed}")
            assert reply.status == 502
            assert error_of(dialect, reply.json)["message"].startswith("fake: ")
        assert len(vendor.requests) == 2


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_an_event_stream_without_an_answer_is_502(
    tmp_path: Path, dialect: DialectName
) -> None:
    async with between(tmp_path) as (vendor, gateway):
        opening = STREAMS[dialect][:1] if dialect != "gemini" else []
        for words, chunks in {"1": [], "2": [b": hello\n\n"], "3": opening}.items():
            vendor.script(Reply(chunks=chunks))
            reply = await turn(gateway, dialect, stream=True, words=words)
            assert reply.status == 502
            assert error_of(dialect, reply.json)["message"].startswith("fake: ")


EVENTS: dict[DialectName, tuple[Json, int]] = {
    "chat": ({"error": {"message": "boom", "type": "server_error", "code": None}}, 502),
    "responses": (
        {"type": "error", "code": "rate_limit_exceeded", "message": "boom", "sequence_number": 0},
        429,
    ),
    "messages": ({"type": "error", "error": {"type": "overloaded_error", "message": "boom"}}, 529),
    "gemini": ({"error": {"code": 503, "message": "boom", "status": "UNAVAILABLE"}}, 529),
}


@pytest.mark.parametrize("lead", [0, 1])
@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_an_error_as_first_event_is_told_as_a_status(
    tmp_path: Path, dialect: DialectName, lead: int
) -> None:
    event, status = EVENTS[dialect]
    opening = STREAMS[dialect][:lead] if dialect != "gemini" else []
    async with between(tmp_path) as (vendor, gateway):
        vendor.script(MOMENT, Reply(chunks=[*opening, sse(event, str(event.get("type", "")))]))
        reply = await turn(gateway, dialect, stream=True)
        assert reply.status == status
        said = error_of(dialect, reply.json)["message"]
        assert said.startswith("fake: ") and "boom" in said


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_bare_error_object_as_first_event_is_an_error_in_every_dialect(
    tmp_path: Path, dialect: DialectName
) -> None:
    event = {"error": {"message": "boom", "type": "api_error", "code": None}}
    async with between(tmp_path) as (vendor, gateway):
        vendor.script(MOMENT, Reply(chunks=[sse(event)]))
        reply = await turn(gateway, dialect, stream=True)
        assert reply.status == 502
        assert "boom" in error_of(dialect, reply.json)["message"]


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_an_error_with_status_200_is_told_as_a_status(
    tmp_path: Path, dialect: DialectName
) -> None:
    async with several(tmp_path, *KINDS) as (vendor, gateway):
        for name, streamed in KINDS.items():
            vendor.script(MOMENT, Reply(json=error(dialect, 500, "boom").json))
            model = f"{name}/fake-model"
            reply = await turn(gateway, dialect, model, stream=streamed, words=name)
            assert reply.status == 502
            assert "boom" in error_of(dialect, reply.json)["message"]


# The next candidate.

FAILURES = {
    "500": Reply(500),
    "429": Reply(429, {"Retry-After": "30"}),
    "401": Reply(401),
    "404": Reply(404),
    "a web page": NO_ANSWERS["a web page"],
    "nothing": NO_ANSWERS["nothing"],
    "half JSON": NO_ANSWERS["half JSON"],
}
RESTED = ("500", "429", "401")


@pytest.mark.parametrize("what", FAILURES)
@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_the_next_candidate_answers_as_if_nothing_was(
    tmp_path: Path, dialect: DialectName, what: str
) -> None:
    async with FakeVendor() as one, FakeVendor(text="I am the second.") as two:
        config = provider(two.url, name="two", key='key = "env:SECOND_KEY"')
        for name in KINDS:
            config += provider(one.url, name=name)
            config += f'[routes.to-{name}]\ncandidates = ["{name}/fake-model", "two/fake-model"]\n'
        async with running(tmp_path, config) as gateway:
            for name, streamed in KINDS.items():
                one.script(FAILURES[what])
                reply = await turn(gateway, dialect, f"to-{name}", stream=streamed)
                path, upload = asking(dialect, "fake-model", stream=streamed)
                theirs = await post(two.url + path, upload=upload)
                assert (reply.status, reply.body) == (200, theirs.body)
                assert reply.header("X-Holdgate-Provider") == "two"
                assert two.requests[-2].key == SECOND_KEY
            assert len(one.requests) == 2
            # A key that rests is not asked again before its time.
            reply = await turn(gateway, dialect, "to-whole", words="something else")
            provided = "two" if what in RESTED else "whole"
            assert (reply.status, reply.header("X-Holdgate-Provider")) == (200, provided)
            assert len(one.requests) == (2 if what in RESTED else 3)


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_limit_is_waited_for(tmp_path: Path, dialect: DialectName) -> None:
    async def ask(gateway: Running, name: str) -> None:
        began = asyncio.get_running_loop().time()
        model = f"{name}/fake-model"
        reply = await turn(gateway, dialect, model, stream=KINDS[name], words=name)
        assert reply.status == 200
        assert 1.0 <= asyncio.get_running_loop().time() - began < 3.0

    async with several(tmp_path, *KINDS) as (vendor, gateway):
        for name in KINDS:
            vendor.script(Reply(429, {"Retry-After": "1"}), path=f"/{name}/*")
        await asyncio.gather(*[ask(gateway, name) for name in KINDS])
        assert [asked_of(vendor, name) for name in KINDS] == [2, 2]


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_spent_window_is_told_at_once(tmp_path: Path, dialect: DialectName) -> None:
    async with between(tmp_path) as (vendor, gateway):
        vendor.script(Reply(429, {"Retry-After": "7200"}))
        reply = await turn(gateway, dialect, stream=True)
        assert (reply.status, reply.header("Retry-After")) == (429, "7200")


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_stream_that_begins_with_an_error_goes_to_the_next(
    tmp_path: Path, dialect: DialectName
) -> None:
    event, _ = EVENTS[dialect]
    async with route(tmp_path) as (one, _two, gateway):
        one.script(Reply(chunks=[sse(event, str(event.get("type", "")))]))
        reply = await turn(gateway, dialect, "both", stream=True)
        assert reply.status == 200 and b"boom" not in reply.body and b"second." in reply.body


async def test_an_error_of_the_agents_making_ends_it_at_once(tmp_path: Path) -> None:
    async with route(tmp_path) as (one, two, gateway):
        one.script(Reply(400))
        assert (await turn(gateway, "chat", "both")).status == 400
        assert two.requests == []


async def test_what_the_last_candidate_said_is_told(tmp_path: Path) -> None:
    async with route(tmp_path) as (one, two, gateway):
        one.script(Reply(500))
        last = Reply(503, {"Retry-After": "0.1"}, json={"error": {"message": "second"}})
        two.script(last, last, last)
        reply = await turn(gateway, "chat", "both")
        assert (reply.status, reply.json) == (503, {"error": {"message": "second"}})
        assert reply.header("Retry-After") == "0.1"
        # Only where nobody else is left is one asked again.
        assert (len(one.requests), len(two.requests)) == (1, 3)


async def test_a_refused_connection_is_502_and_the_next_candidate_answers(tmp_path: Path) -> None:
    async with FakeVendor() as two:
        port = dead_port()
        config = provider(two.url, name="two")
        for dialect in DIALECT_NAMES:
            for name in (f"alone-{dialect}", f"one-{dialect}"):
                config += provider(f"http://127.0.0.1:{port}", name=name)
            config += f"[routes.both-{dialect}]\n"
            config += f'candidates = ["one-{dialect}/fake-model", "two/fake-model"]\n'
        async with running(tmp_path, config) as gateway:
            for dialect in DIALECT_NAMES:
                name = f"alone-{dialect}"
                alone = await turn(gateway, dialect, f"{name}/fake-model", stream=True, words=name)
                assert alone.status == 502
                said = error_of(dialect, alone.json)["message"]
                assert said.startswith(f"{name}: ") and "refused" in said and str(port) in said
                reply = await turn(gateway, dialect, f"both-{dialect}", stream=True)
                assert (reply.status, reply.header("X-Holdgate-Provider")) == (200, "two")
    tries = [[each["provider"] for each in row["tries"]] for row in gateway.ledger()]
    assert tries == [each for d in DIALECT_NAMES for each in ([f"alone-{d}"], [f"one-{d}", "two"])]


@pytest.mark.parametrize("streamed", [False, True])
async def test_dropped_before_a_reply_goes_to_the_next_candidate(
    tmp_path: Path, streamed: bool
) -> None:
    async with FakeVendor() as one, FakeVendor() as two:
        config = "".join(provider(one.url, name=name) for name in ("alone", "one"))
        config += provider(two.url, name="two") + ROUTE
        async with running(tmp_path, config) as gateway:
            one.script(*[Reply(drop=True)] * 4)
            alone = await turn(gateway, "messages", "alone/fake-model", stream=streamed)
            assert alone.status == 502
            assert error_of("messages", alone.json)["message"].startswith("alone: ")
            assert len(one.requests) == 2
            reply = await turn(gateway, "messages", "both", stream=streamed)
            assert (reply.status, reply.header("X-Holdgate-Provider")) == (200, "two")
            assert len(one.requests) == 4


async def test_a_kept_connection_found_dead_is_tried_again_silently(tmp_path: Path) -> None:
    async with between(tmp_path) as (vendor, gateway):
        assert (await turn(gateway, "chat")).status == 200
        vendor.script(Reply(drop=True))
        reply = await turn(gateway, "chat", stream=True)
        assert (reply.status, reply.ended, len(vendor.requests)) == (200, "whole", 3)
        bodies = {seen.body for seen in vendor.requests[1:]}
        assert len(bodies) == 1


async def test_it_is_tried_again_only_once(tmp_path: Path) -> None:
    async with between(tmp_path) as (vendor, gateway):
        assert (await turn(gateway, "chat")).status == 200
        vendor.script(*[Reply(drop=True)] * 3)
        assert (await turn(gateway, "chat")).status == 502
        assert len(vendor.requests) == 3


async def test_a_reply_cut_in_its_body_is_no_answer(tmp_path: Path) -> None:
    async with route(tmp_path) as (one, _two, gateway):
        for how in ("close", "reset"):
            cut: list[Chunk] = [b'{"choices":', Cut(how)]
            one.script(Reply(chunks=cut, headers=JSON), Reply(chunks=cut, headers=JSON))
            alone = await turn(gateway, "chat", "one/fake-model")
            assert alone.status == 502
            assert alone.json["error"]["message"].startswith("one: ")
            assert (await turn(gateway, "chat", "both")).status == 200
        assert len(one.requests) == 4


# A stream that breaks after the agent saw some of it.

STREAMS: dict[DialectName, list[bytes]] = {
    "chat": chat_stream("one two three"),
    "responses": responses_stream("one two three"),
    "messages": messages_stream("one two three"),
    "gemini": gemini_stream("one two three"),
}
# So many events of the streams above hold an opening and some words, not the end.
SHOWN: dict[DialectName, int] = {"chat": 3, "responses": 6, "messages": 4, "gemini": 2}
BREAKS: dict[str, Sequence[Chunk]] = {
    "closed": [Cut("close")],
    "reset": [Cut("reset")],
    "without closing event": [],
}


def check_broken(dialect: DialectName, reply: RawReply, shown: bytes, words: str) -> None:
    """Check that a reply is `shown`, then the dialect's error, and never a normal end."""
    assert reply.status == 200
    assert reply.body.startswith(shown)
    last = reply.body[len(shown) :]
    if dialect == "gemini":
        assert reply.ended in ("cut", "reset")
        assert reply.chunks[-1] == last.lstrip()
        error = json.loads(last)["error"]
        assert set(error) == {"code", "message", "status"}
        assert error["message"].startswith("fake: ") and words in error["message"]
        return
    assert reply.ended == "whole"
    name, data = reply.events[-1]
    told = json.loads(data)
    match dialect:
        case "chat":
            error = told["error"]
            assert set(error) == {"message", "type", "code"}
            assert b"[DONE]" not in reply.body and b'"finish_reason":"stop"' not in reply.body
        case "responses":
            assert name == told["type"] == "response.failed"
            error = told["response"]["error"]
            assert told["response"]["status"] == "failed"
            assert set(error) == {"code", "message"} and error["code"] == "server_error"
            assert b"response.completed" not in reply.body
        case "messages":
            assert name == told["type"] == "error"
            error = told["error"]
            assert b"message_stop" not in reply.body
    assert error["message"].startswith("fake: ") and words in error["message"]


@pytest.mark.parametrize("how", BREAKS)
@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_broken_stream_ends_with_the_dialects_error(
    tmp_path: Path, dialect: DialectName, how: str
) -> None:
    shown = STREAMS[dialect][: SHOWN[dialect]]
    async with between(tmp_path) as (vendor, gateway):
        vendor.script(Reply(chunks=[*shown, *BREAKS[how]]))
        reply = await turn(gateway, dialect, stream=True)
        check_broken(dialect, reply, b"".join(shown), "")
        if dialect != "gemini":
            assert len(reply.events) == len(shown) + 1
        status = await gateway.control("/api/status")
        assert status["last_error"].startswith("fake: ")


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_stream_broken_within_an_event_still_ends_with_a_readable_error(
    tmp_path: Path, dialect: DialectName
) -> None:
    *shown, half = STREAMS[dialect][: SHOWN[dialect] + 1]
    half = half[: len(half) // 2]
    async with between(tmp_path) as (vendor, gateway):
        vendor.script(Reply(chunks=[*shown, half, Cut()]))
        reply = await turn(gateway, dialect, stream=True)
        check_broken(dialect, reply, b"".join([*shown, half]), "")


async def test_a_failed_response_keeps_the_id_and_counts_on(tmp_path: Path) -> None:
    shown = STREAMS["responses"][: SHOWN["responses"]]
    async with between(tmp_path) as (vendor, gateway):
        vendor.script(Reply(chunks=[*shown, Cut()]))
        reply = await turn(gateway, "responses", stream=True)
        told = [json.loads(data) for _, data in reply.events]
        assert told[-1]["type"] == "response.failed"
        assert told[-1]["response"]["id"] == told[0]["response"]["id"]
        assert [event["sequence_number"] for event in told] == list(range(len(told)))


@pytest.mark.parametrize("how", ["closed", "without closing event"])
async def test_a_broken_gemini_array_is_cut(tmp_path: Path, how: str) -> None:
    shown = gemini_stream("one two three", array=True)[:2]
    async with between(tmp_path) as (vendor, gateway):
        vendor.script(Reply(chunks=[*shown, *BREAKS[how]], headers=JSON))
        path = path_of("gemini", "fake/fake-model", stream=True, array=True)
        reply = await post(gateway.url + path, body_of("gemini", stream=True))
        check_broken("gemini", reply, b"".join(shown), "")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_closing_event_counts_whatever_its_line_ends(
    tmp_path: Path, dialect: DialectName, end: str, last_end: str
) -> None:
    *first, closing = [event.replace(b"\r\n", b"\n") for event in STREAMS[dialect]]
    if dialect == "chat":  # a finish reason closes it, too
        first = [event for event in first if b'"finish_reason":"stop"' not in event]
    body = b"".join(first).replace(b"\n", end.encode())
    body += closing.replace(b"\n", last_end.encode())
    async with between(tmp_path) as (vendor, gateway):
        vendor.script(Reply(chunks=[body]))
        reply = await turn(gateway, dialect, stream=True)
        assert (reply.ended, reply.body) == ("whole", body)
        assert (await gateway.control("/api/status"))["last_error"] is None


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_vendors_own_error_event_in_mid_stream_passes_as_it_is(
    tmp_path: Path, dialect: DialectName
) -> None:
    event, _ = EVENTS[dialect]
    told = sse(event, str(event.get("type", "")))
    if dialect == "gemini":
        told = told.replace(b"\n", b"\r\n")
    shown = [*STREAMS[dialect][: SHOWN[dialect]], told]
    async with between(tmp_path) as (vendor, gateway):
        vendor.script(Reply(chunks=shown))
        reply = await turn(gateway, dialect, stream=True)
        assert reply.body == b"".join(shown)
        last = (await gateway.control("/api/status"))["last_error"]
        assert last.startswith("fake: ") and "boom" in last


# Silence.

SHORT = ('idle_timeout = "300ms"', 'first_byte_timeout = "300ms"', "concurrency = 1")


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_stream_that_stalls_is_ended(tmp_path: Path, dialect: DialectName) -> None:
    shown = STREAMS[dialect][: SHOWN[dialect]]
    async with between(tmp_path, *SHORT) as (vendor, gateway):
        vendor.script(Reply(chunks=[*shown, Until(asyncio.Event())]))
        async with asyncio.timeout(2.0):
            reply = await turn(gateway, dialect, stream=True)
        check_broken(dialect, reply, b"".join(shown), "300ms")
        await vendor.left(1, within=1.0)
        assert (await turn(gateway, dialect, stream=True, words="more")).status == 200


STALLS = {
    "before the status": Reply(until=asyncio.Event()),
    "before the first event": Reply(chunks=[Until(asyncio.Event())]),
    "after the opening": Reply(chunks=[*STREAMS["messages"][:2], Until(asyncio.Event())]),
    "in a whole body": Reply(chunks=[b'{"type":', Until(asyncio.Event())], headers=JSON),
}


@pytest.mark.parametrize("when", STALLS)
async def test_a_stall_before_any_content_is_504_or_the_next_candidates(
    tmp_path: Path, when: str
) -> None:
    async with route(tmp_path, *SHORT[:2]) as (one, _two, gateway):
        one.script(STALLS[when], STALLS[when])
        streamed = "whole" not in when
        async with asyncio.timeout(4.0):
            alone = await turn(gateway, "messages", "one/fake-model", stream=streamed)
            assert alone.status == 504
            assert alone.json["error"]["type"] == "timeout_error"
            assert alone.json["error"]["message"].startswith("one: ")
            reply = await turn(gateway, "messages", "both", stream=streamed)
        assert (reply.status, reply.header("X-Holdgate-Provider")) == (200, "two")
        # A key that gave no reply in time rests, and is not asked again at once.
        await one.left(1 if when == "before the status" else 2, within=1.0)


async def test_the_idle_timeout_counts_however_late_the_reply_began(tmp_path: Path) -> None:
    lines = ('idle_timeout = "300ms"', 'first_byte_timeout = "20s"')
    shown = STREAMS["chat"][:3]
    async with between(tmp_path, *lines) as (vendor, gateway):
        vendor.script(Reply(chunks=[*shown, Until(asyncio.Event())], delay=0.8))
        async with asyncio.timeout(4.0):
            reply = await turn(gateway, "chat", stream=True)
        check_broken("chat", reply, b"".join(shown), "300ms")


async def test_a_vendors_own_comments_are_no_silence(tmp_path: Path) -> None:
    first, *rest = STREAMS["chat"]
    quiet: list[Chunk] = [part for _ in range(5) for part in (Pause(0.2), b": wait\n\n")]
    async with between(tmp_path, 'idle_timeout = "800ms"') as (vendor, gateway):
        vendor.script(Reply(chunks=[first, *quiet, *rest[:2], *quiet, *rest[2:]]))
        reply = await turn(gateway, "chat", stream=True)
        assert (reply.ended, reply.events[-1][1]) == ("whole", "[DONE]")


# Agents that leave.


async def begun(gateway: Running, upload: Upload, path: str) -> Agent:
    """Send a request without waiting for anything of its reply."""
    agent = await Agent.connect(gateway.url)
    payload = upload.payload()
    agent.writer.write(upload.head(gateway.url + path, len(payload)) + payload)
    await agent.writer.drain()
    return agent


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_who_hangs_up_in_the_queue_leaves_it(
    tmp_path: Path, dialect: DialectName, streamed: bool
) -> None:
    go = asyncio.Event()
    path, upload = asking(dialect, stream=streamed)
    async with between(tmp_path, "concurrency = 1") as (vendor, gateway):
        vendor.script(Reply(until=go))
        first = await begun(gateway, upload, path)
        await vendor.arrived(1)
        second = await begun(gateway, upload, path)
        await gateway.waiting(1)
        third = await begun(gateway, upload, path)
        await gateway.waiting(2)
        second.writer.transport.abort()
        await gateway.until(lambda shown: shown["lanes"][0]["waiting"] == 1, within=1.0)
        go.set()
        await vendor.ended(2)
        assert (await third.reader.readline()).startswith(b"HTTP/1.1 200")
        assert len(vendor.requests) == 2
        for agent in (first, third):
            await agent.close()


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_who_hangs_up_before_the_headers_frees_the_slot(
    tmp_path: Path, dialect: DialectName, streamed: bool
) -> None:
    path, upload = asking(dialect, stream=streamed)
    async with between(tmp_path, "concurrency = 1") as (vendor, gateway):
        vendor.script(Reply(until=asyncio.Event()))
        agent = await begun(gateway, upload, path)
        await vendor.arrived(1)
        agent.writer.transport.abort()
        await vendor.left(1, within=1.0)
        await gateway.free(within=1.0)
        assert (await turn(gateway, dialect, stream=streamed)).status == 200


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_who_hangs_up_in_mid_stream_frees_the_slot(
    tmp_path: Path, dialect: DialectName, reset: bool
) -> None:
    path, upload = asking(dialect, stream=True)
    shown = STREAMS[dialect][: SHOWN[dialect]]
    async with between(tmp_path, "concurrency = 1") as (vendor, gateway):
        vendor.script(Reply(chunks=[*shown, Until(asyncio.Event())]))
        async with stream(gateway.url + path, upload=upload) as reply:
            await reply.read_until(shown[-1])
            reply.hang_up(reset=reset)
        await vendor.left(1, within=1.0)
        await gateway.free(within=1.0)
        assert (await turn(gateway, dialect, stream=True)).ended == "whole"


async def test_who_hangs_up_in_the_middle_of_its_upload_leaves_nothing(tmp_path: Path) -> None:
    _, upload = asking("chat", words="x" * 100_000)
    async with between(tmp_path, "concurrency = 1") as (vendor, gateway):
        agent = await Agent.connect(gateway.url)
        payload = upload.payload()
        agent.writer.write(upload.head(gateway.url + "/v1/messages", len(payload)) + payload[:50])
        await agent.writer.drain()
        agent.writer.transport.abort()
        assert (await turn(gateway, "chat")).status == 200
        assert len(vendor.requests) == 1


# Agents that stop reading.


class Flood(Sequence[Chunk]):
    """A stream that is far longer than all buffers on its way; counts what was taken."""

    def __init__(self, first: Sequence[bytes], piece: bytes, count: int, last: Sequence[bytes]):
        self._first, self._piece, self._count, self._last = first, piece, count, last
        self.taken = 0

    def __len__(self) -> int:
        return len(self._first) + self._count + len(self._last)

    @overload
    def __getitem__(self, at: int) -> Chunk: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Chunk]: ...
    def __getitem__(self, at: int | slice) -> Chunk | Sequence[Chunk]:
        raise IndexError("it can be walked once, not asked for one")

    def __iter__(self) -> Iterator[Chunk]:
        yield from self._first
        for _ in range(self._count):
            self.taken += len(self._piece)
            yield self._piece
        yield from self._last


PIECE = b": " + b"x" * 65_532 + b"\n\n"
MANY = 1024  # pieces: 64 MiB


@pytest.mark.parametrize("kind", ["sse", "array"])
async def test_who_stops_reading_pauses_the_vendor_and_loses_the_slot(
    tmp_path: Path, kind: Literal["sse", "array"]
) -> None:
    events = STREAMS["chat"] if kind == "sse" else gemini_stream("one two", array=True)
    piece = PIECE if kind == "sse" else b" " * 65_536
    flood = Flood(events[:3], piece, MANY, events[3:])
    dialect: DialectName = "chat" if kind == "sse" else "gemini"
    path = path_of(dialect, "fake/fake-model", stream=True, array=True)
    headers = {} if kind == "sse" else JSON
    async with between(tmp_path, "concurrency = 1", 'idle_timeout = "600ms"') as (vendor, gateway):
        vendor.script(Reply(chunks=flood, headers=headers))
        body = body_of(dialect, stream=True)
        async with stream(gateway.url + path, body, buffer=4096) as reply:
            assert reply.status == 200
            await vendor.left(1, within=5.0)
            assert flood.taken < 24 << 20
            await gateway.free(within=1.0)
            assert (await turn(gateway, dialect, stream=True)).status == 200
            assert (await reply.read_all()).ended in ("cut", "reset")


async def test_who_reads_slowly_gets_everything(tmp_path: Path) -> None:
    events = STREAMS["chat"]
    flood = Flood(events[:3], PIECE, 160, events[3:])
    async with between(tmp_path, 'idle_timeout = "5s"') as (vendor, gateway):
        vendor.script(Reply(chunks=flood))
        body = body_of("chat", stream=True)
        url = gateway.url + "/v1/chat/completions"
        async with stream(url, body, buffer=8192) as slow:
            reply = await slow.read_all()
        assert reply.ended == "whole"
        assert reply.body == b"".join([*events[:3], PIECE * 160, *events[3:]])
