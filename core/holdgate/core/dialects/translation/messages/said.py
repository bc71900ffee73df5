"""What the events of a Messages stream say, one after the other.

A vendor opens, fills and closes one block at a time, numbered from 0. Those that imitate the
dialect leave blocks open, number two alike, or send deltas without a start; all of that is read as
it was meant. What a vendor's own tools did is told as lost: no agent of another dialect knows it.
"""

from __future__ import annotations

import msgspec

from holdgate.core.dialects.openai import error_words
from holdgate.core.dialects.raw_events import members
from holdgate.core.dialects.reading import Json, member, texts
from holdgate.core.dialects.translation.halves import Halves
from holdgate.core.dialects.translation.json_texts import dumps, opaque
from holdgate.core.dialects.translation.messages.said_blocks import CallBlock, Thought
from holdgate.core.dialects.translation.messages.stop_reasons import why_of
from holdgate.core.dialects.translation.messages.token_usage import read_usage
from holdgate.core.values.neutral import Loss, Seal
from holdgate.core.values.neutral_reply import (
    Began,
    Ended,
    Event,
    Failed,
    Lost,
    RefusalDelta,
    TextDelta,
    ThoughtEnded,
    Used,
)
from holdgate.core.values.usage import Usage

# Of an error in a shape of its own so much is told, in bytes.
_WORDS = 500


class Said:
    """A reply as it is understood so far."""

    __slots__ = (
        "_began",
        "_calls",
        "_cited",
        "_halves",
        "_id",
        "_open",
        "_origin",
        "_reason",
        "_stop",
        "_usage",
        "ended",
    )

    def __init__(self, origin: str) -> None:
        """Start before the first event of a reply of `origin`."""
        self.ended = False
        self._origin = origin
        self._began = False
        self._id = ""
        self._open: dict[int, CallBlock | Thought | None] = {}
        self._calls = 0
        self._halves = Halves()
        self._cited = False
        self._usage: Usage | None = None
        self._reason = self._stop = ""

    def take_text(self, text: str, events: list[Event]) -> None:
        """Take a piece of the answer's text."""
        if not self._began:
            self._begin({}, events)
        if text and (text := self._halves.join(text)):
            events.append(TextDelta(text))

    def take(self, name: str, found: Json, data: bytes, events: list[Event]) -> None:
        """Take an event."""
        match texts(found.get("type")) or name or ("error" if found.get("error") else ""):
            case "content_block_delta":
                self._delta(_number(found), found.get("delta"), events)
            case "content_block_start":
                block = found.get("content_block")
                self._start(_number(found), block, _within(data, "content_block"), events)
            case "content_block_stop":
                self._close_block(_number(found), events)
            case "message_start":
                self._begin(found.get("message"), events)
            case "message_delta":
                self._message_delta(found, events)
            case "message_stop":
                self._end(events)
            case "message":
                self.take_whole(found, data, events)
            case "error":
                self._fail(data, events)
            case "ping":
                pass
            case other:
                events.append(Lost(Loss("stream", f"an event of an unknown type: {other[:64]}")))

    def take_whole(self, found: Json, data: bytes, events: list[Event]) -> bool:
        """Take a whole message; False if it is none."""
        content = found.get("content")
        if not isinstance(content, list):
            if not found.get("error"):
                return False
            self._fail(data, events)
            return True
        self._begin(found, events)
        raws = _listed(_within(data, "content"))
        for index, block in enumerate(content):
            self._start(index, block, raws[index] if index < len(raws) else None, events)
            self._close_block(index, events)
        self._message_delta({"delta": found, "usage": found.get("usage")}, events)
        self._end(events)
        return True

    def _begin(self, message: object, events: list[Event]) -> None:
        if not self._began:
            self._began = True
            self._id = texts(member(message, "id"))
            events.append(Began(self._id, texts(member(message, "model"))))
        self._use(member(message, "usage"), events)

    def _use(self, found: object, events: list[Event]) -> None:
        usage = read_usage(found, self._usage)
        if usage is not None and usage != self._usage:
            self._usage = usage
            events.append(Used(usage))

    def _start(
        self, index: int, block: object, raw: msgspec.Raw | None, events: list[Event]
    ) -> None:
        if not self._began:
            self._begin({}, events)
        self._close_block(index, events)
        match texts(member(block, "type")):
            case "text":
                self._open[index] = None
                self.take_text(texts(member(block, "text")), events)
            case "thinking":
                self._open[index] = thought = Thought(self._origin)
                thought.add(texts(member(block, "thinking")), events)
                thought.sign(opaque(member(block, "signature")))
            case "redacted_thinking":
                if data := opaque(member(block, "data")):
                    events.append(ThoughtEnded((Seal(self._origin, "redacted", data),)))
            case "tool_use":
                self._call(index, block, raw, events)
            case kind:
                events.append(Lost(Loss(f"content[{index}]", _foreign(kind))))

    def _call(
        self, index: int, block: object, raw: msgspec.Raw | None, events: list[Event]
    ) -> None:
        if not (name := texts(member(block, "name"))):
            events.append(Lost(Loss(f"content[{index}]", "a call without a name")))
            return
        call = self._calls
        self._calls += 1
        id = texts(member(block, "id")) or f"toolu_{self._id.removeprefix('msg_')}_{call}"
        self._open[index] = CallBlock(call, id, name, _input(block, raw), events)

    def _delta(self, index: int, delta: object, events: list[Event]) -> None:
        match texts(member(delta, "type")):
            case "text_delta":
                self.take_text(texts(member(delta, "text")), events)
            case "thinking_delta":
                self._thought(index, events).add(texts(member(delta, "thinking")), events)
            case "signature_delta":
                self._thought(index, events).sign(opaque(member(delta, "signature")))
            case "input_json_delta":
                if isinstance(block := self._open.get(index), CallBlock):
                    block.add(texts(member(delta, "partial_json")), events)
            case "citations_delta":
                if not self._cited:
                    self._cited = True
                    events.append(Lost(Loss(f"content[{index}]", "citations")))
            case kind:
                events.append(Lost(Loss(f"content[{index}]", f"a delta of type {kind[:64]}")))

    def _thought(self, index: int, events: list[Event]) -> Thought:
        if not self._began:
            self._begin({}, events)
        block = self._open.get(index)
        if not isinstance(block, Thought):
            self._close_block(index, events)
            self._open[index] = block = Thought(self._origin)
        return block

    def _close_block(self, index: int, events: list[Event]) -> None:
        block = self._open.pop(index, None)
        if block is not None:
            block.close(events)
        self._flush(events)

    def _flush(self, events: list[Event]) -> None:
        if rest := self._halves.close():
            events.append(TextDelta(rest))

    def _message_delta(self, found: Json, events: list[Event]) -> None:
        self._use(found.get("usage"), events)
        delta = found.get("delta")
        self._reason = texts(member(delta, "stop_reason")) or self._reason
        self._stop = texts(member(delta, "stop_sequence")) or self._stop
        if words := texts(member(delta, "stop_details", "explanation")):
            events.append(RefusalDelta(words))

    def _end(self, events: list[Event]) -> None:
        if not self._began:
            self._begin({}, events)
        for index in list(self._open):
            self._close_block(index, events)
        self._flush(events)
        self.ended = True
        why = why_of(self._reason, self._calls)
        events.append(Ended(why, self._stop if why == "stop" else ""))

    def _fail(self, data: bytes, events: list[Event]) -> None:
        self.ended = True
        words = error_words(data) or data[:_WORDS].decode("utf-8", "replace")
        events.append(Failed(words, data))


def _number(found: Json) -> int:
    index = found.get("index")
    return index if isinstance(index, int) else 0


def _within(data: bytes | msgspec.Raw | None, name: str) -> msgspec.Raw | None:
    """Give a member as it is written: numbers that were decoded may have changed."""
    return (members(data) or {}).get(name)


def _listed(data: msgspec.Raw | None) -> list[msgspec.Raw]:
    try:
        return msgspec.json.decode(data or b"[]", type=list[msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return []


def _input(block: object, raw: msgspec.Raw | None) -> str:
    """Give a call's arguments, "" where there are none; some tell them as their JSON text."""
    value = member(block, "input")
    if isinstance(value, str):
        return value.strip()
    if not isinstance(value, dict) or not value:
        return ""
    if (found := _within(raw, "input")) is not None:
        return bytes(found).decode("utf-8", "replace")
    try:
        return dumps(value).decode()  # half a character in it
    except RecursionError:
        return ""


def _foreign(kind: str) -> str:
    return f"a block of type {kind[:64]}: what the vendor's own tools did"
