"""The items of a vendor's reply while they come: each thing said is told once.

Vendors say everything up to five times: in deltas, in the done event of a part, of its text and of
its item, and in the whole response. Some leave out deltas, some all but the whole response; ids may
change from event to event, indices be missing. So of every item it is kept what was told already,
and from what is said again only what is new is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from holdgate.core.dialects.reading import Json, member, texts
from holdgate.core.dialects.translation.json_texts import dumps, mended, opaque
from holdgate.core.dialects.translation.responses.reply_item import Item, Said
from holdgate.core.values.neutral import Loss, Seal
from holdgate.core.values.neutral_reply import Event, Lost

_CALLS = frozenset({"function_call", "custom_tool_call"})
_TYPES: Mapping[Said, str] = MappingProxyType(
    {
        "text": "message",
        "refusal": "message",
        "summary": "reasoning",
        "thought": "reasoning",
        "arguments": "function_call",
        "input": "custom_tool_call",
    }
)
_PARTS: Mapping[str, tuple[Said, str]] = MappingProxyType(
    {
        "output_text": ("text", "text"),
        "text": ("text", "text"),
        "refusal": ("refusal", "refusal"),
    }
)


class Items:
    """A feed object: what events say of items in, neutral events out."""

    __slots__ = ("_all", "_by_id", "_by_index", "_calls", "_lost", "_origin", "reply_id")

    def __init__(self, origin: str) -> None:
        """Start before the first item; seals are of `origin`."""
        self._origin = origin
        self._all: list[Item] = []
        self._by_index: dict[int, Item] = {}
        self._by_id: dict[str, Item] = {}
        self._calls = 0
        self._lost: set[str] = set()
        self.reply_id = ""

    @property
    def called(self) -> bool:
        """Whether there are calls."""
        return self._calls > 0

    @property
    def refused(self) -> bool:
        """Whether the model would not answer."""
        return any(item.refusals for item in self._all)

    def open_at(self, index: int) -> Item | None:
        """Give the item that grows at an index."""
        return self._by_index.get(index)

    def added(self, index: int | None, given: Json) -> list[Event]:
        """An item begins."""
        if not self._is_known(given):
            return self.lose(texts(given.get("type")) or "unknown", index)
        item = self._matching(index, given)
        if item is not None and not item.ended:
            return item.introduce(given)
        events = self._end_thoughts()
        item = self._new(texts(given.get("type")), index, texts(given.get("id")))
        return events + item.introduce(given)

    def piece(self, said: Said, index: int | None, id: str, part: int, text: str) -> list[Event]:
        """A delta came."""
        item, events = self._grown(said, index, id)
        return events if item.ended else events + item.piece(said, part, text)

    def part(self, said: Said, index: int | None, id: str, part: int, text: str) -> list[Event]:
        """A part is said to be complete."""
        item, events = self._grown(said, index, id)
        return events if item.ended else events + item.part_done(said, part, mended(text))

    def done(self, index: int | None, given: Json) -> list[Event]:
        """An item is complete."""
        if not self._is_known(given):
            return self.lose(texts(given.get("type")) or "unknown", index)
        item = self._matching(index, given)
        events: list[Event] = []
        if item is None:
            events += self._end_thoughts()
            item = self._new(texts(given.get("type")), index, texts(given.get("id")))
        events += item.introduce(given)
        return events + list(self._finish(item, given))

    def complete(self, output: list[object]) -> list[Event]:
        """The whole response came: tell what was not told, and end what was not ended."""
        events: list[Event] = []
        for given, item in self._paired(output, list(self._all)):
            if item is None or not self._is_known(given):
                events += self.lose(texts(given.get("type")) or "unknown")
            else:
                events += item.introduce(given)
                events += self._finish(item, given)
        for item in self._all:
            events += self._finish(item, {})
        return events

    def _paired(self, output: list[object], known: list[Item]) -> list[tuple[Json, Item | None]]:
        """Give what the response holds with the items that it is, new ones where they are new."""
        pairs: list[tuple[Json, Item | None]] = []
        late = 0
        for given in output:
            if not isinstance(given, dict):
                continue
            item = _twin(given, known)
            if item is not None:
                known.remove(item)
                late = len(pairs)
            elif self._is_known(given):
                item = self._new(texts(given.get("type")), None, texts(given.get("id")))
            pairs.append((given, item))
        # Seals of items before one that was told already come too late for their place.
        unsealed = [(given | {"encrypted_content": None}, item) for given, item in pairs[:late]]
        return unsealed + pairs[late:]

    def lose(self, kind: str, index: int | None = None) -> list[Event]:
        """Tell once that something of a kind is lost."""
        if kind in self._lost:
            return []
        self._lost.add(kind)
        path = "output" if index is None else f"output[{index}]"
        return [Lost(Loss(path, f"no dialect but responses has {kind}"))]

    def _is_known(self, given: Json) -> bool:
        kind = given.get("type")
        return kind in ("message", "reasoning") or texts(kind) in _CALLS

    def _new(self, kind: str, index: int | None, id: str) -> Item:
        number = -1
        if kind in _CALLS:
            number, self._calls = self._calls, self._calls + 1
        item = Item(kind, number, id, f"call_{self.reply_id}_{number}".replace("__", "_"))
        self._all.append(item)
        if index is not None:
            self._by_index[index] = item
        if id:
            self._by_id[id] = item
        return item

    def _grown(self, said: Said, index: int | None, id: str) -> tuple[Item, list[Event]]:
        """Give the item that a delta is of, a new one if there is none; thoughts end before it."""
        kind = _TYPES[said]
        # Ids may change from event to event, indices be all the same: a known id is the surest.
        for item in (self._by_id.get(id), self._by_index.get(-1 if index is None else index)):
            if item is not None and item.fits(kind):
                return item, [] if kind == "reasoning" else self._end_thoughts()
        if index is None and not id:
            for item in reversed(self._all):
                if item.fits(kind) and not item.ended:
                    return item, [] if kind == "reasoning" else self._end_thoughts()
        events = self._end_thoughts()
        return self._new(kind, index, id), events

    def _matching(self, index: int | None, given: Json) -> Item | None:
        """Give the item that `given` is, if it has begun."""
        kind, call_id = texts(given.get("type")), texts(given.get("call_id"))
        found = None
        if index is not None:
            found = self._by_index.get(index)
        if found is None or not found.fits(kind):
            found = self._by_id.get(texts(given.get("id")))
        if found is None and index is None and not given.get("id"):
            found = next((each for each in reversed(self._all) if not each.ended), None)
        if found is None or not found.fits(kind):
            return None
        return None if call_id and found.call_id and found.call_id != call_id else found

    def _end_thoughts(self) -> list[Event]:
        last = self._all[-1] if self._all else None
        if last is None or last.kind != "reasoning" or last.ended or not last.told:
            return []
        return last.end_thought(())

    def _finish(self, item: Item, given: Json) -> Iterator[Event]:
        if item.kind == "reasoning":
            yield from self._reasoned(item, given)
        elif item.kind == "message":
            yield from self._spoken(item, given)
        else:
            member_name: Said = "input" if item.kind == "custom_tool_call" else "arguments"
            value = given.get(member_name)
            if value is not None and not isinstance(value, str):
                value = dumps(value).decode()
            yield from item.end_call(member_name, mended(value) if value else "")

    def _spoken(self, item: Item, given: Json) -> Iterator[Event]:
        if item.ended:
            return
        said: dict[Said, list[str]] = {"text": [], "refusal": []}
        for part in given.get("content") or ():
            kind, name = _PARTS.get(texts(member(part, "type")), ("text", ""))
            said[kind].append(texts(member(part, name)) if name else "")
            if member(part, "annotations"):
                yield from self.lose("annotations")
        yield from item.rest("text", "".join(said["text"]))
        yield from item.rest("refusal", "".join(said["refusal"]))
        item.ended = True

    def _reasoned(self, item: Item, given: Json) -> Iterator[Event]:
        yield from item.rest_of_thought(
            _joined(given.get("summary")), _joined(given.get("content"))
        )
        encrypted = opaque(given.get("encrypted_content"))
        id = opaque(texts(given.get("id")) or item.id)
        seals = (Seal(self._origin, "encrypted", encrypted, id),) if encrypted else ()
        yield from item.end_thought(seals)


def _joined(parts: object) -> str:
    if not isinstance(parts, list):
        return ""
    return "\n\n".join(texts(member(part, "text")) for part in parts)


def _twin(given: Json, known: list[Item]) -> Item | None:
    """Give the item that one of the whole response is: by its ids, else the first of its kind."""
    kind = texts(given.get("type"))
    ids = {texts(given.get("id")), texts(given.get("call_id"))} - {""}
    for item in known:
        if item.fits(kind) and (item.id in ids or item.call_id in ids):
            return item
    call_id = texts(given.get("call_id"))
    alike = (item for item in known if item.fits(kind))
    return next((item for item in alike if not (call_id and item.call_id)), None)
