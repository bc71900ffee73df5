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
from holdgate.core.values.neutral import Call, Message, Part, Reasoning, Seal
from holdgate.core.values.neutral_reply import (
    CallBegan,
    CallEnded,
    Event,
    ThoughtDelta,
    ThoughtEnded,
)

_MOST = 20_000
_BYTES_MOST = 32 << 20


class Keepsake(msgspec.Struct, frozen=True):
    """What belongs to a call: the thinking right before it, and its own seals."""

    thoughts: tuple[Reasoning, ...]
    seals: tuple[Seal, ...]

    @property
    def size(self) -> int:
        """About how many bytes it holds."""
        thoughts = sum(len(t.text) + sum(len(s.value) for s in t.seals) for t in self.thoughts)
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
        parts: list[Part] = []
        thinks = any(isinstance(part, Reasoning) and part.seals for part in message.parts)
        for part in message.parts:
            kept = None
            if isinstance(part, Call):
                kept = self._kept.get((conversation, part.id))
            if kept is None or not isinstance(part, Call):
                parts.append(part)
                continue
            if not thinks and kept.thoughts:
                parts = [p for p in parts if not isinstance(p, Reasoning)]
                parts += kept.thoughts
            parts.append(part if part.seals else msgspec.structs.replace(part, seals=kept.seals))
        return msgspec.structs.replace(message, parts=tuple(parts))

    @staticmethod
    def _size(keepsake: Keepsake | None) -> int:
        return 0 if keepsake is None else keepsake.size


class Gathering:
    """Gathers the keepsakes of one reply from its events."""

    __slots__ = ("_conversation", "_ids", "_keepsakes", "_said", "_thoughts")

    def __init__(self, keepsakes: Keepsakes, conversation: str) -> None:
        """Take where they are kept."""
        self._keepsakes, self._conversation = keepsakes, conversation
        self._said: list[str] = []
        self._thoughts: list[Reasoning] = []
        self._ids: dict[int, tuple[str, tuple[Reasoning, ...]]] = {}

    def see(self, events: Iterable[Event]) -> None:
        """Look at the next events of the reply."""
        for event in events:
            match event:
                case ThoughtDelta(text=text):
                    self._said.append(text)
                case ThoughtEnded(seals=seals):
                    self._thoughts.append(Reasoning("".join(self._said), seals))
                    self._said.clear()
                case CallBegan(call=call, id=id):
                    self._ids[call] = (id, tuple(self._thoughts))
                    self._thoughts.clear()
                case CallEnded(call=call, seals=seals) if call in self._ids:
                    id, thoughts = self._ids.pop(call)
                    if seals or any(thought.seals for thought in thoughts):
                        self._keepsakes.keep(self._conversation, id, Keepsake(thoughts, seals))
                case _:
                    pass
