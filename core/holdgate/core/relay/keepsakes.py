"""Keepsakes: opaque values of calls whose agent has no slot to carry them in.

Gemini refuses a call of the running turn that comes back without its signature, Claude one without
the thinking before it. Chat agents give back a call's id, name and arguments only. So what belongs
to a call is remembered by its id, for the agent's next turn; of very many the oldest are forgotten.
Beside them are the items that `responses` agents only name.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

import msgspec

from holdgate.core.relay.told_items import ToldItems
from holdgate.core.values.neutral import Call, Message, Part, Reasoning, Seal, Text
from holdgate.core.values.neutral_reply import (
    CallBegan,
    CallEnded,
    Event,
    TextDelta,
    ThoughtDelta,
    ThoughtEnded,
)

_MOST = 20_000
_BYTES_MOST = 32 << 20


class Keepsake(msgspec.Struct, frozen=True):
    """What belongs to a call: its own seals, and the thinking right before it; `opening`: the
    thinking before what was said in between.
    """

    thoughts: tuple[Reasoning, ...]
    seals: tuple[Seal, ...]
    opening: tuple[Reasoning, ...] = ()

    @property
    def size(self) -> int:
        """About how many bytes it holds."""
        all_thoughts = self.opening + self.thoughts
        thoughts = sum(len(t.text) + sum(len(s.value) for s in t.seals) for t in all_thoughts)
        return 200 + thoughts + sum(len(seal.value) for seal in self.seals)


class Keepsakes:
    """What is remembered, by conversation and call id."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.items = ToldItems()
        self._kept: OrderedDict[tuple[str, str], Keepsake] = OrderedDict()
        self._bytes = 0

    def keep(self, conversation: str, id: str, keepsake: Keepsake) -> None:
        """Remember what belongs to a call."""
        self._bytes += keepsake.size - self._size(self._kept.pop((conversation, id), None))
        self._kept[conversation, id] = keepsake
        while len(self._kept) > _MOST or self._bytes > _BYTES_MOST:
            self._bytes -= self._size(self._kept.popitem(last=False)[1])

    def give_back(self, conversation: str, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """Give messages with what belongs to their calls, where the agent brought none of it."""
        if not self._kept:
            return messages
        return tuple(
            self._completed(conversation, each) if each.role == "assistant" else each
            for each in messages
        )

    def _completed(self, conversation: str, message: Message) -> Message:
        found: dict[str, Keepsake] = {}
        for part in message.parts:
            if isinstance(part, Call) and (conversation, part.id) in self._kept:
                found[part.id] = self._kept[conversation, part.id]
        thinks = any(isinstance(part, Reasoning) and part.seals for part in message.parts)
        knows = not thinks and any(kept.opening or kept.thoughts for kept in found.values())
        parts: list[Part] = []
        for part in message.parts:
            if isinstance(part, Call) and part.id in found:
                kept = found[part.id]
                if knows:
                    at = _said_last(parts)
                    parts[at:at] = kept.opening
                    parts += kept.thoughts
                part = part if part.seals else msgspec.structs.replace(part, seals=kept.seals)
            elif knows and isinstance(part, Reasoning):
                continue
            parts.append(part)
        return msgspec.structs.replace(message, parts=tuple(parts))

    @staticmethod
    def _size(keepsake: Keepsake | None) -> int:
        return 0 if keepsake is None else keepsake.size


def _said_last(parts: list[Part]) -> int:
    """Give where the texts at the end begin."""
    at = len(parts)
    while at and isinstance(parts[at - 1], Text):
        at -= 1
    return at


class Gathering:
    """Gathers the keepsakes of one reply from its events."""

    __slots__ = ("_conversation", "_ids", "_keepsakes", "_opening", "_said", "_thoughts")

    def __init__(self, keepsakes: Keepsakes, conversation: str) -> None:
        """Take where they are kept."""
        self._keepsakes, self._conversation = keepsakes, conversation
        self._said: list[str] = []
        self._opening: list[Reasoning] = []
        self._thoughts: list[Reasoning] = []
        self._ids: dict[int, tuple[str, Keepsake]] = {}

    def see(self, events: Iterable[Event]) -> None:
        """Look at the next events of the reply."""
        for event in events:
            match event:
                case ThoughtDelta(text=text):
                    self._said.append(text)
                case ThoughtEnded(seals=seals):
                    self._thoughts.append(Reasoning("".join(self._said), seals))
                    self._said.clear()
                case TextDelta() if self._thoughts:
                    self._opening += self._thoughts
                    self._thoughts.clear()
                case CallBegan(call=call, id=id):
                    thoughts, opening = tuple(self._thoughts), tuple(self._opening)
                    self._ids[call] = (id, Keepsake(thoughts, (), opening))
                    self._thoughts.clear()
                    self._opening.clear()
                case CallEnded(call=call, seals=seals) if call in self._ids:
                    id, kept = self._ids.pop(call)
                    if seals or any(each.seals for each in kept.opening + kept.thoughts):
                        kept = msgspec.structs.replace(kept, seals=seals)
                        self._keepsakes.keep(self._conversation, id, kept)
                case _:
                    pass
