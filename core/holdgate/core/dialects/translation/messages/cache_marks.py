"""Cache marks of a request: at most four, and two where the agent's dialect has none.

A mark moves with the last turn; what the vendor caches does not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.messages.block_writer import cache_control
from holdgate.core.values.neutral import CacheMark

_MOST = 4
_NOT_CACHEABLE = frozenset({"thinking", "redacted_thinking"})


def mark(tools: list[Json], system: list[Json], turns: list[Json]) -> None:
    """Keep the last four marks, which hold the longest prefixes; without any, set our own."""
    marked = [block for block in _blocks(tools, system, turns) if "cache_control" in block]
    for block in marked[:-_MOST]:
        del block["cache_control"]
    if not marked:
        for blocks in (system or tools, turns[-1]["content"]):
            _mark_last(blocks)


def _blocks(tools: list[Json], system: list[Json], turns: list[Json]) -> Iterator[Json]:
    """Give all that may bear a mark, in the order in which the vendor reads it."""
    yield from tools
    yield from system
    for turn in turns:
        for block in turn["content"]:
            if isinstance(inner := block.get("content"), list):
                yield from inner
            yield block


def _mark_last(blocks: list[Json]) -> None:
    for block in reversed(blocks):
        if block.get("type") not in _NOT_CACHEABLE:
            block["cache_control"] = cache_control(CacheMark())
            return
