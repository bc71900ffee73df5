"""The shell: an icon kept up to date with a gateway, and its menu's choices carried out.

Theory. Four threads, none of which the gateway ever waits for. The icon's own runs whatever the
system wants for its loop. The feed reads the control API. The updater, which the backend starts
once the icon can be drawn, is the only one that changes the icon. The doer does what was chosen:
a menu's callback only puts it into a queue.
"""

from __future__ import annotations

import logging
import os
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from holdgate.core.client import ControlClient
from holdgate.core.values.clock import Clock
from holdgate.icons.look import Look, State
from holdgate.tray.backend import Shown, TrayBackend, TrayUnavailable
from holdgate.tray.deeds import Deed
from holdgate.tray.doing import Doer, Hands
from holdgate.tray.face import look_of
from holdgate.tray.feed import Feed
from holdgate.tray.menu import menu_of
from holdgate.tray.notices import Notice, Told, next_notice
from holdgate.tray.pace import Standing, next_menu
from holdgate.tray.switches import Board, Login
from holdgate.tray.title import title_of
from holdgate.tray.view import View
from holdgate.tray.wording import counted

log = logging.getLogger(__name__)

# Seconds between two updates at least (four a second), and at most: times in the title move.
LOOK = 0.25
TICK = 1.0
# Between two looks for a panel: at login it comes later than the gateway.
PANEL = 2.0
LOST = "the display was lost"


@dataclass(frozen=True, slots=True)
class Outside:
    """What the icon belongs to. `say` writes a line for the person who started it.

    `end` has the gateway drain and end; it says why that cannot be done, or nothing. `attached`:
    the icon is all that its process has to do.
    """

    connect: Callable[[], ControlClient]
    end: Callable[[], str]
    say: Callable[[str], None]
    state: Path
    clock: Clock
    login: Login | None = None
    attached: bool = False


class Tray:
    """An icon for one gateway. `run` belongs to one thread; all others may ask it to stop."""

    def __init__(
        self, outside: Outside, load: Callable[[Callable[[Deed], None]], TrayBackend]
    ) -> None:
        """Take what it belongs to, and how the backend is loaded, which may fail."""
        self._outside, self._load = outside, load
        self._backend: TrayBackend | None = None
        self._changed, self._over = threading.Event(), threading.Event()
        self._feed = Feed(outside.connect, self._changed.set)
        self._board = Board(outside.state, outside.login)
        self._doer = Doer(self._hands())
        self._leaving = ""
        self._menu: Standing | None = None
        self._told = Told()
        self._thread = threading.Thread(target=self.run, name="tray", daemon=True)
        self.ended = threading.Event()
        self.failure = ""

    def load(self) -> None:
        """Load what draws icons. Raises TrayUnavailable. Else `run` does it, and says why not."""
        self._backend = self._load(self._doer.choose)

    def start(self) -> None:
        """Run in a thread of its own."""
        self._thread.start()

    def stop(self, timeout: float = 3.0) -> None:
        """Take the icon away; waits at most so many seconds for it."""
        self._over.set()
        self._changed.set()
        self._feed.stop()
        self.ended.wait(timeout)

    @property
    def hangs(self) -> bool:
        """Whether its thread is still there, though it was told to go or has lost its display."""
        return self._thread.is_alive()

    def run(self) -> None:
        """Show the icon until `stop`, or until it is lost."""
        try:
            if self._backend is None:
                self.load()
            assert self._backend is not None
            self._serve(self._backend)
        except TrayUnavailable as error:
            self._fail(str(error))
        finally:
            self._feed.stop()
            self.ended.set()

    def _serve(self, backend: TrayBackend) -> None:
        self._feed.start()
        self._doer.start()
        self._await_panel(backend)
        if not backend.has_menu:
            self._outside.say("the tray icon has no menu on this desktop; a click opens the page")
        while not self._over.is_set():
            self._show_once(backend)
            if self._over.is_set():
                return
            if not backend.returns:
                raise TrayUnavailable(LOST)
            self._outside.say("the tray icon was lost with its panel; it comes again with another")
            self._over.wait(PANEL)
            self._await_panel(backend)

    def _show_once(self, backend: TrayBackend) -> None:
        gone = threading.Event()
        try:
            backend.run(partial(self._update, backend, gone))
        finally:
            gone.set()

    def _fail(self, why: str) -> None:
        """Say why there is no icon any more, unless it was told to go: then some raise, too."""
        if not self._over.is_set():
            self.failure = why
            self._over.set()
            self._outside.say(f"no tray: {why}")
            self.ended.set()

    def _await_panel(self, backend: TrayBackend) -> None:
        if why := backend.find_host():
            self._outside.say(f"no tray yet: {why}")
        while not self._over.is_set() and backend.find_host():
            self._over.wait(PANEL)

    def _update(self, backend: TrayBackend, gone: threading.Event) -> None:
        """Show what there is until the end: in the thread that the backend gave."""
        while not self._over.is_set() and not gone.is_set():
            if backend.lost:
                return self._fail(LOST)
            if self._feed.began:
                self._try_to_show(backend)
            self._over.wait(LOOK)
            self._changed.wait(TICK)
            self._changed.clear()
        return None if gone.is_set() else backend.stop()

    def _try_to_show(self, backend: TrayBackend) -> None:
        try:
            self._show(backend)
        except Exception:  # of a display that is about to go; the next update may work again
            log.warning("the tray icon could not be updated", exc_info=True)

    def _show(self, backend: TrayBackend) -> None:
        view, now = self._feed.view, self._outside.clock.wall()
        menu = menu_of(view, self._board.now, time_of_day)
        monotonic = self._outside.clock.monotonic()
        self._menu = next_menu(self._menu, menu, view, self._board.now, monotonic)
        look, title = look_of(view), title_of(view, now, time_of_day)
        if self._leaving and view is None:
            look, title = Look(State.GONE), self._leaving
            if self._outside.attached:
                self._over.set()
        backend.apply(Shown(look, title, self._menu.menu))
        self._notify(backend, view, now)

    def _notify(self, backend: TrayBackend, view: View | None, now: float) -> None:
        if not self._board.now.notices:
            return
        notice, self._told = next_notice(view, self._told, now)
        if notice is not None:
            backend.notify(notice)

    def _hands(self) -> Hands:
        return Hands(
            connect=self._outside.connect,
            browse=webbrowser.open,
            copy=self._copy,
            turn_login=self._turn_login,
            turn_notices=self._turn_notices,
            quit=self._quit,
            now=self._outside.clock.wall,
            tell=self._tell,
        )

    def _copy(self, text: str) -> bool:
        return self._backend is not None and self._backend.copy(text)

    def _turn_login(self, on: bool) -> str:
        why = self._board.turn_login(on)
        self._changed.set()
        return why

    def _turn_notices(self, on: bool) -> None:
        self._board.turn_notices(on)
        self._changed.set()

    def _quit(self) -> None:
        """Have the gateway end, and say how many streams are open; without one, end the icon."""
        view = self._feed.view
        if view is None:
            if not self._outside.attached:
                self._outside.end()
            self._over.set()
            return
        open_streams = counted(view.open, "stream is open", "streams are open")
        if why := self._outside.end():
            self._tell(why)
            return
        self._leaving = f"Holdgate ends: {open_streams}"
        if view.open and self._backend is not None:
            text = f"{open_streams}; they may finish first"
            self._backend.notify(Notice("quit", "Holdgate ends", text))

    def _tell(self, why: str) -> None:
        """Tell a person why a deed was not done, whatever the switch says: it was asked for."""
        if self._backend is not None:
            self._backend.notify(Notice("deed", "Holdgate", why[:255]))


def time_of_day(moment: float) -> str:
    """Give Unix seconds as this place's hours and minutes."""
    return f"{datetime.fromtimestamp(moment):%H:%M}"


def why_no_screen() -> str:
    """Say why no icon can be had, without loading anything; empty if one perhaps can."""
    if os.name == "nt" or os.uname().sysname == "Darwin":
        return ""
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return ""
    return "there is no screen here (neither DISPLAY nor WAYLAND_DISPLAY is set)"
