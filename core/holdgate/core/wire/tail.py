"""The end of a stream: enough of it to tell whether it ended well and what it used."""

from __future__ import annotations

from holdgate.core.wire.sse import Event, parse_event

# Of a stream that runs long, this much of its end is kept, and this much of the beginning of the
# event that the cut falls into (a `response.completed` repeats the whole answer before its usage).
KEPT = 8 * 1024
HEAD = 512
_TRIM_AT = 4 * KEPT
# Closing events are the last ones: a finish, a usage, a marker, and what comes in between.
LOOKED_AT = 8


class Tail:
    """Feed object on the hot path: two stores an event, no look inside."""

    __slots__ = ("_chunks", "_cut", "_size")

    def __init__(self) -> None:
        """Start with nothing said."""
        self._chunks: list[bytes] = []
        self._size = 0
        self._cut = False

    def add(self, chunk: bytes) -> None:
        """Take the bytes that were just passed on."""
        self._chunks.append(chunk)
        self._size += len(chunk)
        if self._size > _TRIM_AT:
            self._trim()

    def ends_with(self, ends: tuple[bytes, ...]) -> bool:
        """Tell whether the last bytes are one of `ends`, over any chunking."""
        last = b""
        for chunk in reversed(self._chunks):
            last = chunk + last
            if len(last) >= 4:
                break
        return last.endswith(ends)

    @property
    def bytes(self) -> bytes:
        """What is kept, in one piece."""
        return b"".join(self._chunks)

    def last_events(self) -> list[Event]:
        """Give the last few events that have data, the newest first."""
        data = self.bytes.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        parts = data.split(b"\n\n")
        events: list[Event] = []
        for place in range(len(parts) - 1, -1, -1):
            event = parse_event(parts[place])
            if event.data is not None:
                cut = self._cut and place == 0
                events.append(Event(event.name, event.data, cut) if cut else event)
                if len(events) == LOOKED_AT:
                    break
        return events

    def _trim(self) -> None:
        whole = self.bytes
        cut = len(whole) - KEPT
        boundary = max(whole.rfind(blank, 0, cut + 3) for blank in (b"\n\n", b"\n\r\n", b"\r\r"))
        event = whole[boundary + 2 : cut] if boundary >= 0 else whole[:cut]
        if boundary + 2 > cut:
            event = b""
        # What begins before the cut is one event: its beginning and its end are kept.
        self._chunks = [event[:HEAD].lstrip(b"\n"), whole[cut:]]
        self._cut = len(event) > HEAD or (boundary < 0 and self._cut)
        self._size = sum(map(len, self._chunks))
