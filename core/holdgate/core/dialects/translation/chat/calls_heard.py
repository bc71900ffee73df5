"""Which call a piece of a chat vendor's answer belongs to.

Vendors leave the index out, repeat id and name or send them empty, put two calls on one index, or
make a new id for every piece. So: a piece goes on with the call of its index, or without one with
the call of its id, or the last; it begins another where it says so and the old one may have ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from msgspec import Raw

from holdgate.core.dialects.raw_events import Members
from holdgate.core.dialects.reading import member, number, texts
from holdgate.core.dialects.translation.chat.braces import Braces
from holdgate.core.dialects.translation.chat.slots import SIGNATURE
from holdgate.core.dialects.translation.chat.tolerant_members import (
    reply_items,
    reply_members,
    reply_value,
)
from holdgate.core.dialects.translation.halves import Halves
from holdgate.core.dialects.translation.json_texts import opaque
from holdgate.core.values.neutral import Loss, Seal
from holdgate.core.values.neutral_reply import CallBegan, CallDelta, CallEnded, Event, Lost


class _Call:
    """A call as far as it was heard."""

    __slots__ = (
        "braces",
        "custom",
        "ended",
        "halves",
        "held",
        "id",
        "key",
        "name",
        "number",
        "seals",
        "speaks",
    )

    def __init__(self, key: object) -> None:
        self.key = key
        self.number = -1  # until its name is known it has not begun
        self.id = ""
        self.name = ""
        self.custom = False
        self.held: list[str] = []  # what is said before its name is known
        self.speaks = False
        self.braces = Braces()
        self.seals: tuple[Seal, ...] = ()
        self.halves = Halves()
        self.ended = False

    @property
    def says_all(self) -> bool:
        """Whether its arguments are complete; nothing at all may still become something."""
        return self.ended or self.braces.are_closed

    def take(self, said: str) -> None:
        """Take a piece of the arguments."""
        self.speaks = self.speaks or bool(said.strip())
        self.braces.feed(said)


class CallsHeard:
    """A feed object: the `tool_calls` of chunks in, the events of calls out."""

    __slots__ = ("_by_key", "_calls", "_ids", "_last", "_origin", "_reply", "begun")

    def __init__(self, origin: str) -> None:
        """Take whose seals the calls bear."""
        self._origin = origin
        self._calls: list[_Call] = []
        self._by_key: dict[object, _Call] = {}
        self._ids: set[str] = set()
        self._last: _Call | None = None
        self._reply = ""
        self.begun = 0

    @property
    def is_open(self) -> bool:
        """Whether a call has begun that has not ended."""
        return any(not call.ended for call in self._calls)

    @property
    def is_cut(self) -> bool:
        """Whether a call has arguments that are not complete."""
        return any(call.speaks and not call.custom and not call.says_all for call in self._calls)

    def name_reply(self, id: str) -> None:
        """Take the reply's id, from which ids are made for calls that have none."""
        self._reply = id

    def hear(self, raw: Raw, *, whole: bool = False) -> Iterator[Event]:
        """Give what a list of calls, or of pieces of them, tells.

        `whole`: it is the list of a whole message, which may repeat what was told in pieces.
        """
        taken: list[_Call] = []
        for place, item in enumerate(reply_items(raw)):
            yield from self._piece(item, place if whole else None, taken)

    def goes_on(self, index: int, said: str) -> list[Event]:
        """Give what a mere piece of arguments tells; nothing if no such call has begun."""
        call = self._by_key.get(index)
        if call is None or call.ended or call.number < 0:
            return []
        self._last = call
        call.take(said)
        told = call.halves.join(said)
        return [CallDelta(call.number, told)] if told else []

    def function_call(self, raw: Raw) -> Iterator[Event]:
        """Give what the older `function_call` tells."""
        item = {"index": Raw(b"0"), "function": raw}
        yield from self._piece(item, None, [])

    def end_complete(self) -> Iterator[Event]:
        """End the calls whose arguments are complete: what is told next is no part of them."""
        for call in self._calls:
            if not call.ended and call.number >= 0 and not call.custom and call.says_all:
                yield from self._end(call)

    def end_all(self) -> Iterator[Event]:
        """End all calls: the answer is complete."""
        for call in self._calls:
            if call.number < 0:
                call.ended = True
                yield Lost(Loss("tool_calls", "a call without a name"))
            elif not call.ended:
                yield from self._end(call)

    def _piece(self, item: Members, place: int | None, taken: list[_Call]) -> Iterator[Event]:
        id = texts(reply_value(item.get("id")))
        custom = "custom" in item and reply_members(item["custom"]) is not None
        inner = reply_members(item.get("custom" if custom else "function")) or {}
        name = texts(reply_value(inner.get("name")))
        said = _arguments(inner.get("input" if custom else "arguments"))
        key = reply_value(item.get("index")) if place is None else place
        call = self._find(key, id, name, said, taken)
        if call is None:
            call = _Call(len(self._calls) if key is None else _key(key))
            yield from self.end_complete()
            self._calls.append(call)
            self._by_key[call.key] = call
        taken.append(call)
        self._last = call
        call.id, call.name = call.id or id, call.name or name
        call.custom = call.custom or custom
        self._take_seals(call, item)
        if not call.ended and (place is None or not call.speaks):
            yield from self._say(call, said)

    def _find(self, key: object, id: str, name: str, said: str, taken: list[_Call]) -> _Call | None:
        """Give the call that a piece goes on with, None if it begins one."""
        if key is not None:
            call = self._by_key.get(_key(key))
            if call is None:
                return None
        else:
            call = next((one for one in self._calls if id and one.id == id), None)
            if call is None:
                call = None if id else self._last
            if call is None or (name and call in taken and not id):
                return None
        return None if _begins_another(call, id, name, said) else call

    def _say(self, call: _Call, said: str) -> Iterator[Event]:
        call.take(said)
        if not call.name:
            call.held.append(said)
            return
        if call.number < 0:
            call.number = self.begun
            self.begun += 1
            call.id = self._unique(call)
            yield CallBegan(call.number, call.id, call.name, call.custom)
            said = "".join(call.held) + said
        if said and (told := call.halves.join(said)):
            yield CallDelta(call.number, told)

    def _end(self, call: _Call) -> Iterator[Event]:
        call.ended = True
        if rest := call.halves.close():
            yield CallDelta(call.number, rest)
        if not call.custom and not call.speaks:
            yield CallDelta(call.number, "{}")
        yield CallEnded(call.number, call.seals)

    def _unique(self, call: _Call) -> str:
        """Give the call's id, or one that no other call of the conversation has."""
        id, again = call.id, 1
        if not id:
            known = f"{self._reply}/{call.number}/{call.name}"
            id = f"call_{sha256(known.encode('utf-8', 'replace')).hexdigest()[:24]}"
        found = id
        while found in self._ids:
            again += 1
            found = f"{id}_{again}"
        self._ids.add(found)
        return found

    def _take_seals(self, call: _Call, item: Members) -> None:
        extra = item.get("extra_content")
        signature = opaque(member(reply_value(extra), "google", "thought_signature"))
        if signature:
            call.seals = (Seal(self._origin, SIGNATURE, signature),)


def _begins_another(call: _Call, id: str, name: str, said: str) -> bool:
    """Tell whether a piece begins a call of its own where an older one was expected to go on."""
    if not name or not call.name:
        return False
    if id and call.id and id == call.id:
        return False
    if name != call.name:
        return True
    if id and call.id:
        # The same tool under another id: another call, unless vendors made an id for each piece.
        return call.says_all or not call.speaks
    return bool(said.strip()) and call.says_all


def _key(value: object) -> object:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    return number({"index": value}, "index") if isinstance(value, int | float) else str(value)


def _arguments(raw: Raw | None) -> str:
    """Give a piece of arguments; an object in their place is the whole of them, as it is."""
    if raw is None:
        return ""
    text = bytes(raw).strip()
    if text[:1] in (b"{", b"["):
        return "" if text in (b"{}", b"[]") else text.decode("utf-8", "replace")
    return texts(reply_value(raw))
