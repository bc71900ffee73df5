"""The thinking of a chat vendor's answer: `reasoning_content`, `reasoning`, `reasoning_details`.

Where a vendor tells details (OpenRouter), all of them go back to it as they came, the texts of one
index joined; they are one seal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from holdgate.core.dialects.reading import Json, texts
from holdgate.core.dialects.translation.chat.slots import DETAILS
from holdgate.core.dialects.translation.halves import Halves
from holdgate.core.dialects.translation.json_texts import dumps
from holdgate.core.values.neutral import Seal
from holdgate.core.values.neutral_reply import Event, ThoughtDelta, ThoughtEnded

_JOINED = ("text", "summary", "data")


class ThoughtsHeard:
    """A feed object: pieces of thinking in, their events out."""

    __slots__ = ("_details", "_halves", "_origin", "is_open")

    def __init__(self, origin: str) -> None:
        """Take whose seals the thoughts bear."""
        self._origin = origin
        self._halves = Halves()
        self._details: list[Json] = []
        self.is_open = False

    def hear(self, text: str, details: Any) -> Iterator[Event]:
        """Give what a piece tells; the text of details counts where there is no other."""
        entries = [entry for entry in details if isinstance(entry, dict)] if details else []
        if not text:
            text = "".join(texts(e.get("text")) or texts(e.get("summary")) for e in entries)
        for entry in entries:
            self._take(entry)
        if text and (told := self._halves.join(text)):
            self.is_open = True
            yield ThoughtDelta(told)

    def end(self) -> Iterator[Event]:
        """End the thought that was told last, if there is one."""
        if not self.is_open and not self._details:
            return
        if rest := self._halves.close():
            yield ThoughtDelta(rest)
        seals: tuple[Seal, ...] = ()
        if self._details:
            seals = (Seal(self._origin, DETAILS, dumps(self._whole()).decode()),)
        self.is_open, self._details = False, []
        yield ThoughtEnded(seals)

    def _take(self, entry: Json) -> None:
        """Take an entry, or a piece of one: those of the same kind and index belong together."""
        last = self._details[-1] if self._details else None
        if last is None or any(last.get(n) != entry.get(n) for n in ("type", "index")):
            self._details.append(
                {n: [v] if n in _JOINED and isinstance(v, str) else v for n, v in entry.items()}
            )
            return
        for name, value in entry.items():
            if name in _JOINED and isinstance(value, str):
                pieces = last.setdefault(name, [])
                if isinstance(pieces, list):
                    pieces.append(value)
                    continue
            if value is not None:
                last[name] = value

    def _whole(self) -> list[Json]:
        return [
            {n: "".join(v) if n in _JOINED and isinstance(v, list) else v for n, v in one.items()}
            for one in self._details
        ]
