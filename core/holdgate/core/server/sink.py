"""The sink of an agent's reply over aiohttp's server: bytes go out in the call that brings them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine

from aiohttp import web
from aiohttp.http_writer import StreamWriter

from holdgate.core.relay.tasks import Tasks
from holdgate.core.values.inbound import Headers


class HttpSink:
    """See relay.ports.Sink. The handler awaits the exchange and then returns `response`."""

    __slots__ = ("_extra", "_request", "_tasks", "_writer", "response")

    def __init__(self, request: web.BaseRequest, extra: Headers, tasks: Tasks) -> None:
        """Take the request, and headers (such as CORS) that belong on any answer to it."""
        self._request, self._extra, self._tasks = request, extra, tasks
        self._writer: StreamWriter | None = None
        self.response: web.StreamResponse | None = None

    @property
    def started(self) -> bool:
        """Whether a streamed reply has begun."""
        return self._writer is not None

    def answer(self, status: int, headers: Headers, body: bytes) -> None:
        """Give the whole reply; it goes out in one write when the handler returns."""
        self.response = plain(status, headers + self._extra, body)

    def start(self, status: int, headers: Headers) -> None:
        """Begin a streamed reply."""
        response = web.StreamResponse(status=status, headers=[*headers, *self._extra])
        self.response = response
        writer = _at_once(response.prepare(self._request))
        # HEAD and the like never get here, so there is a writer, and it is aiohttp's own.
        assert isinstance(writer, StreamWriter)
        self._writer = writer

    def write(self, data: bytes) -> bool:
        """Write a piece; True when the agent reads slower than we write."""
        writer = self._writer
        if writer is None:
            return False
        try:
            _at_once(writer.write(data, drain=False))
        except ConnectionError:
            return False  # the agent hung up; its request is being cancelled
        return self._request.protocol.writing_paused

    def on_room(self, resume: Callable[[], None]) -> None:
        """Call `resume` once the connection's buffer has room."""
        self._tasks.start(self._wait_for_room(resume), "agent's room")

    def end(self) -> None:
        """The end of the body is written when the handler returns."""

    def abort(self) -> None:
        """Close the connection after what was written, without the end of the body."""
        transport = self._request.transport
        if transport is None:
            return
        if transport.get_write_buffer_size() > 0 and self._request.protocol.writing_paused:
            transport.abort()  # who reads nothing would keep it open for ever
        else:
            transport.close()

    async def _wait_for_room(self, resume: Callable[[], None]) -> None:
        writer = self._writer
        if writer is None:
            return
        try:
            await writer.drain()
        except ConnectionError:
            return
        resume()


def plain(status: int, headers: Headers, body: bytes) -> web.Response:
    """Give a reply in one piece."""
    return web.Response(status=status, headers=list(headers), body=body)


def _at_once(step: Coroutine[object, None, object]) -> object:
    """Run a coroutine that never has to wait, and say so if it does."""
    try:
        step.send(None)
    except StopIteration as done:
        return done.value
    step.close()
    raise RuntimeError("aiohttp's writer waits where it never did; see server/sink.py")
