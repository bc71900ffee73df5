"""One item of a vendor's reply: what of it was told."""

from __future__ import annotations

from typing import Literal

from holdgate.core.dialects.reading import Json, texts
from holdgate.core.dialects.translation.halves import Halves
from holdgate.core.dialects.translation.json_texts import dumps
from holdgate.core.values.neutral import Seal
from holdgate.core.values.neutral_reply import (
    CallBegan,
    CallDelta,
    CallEnded,
    Event,
    RefusalDelta,
    TextDelta,
    ThoughtDelta,
    ThoughtEnded,
)

# What is said of an item; the last two are the members of calls.
Said = Literal["text", "refusal", "summary", "thought", "arguments", "input"]
_BETWEEN_PARTS = "\n\n"


class Item:
    """A feed object: pieces in, neutral events out."""

    __slots__ = (
        "_begun",
        "_done",
        "_early",
        "_given",
        "_halves",
        "_make_id",
        "_name",
        "_namespace",
        "_part",
        "_said",
        "_start",
        "call",
        "call_id",
        "ended",
        "id",
        "kind",
        "refusals",
        "told",
    )

    def __init__(self, kind: str, call: int, id: str, call_id: str) -> None:
        """Begin an item; `call` is the number of a call, `call_id` stands in for a missing id."""
        self.kind, self.call, self.id = kind, call, id
        self.call_id, self._make_id = "", call_id
        self.ended = False
        self.told: list[str] = []
        self.refusals: list[str] = []
        self._said: Said | None = None
        self._part, self._start = -1, 0  # the part that grows, and where it starts in what was told
        self._done: set[int] = set()
        self._halves = Halves()
        self._name, self._namespace, self._given = "", "", ""
        self._begun = False
        self._early: list[str] = []

    def fits(self, kind: str) -> bool:
        """Tell whether it may be an item of this kind; some vendors mix up the kinds of calls."""
        return self.kind == kind or (self.call >= 0 and kind.endswith("_call"))

    def introduce(self, given: Json) -> list[Event]:
        """Learn what an event tells of the item as such; a call begins once its name is known."""
        self.id = self.id or texts(given.get("id"))
        if self.call < 0 or self._begun:
            return []
        self.call_id = self.call_id or texts(given.get("call_id"))
        self._name = texts(given.get("name")) or self._name
        self._namespace = texts(given.get("namespace")) or self._namespace
        given_arguments = given.get("arguments", given.get("input"))
        if isinstance(given_arguments, dict):
            given_arguments = dumps(given_arguments).decode()
        self._given = texts(given_arguments) or self._given
        return self._begin() if self._name else []

    def _begin(self) -> list[Event]:
        self._begun = True
        self.call_id = self.call_id or self.id or self._make_id
        custom = self.kind == "custom_tool_call"
        events: list[Event] = [
            CallBegan(self.call, self.call_id, self._name, custom, self._namespace)
        ]
        if self._early:
            events.append(CallDelta(self.call, "".join(self._early)))
            self._early = []
        return events

    def piece(self, said: Said, part: int, text: str) -> list[Event]:
        """Tell a piece; of a reasoning item only its summary or its text, whichever came first."""
        if not self._may_say(said) or not text:
            return []
        if part != self._part:
            text = self._new_part(said, part) + text
        return self._tell(said, self._halves.join(text))

    def part_done(self, said: Said, part: int, whole: str) -> list[Event]:
        """Tell what the deltas of a part left out, or all of a part that came without any."""
        if part in self._done or not whole or not self._may_say(said):
            return []
        self._done.add(part)
        told = "".join(self._told(said)[self._start :])
        if self.kind == "reasoning" and self._start:
            told = told.removeprefix(_BETWEEN_PARTS)
        if told and part == self._part:
            if not whole.startswith(told):
                return []
            whole = whole[len(told) :]
        elif told == whole:
            return []  # the same text with another index
        else:
            whole = self._new_part(said, part) + whole
        self._halves.close()
        return self._tell(said, whole)

    def _may_say(self, said: Said) -> bool:
        self._said = self._said or said
        return self._said == said or self.kind != "reasoning"

    def _new_part(self, said: Said, part: int) -> str:
        """Begin a part; give what is told between it and the one before."""
        told = self._told(said)
        self._part, self._start = part, len(told)
        return _BETWEEN_PARTS if told and self.kind == "reasoning" else ""

    def rest(self, said: Said, whole: str) -> list[Event]:
        """Tell what of the whole was not told; what differs from it stays as it was told."""
        told = "".join(self._told(said))
        if not whole.startswith(told):
            return self._tell(said, self._halves.close())
        self._halves.close()
        return self._tell(said, whole[len(told) :])

    def rest_of_thought(self, summary: str, content: str) -> list[Event]:
        """Tell what was not told of a thought."""
        if self.ended:
            return []
        if self._said is None:
            self._said = "summary" if summary else "thought"
        return self.rest(self._said, summary if self._said == "summary" else content)

    def end_thought(self, seals: tuple[Seal, ...]) -> list[Event]:
        """End a thought. Seals that come after its end would be out of their place."""
        if self.ended:
            return []
        self.ended = True
        return [ThoughtEnded(seals)] if seals or self.told else []

    def end_call(self, said: Said, whole: str) -> list[Event]:
        """End a call; one whose name never came is none."""
        if self.ended or not self._begun:
            return []
        free = self.kind == "custom_tool_call"  # white space may be all that it is given
        events = self.rest(said, whole) if self.told or free or whole.strip() else []
        if not self.told and not events:
            without = self._given if free else "{}"
            events = self._tell(said, self._given if self._given.strip() else without)
        self.ended = True
        return [*events, CallEnded(self.call)]

    def _told(self, said: Said) -> list[str]:
        return self.refusals if said == "refusal" else self.told

    def _tell(self, said: Said, text: str) -> list[Event]:
        if not text:
            return []
        self._told(said).append(text)
        match said:
            case "text":
                return [TextDelta(text)]
            case "refusal":
                return [RefusalDelta(text)]
            case "summary" | "thought":
                return [ThoughtDelta(text)]
            case _:
                if self._begun:
                    return [CallDelta(self.call, text)]
                self._early.append(text)
                return []
