"""Told items: parts of answers that agents of `responses` name by their ids in later turns.

OpenAI stores its replies unless told not to, and agents then send ids instead of what was said. The
gateway keeps what it told itself in memory; of very much the oldest is forgotten.
"""

from __future__ import annotations

from collections import OrderedDict

from holdgate.core.dialects.translation.responses.references import told_items, with_items

_BYTES_MOST = 32 << 20
_OVERHEAD = 300


class ToldItems:
    """What was told, by conversation and id of the item."""

    def __init__(self, most: int = _BYTES_MOST) -> None:
        """Start with nothing; keep at most about `most` bytes."""
        self._kept: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._bytes, self._most = 0, most

    def keep(self, conversation: str, said: bytes) -> None:
        """Remember the items in a piece of a reply."""
        for id, item in told_items(said):
            self._bytes += len(item) + _OVERHEAD - self._size(conversation, id)
            self._kept[conversation, id] = item
        while self._bytes > self._most:
            _, item = self._kept.popitem(last=False)
            self._bytes -= len(item) + _OVERHEAD

    def give_back(self, conversation: str, body: bytes) -> bytes:
        """Give a request with the items that it names."""
        return with_items(body, lambda id: self._kept.get((conversation, id)))

    def _size(self, conversation: str, id: str) -> int:
        item = self._kept.get((conversation, id))
        return 0 if item is None else len(item) + _OVERHEAD
