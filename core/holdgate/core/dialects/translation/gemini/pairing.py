"""Which response answers which call: Gemini's agents often give them no ids."""

from __future__ import annotations

import msgspec


class _Open(msgspec.Struct, frozen=True):
    id: str
    said: str
    name: str


class Pairing:
    """Gives each call an id and finds the call that a response answers.

    Theory. An id that an agent says counts; else the name, in the order of the calls. What has no
    id gets one made of its place, so that the same turns always read the same. A new turn of the
    model's forgets the calls before it: they are not answered any more.
    """

    def __init__(self) -> None:
        """Start before the first turn."""
        self._open: list[_Open] = []
        self._known: set[str] = set()
        self._answered = False

    def called(self, said: str, name: str, place: str) -> str:
        """Give the id of a call; `said` is the agent's, `place` tells where it stands."""
        if self._answered:
            self._open, self._answered = [], False
        id = said if said and said not in self._known else f"call_{place}"
        self._known.add(id)
        self._open.append(_Open(id, said, name))
        return id

    def turned(self) -> None:
        """A turn of the user's came: calls that it leaves open stay so until the model's next."""
        self._answered = True

    def answered(self, said: str, name: str, place: str) -> tuple[str, str]:
        """Give the id of the call that a response answers, and the tool's name."""
        found = self._by_id(said) or self._by_name(name)
        if found is None:
            return said or f"response_{place}", name
        self._open.remove(found)
        return found.id, name or found.name

    def _by_id(self, said: str) -> _Open | None:
        # Some agents put the tool's name before the id that they were given.
        return next(
            (one for one in self._open if said and (one.said == said or one.id == said)), None
        )

    def _by_name(self, name: str) -> _Open | None:
        if not name:
            return self._open[0] if len(self._open) == 1 else None
        return next((one for one in self._open if one.name == name), None)
