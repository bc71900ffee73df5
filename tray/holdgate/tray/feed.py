"""The feed: what the gateway is like now, read by a thread of its own from the control API."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

import msgspec

from holdgate.core.client import ControlClient, NotRunning, Refused
from holdgate.tray.view import View, read

# Seconds between two looks for a gateway that is gone: it may be started anew.
AGAIN = 2.0


class Feed:
    """Keeps the newest view. Whoever reads it never waits, and the gateway never waits for it."""

    def __init__(self, connect: Callable[[], ControlClient], changed: Callable[[], None]) -> None:
        """Take how the gateway is found, and what is called when `view` is another one."""
        self._connect, self._changed = connect, changed
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tray-feed", daemon=True)
        self.view: View | None = None
        # Whether the gateway answered ever: before that nothing is known to be gone.
        self.began = False

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """Read no more. The thread may still sit in its connection; it ends with the process."""
        self._over.set()

    def _run(self) -> None:
        while not self._over.is_set():
            with contextlib.suppress(NotRunning, Refused, msgspec.ValidationError):
                self._follow()
            self._tell(None)
            self._over.wait(AGAIN)

    def _follow(self) -> None:
        for snapshot in self._connect().events():
            if self._over.is_set():
                return
            self._tell(read(snapshot))

    def _tell(self, view: View | None) -> None:
        self.view, self.began = view, True
        self._changed()
