"""Showing: the one place of the commands that imports the tray, and only when an icon is wanted."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from holdgate.cli.options import fail

if TYPE_CHECKING:
    from holdgate.core.autostart import Autostart
    from holdgate.tray.backend import TrayBackend
    from holdgate.tray.deeds import Deed
    from holdgate.tray.shell import Tray as Tray

# Windows hears no signals in an endless wait.
_SLICE = 0.25


def make_tray(
    state: Path,
    end: Callable[[], str],
    say: Callable[[str], None],
    on_signal: Callable[[int, object], None],
    *,
    attached: bool = False,
) -> Tray:
    """Give the icon for the gateway of a state folder; nothing is drawn or loaded yet.

    `end` has that gateway end and says why it cannot be, or nothing.
    """
    from holdgate.core.client import connect
    from holdgate.core.values.clock import system_clock
    from holdgate.tray.shell import Outside, Tray

    outside = Outside(
        partial(connect, state), end, say, state, system_clock(), _login(), attached=attached
    )
    return Tray(outside, partial(_load, on_signal=on_signal))


def load_or_fail(tray: Tray) -> None:
    """Load what draws icons, for somebody who asked for an icon; without one the program ends."""
    from holdgate.tray.backend import TrayUnavailable
    from holdgate.tray.shell import why_no_screen

    if why := why_no_screen():
        fail(f"no tray: {why}")
    try:
        tray.load()
    except TrayUnavailable as error:
        fail(f"no tray: {error}")


def why_no_tray() -> str:
    """Say why no icon can be had, without loading what draws it; nothing if one perhaps can."""
    from holdgate.tray.shell import why_no_screen

    if any(find_spec(name) is None for name in ("pystray", "PIL")):
        return "the extra tray is not installed (pipx install --force 'holdgate[tray]')"
    return why_no_screen()


def tray_if_any(make: Callable[[], Tray], say: Callable[[str], None]) -> Tray | None:
    """Give an icon for somebody who asked for none, or say in a line why there is none.

    What draws it is loaded later, in the icon's own thread: nothing waits for that.
    """
    try:
        from holdgate.tray.shell import why_no_screen

        if why := why_no_screen():
            say(f"no tray: {why}")
            return None
        return make()
    except Exception as error:  # no icon is no reason for a gateway not to run
        say(f"no tray: {type(error).__name__}: {error}")
        return None


def live_with(
    tray: Tray | None, life: Callable[[], int], *, on_main_thread: bool = sys.platform == "darwin"
) -> int:
    """Live, with an icon meanwhile; give what `life` gave. macOS wants icons on the main thread."""
    if tray is None:
        return life()
    if on_main_thread:
        return _live_beside(tray, life)
    tray.start()
    code = 1
    try:
        code = life()
    finally:
        tray.stop()
        if tray.hangs:
            # What GTK leaves behind might hang, too, when Python takes it apart.
            atexit.register(_end_at_once, code)
    return code


def _end_at_once(code: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _live_beside(tray: Tray, life: Callable[[], int]) -> int:
    outcome: Future[int] = Future()

    def run() -> None:
        try:
            outcome.set_result(life())
        except BaseException as error:
            outcome.set_exception(error)
        finally:
            tray.stop(timeout=0)

    thread = threading.Thread(target=run, name="lifecycle")
    thread.start()
    tray.run()
    while thread.is_alive():
        thread.join(_SLICE)
    return outcome.result()


def _load(
    choose: Callable[[Deed], None], *, on_signal: Callable[[int, object], None]
) -> TrayBackend:
    from holdgate.tray.pystray_icons import load_pystray

    pystray = load_pystray()
    # Not before: it imports Pillow, which may be missing.
    from holdgate.tray.pystray_backend import PystrayBackend

    return PystrayBackend(pystray, choose, on_signal)


class _LoginSwitch:
    """Start at login, with the icon."""

    def __init__(self, switch: Autostart) -> None:
        self._switch = switch

    def is_on(self) -> bool:
        try:
            return self._switch.status().on
        except OSError:
            return False

    def turn(self, on: bool) -> str:
        from holdgate.core.autostart import Refused

        try:
            if on:
                self._switch.on(tray=True)
            else:
                self._switch.off()
        except (Refused, OSError) as error:
            return f"start at login: {error}"
        return ""


def _login() -> _LoginSwitch | None:
    from holdgate.core.autostart import Refused, autostart_here

    try:
        return _LoginSwitch(autostart_here(os.environ))
    except (Refused, OSError, NotImplementedError):
        return None
