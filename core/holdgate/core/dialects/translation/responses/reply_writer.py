"""A reply told to an agent as a stream of the dialect `responses`.

Items are told one after the other. A vendor may say several things at once (calls that are
interleaved): while one call is open, what belongs to others waits in blocks behind it, each block a
call or what was said between two calls. When the open one ends, the blocks that are complete are
told, up to the first call that is still open: it is the next one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from msgspec.structs import replace

from holdgate.core.dialects.translation.base import Telling
from holdgate.core.dialects.translation.responses.carriers import Place, carry
from holdgate.core.dialects.translation.responses.item_stories import (
    CallStory,
    MessageStory,
    Numbered,
    OwnCallStory,
    Story,
    ThoughtStory,
)
from holdgate.core.dialects.translation.responses.output_items import Speech, Status
from holdgate.core.dialects.translation.responses.own_tools import own_tools
from holdgate.core.dialects.translation.responses.response_object import (
    ResponseObject,
    item_status,
    told_why,
)
from holdgate.core.values.neutral import Seal
from holdgate.core.values.neutral_reply import (
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    Failed,
    RefusalDelta,
    TextDelta,
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
    Used,
)
from holdgate.core.values.usage import Usage


class _Block:
    """What waits: a call with its number, or what was said between calls (-1)."""

    __slots__ = ("call", "ended", "events")

    def __init__(self, call: int) -> None:
        self.call = call
        self.ended = call < 0
        self.events: list[Event] = []


class ResponsesReplyWriter:
    """See base.ReplyWriter."""

    __slots__ = (
        "_blocks",
        "_call",
        "_call_id",
        "_ended",
        "_id",
        "_kind",
        "_opened",
        "_out",
        "_own",
        "_refused",
        "_response",
        "_sealed",
        "_seals",
        "_story",
        "_usage",
        "_waiting",
    )

    def __init__(self, telling: Telling) -> None:
        """Tell the reply to one request."""
        self._id = telling.id
        self._own = own_tools(telling.request)
        self._response = ResponseObject(telling)
        self._out = Numbered()
        self._story: Story | None = None
        self._kind = ""  # of the open story: text, refusal, thought or call
        self._call = -1  # the number of the open call
        self._call_id = ""
        self._sealed = False  # whether its seals are told already
        self._seals: tuple[Seal, ...] = ()  # of the text that was told last
        self._waiting: deque[_Block] = deque()
        self._blocks: dict[int, _Block] = {}
        self._usage: Usage | None = None
        self._opened = self._ended = self._refused = False

    def tell(self, events: list[Event]) -> bytes:
        """See ReplyWriter.tell."""
        if not self._opened and events:
            self._open()
        for number, event in enumerate(events):
            if type(event) is TextDelta and self._kind == "text" and not self._seals:
                assert self._story is not None
                self._story.say(event.text)
            elif not self._ended:
                self._take(event, events, number)
        return self._out.taken()

    def _open(self) -> None:
        self._opened = True
        response = b',"response":' + self._response.begun()
        self._out.tell(b"response.created", response)
        self._out.tell(b"response.in_progress", response)

    def _take(self, event: Event, events: list[Event], number: int) -> None:
        match event:
            case Used(usage):
                self._usage = usage
            case Ended():
                self._end(event)
            case Failed():
                # The stream's error is told by its dialect.
                self._ended = True
            case CallBegan(call) | CallDelta(call) | CallEnded(call) if call in self._blocks:
                self._wait(self._blocks[call], event)
            case CallDelta(call) | CallEnded(call) if call == self._call:
                self._tell_one(event, ())
            case _ if self._call >= 0:
                self._wait(self._block_of(event), event)
            case _:
                self._tell_one(event, _rest_of_call(event, events, number))

    def _block_of(self, event: Event) -> _Block:
        """Give the block in which an event waits; a call that is unknown begins none."""
        last = self._waiting[-1] if self._waiting else None
        if isinstance(event, CallBegan):
            block = self._blocks[event.call] = _Block(event.call)
        elif last is not None and last.call < 0:
            return last
        else:
            block = _Block(-1)
        self._waiting.append(block)
        return block

    def _wait(self, block: _Block, event: Event) -> None:
        block.events.append(event)
        block.ended = block.ended or isinstance(event, CallEnded)

    def _tell_waiting(self) -> None:
        """Tell the blocks up to a call that is still open, and that as far as it came."""
        while self._waiting and self._call < 0:
            block = self._waiting.popleft()
            self._blocks.pop(block.call, None)
            for number, event in enumerate(block.events):
                self._tell_one(event, _rest_of_call(event, block.events, number))

    def _tell_one(self, event: Event, rest: Iterable[Event]) -> None:
        """Tell an event; `rest`: what follows a call's beginning, as far as it is known."""
        match event:
            case TextDelta(text):
                self._say("text", text)
            case RefusalDelta(text):
                self._refused = True
                self._say("refusal", text)
            case ThoughtDelta(text):
                self._say("thought", text)
            case ThoughtEnded(seals):
                self._end_thought(seals)
            case TextSealed(seal):
                self._seals += (seal,)
            case CallBegan():
                self._begin_call(event, rest)
            case CallDelta(_, text):
                if self._story is not None and self._kind == "call" and text:
                    self._story.say(text)
            case CallEnded(_, seals) if self._call >= 0:
                self._end_call(seals)

    def _say(self, kind: str, text: str) -> None:
        if not text:
            return
        if self._kind != kind or self._seals:
            self._close()
            self._kind = kind
            self._story = self._begun(kind)
        assert self._story is not None
        self._story.say(text)

    def _begun(self, kind: str) -> Story:
        if kind == "thought":
            return ThoughtStory(self._out, self._item_id("rs"))
        speech: Speech = "refusal" if kind == "refusal" else "text"
        return MessageStory(self._out, self._item_id("msg"), speech)

    def _end_thought(self, seals: tuple[Seal, ...]) -> None:
        if self._kind == "thought":
            self._close(sealed=carry(seals, "thought"))
        elif seals:
            self._close()
            self._carry(seals, "thought")

    def _begin_call(self, event: CallBegan, rest: Iterable[Event]) -> None:
        """Begin a call, after its seals if they are known; else they follow it."""
        self._close()
        seals = _seals_of(event.call, rest)
        self._call_id = event.id or self._item_id("call")
        self._carry(seals, "call", self._call_id)
        self._sealed = bool(seals)
        self._story, self._kind, self._call = self._called(event), "call", event.call

    def _called(self, event: CallBegan) -> Story:
        event = replace(event, id=self._call_id)
        id = self._item_id("ctc" if event.custom else "fc")
        own = None if event.custom or event.namespace else self._own.get(event.name)
        if own is not None:
            return OwnCallStory(self._out, id, event.id, own)
        return CallStory(self._out, id, event)

    def _end_call(self, seals: tuple[Seal, ...]) -> None:
        self._close()
        if not self._sealed:
            self._carry(seals, "call", self._call_id)
        self._call = -1
        self._tell_waiting()

    def _carry(self, seals: tuple[Seal, ...], place: Place, call_id: str = "") -> None:
        if seals:
            story = ThoughtStory(self._out, self._item_id("rs"))
            story.end("completed", carry(seals, place, call_id))

    def _close(self, status: Status = "completed", sealed: str = "") -> None:
        """End the open story; the seals of a text follow it."""
        if self._story is not None:
            self._story.end(status, sealed)
        self._story, self._kind = None, ""
        seals, self._seals = self._seals, ()
        self._carry(seals, "text")

    def _end(self, event: Ended) -> None:
        why = told_why(event.why, refused=self._refused)
        status: Status = "incomplete" if item_status(why) == "incomplete" else "completed"
        while self._call >= 0:
            # A call that was cut off; what waited behind it is told all the same.
            self._close(status)
            self._call = -1
            self._tell_waiting()
        self._close(status)
        self._ended = True
        response = self._response.ended(why, self._out.output, self._usage)
        kind = b"response.incomplete" if status == "incomplete" else b"response.completed"
        self._out.tell(kind, b',"response":' + response)

    def _item_id(self, prefix: str) -> str:
        return f"{prefix}_{self._id}{len(self._out.output):03x}"


def _seals_of(call: int, events: Iterable[Event]) -> tuple[Seal, ...]:
    for event in events:
        if isinstance(event, CallEnded) and event.call == call:
            return event.seals
    return ()


def _rest_of_call(event: Event, events: list[Event], number: int) -> Iterable[Event]:
    """Give what is known to follow if a call begins: its seals are told before it."""
    return events[number:] if isinstance(event, CallBegan) else ()
