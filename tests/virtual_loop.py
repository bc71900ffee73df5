"""An event loop whose time is virtual: where it would wait for a timer, its clock jumps instead.

Theory. An event loop does two things with time: it asks `time()` what time it is, and it lets its
selector wait until the next timer. Both are public seams. Here the selector looks whether anything
is ready, and if nothing is, it moves the clock that `time()` reads to the next timer and returns
at once. So an hour of queueing costs milliseconds, and every moment in a test is an exact number.

Two kinds of work go on outside of the loop's knowledge and need a little real time:

- Real loopback sockets (of servers, clients, other processes): while any socket or pipe is
  registered, the selector waits `GRACE` real seconds for it before each jump. What one end writes
  on loopback is readable at the other at once, so this is generous; it is all that a jump costs.
- Threads of `run_in_executor` and `to_thread`: while one works, the clock stands still (but no
  longer than `PATIENCE` real seconds, in case it works for ever).

If there is no timer either, only a thread or a socket can go on. That is waited for too, but again
for no more than `PATIENCE`; then `Deadlock` is raised, since a test that waits for what never comes
should say so and not hang.

    async def scene() -> None:
        await asyncio.sleep(3600)  # returns at once
        assert asyncio.get_running_loop().time() == START + 3600

    run(scene())
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, TypeVar, TypeVarTuple

from holdgate.core.values.clock import Clock

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

# Not 0, which code might take for "never".
START = 1000.0
# What the wall clock says at START.
EPOCH = 1_767_225_600.0
# Real seconds that sockets get before each jump, and that anything gets when there is no timer.
GRACE = 0.005
PATIENCE = 5.0


class Deadlock(RuntimeError):
    """Nothing is ready, no timer is set, no thread works: nothing can ever happen."""


class JumpingSelector(selectors.DefaultSelector):
    """A selector that moves its own clock instead of waiting for a timer."""

    def __init__(self, patience: float) -> None:
        super().__init__()
        self.now = START
        self.working = 0  # threads that the loop waits for
        self._patience = patience

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        if timeout is None or self.working:
            ready = super().select(self._patience)
        elif len(self.get_map()) > 1:  # the loop's own waker is always there
            ready = super().select(GRACE)
        if ready:
            return ready
        if timeout is None:
            raise Deadlock(f"nothing happened for {self._patience} s, and no timer is set")
        self.now += timeout
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """The loop. Everything but its time is asyncio's own."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._jumping = JumpingSelector(patience)
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        future = super().run_in_executor(executor, func, *args)
        self._jumping.working += 1
        future.add_done_callback(self._worked)
        return future

    async def shutdown_default_executor(self, *timeout: Any) -> None:
        self._jumping.working += 1
        try:
            await super().shutdown_default_executor(*timeout)
        finally:
            self._jumping.working -= 1

    def _worked(self, _: object) -> None:
        self._jumping.working -= 1


def run(main: Coroutine[Any, Any, T], *, patience: float = PATIENCE) -> T:
    """Run `main` on a virtual loop of its own to its end, as `asyncio.run` would."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(patience)) as runner:
        return runner.run(main)


def clock_of(loop: asyncio.AbstractEventLoop) -> Clock:
    """Give the clock of a virtual loop: both of its faces move together."""
    return Clock(loop.time, lambda: EPOCH + loop.time() - START)
