"""Turns: how many requests each route has had, so that its candidates take turns."""

from __future__ import annotations

from collections import OrderedDict

# Routes vanish when the configuration is read again; the one not asked for longest is forgotten.
_MOST = 1024


class Turns:
    """A count for each route, by name."""

    def __init__(self) -> None:
        """Start with none."""
        self._counts: OrderedDict[str, int] = OrderedDict()

    def next(self, name: str) -> int:
        """Count one more request of a route; give how many came before."""
        turn = self._counts.get(name, 0)
        self._counts[name] = turn + 1
        self._counts.move_to_end(name)
        if len(self._counts) > _MOST:
            self._counts.popitem(last=False)
        return turn
