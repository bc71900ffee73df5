"""`gateway serve`: the gateway in its thread, signals and lifecycle in the main one."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdgate.cli.options import WRONG_CONFIGURATION, config_option, fail, places_of, settings_of

if TYPE_CHECKING:
    from holdgate.cli.showing import Tray
    from holdgate.core.host import Gateway, Options, PortInUse
    from holdgate.core.store.instance import Instance
    from holdgate.core.values.settings import Settings

PORT_IN_USE = 3
ALREADY_RUNNING = 4
INTERRUPTED = 130
# Beyond [server] drain: what the last writes, the ledger and the log may take.
_LAST_WORDS = 10.0
# The main thread waits in slices: on Windows an endless wait sees no signal, and elsewhere one that
# comes just before the thread blocks would be seen only after the wait.
_SLICE = 0.25


@click.command("serve", epilog="Example: gateway serve --demo")
@click.option("--host", help="The address to listen on, instead of [server] host.")
@click.option("--port", type=click.IntRange(0, 65535), help="The port; 0 takes a free one.")
@click.option("--lan", is_flag=True, help="Listen to the LAN; callers from there need a key.")
@click.option("--demo", is_flag=True, help="Add the built-in provider demo: no key, no network.")
@click.option(
    "--tray/--no-tray", default=None, help="With the tray icon, or without; else as it can be had."
)
@click.option("--open", "open_page", is_flag=True, help="Open the page in the browser, too.")
@config_option
@click.pass_obj
def command(
    obj: dict[str, object],
    host: str | None,
    port: int | None,
    lan: bool,
    demo: bool,
    tray: bool | None,
    open_page: bool,
    config_file: Path | None,
) -> None:
    """Run the gateway until Ctrl-C.

    Exit codes: 0 stopped, 1 failed, 2 wrong configuration, 3 port in use, 4 already running.
    """
    from holdgate.core.host import Options
    from holdgate.core.store.instance import AlreadyRunning, Instance

    if tray and not obj["gui"]:
        raise click.UsageError("gateway-nogui has no tray icon; gateway serve --tray has one")
    places = places_of(config_file)
    adjust = _adjustment(host, port, lan)
    options = Options(places, adjust(settings_of(places)), os.environ, demo, adjust, _say)
    instance = Instance(places.state)
    try:
        instance.acquire()
    except AlreadyRunning as error:
        fail(str(error), ALREADY_RUNNING)
    except OSError as error:
        fail(f"the state folder {places.state} cannot be used: {error}")
    try:
        code = _run(options, instance, tray if obj["gui"] else False, open_page=open_page)
    finally:
        instance.release()
    sys.exit(code)


def _adjustment(host: str | None, port: int | None, lan: bool) -> Callable[[Settings], Settings]:
    """Give what puts the command line's words over the file's; wrong ones end the program."""

    def adjust(settings: Settings) -> Settings:
        server = settings.server
        given: dict[str, object] = {}
        if lan:
            given["lan"] = True
            given["host"] = "0.0.0.0" if server.host == "127.0.0.1" else server.host
        if host is not None:
            given["host"] = host
        if port is not None:
            given["port"] = port
        return replace(settings, server=replace(server, **given))  # type: ignore[arg-type]

    if host is not None and not lan and host not in ("127.0.0.1", "localhost", "::1"):
        fail(f"--host {host} is not loopback: say --lan too", WRONG_CONFIGURATION)
    return adjust


def _run(options: Options, instance: Instance, tray: bool | None, *, open_page: bool) -> int:
    """Start, wait for a signal, drain; give the exit code."""
    from holdgate.cli.showing import live_with, tray_if_any
    from holdgate.core.host import Gateway

    gateway = Gateway(options, instance)
    stopping = Stopping(gateway.stop)
    stopping.listen()  # before anybody can know that we run, and send a signal
    make = partial(_tray_of, options, stopping)
    icon = _wanted(make()) if tray else None
    address = _start(gateway, options)
    gateway.exited.add_done_callback(lambda _: stopping.wake.set())
    _greet(address, options, gateway)
    if open_page:
        _open_page(options)
    if tray is None:
        icon = tray_if_any(make, _say)
    return live_with(icon, lambda: _live(gateway, options, stopping))


def _open_page(options: Options) -> None:
    from holdgate.cli.commands.open import show_page
    from holdgate.core.client import connect

    if not show_page(connect(options.places.state).page_url(), options.environ):
        _say("no browser can be opened here; gateway open --print gives the page's address")


def _tray_of(options: Options, stopping: Stopping) -> Tray:
    from holdgate.cli.showing import make_tray

    return make_tray(options.places.state, stopping.quit, _say, stopping.on_signal)


def _wanted(tray: Tray) -> Tray:
    from holdgate.cli.showing import load_or_fail

    load_or_fail(tray)
    return tray


def _start(gateway: Gateway, options: Options) -> str:
    """Start the gateway and give its address; if that fails, the program ends and says why."""
    from holdgate.core.host import PortInUse
    from holdgate.core.store.callers import KeysFileBroken

    try:
        return gateway.start()
    except PortInUse as error:
        fail(_port_in_use(error), PORT_IN_USE)
    except KeysFileBroken as error:
        fail(str(error))
    except OSError as error:
        fail(f"cannot listen on {options.settings.server.host}: {error.strerror or error}")


def _live(gateway: Gateway, options: Options, stopping: Stopping) -> int:
    """Wait for the end, and drain; give the exit code."""
    stopping.wait()
    drain = options.settings.server.drain  # 0: as long as streams take
    slices = range(math.ceil((drain + _LAST_WORDS) / _SLICE)) if drain else count()
    if not any(gateway.join(_SLICE) for _ in slices):
        fail("the gateway did not end in time")
    if died := gateway.exited.exception(0):
        fail(f"the gateway died: {died}; the log in {options.places.log} says more")
    return 0


class Stopping:
    """Signals: the first one drains, a second one ends at once."""

    def __init__(self, stop: Callable[[], None]) -> None:
        """Take what begins to drain."""
        self._stop = stop
        self._asked = 0
        self.wake = threading.Event()

    def listen(self) -> None:
        """Take over the signals by which a program is ended."""
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self.on_signal)

    def wait(self) -> None:
        """Wait for the first signal, or for whoever else sets `wake`."""
        while not self.wake.wait(_SLICE):
            pass
        self._stop()

    def quit(self) -> str:
        """Begin to drain, as for a first signal, from any thread; there is nothing in its way."""
        self.wake.set()
        return ""

    def on_signal(self, _number: int, _frame: object) -> None:
        """Hear a signal."""
        self._asked += 1
        if self._asked > 1:
            os._exit(INTERRUPTED)
        self.wake.set()
        self._stop()
        _say("stopping; once more ends at once")


def _greet(address: str, options: Options, gateway: Gateway) -> None:
    from importlib.metadata import version

    rows = (
        ("chat, responses (OpenAI)", f"{address}/v1"),
        ("messages (Anthropic)", address),
        ("gemini (Google)", address),
    )
    click.echo(f"Holdgate {version('holdgate')}")
    for name, url in rows:
        click.echo(f"  {name:<26}{url}")
    if options.demo:
        click.echo("  the model demo/demo-model answers without a key: 2 at once, 6 a minute")
    elif not options.settings.providers:
        click.echo("  no provider yet: gateway provider add NAME")
    for line in _keyless(gateway):
        click.echo(f"  {line}")
    if options.settings.server.lan:
        _greet_others(options, address)
    click.echo(f"ready {address}")


def _keyless(gateway: Gateway) -> Iterator[str]:
    """Say of each key that could not be read what to do: agents would tell after many tries."""
    from holdgate.core.config.masks import mask_text

    for (provider, key), why in gateway.missing_keys().items():
        yield f"{provider} has no key {key!r}: {mask_text(why)}"


def _greet_others(options: Options, address: str) -> None:
    """Say where other machines find it, and what they need."""
    from urllib.parse import urlsplit

    from holdgate.core.doctor.exposure import own_addresses
    from holdgate.core.values.addresses import host_and_port

    host, port = options.settings.server.host, urlsplit(address).port or 0
    found = own_addresses() if host in ("0.0.0.0", "::", "*") else (host,)
    for each in found:
        click.echo(f"  {'from other machines':<26}http://{host_and_port(each, port)}")
    click.echo("  each of them needs a key: gateway keys add NAME")


def _port_in_use(error: PortInUse) -> str:
    from holdgate.core.client import is_holdgate

    who = "another Holdgate has it" if is_holdgate("127.0.0.1", error.port) else "a program has it"
    other = f"gateway serve --port {error.port + 10}"
    return f"{error}: {who} (gateway doctor); stop that one, or say another port: {other}"


def _say(line: str) -> None:
    click.echo(line, err=True)
