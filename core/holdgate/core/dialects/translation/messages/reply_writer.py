"""Tells a reply to a Messages agent as its stream: neutral events in, bytes out.

The dialect knows one open block at a time, with rising numbers. Other vendors mix their calls, and
text among them: what comes for another block than the open one waits in line until its turn. A text
or thought is over as soon as something else comes, a call when it is told to be.
"""

from __future__ import annotations

from collections import deque

from holdgate.core.dialects.raw_events import frame
from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.base import Telling
from holdgate.core.dialects.translation.json_texts import dumps, escaped
from holdgate.core.dialects.translation.messages.message import message_of, stop_details
from holdgate.core.dialects.translation.messages.slots import envelope_block, thought_slots
from holdgate.core.dialects.translation.messages.stop_reasons import reason_of
from holdgate.core.dialects.translation.messages.token_usage import delta_usage
from holdgate.core.dialects.translation.messages.told_blocks import (
    DELTA_END,
    CallTold,
    TextTold,
    ThoughtTold,
    Told,
    Whole,
    delta_head,
)
from holdgate.core.values.neutral import Seal
from holdgate.core.values.neutral_reply import (
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    Failed,
    Lost,
    RefusalDelta,
    TextDelta,
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
    Used,
)
from holdgate.core.values.seals import wrap
from holdgate.core.values.usage import Usage

_STOP = frame({"type": "message_stop"}, "message_stop")


class MessagesWriter:
    """See base.ReplyWriter."""

    __slots__ = (
        "_calls",
        "_ended",
        "_fast",
        "_index",
        "_line",
        "_opened",
        "_out",
        "_telling",
        "_told_calls",
        "_usage",
    )

    def __init__(self, telling: Telling) -> None:
        """Start before the opening."""
        self._telling = telling
        self._opened = self._ended = False
        self._usage: Usage | None = None
        self._out: list[bytes] = []
        self._index = 0
        self._line: deque[Told] = deque()  # the first one is open
        self._calls: dict[int, CallTold] = {}
        self._told_calls = 0
        # What stands before a piece of text while a text is open and nobody waits, else empty.
        self._fast = b""

    def tell(self, events: list[Event]) -> bytes:
        """See base.ReplyWriter."""
        sealed: dict[int, tuple[Seal, ...]] | None = None
        for event in events:
            if type(event) is TextDelta and self._fast:
                self._out.append(self._fast + escaped(event.text) + DELTA_END)
            elif isinstance(event, CallBegan):
                if sealed is None:
                    sealed = {e.call: e.seals for e in events if isinstance(e, CallEnded)}
                self._take(event, sealed.get(event.call, ()))
            else:
                self._take(event)
        told, self._out = b"".join(self._out), []
        return told

    def _take(self, event: Event, seals: tuple[Seal, ...] = ()) -> None:
        """Take an event; `seals` are a call's, where they are known at its beginning."""
        if self._ended or isinstance(event, Lost | Failed):
            return
        if isinstance(event, Used):
            self._usage = event.usage
            return
        if not self._opened:
            self._open()
        if isinstance(event, CallBegan):
            self._begin_call(event, seals)
        else:
            self._place(event)
        self._advance()
        if isinstance(event, Ended):
            self._end(event)

    def _open(self) -> None:
        self._opened = True
        message = message_of(self._telling, self._usage)
        self._out.append(_event("message_start", message=message))

    def _place(self, event: Event) -> None:
        """Put what an event says into its block."""
        match event:
            case TextDelta(text) | RefusalDelta(text):
                self._text().add(text)
            case ThoughtDelta(text):
                self._thought().add(text)
            case ThoughtEnded(seals):
                self._end_thought(seals)
            case TextSealed(seal):
                self._add(Whole(envelope_block(seal, "text")))
            case CallDelta(call, text) if call in self._calls:
                self._calls[call].add(text)
            case CallEnded(call, seals) if call in self._calls:
                self._end_call(self._calls.pop(call), seals)
            case Ended():
                for block in self._line:
                    block.ended = True
            case _:
                pass

    def _add(self, block: Told) -> None:
        """Put a block into the line; a text or thought before it is over."""
        if self._line and not isinstance(last := self._line[-1], CallTold):
            last.ended = True
        self._line.append(block)

    def _text(self) -> TextTold:
        last = self._line[-1] if self._line else None
        if isinstance(last, TextTold) and not last.ended:
            return last
        self._add(block := TextTold())
        return block

    def _thought(self) -> ThoughtTold:
        last = self._line[-1] if self._line else None
        if isinstance(last, ThoughtTold) and not last.ended:
            return last
        self._add(block := ThoughtTold())
        return block

    def _end_thought(self, seals: tuple[Seal, ...]) -> None:
        signing, others = thought_slots(seals)
        if signing is not None:
            self._thought().signature = wrap(signing)
        if self._line and isinstance(last := self._line[-1], ThoughtTold):
            last.ended = True
        for block in others:
            self._add(Whole(block))

    def _begin_call(self, began: CallBegan, seals: tuple[Seal, ...]) -> None:
        for seal in seals:
            self._add(Whole(envelope_block(seal, "call", began.id)))
        self._calls[began.call] = call = CallTold(began)
        call.sealed = bool(seals)
        self._told_calls += 1
        self._add(call)

    def _end_call(self, call: CallTold, seals: tuple[Seal, ...]) -> None:
        """End a call. Seals that were not known before it ride behind it."""
        call.ended = True
        for seal in () if call.sealed else seals:
            self._add(Whole(envelope_block(seal, "call", call.id)))

    def _advance(self) -> None:
        """Tell what can be told of the line."""
        while self._line:
            head = self._line[0]
            self._out += head.news(self._index)
            if not head.ended:
                break
            self._line.popleft()
            self._index += 1
        alone = len(self._line) == 1 and isinstance(self._line[0], TextTold)
        self._fast = delta_head(self._index, TextTold.kind, TextTold.member) if alone else b""

    def _end(self, ended: Ended) -> None:
        self._ended = True
        reason = reason_of(ended.why, ended.stop, self._told_calls)
        delta: Json = {
            "container": None,
            "stop_details": stop_details(reason),
            "stop_reason": reason,
            "stop_sequence": ended.stop if reason == "stop_sequence" else None,
        }
        self._out += (_event("message_delta", delta=delta, usage=delta_usage(self._usage)), _STOP)


def _event(kind: str, **data: object) -> bytes:
    return b"event: %s\ndata: " % kind.encode() + dumps({"type": kind, **data}) + b"\n\n"
