"""The demo vendor: a small HTTP server on loopback that speaks all four dialects."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from aiohttp import web

from holdgate.core.server.demo import chat, gemini, messages, responses
from holdgate.core.server.demo.ask import (
    MODEL,
    Ask,
    Frame,
    JsonObject,
    Refused,
    Stamp,
    compact,
    encoded,
)
from holdgate.core.server.demo.script import Answer, answer
from holdgate.core.values.clock import Clock

STREAM_TYPE = "text/event-stream; charset=utf-8"
ARRAY_TYPE = "application/json; charset=utf-8"
WORDS_PER_SECOND = 25.0
# Streams that the gateway left are cut at the stop; nobody reads them any more.
STOP_WITHIN = 0.2


class Dialect(Protocol):
    """What the module of a dialect offers."""

    def read(self, body: JsonObject) -> Ask:
        """Read a request."""

    def whole(self, ask: Ask, answer: Answer, stamp: Stamp) -> JsonObject:
        """Give the body of a reply that is not streamed."""

    def frames(self, ask: Ask, answer: Answer, stamp: Stamp) -> Iterator[Frame]:
        """Give the stream of a reply."""

    def refusal(self, status: int, message: str) -> JsonObject:
        """Give the body of an error."""


class DemoVendor:
    """A scripted vendor in this process and event loop; it enforces no limits of its own."""

    def __init__(self, clock: Clock, words_per_second: float = WORDS_PER_SECOND) -> None:
        """Take the clock that replies are dated by, and the pace; 0 is as fast as it can."""
        self._clock = clock
        self._pace = words_per_second
        self._started = int(clock.wall())
        self._numbers = itertools.count(1)
        self._runner: web.AppRunner | None = None

    async def start(self) -> str:
        """Listen on a free loopback port; give the base URL, `http://127.0.0.1:PORT`."""
        runner = web.AppRunner(
            self._app(), access_log=None, handler_cancellation=True, shutdown_timeout=STOP_WITHIN
        )
        await runner.setup()
        self._runner = runner
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{runner.addresses[0][1]}"

    async def stop(self) -> None:
        """Stop listening and end what still runs; may be called twice."""
        runner, self._runner = self._runner, None
        if runner:
            await runner.cleanup()

    def _app(self) -> web.Application:
        # The gateway has bounded the body already.
        app = web.Application(client_max_size=0)
        app.add_routes(
            [
                web.post("/v1/chat/completions", self._chat),
                web.post("/v1/responses", self._responses),
                web.post("/v1/messages", self._messages),
                web.post("/v1/messages/count_tokens", self._count),
                web.post("/{version:v1|v1beta}/models/{model}:{verb}", self._gemini),
                web.get("/v1/models", self._models),
                web.get("/v1beta/models", self._gemini_models),
                web.route("*", "/{path:.*}", self._unknown),
            ]
        )
        return app

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, chat, Ask(""))

    async def _responses(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, responses, Ask(""))

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, messages, Ask(""))

    async def _count(self, request: web.Request) -> web.StreamResponse:
        try:
            ask = messages.count(_object(await request.read()))
        except Refused as refused:
            return _refuse(messages, refused)
        return _json({"input_tokens": ask.prompt_tokens})

    async def _gemini(self, request: web.Request) -> web.StreamResponse:
        verb = request.match_info["verb"]
        stream = verb == "streamGenerateContent"
        path = Ask(
            request.match_info["model"],
            stream=stream,
            array=stream and request.query.get("alt") != "sse",
        )
        if stream or verb == "generateContent":
            return await self._answer(request, gemini, path)
        if verb != "countTokens":
            return _refuse(gemini, Refused(404, f"Method not found: {verb}"))
        try:
            ask = gemini.count(_object(await request.read()))
        except Refused as refused:
            return _refuse(gemini, refused)
        return _json({"totalTokens": ask.prompt_tokens})

    async def _answer(
        self, request: web.Request, dialect: Dialect, path: Ask
    ) -> web.StreamResponse:
        """Answer a generation; `path` says what a Gemini path says and a body does not."""
        try:
            ask = dialect.read(_object(await request.read()))
            if path.model:
                ask = replace(ask, model=path.model, stream=path.stream, array=path.array)
            if ask.model != MODEL:
                raise Refused(404, f"The demo provider has no model {ask.model}, only {MODEL}.")
        except Refused as refused:
            return _refuse(dialect, refused)
        said = answer(ask)
        if ask.stream:
            return await self._stream(request, dialect, ask, said)
        await self._take_time(said.output_tokens)
        return _json(dialect.whole(ask, said, self._stamp()))

    async def _stream(
        self, request: web.Request, dialect: Dialect, ask: Ask, said: Answer
    ) -> web.StreamResponse:
        kind = ARRAY_TYPE if ask.array else STREAM_TYPE
        response = web.StreamResponse(headers={"Content-Type": kind, "Cache-Control": "no-cache"})
        await response.prepare(request)
        try:
            for frame in dialect.frames(ask, said, self._stamp()):
                await self._take_time(frame.words)
                await response.write(frame.data)
            await response.write_eof()
        except ConnectionError:
            pass  # the gateway left between two words
        return response

    async def _take_time(self, words: int) -> None:
        if self._pace and words:
            await asyncio.sleep(words / self._pace)

    def _stamp(self) -> Stamp:
        token = f"demo{self._started:x}{next(self._numbers):06x}"
        return Stamp(token, int(self._clock.wall()))

    async def _unknown(self, request: web.Request) -> web.StreamResponse:
        dialect: Dialect = gemini if request.path.startswith("/v1beta/") else chat
        return _refuse(dialect, Refused(404, f"The demo provider has no path {request.path}."))

    async def _models(self, request: web.Request) -> web.StreamResponse:
        # One list that OpenAI's and Anthropic's clients both read.
        entry = {
            "id": MODEL,
            "object": "model",
            "created": self._started,
            "owned_by": "holdgate",
            "type": "model",
            "display_name": "Demo model",
            "created_at": "2026-01-01T00:00:00Z",
        }
        ends = {"has_more": False, "first_id": MODEL, "last_id": MODEL}
        return _json({"object": "list", "data": [entry], **ends})

    async def _gemini_models(self, request: web.Request) -> web.StreamResponse:
        verbs = ["generateContent", "streamGenerateContent", "countTokens"]
        entry = {
            "name": f"models/{MODEL}",
            "version": "1",
            "displayName": "Demo model",
            "inputTokenLimit": 1048576,
            "outputTokenLimit": 65536,
            "supportedGenerationMethods": verbs,
        }
        return _json({"models": [entry]})


def _object(raw: bytes) -> JsonObject:
    """Read a request's body. Raises Refused."""
    try:
        body = json.loads(raw)
    except ValueError as error:
        raise Refused(400, f"The body is not valid JSON: {error}") from error
    if not isinstance(body, dict):
        raise Refused(400, "The body must be a JSON object.")
    return body


def _refuse(dialect: Dialect, refused: Refused) -> web.Response:
    return _json(dialect.refusal(refused.status, refused.message), refused.status)


def _json(body: JsonObject, status: int = 200) -> web.Response:
    return web.Response(body=encoded(compact(body)), status=status, content_type="application/json")
