"""Connections to vendors by aiohttp's client."""

from __future__ import annotations

import asyncio

import aiohttp
from aiohttp import payload

from holdgate.core.relay.ports import Feed, Head, Outgoing
from holdgate.core.relay.tasks import Tasks
from holdgate.core.values.errors import Fault, FaultKind


class _Body(payload.BytesPayload):
    """A request's body that says when it leaves: a connection stands by then."""

    def __init__(self, body: bytes, feed: Feed) -> None:
        super().__init__(body)
        self._feed = feed

    async def write_with_length(
        self, writer: aiohttp.abc.AbstractStreamWriter, length: int | None
    ) -> None:
        self._feed.on_sent()
        await super().write_with_length(writer, length)


class AiohttpCall:
    """A request under way: one reading task that pushes what comes."""

    def __init__(self, session: aiohttp.ClientSession, outgoing: Outgoing, feed: Feed) -> None:
        self._session, self._outgoing, self._feed = session, outgoing, feed
        self._room: asyncio.Future[None] | None = None
        self._gone = False
        self._task: asyncio.Task[None] | None = None

    def start(self, tasks: Tasks) -> None:
        self._task = tasks.start(self._run(), "vendor call")

    def pause(self) -> None:
        self._room = asyncio.get_running_loop().create_future()

    def resume(self) -> None:
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
        self._room = None

    def abort(self) -> None:
        self._gone = True
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        out, feed = self._outgoing, self._feed
        headed = False
        try:
            async with self._session.request(
                out.method,
                out.url,
                data=_Body(out.body, feed),
                headers=out.headers,
                proxy=out.proxy or None,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=out.connect_timeout or None),
            ) as reply:
                headed = True
                feed.on_head(
                    Head(reply.status, tuple((k.lower(), v) for k, v in reply.headers.items()))
                )
                content = reply.content
                while not self._gone:
                    chunk = await content.readany()
                    if not chunk:
                        break
                    feed.on_bytes(chunk)
                    if self._room is not None:
                        await self._room
            if not self._gone:
                feed.on_end()
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            if not self._gone:
                self._gone = True
                feed.on_fault(
                    Fault(FaultKind.CUT if headed else FaultKind.NETWORK, str(error)),
                    lost=not headed,
                )


class AiohttpUpstream:
    def __init__(self) -> None:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=("User-Agent",),
        )
        self._tasks = Tasks()

    def send(self, outgoing: Outgoing, feed: Feed) -> AiohttpCall:
        call = AiohttpCall(self._session, outgoing, feed)
        call.start(self._tasks)
        return call

    async def close(self) -> None:
        await self._tasks.close()
        await self._session.close()
