"""Reload: config.toml and all keys are looked at twice a second, and applied when changed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from holdgate.core.config.load import load_file
from holdgate.core.config.problems import ConfigError
from holdgate.core.config.watch import Watch
from holdgate.core.host.assembly import read_roster, this_machine
from holdgate.core.host.key_files import KeyFiles
from holdgate.core.relay.roster import Roster
from holdgate.core.server.context import App
from holdgate.core.server.guard import Guard
from holdgate.core.server.wrong_keys import WrongKeys
from holdgate.core.store.callers import GatewayKeys, KeysFileBroken
from holdgate.core.values.settings import Settings

log = logging.getLogger(__name__)

EVERY = 0.5  # seconds; a change is to apply within two, and is seen twice before


class Reload:
    """Applies what changed; requests under way keep what they began with."""

    def __init__(
        self,
        app: App,
        keys: GatewayKeys,
        watch: Watch,
        key_files: KeyFiles,
        config_file: Path,
        adjust: Callable[[Settings], Settings],
        environ: Mapping[str, str],
        say: Callable[[str], None],
    ) -> None:
        """Take the parts to change, `adjust` (the command line's own words), and whom to tell."""
        self._app, self._keys, self._watch, self._file = app, keys, watch, config_file
        self._key_files = key_files
        self._adjust, self._environ, self._say = adjust, environ, say
        self._attempts = WrongKeys()

    async def run(self) -> None:
        """Look twice a second, until cancelled."""
        while True:
            await asyncio.sleep(EVERY)
            self._look_at_keys()
            if self._watch.changed():
                await self._look_at_config()
            if changed := self._key_files.changed():
                await self._read_keys(", ".join(map(str, changed)))

    def _look_at_keys(self) -> None:
        try:
            self._keys.reload_if_changed()
        except (KeysFileBroken, OSError) as error:
            self._told(f"the gateway keys stay as they were: {error}")

    async def _look_at_config(self) -> None:
        loop = self._app.relay.loop
        try:
            settings = self._adjust(await loop.run_in_executor(None, load_file, self._file))
        except ConfigError as error:
            problems = "; ".join(map(str, error.problems))
            self._told(f"the configuration stays as it was: {problems}")
            return
        self._key_files.follow(settings)
        self._apply(settings, await self._roster(settings))
        self._changed(f"{self._file.name} changed and applies now")

    async def _read_keys(self, changed: str) -> None:
        """Read the keys again for the settings in force: config.toml may be broken by now."""
        settings = self._app.relay.current.roster.settings
        self._apply(settings, await self._roster(settings))
        self._changed(f"a key file changed and applies now: {changed}")

    async def _roster(self, settings: Settings) -> Roster:
        loop = self._app.relay.loop
        return await loop.run_in_executor(None, read_roster, settings, self._environ)

    def _apply(self, settings: Settings, roster: Roster) -> None:
        before = self._app.relay.current.roster.settings.server
        after = settings.server
        if (before.host, before.port) != (after.host, after.port):
            self._told("host and port of [server] change at the next start")
            settings = replace(settings, server=replace(after, host=before.host, port=before.port))
            roster = replace(roster, settings=settings)
        self._app.relay.current.roster = roster
        self._app.relay.scheduler.configure(roster.limits())
        self._app.relay.resting.reconfigured()
        self._app.lists.forget()
        self._app.doors.guard = Guard(settings.server, this_machine(), self._keys, self._attempts)

    def _changed(self, message: str) -> None:
        log.info("%s", message)
        self._say(message)

    def _told(self, message: str) -> None:
        log.error("%s", message)
        self._app.relay.live.last_error = message
        self._say(message)
