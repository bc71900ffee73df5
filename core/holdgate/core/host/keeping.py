"""Keeping: what the gateway has learned of keys and conversations outlives a restart."""

from __future__ import annotations

import asyncio
import logging
import sqlite3

from holdgate.core.server.context import App
from holdgate.core.store.rests_file import RestsFile
from holdgate.core.traffic.affinity import Answered

log = logging.getLogger(__name__)

# Seconds between two writings; a change is written at once if there was none just before.
EVERY = 0.2
RETRY = 5.0  # seconds, where the file could not be written
# Conversations whose key is looked up again after a start, the latest ones.
CONVERSATIONS_MOST = 10_000


class Keeping:
    """Keeps rests in their file; conversations' keys are in the ledger anyway."""

    def __init__(self, app: App, file: RestsFile) -> None:
        """Take the gateway, whose rests are read at once, and their file."""
        self._app, self._file = app, file
        self._failed = False
        app.relay.resting.restore(file.load())

    async def run(self) -> None:
        """Write each change, until cancelled."""
        changed = asyncio.Event()
        self._app.relay.resting.on_change = changed.set
        await self._recall()
        while True:
            await self._app.relay.loop.run_in_executor(None, self.save)
            await asyncio.sleep(EVERY if not self._failed else RETRY)
            if not self._app.relay.resting.is_changed:
                changed.clear()
                await changed.wait()

    def save(self) -> None:
        """Write the rests if they changed; what cannot be written is told and tried again."""
        resting = self._app.relay.resting
        if not resting.is_changed:
            return
        resting.is_changed = False
        try:
            self._file.save(resting.all())
            self._failed = False
        except OSError as error:
            resting.is_changed = True
            if not self._failed:
                log.error("the rests of keys cannot be written (%s); replies go on", error)
            self._failed = True

    async def _recall(self) -> None:
        """Look up in the ledger who answered the conversations of before."""
        relay = self._app.relay
        try:
            found = await relay.loop.run_in_executor(
                None, self._app.ledger.answered, 0.0, CONVERSATIONS_MOST
            )
        except sqlite3.Error:
            return  # a first start, or not readable; the log says so
        offset = relay.clock.monotonic() - relay.clock.wall()
        relay.affinity.restore(
            (each.model, each.conversation, Answered(each.lane, each.at + offset, each.cached))
            for each in found
        )
