"""The calls of a Gemini vendor's reply: whole in one part, or streamed in pieces (Vertex)."""

from __future__ import annotations

from typing import Any

import msgspec

from holdgate.core.dialects.reading import is_nothing
from holdgate.core.dialects.translation.call_ids import digest_of
from holdgate.core.dialects.translation.gemini.arguments import as_object
from holdgate.core.dialects.translation.gemini.partial_args import PartialArgs
from holdgate.core.dialects.translation.gemini.slots import OWN_KIND
from holdgate.core.dialects.translation.json_texts import loads
from holdgate.core.values.neutral import Loss, Seal
from holdgate.core.values.neutral_reply import CallBegan, CallDelta, CallEnded, Event, Lost

_DIGEST = 24


class _FunctionCall(msgspec.Struct, gc=False):
    name: str | None = None
    id: str | None = None
    args: msgspec.Raw = msgspec.Raw(b"")
    pieces: list[Any] | None = msgspec.field(name="partialArgs", default=None)
    goes_on: bool | None = msgspec.field(name="willContinue", default=None)


class _Open(msgspec.Struct):
    number: int
    id: str
    name: str
    arguments: PartialArgs
    seals: tuple[Seal, ...] = ()


_decoder = msgspec.json.Decoder(_FunctionCall)


class CallReader:
    """Tells calls as events; those without an id get one that no other reply's call has.

    Theory. There is no chance here, so the id is made of the whole chunk that the call came in
    and of the reply's first one, with the response's id, usage and signatures, and of the call's
    number.
    """

    __slots__ = ("_first", "_ids", "_open", "_origin", "count")

    def __init__(self, origin: str) -> None:
        """Take whose calls they are."""
        self.count = 0
        self._origin = origin
        self._first = b""
        self._ids: set[str] = set()
        self._open: _Open | None = None

    def begin(self, chunk: bytes) -> None:
        """The reply begins with `chunk`."""
        self._first = chunk

    def take(self, raw: msgspec.Raw, signature: str, chunk: bytes, events: list[Event]) -> None:
        """Tell what a part with a functionCall says."""
        try:
            call = _decoder.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            if not is_nothing(raw):
                events.append(Lost(Loss("functionCall", "a call that cannot be read")))
            return
        if self._open is not None and not self._continues(call):
            self.close(events)
        if self._open is None and not call.name:
            events.append(Lost(Loss("functionCall", "a call without a name")))
        elif self._open is None and not call.goes_on and not call.pieces:
            self._whole(call, signature, chunk, events)
        else:
            self._streamed(call, signature, chunk, events)

    def close(self, events: list[Event]) -> None:
        """End a call that is still open."""
        open, self._open = self._open, None
        if open is not None:
            events += (
                CallDelta(open.number, open.arguments.close()),
                CallEnded(open.number, open.seals),
            )

    def _continues(self, call: _FunctionCall) -> bool:
        assert self._open is not None
        same = call.id is None or call.id == self._open.id
        return not call.name or (same and call.name == self._open.name and call.pieces is not None)

    def _whole(
        self, call: _FunctionCall, signature: str, chunk: bytes, events: list[Event]
    ) -> None:
        number, id = self._begin(call, chunk, events)
        arguments, is_object = as_object(_text(call.args))
        if not is_object:
            events.append(Lost(Loss("functionCall.args", "no JSON object, told within one")))
        events += (
            CallDelta(number, arguments.decode("utf-8", "replace")),
            CallEnded(number, self._seals(signature, id)),
        )

    def _streamed(
        self, call: _FunctionCall, signature: str, chunk: bytes, events: list[Event]
    ) -> None:
        if self._open is None:
            number, id = self._begin(call, chunk, events)
            self._open = _Open(number, id, call.name or "", PartialArgs())
        open = self._open
        if signature:
            open.seals = self._seals(signature, open.id)
        events += (
            Lost(Loss("partialArgs", "a piece that cannot be placed"))
            for piece in call.pieces or ()
            if not open.arguments.take(piece)
        )
        if not call.goes_on:
            self.close(events)

    def _begin(self, call: _FunctionCall, chunk: bytes, events: list[Event]) -> tuple[int, str]:
        number, self.count = self.count, self.count + 1
        id = call.id or ""
        if not id or id in self._ids:
            place = b"%d\0%b\0%b" % (number, self._first, chunk)
            id = f"call_{digest_of(place.decode('utf-8', 'replace'), _DIGEST)}"
        self._ids.add(id)
        events.append(CallBegan(number, id, call.name or ""))
        return number, id

    def _seals(self, signature: str, id: str) -> tuple[Seal, ...]:
        return (Seal(self._origin, OWN_KIND, signature, id),) if signature else ()


def _text(raw: msgspec.Raw) -> str:
    """Give arguments as JSON text; some relays write them as a text with JSON in it."""
    data = bytes(raw).strip()
    if data.startswith(b'"'):
        try:
            found = loads(data)
        except ValueError:
            found = ""
        return found if isinstance(found, str) else ""
    return data.decode("utf-8", "replace")
