"""File descriptors: a gateway needs two a stream, and many systems allow 1,024 at first."""

from __future__ import annotations

import sys

# Below this a busy afternoon may run into the limit: it is told at the start.
ENOUGH = 1024
_ASKED = 65_536


def raise_limit() -> int | None:
    """Lift this process's limit as far as it may be lifted; give it, None where there is none."""
    if sys.platform == "win32":
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ASKED if hard == resource.RLIM_INFINITY else min(hard, _ASKED)
    # macOS refuses more than its own constant even where "hard" says unlimited.
    for limit in (wanted, 10_240):
        if soft >= limit:
            return soft
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
        except (ValueError, OSError):
            continue
        return limit
    return soft
