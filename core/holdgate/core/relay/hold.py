"""The hold: keeps a waiting agent's stream alive, and is the one door to it.

Theory. Agents give up on silence, some on silence of bytes, some on silence of events. So after a
while the stream is begun with a comment, and after a longer while opened with events of the agent's
own dialect; the answer then goes on inside that opening. Whatever is written to a streamed agent
passes through here, in one call, and a keepalive is written only between whole events. A timer of
the wheel looks now and then at plain attributes; bytes that pass set no timer.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from holdgate.core.dialects.base import Closing, Dialect, Opened, Opening
from holdgate.core.relay.ports import Sink
from holdgate.core.relay.reply import Shown
from holdgate.core.relay.wheel import Timer, Wheel
from holdgate.core.values.clock import Clock
from holdgate.core.values.errors import Fault
from holdgate.core.values.inbound import Headers
from holdgate.core.values.records import Record
from holdgate.core.values.settings import Hold


class StreamHold:
    """One agent's reply, from the request's arrival to its end."""

    __slots__ = (
        "_clock",
        "_dialect",
        "_event_at",
        "_headers",
        "_kept_at",
        "_opened",
        "_opening",
        "_passing",
        "_record",
        "_said_at",
        "_settings",
        "_sink",
        "_timer",
        "_wheel",
        "_why",
        "shown",
    )

    def __init__(
        self,
        sink: Sink,
        dialect: Dialect,
        record: Record,
        opening: Opening,
        settings: Hold,
        clock: Clock,
        wheel: Wheel,
        headers: Callable[[], Headers],
        why: Callable[[], str],
    ) -> None:
        """Take what an opening of the gateway's own would bear, the headers of a stream that it
        begins itself, and who knows why the agent still waits.
        """
        self._sink, self._dialect, self._record = sink, dialect, record
        self._opening, self._settings = opening, settings
        self._clock, self._wheel, self._headers, self._why = clock, wheel, headers, why
        now = clock.monotonic()
        self._said_at = self._event_at = now  # the agent's last byte, and last event, of us
        self._kept_at = 0.0  # the last keepalive
        self._opened: Opened | None = None
        self._passing = False
        self._timer: Timer | None = None
        # What the agent has seen of the try that is passing; set by who makes the try.
        self.shown: Callable[[], Shown] = Shown

    def watch(self) -> None:
        """Keep the stream alive from now on."""
        if self._settings.form != "off" and self._settings.after > 0:
            self._timer = self._wheel.after(self._settings.after, self._look)

    def rest(self) -> None:
        """Do nothing more; saying it again changes nothing."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def close(self) -> None:
        """The request has ended: forget who refers to us."""
        self.rest()
        self.shown, self._why = Shown, str

    @property
    def started(self) -> bool:
        """Whether the agent has its status line: no fault can be told by a status any more."""
        return self._sink.started

    @property
    def vendor_id(self) -> str:
        """The vendor's id of the reply, where the agent was told another one; else ""."""
        return self._opened.vendor_id if self._opened is not None else ""

    def begin(self, status: int, headers: Headers) -> None:
        """An answer begins to pass."""
        self._passing = True
        if not self._sink.started:
            self._sink.start(status, headers)

    def write(self, data: bytes) -> bool:
        """Pass a piece of the answer on; True says that the agent is slow."""
        if self._opened is not None:
            data = self._opened.feed(data)
            if not data:  # the agent hears nothing of it yet
                return False
        self._said_at = self._clock.monotonic()
        return self._sink.write(data)

    def end(self) -> None:
        """The answer ended well."""
        self.rest()
        if self._opened is not None and (rest := self._opened.close()):
            self._sink.write(rest)
        self._sink.end()

    def whole(self, status: int, headers: Headers, body: bytes) -> None:
        """Give a reply that came whole: as it is, or as a stream where one was begun.

        Raises ValueError if a stream was begun and `body` is no reply that could be told so.
        """
        if not self._sink.started:
            self.rest()
            self._sink.answer(status, headers, body)
            return
        rest = self._open().whole(body)
        self._passing = True
        self._sink.write(rest)

    def fail(self, fault: Fault) -> None:
        """End a stream that was begun with the dialect's error."""
        self.rest()
        shown = self.shown()
        if self._opened is None and not shown.at_border:
            self._sink.write(b"\n\n")
        closing = self._closing(fault, shown)
        self._sink.write(closing.data)
        if closing.cut:
            self._sink.abort()
        else:
            self._sink.end()

    def _closing(self, fault: Fault, shown: Shown) -> Closing:
        if self._opened is not None:
            return self._opened.fail(fault)
        mine = self._opening
        return self._dialect.stream_error(
            fault,
            Opening(
                self._passing,
                shown.id or mine.id,
                mine.model,
                mine.created,
                mine.framing,
                shown.sequence,
            ),
        )

    def _look(self) -> None:
        """The agent may have heard nothing for too long."""
        now = self._clock.monotonic()
        if now < self._due():
            self._again(now)
            return
        if self._passing:
            self._keep_passing(now)
        else:
            self._keep_waiting(now)
        self._again(now)

    def _due(self) -> float:
        """Give the moment of the next keepalive, or of the opening."""
        if self._kept_at > self._said_at:
            due = self._kept_at + (self._settings.every or inf)
        else:
            due = self._said_at + self._settings.after
        if self._may_open:
            return min(due, self._opens_at)
        return due

    @property
    def _opens_at(self) -> float:
        """When events take over: never before the first keepalive would be due."""
        return self._event_at + max(self._settings.open_after, self._settings.after)

    @property
    def _may_open(self) -> bool:
        return (
            self._settings.form == "auto"
            and self._settings.open_after > 0
            and self._opened is None
            and not self._passing
        )

    def _again(self, now: float) -> None:
        wait = self._due() - now
        if wait == inf:  # the agent may be told something, and then there is a next silence
            wait = self._settings.after
        self._timer = self._wheel.after(max(0.0, wait), self._look)

    def _keep_passing(self, now: float) -> None:
        """A quiet answer gets comments alone, and only between whole events."""
        self._kept_at = now
        if self._opened is not None or self.shown().at_border:
            self._sink.write(self._dialect.keepalive("", self._opening.framing))
            self._record.kept_alive += 1

    def _keep_waiting(self, now: float) -> None:
        if not self._sink.started:
            self._sink.start(200, self._headers())
            self._record.note(self._clock.wall(), "kept alive", self._why())
        self._kept_at = now
        self._record.kept_alive += 1
        if self._opened is not None:
            self._sink.write(self._opened.nothing())
        elif self._may_open and now >= self._opens_at:
            self._open()
            self._record.note(self._clock.wall(), "opened", "with events of its dialect")
        else:
            self._sink.write(self._dialect.keepalive(self._why(), self._opening.framing))

    def _open(self) -> Opened:
        """Open the stream with the gateway's own events."""
        if self._opened is None:
            self._opened = self._dialect.opened(self._opening)
            self._sink.write(self._opened.open() + self._opened.nothing())
        return self._opened
