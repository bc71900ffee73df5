"""One HTTP/1.1 connection to a vendor: a request goes out, its reply is pushed in as it comes.

Theory. Everything happens in the callbacks of the event loop: no task, no queue and no timer a
request. A read may bring many pieces of a chunked body; they are handed on as one. The connection
knows three moments: idle (in the pool), busy (a feed listens), gone.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol, cast

import httptools

from holdgate.core.relay.ports import Feed, Head
from holdgate.core.values.errors import Fault, FaultKind

log = logging.getLogger(__name__)

# A request's body up to this size goes out in one write with its head.
_JOINED = 64 * 1024
_NO_BODY = frozenset({204, 304})
_ALERT = b"\x15\x03"


class Home(Protocol):
    """Where a connection goes when its reply has ended."""

    def take_back(self, connection: Connection) -> None:
        """The connection is idle and may serve again."""
        ...

    def forget(self, connection: Connection) -> None:
        """The connection is gone."""
        ...


class Connection(asyncio.Protocol):
    """A connection; `send` and `abort` are for the upstream, the rest is the loop's."""

    __slots__ = (
        "_chunks", "_close_delimited", "_complete", "_feed", "_head", "_headed", "_headers",
        "_home", "_parser", "_reusable", "_said", "_transport", "idle_since",
    )  # fmt: skip

    def __init__(self, home: Home) -> None:
        """Take the pool that it belongs to."""
        self._home = home
        self._transport: asyncio.Transport | None = None
        self._feed: Feed | None = None
        self._parser: httptools.HttpResponseParser | None = None
        self._headers: list[tuple[str, str]] = []
        self._chunks: list[bytes] = []
        self._head: Head | None = None
        self._said = self._complete = self._close_delimited = False
        self._headed = self._reusable = False
        self.idle_since = 0.0

    @property
    def alive(self) -> bool:
        """Whether a request may be sent on it."""
        return self._transport is not None and not self._transport.is_closing()

    def serves(self, feed: Feed) -> bool:
        """Whether it still serves this feed."""
        return self._feed is feed

    def send(self, head: bytes, body: bytes, feed: Feed) -> None:
        """Send a request. The feed hears of it from here on, until its end or fault."""
        self._feed = feed
        self._begin_reply()
        self._said = False
        if self._transport is None:
            self._fail(Fault(FaultKind.NETWORK, "the connection was closed at once"))
            return
        if len(body) <= _JOINED:
            self._transport.write(head + body)
        else:
            self._transport.write(head)
            self._transport.write(body)
        feed.on_sent()

    def pause(self) -> None:
        """Stop reading for now."""
        if self._transport is not None and self._transport.is_reading():
            self._transport.pause_reading()

    def resume(self) -> None:
        """Go on reading."""
        if self._transport is not None and not self._transport.is_reading():
            self._transport.resume_reading()

    def abort(self) -> None:
        """Close at once; the feed hears nothing more."""
        self._feed = None
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See asyncio.Protocol."""
        # uvloop's transports are none of asyncio's classes.
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol. The hot path."""
        if self._feed is None or self._parser is None:
            self.abort()  # nobody asked: a vendor that speaks out of turn
            return
        self._said = True
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            # A TLS alert (RFC 8446, 5.1) is what a server of https says to plain words.
            why = "it speaks TLS; is it https://?" if data.startswith(_ALERT) else str(error)
            self._fail(Fault(FaultKind.UNREADABLE, f"the reply is no HTTP: {why}"))
            return
        self._hand_on()

    def eof_received(self) -> bool:
        """See asyncio.Protocol: the transport closes itself."""
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio.Protocol."""
        self._transport = None
        self._home.forget(self)
        if self._feed is None:
            return
        if self._head is not None and self._close_delimited and exc is None:
            self._end(reusable=False)
            return
        why = f": {exc}" if exc is not None and str(exc) else ""
        if self._head is not None:
            self._fail(Fault(FaultKind.CUT, f"connection lost in the middle of the reply{why}"))
        else:
            self._fail(Fault(FaultKind.NETWORK, f"the connection was closed before a reply{why}"))

    def on_header(self, name: bytes, value: bytes) -> None:
        """See httptools."""
        self._headers.append((name.decode("latin-1").lower(), value.decode("utf-8", "replace")))

    def on_headers_complete(self) -> None:
        """See httptools. An interim reply (1xx) is none."""
        assert self._parser is not None
        status = self._parser.get_status_code()
        if status >= 200:
            self._head = Head(status, tuple(self._headers))
            names = {name for name, _ in self._headers}
            self._close_delimited = (
                "content-length" not in names
                and "transfer-encoding" not in names
                and status not in _NO_BODY
            )
        self._headers = []

    def on_body(self, body: bytes) -> None:
        """See httptools."""
        self._chunks.append(body)

    def on_message_complete(self) -> None:
        """See httptools. Only here it knows whether the connection may serve again."""
        assert self._parser is not None
        self._complete = self._head is not None
        self._reusable = self._parser.should_keep_alive()

    def _begin_reply(self) -> None:
        if self._parser is None:
            self._parser = httptools.HttpResponseParser(self)
        self._headers, self._chunks, self._head = [], [], None
        self._complete = self._close_delimited = self._headed = self._reusable = False

    def _hand_on(self) -> None:
        """Tell the feed what one read has brought."""
        feed, head = self._feed, self._head
        if feed is None or head is None:
            return
        if not self._headed:
            self._headed = True
            feed.on_head(head)
        if self._chunks and self._feed is not None:
            chunks, self._chunks = self._chunks, []
            feed.on_bytes(chunks[0] if len(chunks) == 1 else b"".join(chunks))
        if self._complete and self._feed is not None:
            self._end(reusable=self._reusable)

    def _end(self, *, reusable: bool) -> None:
        feed, self._feed = self._feed, None
        transport = self._transport
        if transport is not None:
            # What is still being sent belongs to the old request: do not mix it with a new one.
            if reusable and transport.get_write_buffer_size() == 0 and transport.is_reading():
                self._home.take_back(self)
            else:
                transport.close()
        if feed is not None:
            feed.on_end()

    def _fail(self, fault: Fault) -> None:
        feed, lost = self._feed, not self._said
        self.abort()
        if feed is not None:
            feed.on_fault(fault, lost=lost)
