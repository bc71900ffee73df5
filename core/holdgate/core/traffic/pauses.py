"""Pauses: which providers a person lets start nothing, and until when."""

from __future__ import annotations


class Pauses:
    """Pauses by provider; None stands for all. Moments are seconds, inf: until resumed."""

    __slots__ = ("_until",)

    def __init__(self) -> None:
        """Start with none."""
        self._until: dict[str | None, float] = {}

    def begin(self, provider: str | None, until: float) -> None:
        """Pause a provider (None: all) until then."""
        self._until[provider] = until

    def end(self, provider: str | None) -> None:
        """End a pause; None ends all of them."""
        if provider is None:
            self._until.clear()
        else:
            self._until.pop(provider, None)

    def just_of(self, provider: str | None) -> float:
        """Give until when a pause of just this provider (None: of all) lasts; 0: there is none."""
        return self._until.get(provider, 0.0)

    def until(self, provider: str) -> float:
        """Give until when a provider is paused, by whichever pause; 0: it is not."""
        return max(self.just_of(None), self.just_of(provider))
