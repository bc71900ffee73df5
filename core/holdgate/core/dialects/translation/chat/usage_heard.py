"""What an answer used, of pieces that vendors tell at any time, each alone or all in all so far."""

from __future__ import annotations

from holdgate.core.values.usage import Usage


def merged(before: Usage | None, told: Usage) -> Usage:
    """Give all that is known: counts only grow, so of each the highest was told last."""
    if before is None:
        return told
    read = max(before.cache_read, told.cache_read)
    written = max(before.cache_write, told.cache_write)
    prompt = max(_prompt(before), _prompt(told))
    return Usage(
        input=max(0, prompt - read - written),
        cache_read=read,
        cache_write=written,
        output=max(before.output, told.output),
        reasoning=max(before.reasoning, told.reasoning),
    )


def _prompt(usage: Usage) -> int:
    return usage.input + usage.cache_read + usage.cache_write
