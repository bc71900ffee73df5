"""Fetching: a small request of the gateway's own, collected whole."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from holdgate.core.relay.ports import Head, Outgoing, Upstream
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.wire import encodings

MOST = 16 << 20


@dataclass(frozen=True, slots=True)
class Fetched:
    """A vendor's whole reply."""

    head: Head
    body: bytes


class _Collect:
    """A feed that keeps everything."""

    def __init__(self, done: asyncio.Future[Fetched], sent: Callable[[], None]) -> None:
        self._done, self._sent = done, sent
        self._head: Head | None = None
        self._decoder = encodings.decoder("", MOST)
        self._body = bytearray()

    def on_sent(self) -> None:
        self._sent()

    def on_head(self, head: Head) -> None:
        self._head = head
        try:
            # Some compress although they were asked not to.
            self._decoder = encodings.decoder(head.get("content-encoding"), MOST)
        except encodings.UnknownEncoding as error:
            self._unreadable(f"the reply cannot be read: {error}")

    def on_bytes(self, data: bytes) -> None:
        try:
            self._body += self._decoder.feed(data) if not self._done.done() else b""
        except encodings.TooLarge:
            self._unreadable("the reply is too long")
        except encodings.BadEncoding as error:
            self._unreadable(f"the reply cannot be read: {error}")

    def on_end(self) -> None:
        if self._done.done() or self._head is None:
            return
        try:
            self._body += self._decoder.close()
        except encodings.BadEncoding as error:
            self._unreadable(f"the reply cannot be read: {error}")
        else:
            self._done.set_result(Fetched(self._head, bytes(self._body)))

    def on_fault(self, fault: Fault, *, lost: bool) -> None:
        if not self._done.done():
            self._done.set_exception(fault)

    def _unreadable(self, why: str) -> None:
        self.on_fault(Fault(FaultKind.UNREADABLE, why), lost=False)


async def fetch(
    upstream: Upstream,
    outgoing: Outgoing,
    seconds: float,
    sent: Callable[[], None] = lambda: None,
) -> Fetched:
    """Give the reply to `outgoing`, whatever its status; `sent` is called once the request left.

    Raises Fault(NETWORK) if there is none, and if it takes longer than `seconds`.
    """
    done: asyncio.Future[Fetched] = asyncio.get_running_loop().create_future()
    call = upstream.send(outgoing, _Collect(done, sent))
    try:
        async with asyncio.timeout(seconds):
            return await done
    except TimeoutError:
        raise Fault(FaultKind.NETWORK, f"no reply within {seconds:g}s") from None
    finally:
        call.abort()
