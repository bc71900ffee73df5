"""A relay of one dialect changes as little as can be: bodies, headers, paths, framings."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from holdgate.core.store.callers import GatewayKeys
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from tests.fakes.agents import Agent, Encoding, RawReply, Upload, get, post, stream
from tests.fakes.vendor import Chunk, FakeVendor, Json, Pause, Reply, Seen
from tests.journeys.gateway import (
    AGENT_KEY,
    VENDOR_KEY,
    Running,
    asking,
    body_of,
    path_of,
    provider,
    running,
)

EVENTS = "text/event-stream"


@pytest.fixture
async def vendor() -> AsyncIterator[FakeVendor]:
    async with FakeVendor() as fake:
        yield fake


@pytest.fixture
async def gateway(vendor: FakeVendor, tmp_path: Path) -> AsyncIterator[Running]:
    models = '["fake-model", { id = "nick", vendor_id = "real-1" }]'
    config = provider(vendor.url, models=models)
    config += '[routes.coder]\ncandidates = ["fake/nick"]\n'
    async with running(tmp_path, config) as run:
        yield run


def last(vendor: FakeVendor) -> Seen:
    return vendor.requests[-1]


async def turn(gateway: Running, asked: tuple[str, Upload]) -> RawReply:
    path, upload = asked
    return await post(gateway.url + path, upload=upload)


# Replies.

# Nothing here is how a vendor should write, and all of it must arrive as it is.
ODD_STREAMS: dict[DialectName, bytes] = {
    "chat": (
        b"\xef\xbb\xbf: hello\r\n\r\n"
        b"data:{not json\n\n"
        b'retry: 10\ndata:   {"choices" : [ {"delta":{"content":"gr\xc3\xbc\xc3\x9f \xf0\x9f\x99'
        b'\x82 \\u00e9"}} ] , "big":12345678901234567890}\r\n\r\n'
        b'event: odd\r\nid: 7\r\ndata: {"choices":\r\ndata: []}\r\n\r\n\n\n'
        b"data: broken again\n\n: ping\n\n"
        b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
        b"data: [DONE]\n\n"
    ),
    "responses": (
        b"event: response.created\r\n"
        b'data: {"type":"response.created" , "response":{"id":"r1"}}\r\n\r\n'
        b"event: nobody.knows\ndata: [1,\n\n"
        b'event: response.output_text.delta\ndata:{"type": "response.output_text.delta",'
        b'"delta":"\xe4\xbd\xa0\xe5\xa5\xbd"}\n\n'
        b": still here\n\n"
        b'data: {"type":"response.completed","response":{"id":"r1","usage":{"input_tokens":1}}}\n\n'
    ),
    "messages": (
        b'event:message_start\ndata: {"type":"message_start","message":{"usage":{}}}\n\n'
        b"event: ping\ndata: }{\n\n"
        b"event: content_block_delta\r\n"
        b'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"\xd0\x96"}}'
        b"\r\n\r\n"
        b"event: content_block_delta\ndata: \xff\xfe not even UTF-8\n\n"
        b'event: message_stop\ndata: {"type" : "message_stop"}\n\n'
    ),
    "gemini": (
        b'\r\n\r\ndata: {"candidates": [{"content":{"parts":[{"text":"\xf0\x9f\x90\x8d"}]}}]}'
        b"\r\n\r\n"
        b"data: {oh\r\n\r\n"
        b'data: {"candidates":[ {"finishReason":"STOP"} ],\r\ndata: "x":1.10}\r\n\r\n'
    ),
}
ODD_ARRAY = (
    b'[ {"candidates": [{"content":{"parts":[{"text":"a } \\" { \xc3\xa9"}]}}]}\r\n,\n\n'
    b'{"candidates":[ {"finishReason":"STOP"} ] , "x":1.10}\n]\n'
)


def cut_up(body: bytes, size: int = 9) -> list[Chunk]:
    return [body[at : at + size] for at in range(0, len(body), size)]


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_stream_arrives_byte_for_byte(
    gateway: Running, vendor: FakeVendor, dialect: DialectName
) -> None:
    body = ODD_STREAMS[dialect]
    for chunks in ([body], cut_up(body), cut_up(body, 1)):
        vendor.script(Reply(chunks=chunks, headers={"Content-Type": f"{EVENTS}; charset=x"}))
        reply = await turn(gateway, asking(dialect, stream=True))
        assert (reply.status, reply.ended) == (200, "whole")
        assert reply.body == body


async def test_a_gemini_array_arrives_byte_for_byte(gateway: Running, vendor: FakeVendor) -> None:
    path = path_of("gemini", "fake/fake-model", stream=True, array=True)
    for chunks in ([ODD_ARRAY], cut_up(ODD_ARRAY), cut_up(ODD_ARRAY, 1)):
        vendor.script(Reply(chunks=chunks, headers={"Content-Type": "application/json"}))
        reply = await post(gateway.url + path, body_of("gemini", stream=True))
        assert (reply.status, reply.ended, reply.body) == (200, "whole", ODD_ARRAY)
        assert reply.header("Content-Type") == "application/json"
        assert last(vendor).query == ""


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_whole_reply_arrives_byte_for_byte(
    gateway: Running, vendor: FakeVendor, dialect: DialectName
) -> None:
    body = (
        ' {\r\n\t"ok" :true,"ok":false , "big":123456789012345678901, "f":1.10, "ü":"\\u00e9🙂"}\n'
    )
    vendor.script(Reply(text=body, headers={"Content-Type": "application/json; charset=utf-8"}))
    reply = await turn(gateway, asking(dialect))
    assert (reply.status, reply.body) == (200, body.encode())
    assert reply.header("Content-Type") == "application/json; charset=utf-8"
    assert reply.header("Content-Length") == str(len(body.encode()))


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_the_usual_answers_pass(
    gateway: Running, vendor: FakeVendor, dialect: DialectName
) -> None:
    for streamed in (False, True):
        reply = await turn(gateway, asking(dialect, stream=streamed))
        direct = asking(dialect, "fake-model", stream=streamed)
        theirs = await post(vendor.url + direct[0], upload=direct[1])
        assert (reply.status, reply.body) == (200, theirs.body)


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_reply_that_was_compressed_unasked_is_decoded(
    gateway: Running, vendor: FakeVendor, streamed: bool
) -> None:
    body = ODD_STREAMS["chat"]
    scripted = (
        Reply(chunks=cut_up(body), encode="gzip")
        if streamed
        else Reply(encode="gzip", json={"a": 1})
    )
    vendor.script(scripted)
    reply = await turn(gateway, asking("chat", stream=streamed))
    assert reply.body == (body if streamed else b'{"a":1}')
    assert reply.header("Content-Encoding") is None
    assert last(vendor).header("Accept-Encoding") == "identity"


async def test_a_stream_passes_while_it_is_written(gateway: Running, vendor: FakeVendor) -> None:
    body = ODD_STREAMS["messages"]
    at = body.index(b"event: content_block_delta\ndata: \xff")
    vendor.script(Reply(chunks=[body[:at], Pause(30.0), body[at:]]))
    path, upload = asking("messages", stream=True)
    async with stream(gateway.url + path, upload=upload) as reply:
        assert await reply.read_until(body[:at]) == body[:at]
        reply.hang_up()
    await vendor.left(1, within=1.0)


# Requests.

ODD_BODY = (
    '\n{{ "messages" :[{{"role":"user",'
    '"content":"say \\"model\\": \\"fake/fake-model\\" é \\u00e9"}}],'
    '\r\n"nested":{{"model":"fake/fake-model"}},"model"\t:  "{model}" ,{stream}\n'
    '"big":123456789012345678901234567890, "f": 1.10, "unknown_field":[null , 1e5]}} '
)


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ("fake/fake-model", "fake-model"),
        ("fake-model", "fake-model"),
        ("fake/nick", "real-1"),
        ("nick", "real-1"),
        ("coder", "real-1"),
        ("fake/org/other:free", "org/other:free"),
    ],
)
@pytest.mark.parametrize("dialect", ["chat", "responses", "messages"])
async def test_of_a_request_only_the_models_value_changes(
    gateway: Running, vendor: FakeVendor, dialect: DialectName, asked: str, sent: str
) -> None:
    for streamed in ('"stream" :true,', ""):
        body = ODD_BODY.format(model=asked, stream=streamed)
        path = path_of(dialect, asked, stream=bool(streamed))
        assert (await post(gateway.url + path, body.encode())).status == 200
        assert last(vendor).body == ODD_BODY.format(model=sent, stream=streamed).encode()


async def test_an_escaped_model_is_read_and_replaced(gateway: Running, vendor: FakeVendor) -> None:
    body = rb'{"messages":[],"m\u006fdel":"fake\/fake-m\u006fdel","a" : 1}'
    assert (await post(gateway.url + "/v1/chat/completions", body)).status == 200
    assert last(vendor).body == rb'{"messages":[],"m\u006fdel":"fake-model","a" : 1}'


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ("fake/fake-model", "fake-model"),
        ("fake%2Ffake-model", "fake-model"),
        ("models/fake/fake-model", "fake-model"),
        ("coder", "real-1"),
        ("fake/org/other", "org%2Fother"),
    ],
)
async def test_a_gemini_model_is_replaced_in_the_path_alone(
    gateway: Running, vendor: FakeVendor, asked: str, sent: str
) -> None:
    body = ODD_BODY.format(model=asked, stream="").encode()
    for method in ("generateContent", "streamGenerateContent", "countTokens"):
        assert (await post(f"{gateway.url}/v1beta/models/{asked}:{method}", body)).status == 200
        assert last(vendor).path == f"/v1beta/models/{sent}:{method}"
        assert last(vendor).body == body


@pytest.mark.parametrize("encode", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("pieces", [0, 5])
async def test_a_compressed_body_goes_on_plain(
    gateway: Running, vendor: FakeVendor, encode: Encoding, pieces: int
) -> None:
    body = ODD_BODY.format(model="fake/fake-model", stream="").encode()
    upload = Upload(body=body, encode=encode, pieces=pieces)
    assert (await post(gateway.url + "/v1/chat/completions", upload=upload)).status == 200
    assert last(vendor).body == ODD_BODY.format(model="fake-model", stream="").encode()
    assert last(vendor).header("Content-Encoding") is None
    assert last(vendor).header("Content-Length") == str(len(last(vendor).body))


async def test_a_chunked_body_goes_on_with_its_length(gateway: Running, vendor: FakeVendor) -> None:
    path, upload = asking("messages", words="x" * 200_000)
    assert (await post(gateway.url + path, upload=replace(upload, pieces=7))).status == 200
    assert last(vendor).header("Transfer-Encoding") is None
    assert last(vendor).json["messages"][0]["content"] == "x" * 200_000


async def test_who_expects_100_continue_gets_it(gateway: Running, vendor: FakeVendor) -> None:
    path, upload = asking("responses")
    reply = await post(gateway.url + path, upload=replace(upload, expect=True))
    assert (reply.status, reply.continued) == (200, True)
    assert last(vendor).header("Expect") is None


async def test_a_connection_serves_one_request_after_another(
    gateway: Running, vendor: FakeVendor
) -> None:
    agent = await Agent.connect(gateway.url)
    for dialect in (*DIALECT_NAMES, *DIALECT_NAMES):
        path, upload = asking(dialect, stream=dialect != "chat")
        reply = await (await agent.send(gateway.url + path, upload)).read_all()
        assert (reply.status, reply.ended) == (200, "whole")
    await agent.close()
    assert len(vendor.requests) == 8


# Headers.

PASS = {
    "anthropic-beta": "a-1,b-2",
    "anthropic-version": "2099-01-01",
    "openai-organization": "org-1",
    "openai-beta": "responses=v1",
    "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "user-agent": "claude-cli/2.1.0 (external, cli)",
    "x-stainless-lang": "js",
    "x-claude-code-session-id": "0a1b",
    "idempotency-key": "k-1",
    "accept": "text/event-stream, */*",
    "content-type": "application/json; charset=utf-8",
}
STAY = {
    "cookie": f"session={AGENT_KEY}",
    "api-key": AGENT_KEY,
    "proxy-authorization": f"Basic {AGENT_KEY}",
    "connection": "keep-alive, X-Mine",
    "x-mine": "hop by hop",
    "keep-alive": "timeout=5",
    "te": "trailers",
    "x-codex-turn-metadata": '{"cwd":"/home/me/secret project"}',
    "accept-encoding": "gzip, br",
    "sec-fetch-mode": "cors",
    "x-holdgate-request": "forged",
}
KEY_PLACES = {"authorization": f"Bearer {AGENT_KEY}", "x-api-key": AGENT_KEY}
PLACE: dict[DialectName, str] = {
    "chat": "authorization",
    "responses": "authorization",
    "messages": "x-api-key",
    "gemini": "x-goog-api-key",
}


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_headers_towards_the_vendor(
    gateway: Running, vendor: FakeVendor, dialect: DialectName
) -> None:
    path = path_of(dialect, "fake/fake-model", stream=False)
    headers = {**PASS, **STAY, **KEY_PLACES, "x-goog-api-key": AGENT_KEY}
    upload = Upload(body=body_of(dialect, stream=False), headers=headers)
    target = f"{path}?key={AGENT_KEY}&beta=true&key={AGENT_KEY}"
    assert (await post(gateway.url, upload=replace(upload, target=target))).status == 200
    seen = last(vendor)
    names = [name.lower() for name, _ in seen.headers]
    assert len(names) == len(set(names))
    for name, value in PASS.items():
        assert seen.header(name) == value
    keys = {*KEY_PLACES, "x-goog-api-key"}
    for name in {*STAY, *keys} - {PLACE[dialect], "accept-encoding", "connection"}:
        assert seen.header(name) is None, name
    expected = f"Bearer {VENDOR_KEY}" if PLACE[dialect] == "authorization" else VENDOR_KEY
    assert seen.header(PLACE[dialect]) == expected
    assert seen.query == "beta=true"
    told = f"{seen.path}?{seen.query} {seen.headers}"
    assert AGENT_KEY not in told and "X-Mine" not in told
    assert seen.header("Host") == vendor.url.removeprefix("http://")


async def test_messages_get_the_version_that_the_vendor_insists_on(
    gateway: Running, vendor: FakeVendor
) -> None:
    assert (await turn(gateway, asking("messages"))).status == 200
    assert last(vendor).header("anthropic-version") == "2023-06-01"


async def test_no_key_is_sent_where_none_is_configured(vendor: FakeVendor, tmp_path: Path) -> None:
    async with running(tmp_path, provider(vendor.url, key="")) as gateway:
        headers = {**KEY_PLACES, "x-goog-api-key": AGENT_KEY}
        for dialect in DIALECT_NAMES:
            assert (await turn(gateway, asking(dialect, headers=headers))).status == 200
            assert last(vendor).key == ""


async def test_the_configured_headers_replace_the_agents(
    vendor: FakeVendor, tmp_path: Path
) -> None:
    lines = 'headers = { "X-Team" = "a", "User-Agent" = "team/1" }'
    async with running(tmp_path, provider(vendor.url, lines)) as gateway:
        headers = {"x-team": "mine", "user-agent": "codex_exec/1"}
        assert (await turn(gateway, asking("chat", headers=headers))).status == 200
        named = [(n.lower(), text) for n, text in last(vendor).headers]
        assert [text for name, text in named if name == "x-team"] == ["a"]
        assert [text for name, text in named if name == "user-agent"] == ["team/1"]


async def test_forwarding_and_the_gateway_key_end_at_the_gateway(
    vendor: FakeVendor, tmp_path: Path
) -> None:
    config = "[server]\nlan = true\n" + provider(vendor.url)
    key = GatewayKeys(tmp_path / "state", lambda: 0.0).add("away")
    async with running(tmp_path, config) as gateway:
        forwarding = {
            "x-forwarded-for": "203.0.113.7",
            "x-forwarded-proto": "https",
            "forwarded": "for=203.0.113.7",
            "via": "1.1 proxy",
            "x-real-ip": "203.0.113.7",
            "cf-connecting-ip": "203.0.113.7",
            "true-client-ip": "203.0.113.7",
            "tailscale-user-login": "me@example.com",
        }
        headers = {**forwarding, "authorization": f"Bearer {key}", "x-goog-api-key": key}
        assert (await turn(gateway, asking("chat", headers=headers))).status == 200
        seen = last(vendor)
        assert seen.key == VENDOR_KEY
        for name in forwarding:
            assert seen.header(name) is None, name
        assert key not in str(seen.headers)


async def test_headers_towards_the_agent(gateway: Running, vendor: FakeVendor) -> None:
    back = {
        "request-id": "req_1",
        "x-request-id": "abc",
        "apim-request-id": "d",
        "cf-ray": "9",
        "anthropic-ratelimit-requests-remaining": "3",
        "x-ratelimit-limit-requests": "60",
        "openai-processing-ms": "12",
    }
    stay = {
        "set-cookie": "a=b",
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "x",
        "strict-transport-security": "max-age=1",
        "alt-svc": "h3",
        "x-internal": "1",
        "x-holdgate-provider": "forged",
        "cache-control": "public",
    }
    for dialect in DIALECT_NAMES:
        for streamed in (False, True):
            vendor.script(Reply(headers={**back, **stay}))
            reply = await turn(gateway, asking(dialect, stream=streamed))
            assert reply.status == 200
            for name, value in back.items():
                assert reply.header(name) == value, name
            for name in stay.keys() - {"cache-control", "x-holdgate-provider"}:
                assert reply.header(name) is None, name
            check_own_headers(reply, streamed)


def check_own_headers(reply: RawReply, streamed: bool) -> None:
    names = [name.lower() for name, _ in reply.headers]
    assert len(names) == len(set(names))
    assert (reply.header("X-Holdgate-Request") or "").startswith("hg-")
    assert reply.header("X-Holdgate-Provider") == "fake"
    assert reply.header("X-Holdgate-Model") == "fake-model"
    if streamed:
        assert reply.header("Content-Type") == "text/event-stream; charset=utf-8"
        assert reply.header("Cache-Control") == "no-cache"
        assert reply.header("X-Accel-Buffering") == "no"
    else:
        assert reply.header("Content-Type") == "application/json"


async def test_each_request_has_an_id_of_its_own(gateway: Running) -> None:
    ids = [
        (await turn(gateway, asking("chat"))).header("X-Holdgate-Request"),
        (await post(gateway.url + "/v1/messages", b"{")).header("X-Holdgate-Request"),
        (await turn(gateway, asking("gemini", "none"))).header("X-Holdgate-Request"),
    ]
    assert None not in ids and len(set(ids)) == 3


# Paths.

PATHS: Sequence[tuple[DialectName, str, str]] = [
    *(
        ("chat", path, "/v1/chat/completions")
        for path in ("/chat/completions", "/v1/chat/completions", "/v1/v1/chat/completions")
    ),
    *(("responses", path, "/v1/responses") for path in ("/responses", "/v1/v1/responses")),
    *(
        ("messages", path, "/v1/messages")
        for path in ("/messages", "/v1/messages", "/v1/v1/messages", "/v1/messages/")
    ),
    *(
        ("gemini", path + "/models/fake/fake-model:generateContent", "")
        for path in ("", "/v1", "/v1beta", "/v1beta/v1beta", "/v1/v1beta", "/v1beta/v1")
    ),
]


@pytest.mark.parametrize(("dialect", "path", "sent"), PATHS)
async def test_each_spelling_of_a_path_is_served(
    gateway: Running, vendor: FakeVendor, dialect: DialectName, path: str, sent: str
) -> None:
    body = body_of(dialect, stream=False)
    assert (await post(gateway.url + path, body)).status == 200
    assert last(vendor).path == (sent or "/v1beta/models/fake-model:generateContent")


async def test_queries_pass_and_gemini_gets_its_own(gateway: Running, vendor: FakeVendor) -> None:
    body = body_of("messages", stream=True)
    url = f"{gateway.url}/v1/messages?beta=true&x=%20y"
    assert (await post(url, body)).status == 200
    assert (last(vendor).path, last(vendor).query) == ("/v1/messages", "beta=true&x=%20y")
    path = path_of("gemini", "fake/fake-model", stream=True)
    reply = await post(f"{gateway.url}{path}&key={AGENT_KEY}", body_of("gemini", stream=True))
    assert last(vendor).query == "alt=sse"
    assert reply.events[-1][1].startswith("{")


async def test_tokens_are_counted_by_the_vendor(gateway: Running, vendor: FakeVendor) -> None:
    for prefix in ("", "/v1", "/v1/v1"):
        url = f"{gateway.url}{prefix}/messages/count_tokens?beta=true"
        reply = await post(url, body_of("messages", stream=False))
        assert reply.json["input_tokens"] > 0
        assert last(vendor).path == "/v1/messages/count_tokens"
        assert last(vendor).json["model"] == "fake-model"
    url = f"{gateway.url}/v1beta/models/fake/fake-model:countTokens"
    assert (await post(url, body_of("gemini", stream=False))).json["totalTokens"] > 0


async def test_embeddings_are_relayed(gateway: Running, vendor: FakeVendor) -> None:
    body = {"model": "fake/fake-model", "input": ["a", "b"]}
    for prefix in ("", "/v1", "/v1/v1"):
        reply = await post(f"{gateway.url}{prefix}/embeddings", body)
        assert len(reply.json["data"]) == 2
        assert last(vendor).json == {"model": "fake-model", "input": ["a", "b"]}
    assert reply.header("X-Holdgate-Provider") == "fake"


async def test_the_models_are_listed_for_all_clients(gateway: Running) -> None:
    listed = (await get(gateway.url + "/v1/models?limit=1000")).json
    assert [entry["id"] for entry in listed["data"]] == ["coder", "fake/fake-model", "fake/nick"]
    assert all(entry["object"] == entry["type"] == "model" for entry in listed["data"])
    one = await get(gateway.url + "/v1/models/fake/nick")
    assert (one.status, one.json["id"]) == (200, "fake/nick")
    assert (await get(gateway.url + "/v1/models/fake/none")).status == 404
    gemini = (await get(gateway.url + "/v1beta/models")).json["models"]
    assert [entry["name"] for entry in gemini][1] == "models/fake/fake-model"


async def test_who_it_is_and_what_it_does_not_serve(gateway: Running) -> None:
    for path in ("/", "/healthz"):
        found = (await get(gateway.url + path)).json
        assert (found["name"], found["status"]) == ("holdgate", "ok")
        assert (await get(gateway.url + path, method="HEAD")).status == 200
    unknown = await get(gateway.url + "/v1/nothing")
    assert unknown.status == 404 and "/v1/chat/completions" in unknown.json["error"]["message"]
    wrong = await get(gateway.url + "/v1/messages")
    assert (wrong.status, wrong.header("Allow")) == (405, "POST")
    assert wrong.json["type"] == "error"
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket"}
    assert (await get(gateway.url + "/v1/responses", upgrade)).status == 426


# What is refused.


def message_of(dialect: DialectName, reply: RawReply, status: int, kind: str) -> str:
    """Check an error's shape and give its message."""
    assert (reply.status, reply.header("Content-Type")) == (status, "application/json")
    body: Json = reply.json
    error: Json = body["error"]
    match dialect:
        case "chat" | "responses":
            assert set(body) == {"error"}
            assert set(error) == {"message", "type", "code", "param"}
            assert error["type"] == kind
        case "messages":
            assert set(body) == {"type", "error", "request_id"} and body["type"] == "error"
            assert set(error) == {"type", "message"} and error["type"] == kind
            assert body["request_id"] == reply.header("X-Holdgate-Request")
        case "gemini":
            states = {400: "INVALID_ARGUMENT", 404: "NOT_FOUND", 413: "INVALID_ARGUMENT"}
            assert set(body) == {"error"}
            assert (error["code"], error["status"]) == (status, states[status])
    return str(error["message"])


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'"x"', b'{"model":"fake/fake-model"}{"a":1}', b"\xff\xfe", b"{'a':1}"],
)
@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_what_is_no_json_object_is_400(
    gateway: Running, vendor: FakeVendor, dialect: DialectName, body: bytes
) -> None:
    path = path_of(dialect, "fake/fake-model", stream=False)
    reply = await post(gateway.url + path, body)
    assert message_of(dialect, reply, 400, "invalid_request_error")
    assert vendor.requests == []


@pytest.mark.parametrize("dialect", ["chat", "responses", "messages"])
async def test_who_names_no_model_is_400(gateway: Running, dialect: DialectName) -> None:
    for body in ({}, {"model": ""}, {"model": None}, {"model": 7}, {"nested": {"model": "x"}}):
        reply = await post(gateway.url + path_of(dialect, "", stream=False), body)
        assert "model" in message_of(dialect, reply, 400, "invalid_request_error")


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@pytest.mark.parametrize("streamed", [False, True])
async def test_an_unknown_model_is_404_naming_the_nearest(
    gateway: Running, vendor: FakeVendor, dialect: DialectName, streamed: bool
) -> None:
    for asked, near in (("fake-modle", "fake/fake-model"), ("coler", "coder")):
        reply = await turn(gateway, asking(dialect, asked, stream=streamed))
        said = message_of(dialect, reply, 404, "not_found_error")
        assert asked in said and near in said
        if dialect in ("chat", "responses"):
            assert reply.json["error"]["code"] == "model_not_found"
    assert vendor.requests == []


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
async def test_a_body_too_large_is_413(
    vendor: FakeVendor, tmp_path: Path, dialect: DialectName
) -> None:
    config = '[server]\nmax_body = "100KiB"\n' + provider(vendor.url)
    async with running(tmp_path, config) as gateway:
        path, upload = asking(dialect, words="x" * 200_000)
        for sent in (upload, replace(upload, pieces=3), replace(upload, encode="gzip")):
            reply = await post(gateway.url + path, upload=sent)
            assert "max_body" in message_of(dialect, reply, 413, "request_too_large")
        path, upload = asking(dialect, words="x" * 50_000)
        assert (await post(gateway.url + path, upload=upload)).status == 200
    assert len(vendor.requests) == 1


async def test_a_limit_below_a_mebibyte_is_told_as_it_is(
    vendor: FakeVendor, tmp_path: Path
) -> None:
    config = '[server]\nmax_body = "100KiB"\n' + provider(vendor.url)
    async with running(tmp_path, config) as gateway:
        reply = await turn(gateway, asking("chat", words="x" * 200_000))
        assert "0 MiB" not in reply.json["error"]["message"]


@pytest.mark.parametrize(
    ("encoding", "status"), [("gzip", 400), ("br", 400), ("zstd", 400), ("compress", 415)]
)
async def test_a_broken_or_unknown_compression_is_refused(
    gateway: Running, vendor: FakeVendor, encoding: str, status: int
) -> None:
    headers = {"Content-Encoding": encoding}
    reply = await post(gateway.url + "/v1/messages", b'{"model":"fake/fake-model"}', headers)
    assert reply.status == status
    assert reply.json["type"] == "error"
    assert vendor.requests == []


def test_the_answers_are_no_events_of_one_dialect_alone() -> None:
    assert set(ODD_STREAMS) == set(DIALECT_NAMES)
    assert json.loads(ODD_ARRAY)
