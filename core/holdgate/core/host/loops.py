"""Event loops: uvloop or winloop where the extra `speed` brought it, else the standard one."""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Callable


def new_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Give what makes an event loop; None stands for the standard library's choice."""
    name = "winloop" if sys.platform == "win32" else "uvloop"
    try:
        module = importlib.import_module(name)
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = module.new_event_loop
    return factory
