"""The gateway as a thread: started, stopped and waited for by whoever has the main thread."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field

from holdgate.core.config.places import Places
from holdgate.core.config.watch import Watch, stamp_of
from holdgate.core.host import assembly
from holdgate.core.host.descriptors import ENOUGH, raise_limit
from holdgate.core.host.keeping import Keeping
from holdgate.core.host.key_files import KeyFiles
from holdgate.core.host.loops import new_loop
from holdgate.core.host.reload import Reload
from holdgate.core.relay.proxies import passwords
from holdgate.core.relay.roster import MissingKey
from holdgate.core.relay.upstream import HttpUpstream
from holdgate.core.server.context import App
from holdgate.core.server.history import keep_history
from holdgate.core.server.listening import Listener, PortInUse
from holdgate.core.store.callers import GatewayKeys
from holdgate.core.store.facts_file import FILE_NAME as FACTS_FILE
from holdgate.core.store.facts_file import FactsFile
from holdgate.core.store.instance import Instance, Runtime
from holdgate.core.store.ledger import FILE_NAME, Ledger
from holdgate.core.store.lists_file import FILE_NAME as LISTS_FILE
from holdgate.core.store.lists_file import ListsFile
from holdgate.core.store.logs import close_log, open_log
from holdgate.core.store.rests_file import FILE_NAME as RESTS_FILE
from holdgate.core.store.rests_file import RestsFile
from holdgate.core.traffic.ticket import LaneId
from holdgate.core.values.addresses import shown_host
from holdgate.core.values.clock import Clock, system_clock
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.secret import Secret
from holdgate.core.values.settings import Settings

log = logging.getLogger(__name__)

__all__ = ["Gateway", "Options", "PortInUse"]


@dataclass(frozen=True, slots=True)
class Options:
    """What a gateway is started with. `adjust` puts the command line's words over the file's."""

    places: Places
    settings: Settings
    environ: Mapping[str, str]
    demo: bool = False
    adjust: Callable[[Settings], Settings] = field(default=lambda settings: settings)
    say: Callable[[str], None] = field(default=lambda line: None)


class Gateway:
    """A gateway in a thread of its own. All public methods may be called from any thread."""

    def __init__(self, options: Options, instance: Instance) -> None:
        """Take the options and the instance's lock, which is held already."""
        self._options, self._instance = options, instance
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._app: App | None = None
        self._ready: Future[str] = Future()
        self.exited: Future[None] = Future()
        self._thread = threading.Thread(target=self._main, name="gateway", daemon=True)

    def start(self, timeout: float = 30.0) -> str:
        """Start and give the address once connections are accepted.

        Raises PortInUse, or whatever else kept it from starting.
        """
        self._thread.start()
        return self._ready.result(timeout)

    def missing_keys(self) -> Mapping[LaneId, str]:
        """Give the vendors' keys that could not be read, each with why; once it is started."""
        keys = self._app.relay.current.roster.keys if self._app else {}
        return {lane: key.why for lane, key in keys.items() if isinstance(key, MissingKey)}

    def stop(self) -> None:
        """Begin to drain: nothing new is served, streams may finish for [server] drain."""
        if self._loop is not None and self._stop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed already
                self._loop.call_soon_threadsafe(self._stop.set)

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the end; False if it is not over by then."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _main(self) -> None:
        try:
            with asyncio.Runner(loop_factory=new_loop()) as runner:
                runner.run(self._serve())
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)
                self.exited.set_result(None)
            else:
                log.exception("the gateway died")
                self.exited.set_exception(error)
            return
        self.exited.set_result(None)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        clock = system_clock(self._loop.time)
        handler = open_log(self._options.places.log, self._secrets)
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(close_log, handler)
            settings = await self._settings(stack, clock)
            app = self._app = self._assemble(settings, clock, stack)
            await self._listen(app, stack)
            await self._stop.wait()
            await self._drain(app)

    async def _settings(self, stack: contextlib.AsyncExitStack, clock: Clock) -> Settings:
        settings = self._options.settings
        if not self._options.demo or assembly.DEMO in settings.providers:
            return settings
        from holdgate.core.server.demo.vendor import DemoVendor

        vendor = DemoVendor(clock)
        self._demo_url = await vendor.start()
        stack.push_async_callback(vendor.stop)
        return assembly.with_demo(settings, self._demo_url)

    def _assemble(self, settings: Settings, clock: Clock, stack: contextlib.AsyncExitStack) -> App:
        options = self._options
        limit = raise_limit()
        if limit is not None and limit < ENOUGH:
            options.say(f"only {limit} files may be open: about {limit // 2} streams at once")
        upstream = HttpUpstream(clock, asyncio.get_running_loop(), options.environ)
        stack.push_async_callback(upstream.close)
        keys = GatewayKeys(options.places.state, clock.wall)
        key_files = KeyFiles(options.environ)
        key_files.follow(settings)
        roster = assembly.read_roster(settings, options.environ)
        rests = RestsFile(options.places.state / RESTS_FILE)
        ledger = Ledger(options.places.state / FILE_NAME, clock.wall())
        stack.callback(ledger.close)
        kept = ListsFile(options.places.cache / LISTS_FILE)
        facts = FactsFile(options.places.cache / FACTS_FILE)
        app = assembly.assemble(
            roster, clock, upstream, keys, ledger, rests.fingerprint, kept, facts
        )
        keeping = Keeping(app, rests)
        stack.callback(keeping.save)
        stack.callback(app.relay.wheel.close)
        stack.callback(app.relay.scheduler.close)
        stack.push_async_callback(app.tasks.close)
        file = options.places.config_file
        watch = Watch(file, stamp_of(file))
        reload = Reload(
            app, keys, watch, key_files, file, self._adjust, options.environ, options.say
        )
        app.tasks.start(reload.run(), "reload")
        app.tasks.start(keeping.run(), "keeping")
        app.tasks.start(keep_history(app.history, app.relay), "history")
        return app

    def _adjust(self, settings: Settings) -> Settings:
        settings = self._options.adjust(settings)
        if self._options.demo and assembly.DEMO not in settings.providers:
            settings = assembly.with_demo(settings, self._demo_url)
        return settings

    async def _listen(self, app: App, stack: contextlib.AsyncExitStack) -> None:
        listener = self._listener = Listener(app)
        stack.push_async_callback(listener.close)
        wanted = app.relay.current.roster.settings.server
        port = await listener.start(wanted.host, wanted.port)
        app.doors.address = f"http://{shown_host(wanted.host)}:{port}"
        config = str(self._options.places.config_file)
        self._instance.announce(
            Runtime(app.doors.address, os.getpid(), app.token, app.version, config)
        )
        log.info("ready at %s, version %s", app.doors.address, app.version)
        self._ready.set_result(app.doors.address)

    async def _drain(self, app: App) -> None:
        """Serve nothing new; let what runs finish for a while; then tell the rest."""
        app.doors.closing = True
        await self._listener.stop_accepting()
        drain = app.relay.current.roster.settings.server.drain
        empty = asyncio.Event()
        app.relay.live.when_empty(empty.set)
        if not empty.is_set():
            self._options.say(f"{len(app.relay.live)} requests are open; waiting up to {drain:g}s")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(drain or None):
                await empty.wait()
        app.relay.live.stop(Fault(FaultKind.SHUTDOWN, "the gateway is shutting down"))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await empty.wait()

    def _secrets(self) -> list[Secret]:
        if self._app is None:
            return []
        roster = self._app.relay.current.roster
        keys = [key for key in roster.keys.values() if isinstance(key, Secret)]
        return [*keys, *map(Secret, passwords(roster.proxies.values())), Secret(self._app.token)]
