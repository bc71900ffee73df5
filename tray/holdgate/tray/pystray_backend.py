"""The backend of pystray: one icon on Linux, macOS and Windows."""

from __future__ import annotations

import contextlib
import importlib
import signal
from collections.abc import Callable
from functools import partial
from typing import Any

from holdgate.icons.drawing import picture
from holdgate.tray import clipboard
from holdgate.tray.backend import Shown, TrayUnavailable
from holdgate.tray.deeds import Deed
from holdgate.tray.hosts import why_no_host
from holdgate.tray.menu import Item, Menu
from holdgate.tray.notices import Notice
from holdgate.tray.pystray_icons import LostDisplay, has_hung_up, kind_of, mended, style_of

NAME = "holdgate"
# Enough for a panel of 32 points at double resolution.
_PIXELS = 64
# On xorg a first picture may be lost on a busy machine: two threads talk to the display there, and
# what one has sent may lie until something more is. So the first looks show it again.
_POKES = 20


class PystrayBackend:
    """An icon by pystray; made and run in one thread, shown from another."""

    def __init__(
        self,
        pystray: Any,
        choose: Callable[[Deed], None],
        on_signal: Callable[[int, object], None],
    ) -> None:
        """Take the library and what is called, and must return at once, when an item is chosen.

        `on_signal`: the handler of signals, where the icon's loop would keep them for itself.
        """
        self._pystray = pystray
        self._kind = kind_of(pystray)
        self._choose, self._on_signal = choose, on_signal
        self._icon: Any = None
        self._shown: Shown | None = None
        self._display = LostDisplay()
        self._pokes = 0

    @property
    def has_menu(self) -> bool:
        """Whether a menu can be opened."""
        return bool(self._pystray.Icon.HAS_MENU)

    @property
    def lost(self) -> bool:
        """Whether the icon is gone for good; its thread may stand still for ever then."""
        if self._kind == "xorg" and self._icon is not None:
            return has_hung_up(self._icon)
        return self._display.lost.is_set()

    @property
    def returns(self) -> bool:
        """Whether another panel may take the icon: GTK sees to that itself."""
        return self._kind == "xorg"

    def find_host(self) -> str:
        """Say why no icon would be seen now; empty if one would."""
        return why_no_host(self._kind)

    def run(self, ready: Callable[[], None]) -> None:
        """Serve the icon until `stop`. Raises TrayUnavailable."""
        try:
            if self._kind in ("gtk", "appindicator"):
                self._display.guard()
            self._shown = None
            self._pokes = _POKES if self._kind == "xorg" else 0
            self._icon = mended(self._pystray, self._kind)(NAME)
            self._prepare()
            self._icon.run(lambda _icon: ready())
        except Exception as error:
            raise TrayUnavailable(f"{type(error).__name__}: {error}") from error
        finally:
            self._release()

    def apply(self, shown: Shown) -> None:
        """Show that; only what changed is touched."""
        before, self._shown = self._shown, shown
        self._call(lambda: self._apply(before, shown))

    def notify(self, notice: Notice) -> None:
        """Show a notice, where the system can."""
        if self._pystray.Icon.HAS_NOTIFICATION:
            self._call(partial(self._notify, notice))

    def copy(self, text: str) -> bool:
        """Put a text into the clipboard."""
        return clipboard.copy(text, self._kind)

    def stop(self) -> None:
        """End `run`."""
        self._call(self._icon.stop)

    def _apply(self, before: Shown | None, shown: Shown) -> None:
        icon = self._icon
        if before is None:
            self._take_signals()
        if before is None or before.look != shown.look or self._is_undocked() or self._pokes:
            self._pokes = max(0, self._pokes - 1)
            icon.icon = picture(shown.look, _PIXELS, style_of(self._kind))
        if before is None or before.title != shown.title:
            icon.title = shown.title
        if before is None or before.menu != shown.menu:
            icon.menu = self._native(shown.menu)
        icon.visible = True

    def _notify(self, notice: Notice) -> None:
        with contextlib.suppress(Exception):  # desktops may have no notifications
            self._icon.notify(notice.text, notice.title)

    def _is_undocked(self) -> bool:
        """Whether, on xorg, the panel has gone: the next picture then looks for another one."""
        return self._kind == "xorg" and getattr(self._icon, "_systray_manager", self) is None

    def _native(self, menu: Menu) -> Any:
        separator = self._pystray.Menu.SEPARATOR
        return self._pystray.Menu(*(self._item(each) if each else separator for each in menu))

    def _item(self, item: Item) -> Any:
        # Windows takes an ampersand for the mark of a key.
        text = item.text.replace("&", "&&") if self._kind == "win32" else item.text
        return self._pystray.MenuItem(
            text,
            self._native(item.children) if item.children else self._action(item.deed),
            checked=None if item.checked is None else lambda _: bool(item.checked),
            default=item.default,
            enabled=item.enabled,
        )

    def _action(self, deed: Deed | None) -> Callable[[Any, Any], None] | None:
        if deed is None:
            return None
        return lambda _icon, _item: self._choose(deed)

    def _prepare(self) -> None:
        """On macOS: an icon without a place in the Dock."""
        if self._kind == "darwin":
            appkit: Any = importlib.import_module("AppKit")
            appkit.NSApplication.sharedApplication().setActivationPolicy_(
                appkit.NSApplicationActivationPolicyAccessory
            )

    def _take_signals(self) -> None:
        """On macOS: hear signals in Cocoa's loop, after pystray has set a handler of its own."""
        if self._kind == "darwin":
            signals: Any = importlib.import_module("PyObjCTools.MachSignals")
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signals.signal(number, lambda number: self._on_signal(number, None))

    def _call(self, what: Callable[[], None]) -> None:
        """Do it in the thread that the system wants it in."""
        if self._kind == "darwin":
            helper: Any = importlib.import_module("PyObjCTools.AppHelper")
            helper.callAfter(what)
        else:
            what()

    def _release(self) -> None:
        """Let the thread of `ready` go if the icon's loop never began: it waits for that."""
        queue = getattr(self._icon, "_Icon__queue", None)
        if queue is not None:
            queue.put(True)
