"""Tokens of an answer, with one meaning for all dialects."""

from __future__ import annotations

import msgspec


class Usage(msgspec.Struct, frozen=True, gc=False):
    """Tokens: `input` without what the cache served or took, `output` with `reasoning` in it."""

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0
    cache_write_1h: int = 0  # of `cache_write`, what is kept for an hour

    @property
    def tokens(self) -> int:
        """All that was read and written."""
        return self.input + self.cache_read + self.cache_write + self.output

    def as_json(self) -> dict[str, int]:
        """Give the shape of the control API."""
        return {
            "input": self.input,
            "cache_read": self.cache_read,
            "cache_write": self.cache_write,
            "output": self.output,
            "reasoning": self.reasoning,
        }
