"""A try: one request at one candidate, from the moment it is sent to its answer or fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from holdgate.core.relay.ports import Call, Head
from holdgate.core.relay.reply import ErrorReply, Reply, Shown, StreamReply, WholeReply
from holdgate.core.relay.scene import Ended, Patience, Scene
from holdgate.core.relay.translating import TranslatedReply
from holdgate.core.relay.wheel import Timer
from holdgate.core.values.errors import Fault, FaultKind, VendorReply
from holdgate.core.values.kinds import format_duration
from holdgate.core.values.records import TryRecord
from holdgate.core.values.secret import Secret, mask
from holdgate.core.wire import encodings
from holdgate.core.wire.json_array import ArraySplitter
from holdgate.core.wire.sse import Splitter

# Seconds of silence behind a closing event that end the answer: some vendors leave the connection
# open, and agents wait for its end.
END_AFTER = 3.0


class Trying:
    """The feed of one call. Tells `ended` once; after `quit` it tells nothing."""

    __slots__ = (
        "_call",
        "_closing",
        "_decoder",
        "_ended",
        "_head",
        "_heard",
        "_key",
        "_last_shown",
        "_over",
        "_patience",
        "_paused",
        "_provider",
        "_reply",
        "_scene",
        "_sent",
        "_slow",
        "_timer",
        "_try",
    )

    def __init__(
        self,
        scene: Scene,
        attempt: TryRecord,
        key: Secret,
        patience: Patience,
        sent: Callable[[], None],
        ended: Callable[[Ended], None],
    ) -> None:
        """Take who is told when the request left, and when it is over."""
        self._scene, self._try, self._key, self._patience = scene, attempt, key, patience
        self._provider = attempt.provider
        self._sent, self._ended = sent, ended
        self._call: Call | None = None
        self._head: Head | None = None
        self._reply: Reply | None = None
        self._decoder: encodings.Decoder | None = None
        self._heard = scene.clock.monotonic()
        self._paused = self._over = False
        self._last_shown = Shown()
        self._timer: Timer | None = None
        self._slow: Timer | None = None
        self._closing: Timer | None = None

    def begin(self, call: Call) -> None:
        """Take the call that this try is about."""
        self._call = call

    def quit(self) -> None:
        """Break off: the connection is closed and nothing more is told."""
        self._stop_timer()
        self._last_shown = self.shown
        if self._call is not None:
            self._call.abort()
        self._let_go()

    @property
    def shown(self) -> Shown:
        """What the agent has seen of this try's answer."""
        return self._reply.shown() if self._reply is not None else self._last_shown

    def on_sent(self) -> None:
        """See Feed."""
        self._sent()
        self._heard = self._scene.clock.monotonic()
        self._watch()

    def on_head(self, head: Head) -> None:
        """See Feed. The head decides what kind of reply this is."""
        now = self._scene.clock.wall()
        self._scene.hold.shown = lambda: self.shown
        self._head, self._try.first_byte, self._try.status = head, now, head.status
        self._heard = self._scene.clock.monotonic()
        self._scene.record.enter("held", now, f"{self._provider} has begun to answer")
        try:
            self._decoder = self._decoder_of(head)
            self._reply = self._reply_to(head)
            if self._scene.translation is not None:
                self._look_for_end()
        except Fault as fault:
            self._finish(Ended(fault=fault))

    def on_bytes(self, data: bytes) -> None:
        """See Feed. The hot path: one look at the clock, then straight through."""
        self._heard = self._scene.clock.monotonic()
        if self._reply is None or self._over:
            return
        try:
            if self._decoder is not None:
                data = self._decoder.feed(data)
            self._reply.feed(data)
            if (translation := self._scene.translation) is not None and translation.is_over:
                self._end()
        except Fault as fault:
            self._finish(Ended(fault=fault))
        except encodings.BadEncoding as error:
            self._finish(Ended(fault=self._broken(error)))

    def on_end(self) -> None:
        """See Feed."""
        if self._reply is None or self._over:
            return
        self._call = None  # it has ended, nothing of it needs to be closed
        try:
            if self._decoder is not None:
                self._reply.feed(self._decoder.close())
            self._end()
        except Fault as fault:
            self._finish(Ended(fault=fault))
        except encodings.BadEncoding as error:
            self._finish(Ended(fault=self._broken(error)))

    def _end(self) -> None:
        """The answer is complete. Raises Fault if it is none."""
        assert self._reply is not None
        ending = self._reply.close()
        if self._call is not None:  # the vendor left the connection open behind the closing event
            self._call.abort()
        self._finish(Ended(ending))

    def _look_for_end(self) -> None:
        """The closing event may have passed while the vendor keeps the connection open."""
        if self._over or self._reply is None:
            return
        silent = self._scene.clock.monotonic() - self._heard
        if silent >= END_AFTER and not self._paused and self._reply.is_over:
            try:
                self._end()
            except Fault as fault:
                self._finish(Ended(fault=fault))
            return
        self._closing = self._scene.wheel.after(END_AFTER, self._look_for_end)

    def on_fault(self, fault: Fault, *, lost: bool) -> None:
        """See Feed."""
        told = Fault(fault.kind, f"{self._provider}: {fault.message}")
        self._finish(Ended(fault=told, lost=lost))

    def _decoder_of(self, head: Head) -> encodings.Decoder | None:
        """Undo what the vendor compressed although it was asked not to."""
        encoding = head.get("content-encoding").strip().lower()
        if encoding in ("", "identity"):
            return None
        try:
            return encodings.decoder(encoding, 0)
        except encodings.UnknownEncoding as error:
            raise self._broken(error) from error

    def _reply_to(self, head: Head) -> Reply:
        scene = self._scene
        if 200 <= head.status < 300:
            scene.heard(head)
        else:
            told = VendorReply(head.status, scene.reply_headers(head), b"", scene.dialect.name)
            return ErrorReply(self._provider, scene.dialect, told, scene.clock.wall())
        content_type = head.get("content-type").partition(";")[0].strip().lower()
        if content_type in ("text/html", "application/xhtml+xml"):
            raise Fault(
                FaultKind.UNREADABLE,
                f"{self._provider}: answered with a web page instead of a reply; "
                "check its base URL, or a login page in between",
            )
        if scene.translation is not None:
            whole = content_type == "application/json"
            return TranslatedReply(self._told(), scene.translation, whole=whole)
        if scene.framing == "array" and content_type != "text/event-stream":
            return self._stream(ArraySplitter())
        if scene.framing != "whole" and content_type != "application/json":
            return self._stream(Splitter())
        if content_type == "text/event-stream":
            raise Fault(
                FaultKind.UNREADABLE, f"{self._provider}: streams although no stream was asked for"
            )
        return WholeReply(self._provider, scene.agent, self._show_whole)

    def _told(self) -> Reply:
        """Give the reply that a translation ends in."""
        scene = self._scene
        if scene.framing == "whole":
            return WholeReply(self._provider, scene.agent, self._show_whole)
        return self._stream(ArraySplitter() if scene.framing == "array" else Splitter())

    def _stream(self, splitter: Splitter | ArraySplitter) -> StreamReply:
        return StreamReply(
            self._provider, self._scene.agent, splitter, self._show_start, self._show
        )

    def _show_whole(self, body: bytes) -> None:
        assert self._head is not None
        try:
            self._scene.hold.whole(self._head.status, self._scene.reply_headers(self._head), body)
        except ValueError as error:
            raise Fault(
                FaultKind.UNREADABLE, f"{self._provider}: the reply is no answer: {error}"
            ) from error
        self._scene.record.enter("passing", self._scene.clock.wall(), f"{self._provider} answers")
        self._scene.began()

    def _show_start(self) -> None:
        assert self._head is not None
        self._scene.record.enter("passing", self._scene.clock.wall(), f"{self._provider} answers")
        self._scene.record.note(self._scene.clock.wall(), "passing", self._provider)
        self._scene.began()
        self._scene.hold.begin(self._head.status, self._scene.reply_headers(self._head))
        if self._closing is None:
            self._closing = self._scene.wheel.after(END_AFTER, self._look_for_end)

    def _show(self, data: bytes) -> None:
        if self._scene.hold.write(data) and not self._paused and self._call is not None:
            self._paused = True
            self._call.pause()
            self._scene.sink.on_room(self._room)

    def _room(self) -> None:
        """The agent reads again. Its silence was no silence of the vendor's."""
        if self._paused and self._call is not None:
            self._paused = False
            self._heard = self._scene.clock.monotonic()
            self._call.resume()

    def _watch(self) -> None:
        """Look as early as either patience may end: one timer a try, which bytes do not touch."""
        limits = [limit for limit in (self._patience.first_byte, self._patience.idle) if limit > 0]
        if limits:
            self._timer = self._scene.wheel.after(min(limits), self._look)
        if self._patience.first_token > 0:
            self._slow = self._scene.wheel.after(self._patience.first_token, self._give_way)

    def _give_way(self) -> None:
        """Without content (whole: a first byte) for too long while another could answer."""
        begun = self._scene.framing == "whole" and self._head is not None
        if self._scene.record.state != "passing" and not begun:
            seconds = format_duration(self._patience.first_token)
            self._finish(
                Ended(fault=Fault(FaultKind.SLOW, f"{self._provider}: no content within {seconds}"))
            )

    def _look(self) -> None:
        patience = self._patience.idle if self._head else self._patience.first_byte
        left = self._heard + patience - self._scene.clock.monotonic()
        if patience > 0 and left <= 0:
            self._timer = None
            self._finish(Ended(fault=self._silence(patience)))
        else:
            # The other patience may begin, and end, before this one does.
            limits = [left if patience > 0 else 0.0, 0.0 if self._head else self._patience.idle]
            if any(limits):
                self._timer = self._scene.wheel.after(min(filter(None, limits)), self._look)

    def _silence(self, patience: float) -> Fault:
        if self._paused:
            return Fault(
                FaultKind.READER,
                f"the agent read nothing for {format_duration(patience)} (idle_timeout)",
            )
        kind, limit = FaultKind.STALLED, "idle_timeout"
        if self._head is None:
            kind, limit = FaultKind.TIMEOUT, "first_byte_timeout"
        return Fault(
            kind,
            f"{self._provider}: connection lost: "
            f"it said nothing for {format_duration(patience)}, its {limit}",
        )

    def _stop_timer(self) -> None:
        for timer in (self._timer, self._slow, self._closing):
            if timer is not None:
                timer.cancel()
        self._timer = self._slow = self._closing = None

    def _finish(self, ended: Ended) -> None:
        self._stop_timer()
        tell, call = self._ended, self._call
        if ended.fault is not None:
            self._last_shown = self.shown
            if call is not None:
                call.abort()
        self._let_go()
        tell(Ended(fault=self._masked(ended.fault), lost=ended.lost) if ended.fault else ended)

    def _let_go(self) -> None:
        """Forget who refers to us, so that all goes without waiting for the garbage collector."""
        self._over = True
        self._call = self._reply = None
        self._ended = _tell_nobody

    def _broken(self, error: Exception) -> Fault:
        return Fault(FaultKind.UNREADABLE, f"{self._provider}: the reply's compression: {error}")

    def _masked(self, fault: Fault) -> Fault:
        """Vendors quote the key that they refuse; nobody else may see it."""
        secrets = [self._key]
        reply = fault.reply
        if reply is not None:
            body = mask(reply.body.decode("utf-8", "surrogateescape"), secrets)
            reply = replace(reply, body=body.encode("utf-8", "surrogateescape"))
        return Fault(
            fault.kind,
            mask(fault.message, secrets),
            retry_after=fault.retry_after,
            reply=reply,
            headers=fault.headers,
        )


def _tell_nobody(_: Ended) -> None:
    """The exchange has gone on already."""
