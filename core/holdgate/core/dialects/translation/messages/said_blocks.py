"""Blocks of a reply that are open: a call with its arguments, a thought with its signature."""

from __future__ import annotations

from holdgate.core.dialects.translation.halves import Halves
from holdgate.core.values.neutral import Seal
from holdgate.core.values.neutral_reply import (
    CallBegan,
    CallDelta,
    CallEnded,
    Event,
    ThoughtDelta,
    ThoughtEnded,
)


class CallBlock:
    """A call: its arguments come in pieces, or all at once with the beginning, or not at all."""

    __slots__ = ("_call", "_halves", "_input", "_told")

    def __init__(self, call: int, id: str, name: str, input: str, events: list[Event]) -> None:
        """Tell the beginning; `input` counts if no piece follows."""
        self._call, self._input = call, input
        self._halves = Halves()
        self._told = False
        events.append(CallBegan(call, id, name))

    def add(self, piece: str, events: list[Event]) -> None:
        """Tell a piece of the arguments."""
        if piece and (piece := self._halves.join(piece)):
            self._told = True
            events.append(CallDelta(self._call, piece))

    def close(self, events: list[Event]) -> None:
        """Tell the end."""
        rest = self._halves.close()
        if not self._told and not rest:
            rest = self._input or "{}"
        if rest:
            events.append(CallDelta(self._call, rest))
        events.append(CallEnded(self._call))


class Thought:
    """A thought: shown, signed, or both."""

    __slots__ = ("_halves", "_origin", "_signature", "_told")

    def __init__(self, origin: str) -> None:
        """Begin a thought of a model at `origin`."""
        self._origin = origin
        self._halves = Halves()
        self._signature = ""
        self._told = False

    def add(self, piece: str, events: list[Event]) -> None:
        """Tell a piece of it."""
        if piece and (piece := self._halves.join(piece)):
            self._told = True
            events.append(ThoughtDelta(piece))

    def sign(self, signature: str) -> None:
        """Take its signature; a later one replaces it, as in the vendor's own libraries."""
        self._signature = signature or self._signature

    def close(self, events: list[Event]) -> None:
        """Tell the end, if there was anything."""
        if rest := self._halves.close():
            self.add(rest, events)
        seals = (Seal(self._origin, "signature", self._signature),) if self._signature else ()
        if self._told or seals:
            events.append(ThoughtEnded(seals))
