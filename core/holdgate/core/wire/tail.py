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

    __slots__ = ("_chunks", "_size")

    def __init__(self) -> None:
        """Start with nothing said."""
        self._chunks: list[bytes] = []
        self._size = 0

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
        """Give the last few events, the newest first.

        The data of one that was cut in the middle is no JSON but has both its ends.
        """
        data = self.bytes
        blank = b"\r\n\r\n" if b"\r\n\r\n" in data[-64:] else b"\n\n"
        parts = data.rsplit(blank, LOOKED_AT)
        if len(parts) > LOOKED_AT:
            del parts[0]
        events = [parse_event(part) for part in reversed(parts)]
        return [event for event in events if event.data is not None]

    def _trim(self) -> None:
        whole = self.bytes
        cut = len(whole) - KEPT
        boundary = max(whole.rfind(b"\n\n", 0, cut), whole.rfind(b"\n\r\n", 0, cut))
        event = whole[boundary + 2 : cut] if boundary >= 0 else whole[:cut]
        self._chunks = [event[:HEAD].lstrip(b"\n"), whole[cut:]]
        self._size = sum(map(len, self._chunks))
