"""A scriptable vendor for tests: all four dialects over a real loopback socket."""

from __future__ import annotations

import asyncio
import ssl
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs

from aiohttp import web

from tests.fakes.vendor_replies import (
    TEXT,
    Asked,
    Chunk,
    Cut,
    Pause,
    Reply,
    Until,
    asked,
    error,
    limited,
    usual,
)
from tests.fakes.vendor_sending import Ended, cut, send_stream, send_whole
from tests.fakes.vendor_streams import (
    MODEL,
    Call,
    Json,
    Usage,
    chat_stream,
    chat_whole,
    gemini_stream,
    gemini_whole,
    messages_stream,
    messages_whole,
    responses_stream,
    responses_whole,
    sse,
)

__all__ = [
    "Asked",
    "Call",
    "Chunk",
    "Cut",
    "FakeVendor",
    "Json",
    "Pause",
    "Reply",
    "Seen",
    "Until",
    "Usage",
    "chat_stream",
    "chat_whole",
    "error",
    "gemini_stream",
    "gemini_whole",
    "messages_stream",
    "messages_whole",
    "responses_stream",
    "responses_whole",
    "sse",
]


@dataclass(slots=True)
class Seen:
    """A request as it came: header names and raw body untouched.

    `how` it ended: "whole", "left" (the client hung up), "cut" (a script's Cut or drop), "stopped"
    (the vendor was closed meanwhile), "" while it runs. `complete`: its upload came in
    full. `violation`: the limit it broke.
    """

    method: str
    path: str
    query: str
    headers: list[tuple[str, str]]
    key: str
    arrived: float
    body: bytes = b""
    ended: float | None = None
    how: str = ""
    complete: bool = False
    violation: str = ""

    def header(self, name: str) -> str | None:
        """Give the first header of that name, in any case."""
        return next((text for key, text in self.headers if key.lower() == name.lower()), None)

    @property
    def json(self) -> Json:
        """The body as JSON; {} when it is none."""
        return asked(self.path, "", self.body).body


@dataclass(frozen=True, slots=True)
class Step:
    """A scripted reply and the requests that it is for."""

    reply: Reply
    path: str
    key: str | None

    def fits(self, seen: Seen) -> bool:
        return fnmatchcase(seen.path, self.path) and self.key in (None, seen.key)


@dataclass(slots=True)
class Lane:
    """What the limits of one key are measured by."""

    in_flight: int = 0
    window: deque[float] = field(default_factory=deque)


class FakeVendor:
    """A vendor on a free port of 127.0.0.1, as an async context manager.

    With `paths` (patterns) it knows no others, with `keys` no others, and if `strict` no other
    models. The limits are each key's own; a request over one gets 429 and counts in `violations`.
    Only generations and embeddings count. `highest` is the most that were in flight at once, over
    all keys, from arrival until the answer's end or the client's leaving.
    """

    def __init__(
        self,
        limit_concurrent: int = 0,
        limit_rpm: int = 0,
        window: float = 60.0,
        clock: Callable[[], float] | None = None,
        *,
        models: Sequence[str] = (MODEL,),
        text: str = TEXT,
        tls: ssl.SSLContext | None = None,
        paths: Collection[str] = (),
        keys: Collection[str] = (),
        strict: bool = False,
    ) -> None:
        self._tls = tls
        self.limit_concurrent = limit_concurrent
        self.limit_rpm = limit_rpm
        self.window = window
        self.models = models
        self.text = text
        self.paths, self.keys, self.strict = paths, keys, strict
        self.url = ""
        self.port = 0
        self.requests: list[Seen] = []
        self.violations = 0
        self.in_flight = 0
        self.highest = 0
        self._given_clock = clock
        self._steps: list[Step] = []
        self._lanes: defaultdict[str, Lane] = defaultdict(Lane)
        self._waiters: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []
        self._runner: web.AppRunner | None = None
        self._stopping = False

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=0)
        app.router.add_route("*", "/{path:.*}", self._handle)
        # Bodies are kept as they were sent, so nothing may be decompressed on the way.
        self._runner = web.AppRunner(
            app,
            access_log=None,
            handler_cancellation=True,
            auto_decompress=False,
            shutdown_timeout=0.01,
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=self._tls).start()
        self.port = int(self._runner.addresses[0][1])
        self.url = f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopping = True
        if self._runner:
            await self._runner.cleanup()

    def script(self, *replies: Reply, path: str = "*", key: str | None = None) -> None:
        """Queue replies, each for the next request with that path (a pattern) and key."""
        self._steps += [Step(reply, path, key) for reply in replies]

    async def arrived(self, n: int, within: float = 60.0) -> Seen:
        """Wait until `n` requests came in full; give the n-th."""
        await self._until(lambda: len(self.requests) >= n, within)
        return self.requests[n - 1]

    async def ended(self, n: int, within: float = 60.0) -> None:
        """Wait until `n` requests ended, however they did."""
        await self._until(lambda: sum(seen.how != "" for seen in self.requests) >= n, within)

    async def left(self, n: int, within: float = 60.0) -> None:
        """Wait until `n` clients hung up before their answer was whole."""
        await self._until(lambda: sum(seen.how == "left" for seen in self.requests) >= n, within)

    async def idle(self, within: float = 60.0) -> None:
        """Wait until nothing is in flight."""
        await self._until(lambda: self.in_flight == 0, within)

    async def _until(self, reached: Callable[[], bool], within: float) -> None:
        if reached():
            return
        waiter = (reached, asyncio.get_running_loop().create_future())
        self._waiters.append(waiter)
        try:
            async with asyncio.timeout(within):
                await waiter[1]
        finally:
            self._waiters.remove(waiter)

    def _tell(self) -> None:
        for reached, future in self._waiters:
            if not future.done() and reached():
                future.set_result(None)

    def _now(self) -> float:
        return (self._given_clock or asyncio.get_running_loop().time)()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        seen = self._seen(request)
        counted = asked(seen.path, "", b"").generates
        wait = self._enter(seen) if counted else 0.0
        try:
            async for part in request.content.iter_any():
                seen.body += part
            seen.complete = True
            self.requests.append(seen)
            self._tell()
            response = await self._answer(request, seen, wait)
            seen.how = "whole"
        except Ended:
            seen.how = "cut"
            return web.Response()  # nobody reads it: the connection is closed
        except (asyncio.CancelledError, ConnectionError):
            seen.how = "stopped" if self._stopping else "left"
            raise
        finally:
            self._leave(seen, counted)
        return response

    def _seen(self, request: web.Request) -> Seen:
        headers = [(name.decode(), text.decode("latin-1")) for name, text in request.raw_headers]
        path, _, query = request.raw_path.partition("?")
        return Seen(request.method, path, query, headers, _key(request, query), self._now())

    def _enter(self, seen: Seen) -> float:
        """Take a place and room in the window, or give how long to wait for them."""
        lane, now = self._lanes[seen.key], seen.arrived
        while lane.window and lane.window[0] <= now - self.window:
            lane.window.popleft()
        if self.limit_concurrent and lane.in_flight >= self.limit_concurrent:
            seen.violation = f"{self.limit_concurrent} at once"
            wait = 1.0
        elif self.limit_rpm and len(lane.window) >= self.limit_rpm:
            seen.violation = f"{self.limit_rpm} in {self.window:g}s"
            wait = lane.window[0] + self.window - now
        else:
            lane.window.append(now)
            lane.in_flight += 1
            self.in_flight += 1
            self.highest = max(self.highest, self.in_flight)
            return 0.0
        self.violations += 1
        return wait

    def _leave(self, seen: Seen, counted: bool) -> None:
        seen.ended = self._now()
        if counted and not seen.violation:
            self._lanes[seen.key].in_flight -= 1
            self.in_flight -= 1
        if not seen.complete:
            self.requests.append(seen)
        self._tell()

    async def _answer(self, request: web.Request, seen: Seen, wait: float) -> web.StreamResponse:
        what = asked(seen.path, seen.query, seen.body)
        if seen.violation:
            reply = limited(what.dialect, wait, seen.violation)
        else:
            reply = self._reply(seen, what)
        await asyncio.sleep(reply.delay)
        if reply.until:
            await reply.until.wait()
        if reply.drop:
            await cut(request, "close")
            raise Ended
        if reply.chunks is None:
            return await send_whole(request, reply)
        return await send_stream(request, reply, reply.chunks)

    def _reply(self, seen: Seen, what: Asked) -> Reply:
        fallback = self._refusal(seen, what) or usual(what, self.models, self.text)
        step = next((step for step in self._steps if step.fits(seen)), None)
        if step is None:
            return fallback
        self._steps.remove(step)
        if step.reply.status >= 300:
            fallback = error(what.dialect, step.reply.status)
        return step.reply.filled(fallback)

    def _refusal(self, seen: Seen, what: Asked) -> Reply | None:
        if self.paths and not any(fnmatchcase(seen.path, each) for each in self.paths):
            page = {"Content-Type": "text/html"}
            return Reply(404, page, text="<html>404 page not found</html>")
        if self.keys and seen.key not in self.keys:
            return error(what.dialect, 401, f"No such key: {seen.key}")
        if self.strict and what.generates and what.model not in self.models:
            return error(what.dialect, 404, f"The model {what.model} does not exist.")
        return None


def _key(request: web.Request, query: str) -> str:
    bearer = request.headers.get("Authorization", "").removeprefix("Bearer ")
    named = request.headers.get("x-api-key") or request.headers.get("x-goog-api-key")
    return bearer or named or parse_qs(query).get("key", [""])[0]
