"""The live requests: who waits, who is served, and what the last fault was."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator

import msgspec

from holdgate.core.relay.ports import Book
from holdgate.core.traffic.ticket import Ticket
from holdgate.core.values.clock import Clock
from holdgate.core.values.errors import Fault
from holdgate.core.values.records import Record, State

# Ended requests that are remembered until the ledger has them for certain.
RECENT = 256


class LiveRequest(msgspec.Struct, eq=False):
    """A request that has not ended: its record, its place, and how to end it from outside."""

    record: Record
    stop: Callable[[Fault], None]
    ticket: Ticket | None = None


class LiveRequests:
    """All requests that have not ended, in the order of their arrival."""

    def __init__(self, book: Book, clock: Clock) -> None:
        """Take the book that keeps records for good."""
        self._book = book
        self._clock = clock
        self._live: dict[str, LiveRequest] = {}
        self._ended: deque[Record] = deque(maxlen=RECENT)
        self._changed: Callable[[], None] | None = None
        self.last_error: str | None = None

    @property
    def book(self) -> Book:
        """The book that keeps records for good."""
        return self._book

    def open(self, request: LiveRequest) -> None:
        """A request arrived."""
        self._live[request.record.id] = request
        self._book.opened(request.record)

    def close(self, request: LiveRequest, state: State) -> None:
        """A request ended in `state`."""
        record = request.record
        record.ended = self._clock.wall()
        record.enter(state, record.ended, record.message)
        if record.message and state == "failed":
            self.last_error = record.message
        self._live.pop(record.id, None)
        self._ended.append(record)
        request.stop = _stop_nothing  # else request and exchange would hold each other
        self._book.closed(record)
        if not self._live and self._changed is not None:
            self._changed()

    def __iter__(self) -> Iterator[LiveRequest]:
        """Give the live requests, oldest first."""
        return iter(list(self._live.values()))

    def __len__(self) -> int:
        """Count them."""
        return len(self._live)

    def get(self, id: str) -> LiveRequest | None:
        """Give a live request by its id."""
        return self._live.get(id)

    def recent(self) -> list[Record]:
        """Give the live requests and those that have just ended, newest first.

        The ledger knows the latter a moment later.
        """
        records = [*(request.record for request in self._live.values()), *self._ended]
        return sorted(records, key=lambda record: record.id, reverse=True)

    def counts(self) -> Counter[str]:
        """Count them by state."""
        return Counter(request.record.state for request in self._live.values())

    def stop(self, fault: Fault) -> None:
        """End all of them, each in its own dialect's way."""
        for request in self:
            request.stop(fault)

    def when_empty(self, call: Callable[[], None]) -> None:
        """Call `call` when none is left; at once if there is none now."""
        self._changed = call
        if not self._live:
            call()


def _stop_nothing(_: Fault) -> None:
    """The request has ended."""
