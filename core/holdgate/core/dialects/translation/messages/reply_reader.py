"""Understands the stream of a Messages vendor: bytes in, neutral events out.

A text delta, which most events are, takes a short road: it is recognised by its lines and read by
one typed decode. Everything else is parsed as an event and looked at as a whole. `Said` below knows
what the events mean; this file knows how they come.
"""

from __future__ import annotations

import msgspec

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.json_texts import loads
from holdgate.core.dialects.translation.messages.said import Said
from holdgate.core.values.neutral import Loss
from holdgate.core.values.neutral_reply import Event, Lost
from holdgate.core.wire.sse import Splitter, parse_event


class _TextDelta(msgspec.Struct, gc=False):
    type: str
    text: str


class _Delta(msgspec.Struct, gc=False):
    type: str
    delta: _TextDelta


_delta = msgspec.json.Decoder(_Delta)
_HEAD = b"event: content_block_delta\ndata: "
_SHORT = len(_HEAD)
_WHITE = b" \t\r\n\xef\xbb\xbf"


class MessagesReader:
    """See base.ReplyReader."""

    __slots__ = ("_began", "_json", "_said", "_split")

    def __init__(self, origin: str) -> None:
        """Start before the first byte of a reply of `origin`."""
        self._said = Said(origin)
        self._split = Splitter()
        self._began = False
        self._json: list[bytes] | None = None  # a whole reply, although a stream was asked for

    @property
    def is_complete(self) -> bool:
        """Never before its end: `message_stop` ends it at once."""
        return False

    def feed(self, data: bytes) -> list[Event]:
        """See base.ReplyReader."""
        if not self._began and (first := data.lstrip(_WHITE)):
            self._began = True
            if first[:1] == b"{":
                self._json = []
        if self._json is not None:
            self._json.append(data)
            return []
        events: list[Event] = []
        for raw in self._split.each(data):
            self._read(raw, events)
        return events

    def close(self) -> list[Event]:
        """See base.ReplyReader."""
        events: list[Event] = []
        if self._json is not None:
            self._close_json(events)
        elif rest := self._split.close():
            self._read(rest, events, cut=True)
        if not self._said.ended:
            raise EOFError("the stream ended without message_stop")
        return events

    def whole(self, body: bytes) -> list[Event]:
        """See base.ReplyReader."""
        found = loads(body)
        events: list[Event] = []
        if not isinstance(found, dict) or not self._said.take_whole(found, body, events):
            raise ValueError("no message: it has no list of content")
        return events

    def _close_json(self, events: list[Event]) -> None:
        body = b"".join(self._json or ())
        try:
            events += self.whole(body)
        except ValueError as error:
            raise EOFError(f"no stream came, and no whole reply: {error}") from error

    def _read(self, raw: bytes, events: list[Event], *, cut: bool = False) -> None:
        said = self._said
        if said.ended:
            return
        if raw.startswith(_HEAD) and raw.find(b"\n", _SHORT) == len(raw) - 2:
            try:
                told = _delta.decode(raw[_SHORT:-2])
            except (msgspec.DecodeError, UnicodeDecodeError):
                pass  # another delta, or half a character
            else:
                if told.delta.type == "text_delta" and told.type == "content_block_delta":
                    said.take_text(told.delta.text, events)
                    return
        self._read_event(raw, events, cut=cut)

    def _read_event(self, raw: bytes, events: list[Event], *, cut: bool) -> None:
        """Take any event. A last one without its blank line may be cut: then it says nothing."""
        event = parse_event(raw)
        if event.data is None or event.data.strip() == b"[DONE]":
            return
        found = _object(event.data)
        if found is not None:
            self._said.take(event.name, found, event.data, events)
        elif event.name == "error":
            self._said.take(event.name, {}, event.data, events)
        elif not cut:
            events.append(Lost(Loss("stream", "an event that is no JSON object")))


def _object(data: bytes) -> Json | None:
    try:
        found = loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
