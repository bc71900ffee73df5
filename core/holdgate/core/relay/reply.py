"""A vendor's reply on its way to the agent: collected whole, or held and then passed on.

Theory. Nothing is promised to the agent until the reply has clearly begun: until then a fault can
still be answered by another candidate. A whole reply is collected and checked before a byte of it
goes out. A stream is held until its first event with content; from there on its bytes are passed on
in the call that brought them, without a look inside. Only its end is kept, to tell whether it was
the dialect's own end and what the answer used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import msgspec

from holdgate.core.dialects.base import Dialect, End, Ending, Said
from holdgate.core.dialects.reading import is_json
from holdgate.core.traffic import verdicts
from holdgate.core.values.errors import Fault, FaultKind, VendorReply
from holdgate.core.values.usage import Usage
from holdgate.core.wire.json_array import ArraySplitter
from holdgate.core.wire.sse import EVENT_ENDS, Event, Splitter, parse_event
from holdgate.core.wire.tail import Tail

# A held reply larger than this is shown, content or not.
HELD_MOST = 1 << 20
# Agents retry a stream error by its words: opencode looks for "connection lost", pi for "ended
# without" (measured).
CUT_SHORT = "connection lost: the stream ended without its closing event"
# Of an error body, this much is read.
ERROR_MOST = 1 << 20


class Shown(msgspec.Struct, frozen=True, gc=False):
    """What an agent has seen of a stream: its id, its next number, whether it ends an event."""

    id: str = ""
    sequence: int = 0
    at_border: bool = True


class Reply(Protocol):
    """A reply's body as it comes. Both calls raise Fault when it is no answer."""

    def feed(self, data: bytes) -> None:
        """Take a piece."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether the answer is complete, even if the body has not ended."""
        ...

    def shown(self) -> Shown:
        """Say what the agent has seen of it."""
        ...

    def close(self) -> Ending:
        """The body ended: say how."""
        ...


class ErrorReply:
    """The body of a reply with a bad status: it always ends in a fault."""

    def __init__(self, provider: str, dialect: Dialect, head: VendorReply, now: float) -> None:
        """Take the head, which came `now` (Unix seconds); the body is still to come."""
        self._provider, self._dialect, self._head, self._now = provider, dialect, head, now
        self._body = bytearray()

    def feed(self, data: bytes) -> None:
        """Take a piece; what is over the limit is dropped."""
        self._body += data[: ERROR_MOST - len(self._body)]

    @property
    def is_over(self) -> bool:
        """Only the body's end tells."""
        return False

    def shown(self) -> Shown:
        """Nothing."""
        return Shown()

    def close(self) -> Ending:
        """Raise the fault."""
        body = bytes(self._body)
        reply = replace(self._head, body=body)
        raise verdicts.of_status(self._provider, reply, self._dialect.error_words(body), self._now)


class WholeReply:
    """A reply in one piece: JSON that is checked before it is shown."""

    def __init__(self, provider: str, dialect: Dialect, show: Callable[[bytes], None]) -> None:
        """Take `show`, which gives the agent the whole body."""
        self._provider, self._dialect, self._show = provider, dialect, show
        self._pieces: list[bytes] = []

    def feed(self, data: bytes) -> None:
        """Take a piece."""
        self._pieces.append(data)

    @property
    def is_over(self) -> bool:
        """Only the body's end tells."""
        return False

    def shown(self) -> Shown:
        """Nothing."""
        return Shown()

    def close(self) -> Ending:
        """Check the body and show it. Raises Fault(UNREADABLE), or what an error body says."""
        body = b"".join(self._pieces)
        if not body.strip():
            raise Fault(FaultKind.UNREADABLE, f"{self._provider}: the reply is empty")
        try:
            whole = self._dialect.whole(body)
        except ValueError:
            raise Fault(
                FaultKind.UNREADABLE, f"{self._provider}: the reply says it is JSON but is not"
            ) from None
        if whole.failed:
            raise verdicts.of_event(self._provider, body, self._dialect.error_words(body))
        self._show(body)
        return Ending(End.WHOLE, whole.usage)


class StreamReply:
    """A stream: held until it has content, then passed on as it comes."""

    __slots__ = (
        "_array",
        "_begin",
        "_dialect",
        "_held",
        "_id",
        "_lead",
        "_passing",
        "_provider",
        "_split",
        "_tail",
        "_write",
    )

    def __init__(
        self,
        provider: str,
        dialect: Dialect,
        splitter: Splitter | ArraySplitter,
        begin: Callable[[], None],
        write: Callable[[bytes], None],
    ) -> None:
        """Take `begin`, called once before the first byte is shown, and `write`, which shows."""
        self._provider, self._dialect, self._split = provider, dialect, splitter
        self._begin, self._write = begin, write
        self._held = bytearray()
        self._lead: Usage | None = None
        self._id = ""
        self._passing = False
        self._array: ArraySplitter | None = None
        self._tail = Tail()

    def feed(self, data: bytes) -> None:
        """Take a piece. Raises Fault if the stream begins with an error."""
        if self._passing:
            self._tail.add(data)
            if self._array is not None:
                self._array.feed(data)
            self._write(data)
            return
        self._held += data
        # The first content decides; what comes behind it in the same piece is already shown.
        if any(map(self._says, self._split.each(data))) or len(self._held) > HELD_MOST:
            self._pass()

    @property
    def is_over(self) -> bool:
        """Whether the closing event has passed."""
        if not self._passing or not self.shown().at_border:
            return False
        return self._dialect.is_closed(self._tail)

    def shown(self) -> Shown:
        """Say where the stream stands."""
        return Shown(
            self._id,
            self._dialect.next_sequence(self._tail),
            self._tail.ends_with(EVENT_ENDS) if self._array is None else self._array.is_between,
        )

    def close(self) -> Ending:
        """Say how the stream ended. Raises Fault if nothing of it was content, or it was cut."""
        if not self._passing:
            if (rest := self._split.close()) and self._says(rest):
                self._pass()
            else:
                raise self._nothing()
        ending = self._dialect.ending(self._tail, self._lead)
        if ending.end is End.CUT:
            raise Fault(FaultKind.CUT, f"{self._provider}: {CUT_SHORT}")
        return ending

    def _says(self, raw: bytes) -> bool:
        """Tell whether an event is content. Raises Fault if it is an error."""
        event = Event("", raw) if isinstance(self._split, ArraySplitter) else parse_event(raw)
        said = self._dialect.said(event)
        if said is Said.ERROR and not self._passing:
            data = event.data or b""
            raise verdicts.of_event(self._provider, data, self._dialect.error_words(data))
        self._lead = self._dialect.lead_usage(event) or self._lead
        self._id = self._id or self._dialect.stream_id(event)
        return said is Said.CONTENT

    def _pass(self) -> None:
        held, self._held = bytes(self._held), bytearray()
        self._passing = True
        self._begin()
        self._tail.add(held)
        if isinstance(self._split, ArraySplitter):
            # Arrays have no mark between their elements that the tail could be asked for.
            self._array = ArraySplitter()
            self._array.feed(held)
        self._write(held)

    def _nothing(self) -> Fault:
        held = bytes(self._held).strip()
        if held and is_json(held):
            return verdicts.of_event(self._provider, held, self._dialect.error_words(held))
        what = "is empty" if not held else "has no content"
        return Fault(FaultKind.UNREADABLE, f"{self._provider}: the stream {what}")
