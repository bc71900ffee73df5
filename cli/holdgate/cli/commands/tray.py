"""`gateway tray`: an icon for a gateway that runs already, also for one without a screen."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import click

from holdgate.cli.options import config_option, fail, places_of

# On Windows an endless wait sees no signal.
_SLICE = 0.25


@click.command("tray", epilog="Example: gateway tray")
@config_option
def command(config_file: Path | None) -> None:
    """Show a tray icon for the gateway that runs, until Ctrl-C.

    Its Quit ends the gateway and then the icon; Ctrl-C ends the icon alone. A gateway that is
    started anew is found again.
    """
    from holdgate.cli.showing import live_with, load_or_fail, make_tray
    from holdgate.core.client import NotRunning, Refused, connect

    state = places_of(config_file).state
    try:
        connect(state).get("/api/status")
    except (NotRunning, Refused) as error:
        fail(str(error))
    leave = threading.Event()

    def on_signal(_number: int, _frame: object) -> None:
        leave.set()

    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), on_signal)
    tray = make_tray(state, lambda: end_gateway(state), _say, on_signal, attached=True)
    load_or_fail(tray)

    def life() -> int:
        while not leave.wait(_SLICE) and not tray.ended.is_set():
            pass
        return 1 if tray.failure else 0

    sys.exit(live_with(tray, life))


def end_gateway(state: Path) -> str:
    """Have the gateway of a state folder drain and end; say why it cannot be, or nothing."""
    from holdgate.core.store.instance import read_runtime

    runtime = read_runtime(state)
    if runtime is None:
        return ""
    if sys.platform == "win32":
        # There a signal would end it at once, and cut the streams.
        return "end the gateway where it was started, with Ctrl-C; this icon can only watch it"
    try:
        os.kill(runtime.pid, signal.SIGTERM)
    except ProcessLookupError:
        return ""
    except OSError as error:
        return f"the gateway (process {runtime.pid}) cannot be ended: {error.strerror}"
    return ""


def _say(line: str) -> None:
    click.echo(line, err=True)
