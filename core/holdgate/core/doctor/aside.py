"""Aside: what may block for long, in a thread that nobody waits for at the end.

A name that no server answers keeps a lookup for half a minute. The event loop's own threads are
waited for when the program ends; these are not.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def aside(call: Callable[[], T], patience: float) -> T:
    """Give what `call` gives. Raises what it raises, and TimeoutError after `patience` seconds."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(set_it: Callable[[], None]) -> None:
        if not done.done():
            set_it()

    def run() -> None:
        set_it: Callable[[], None]
        try:
            found = call()
            set_it = lambda: done.set_result(found)  # noqa: E731
        except Exception as error:
            raised = error
            set_it = lambda: done.set_exception(raised)  # noqa: E731
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, set_it)

    threading.Thread(target=run, name="doctor", daemon=True).start()
    async with asyncio.timeout(patience):
        return await done
