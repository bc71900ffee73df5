"""The seams of the relay: what it needs of a listener, of a vendor's connection and of a ledger."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from holdgate.core.values.errors import Fault
from holdgate.core.values.inbound import Headers
from holdgate.core.values.records import Behind, Record


class Sink(Protocol):
    """Where an agent's reply goes. All calls are synchronous; bytes go out in the same call.

    Either `answer` alone, or `start`, then `write` any number of times, then `end` or `abort`.
    Of an agent that hung up nothing is said here: its request is cancelled.
    """

    @property
    def started(self) -> bool:
        """Whether `start` was called."""
        ...

    def answer(self, status: int, headers: Headers, body: bytes) -> None:
        """Give the whole reply."""
        ...

    def start(self, status: int, headers: Headers) -> None:
        """Begin a streamed reply."""
        ...

    def write(self, data: bytes) -> bool:
        """Write a piece; True says that the agent is slow and the writer should pause."""
        ...

    def on_room(self, resume: Callable[[], None]) -> None:
        """Call `resume` once a slow agent has room again."""
        ...

    def end(self) -> None:
        """End a streamed reply well."""
        ...

    def abort(self) -> None:
        """Cut the connection without the end of the body."""
        ...


class Outgoing(msgspec.Struct, frozen=True, gc=False):
    """A request as it is sent to a vendor. Times are seconds; `proxy` is "" for none.

    `fresh`: on a new connection, since a kept one was found dead. `ca`: a file of authorities to
    trust besides the system's, "" for none.
    """

    method: str
    url: str
    headers: Headers
    body: bytes
    proxy: str
    connect_timeout: float
    fresh: bool = False
    ca: str = ""


class Head(msgspec.Struct, frozen=True, gc=False):
    """The status line and headers of a vendor's reply; names are lower case."""

    status: int
    headers: Headers

    def get(self, name: str) -> str:
        """Give the first value of a header, or ""."""
        return next((value for key, value in self.headers if key == name), "")


class Feed(Protocol):
    """Who hears what a vendor's connection does. Exactly one of `on_end` and `on_fault` ends it."""

    def on_sent(self) -> None:
        """The request left."""
        ...

    def on_head(self, head: Head) -> None:
        """The reply's head arrived."""
        ...

    def on_bytes(self, data: bytes) -> None:
        """A piece of the reply's body arrived."""
        ...

    def on_end(self) -> None:
        """The reply's body ended well."""
        ...

    def on_fault(self, fault: Fault, *, lost: bool) -> None:
        """The connection failed; `lost`: before any byte of a reply."""
        ...


class Call(Protocol):
    """A request under way at a vendor."""

    def pause(self) -> None:
        """Stop reading the reply for now."""
        ...

    def resume(self) -> None:
        """Go on reading."""
        ...

    def abort(self) -> None:
        """Close the connection; the feed hears nothing more."""
        ...


class Upstream(Protocol):
    """Connections to vendors."""

    def send(self, outgoing: Outgoing, feed: Feed) -> Call:
        """Send a request; what comes of it is told to `feed`."""
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...


class Book(Protocol):
    """Where records go that should last. Neither call waits or raises."""

    def opened(self, record: Record) -> None:
        """A request arrived."""
        ...

    def behind(self, id: str) -> Behind | None:
        """Give what stood behind a request's own id. Raises sqlite3.Error; may take its time."""
        ...

    def closed(self, record: Record) -> None:
        """A request ended."""
        ...
