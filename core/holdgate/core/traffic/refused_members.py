"""Refused members: optional members of requests that a vendor's model did not take.

Only members that the gateway itself added or mapped are ever left out, and only after the vendor's
400 named exactly one of them: what an agent asked for in so many words is never dropped silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_MOST = 1024
_WORDS_MOST = 4096


class RefusedMembers:
    """What was refused, by provider and model."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._refused: dict[tuple[str, str], frozenset[str]] = {}

    def of(self, provider: str, model: str) -> frozenset[str]:
        """Give the members that are left out for a model."""
        return self._refused.get((provider, model), frozenset())

    def learn(self, provider: str, model: str, words: str, optional: Iterable[str]) -> str | None:
        """Take a vendor's words; give the one member that they refuse, if that is clear."""
        known = self.of(provider, model)
        named = [name for name in optional if name not in known and _is_named(name, words)]
        if len(named) != 1:
            return None
        if len(self._refused) >= _MOST:
            self._refused.clear()
        self._refused[provider, model] = known | {named[0]}
        return named[0]


def _is_named(name: str, words: str) -> bool:
    pattern = rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])"
    return re.search(pattern, words[:_WORDS_MOST]) is not None
