"""Blocks of a reply on their way to a Messages agent: how each begins, goes on and ends."""

from __future__ import annotations

from abc import ABC, abstractmethod

from holdgate.core.dialects.raw_events import frame
from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.custom_tools import as_arguments
from holdgate.core.dialects.translation.json_texts import dumps, escaped
from holdgate.core.dialects.translation.messages.block_writer import input_of
from holdgate.core.dialects.translation.messages.message import (
    call_block,
    text_block,
    thinking_block,
)
from holdgate.core.values.neutral_reply import CallBegan

DELTA_END = b"}}\n\n"


def delta_head(index: int, kind: str, member: str) -> bytes:
    """Give what stands before the text in a delta; DELTA_END follows it."""
    return (
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":%d,'
        b'"delta":{"type":"%s","%s":' % (index, kind.encode(), member.encode())
    )


class Told(ABC):
    """A block: `ended` when nothing more comes, `started` when the agent knows of it."""

    kind = ""
    member = ""
    __slots__ = ("_pieces", "ended", "started")

    def __init__(self) -> None:
        """Begin with nothing to tell."""
        self._pieces: list[str] = []
        self.started = self.ended = False

    def add(self, piece: str) -> None:
        """Take a piece that waits to be told."""
        self._pieces.append(piece)

    @abstractmethod
    def block(self) -> Json:
        """Give the block as it starts."""

    def news(self, index: int) -> list[bytes]:
        """Give the events that this block has to tell now, as the one with this number."""
        told = [] if self.started else [_start(index, self.block())]
        self.started = True
        head = delta_head(index, self.kind, self.member)
        told += [head + escaped(piece) + DELTA_END for piece in self._ready()]
        if self.ended:
            told += self._last(index)
            told.append(_stop(index))
        return told

    def _ready(self) -> list[str]:
        pieces, self._pieces = self._pieces, []
        return pieces

    def _last(self, index: int) -> list[bytes]:
        return []


class TextTold(Told):
    """A text."""

    kind, member = "text_delta", "text"
    __slots__ = ()

    def block(self) -> Json:
        """See Told."""
        return text_block("")


class ThoughtTold(Told):
    """A thought with the slot for its seal."""

    kind, member = "thinking_delta", "thinking"
    __slots__ = ("signature",)

    def __init__(self) -> None:
        """Begin without a seal."""
        super().__init__()
        self.signature = ""

    def block(self) -> Json:
        """See Told."""
        return thinking_block("", "")

    def _last(self, index: int) -> list[bytes]:
        if not self.signature:
            return []
        head = delta_head(index, "signature_delta", "signature")
        return [head + escaped(self.signature) + DELTA_END]


class CallTold(Told):
    """A call. Of a custom tool the whole text is needed before it can be told as arguments, and
    so are arguments that are no object: agents stop at an input that is no JSON.
    """

    kind, member = "input_json_delta", "partial_json"
    __slots__ = ("_any", "_began", "sealed")

    def __init__(self, began: CallBegan) -> None:
        """Take how it began."""
        super().__init__()
        self._began = began
        self._any = False
        self.sealed = False

    @property
    def id(self) -> str:
        """The call's id."""
        return self._began.id

    def block(self) -> Json:
        """See Told."""
        return call_block(self._began.id, self._began.name, {})

    def _ready(self) -> list[str]:
        if not self._began.custom and (self._any or self._is_object()):
            return super()._ready()
        if not self.ended:
            return []
        text = "".join(super()._ready())
        if self._began.custom:
            return [as_arguments(text)]
        self._any = bool(text)
        return [input_of(text).decode()] if text else []

    def _is_object(self) -> bool:
        """Tell whether the arguments begin as an object does; white space before it goes."""
        while self._pieces and not self._pieces[0].strip():
            del self._pieces[0]
        self._any = bool(self._pieces) and self._pieces[0].lstrip().startswith("{")
        return self._any

    def _last(self, index: int) -> list[bytes]:
        """Without arguments the call has an empty object of them."""
        if self._any or self._began.custom:
            return []
        return [delta_head(index, self.kind, self.member) + b'"{}"' + DELTA_END]


class Whole(Told):
    """A block that is told at once."""

    __slots__ = ("_block",)

    def __init__(self, block: Json) -> None:
        """Take the block."""
        super().__init__()
        self._block = block
        self.ended = True

    def block(self) -> Json:
        """See Told."""
        return self._block


def _start(index: int, block: Json) -> bytes:
    event = {"type": "content_block_start", "index": index, "content_block": block}
    return b"event: content_block_start\ndata: " + dumps(event) + b"\n\n"


def _stop(index: int) -> bytes:
    return frame({"type": "content_block_stop", "index": index}, "content_block_stop")
