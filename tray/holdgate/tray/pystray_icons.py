"""Icons of pystray, each mended where its own system needs it.

Theory. pystray picks a class by the system and by what can be imported. What is mended here was
found by trying, and the tests with a real panel fail if a newer pystray changes the private names
that are used: xorg asks for no clicks and stretches the picture; GTK shows no tooltip, and ends the
whole process when its display or its session bus is lost, which no gateway may be; macOS gets a
blurred picture that does not fit its menu bar; Windows would have its menu replaced while it is
open.
"""

from __future__ import annotations

import ctypes
import importlib
import logging
import socket
from threading import Event
from typing import Any

from holdgate.icons.drawing import Style
from holdgate.tray.backend import TrayUnavailable

# Points of a menu bar, each of them up to this many pixels.
_RETINA = 2


def load_pystray() -> Any:
    """Import pystray. Raises TrayUnavailable: without a display its import fails in many ways."""
    try:
        return importlib.import_module("pystray")
    except ModuleNotFoundError as error:
        if error.name in ("pystray", "PIL"):
            raise TrayUnavailable(
                "the extra tray is not installed: pipx install --force 'holdgate[tray]'"
            ) from None
        raise TrayUnavailable(str(error)) from error
    except Exception as error:
        raise TrayUnavailable(f"{type(error).__name__}: {error}") from error


def kind_of(pystray: Any) -> str:
    """Give the name of the backend that pystray chose."""
    return str(pystray.Icon.__module__.rpartition("._")[2])


def style_of(kind: str) -> Style:
    """Give which pictures a backend can show."""
    match kind:
        case "xorg":
            return "square"
        case "darwin":
            return "template"
    return "colour"


def mended(pystray: Any, kind: str) -> Any:
    """Give the class of icons for a backend."""
    mend = {"xorg": _xorg, "gtk": _gtk, "darwin": _darwin, "win32": _win32}.get(kind)
    return mend(pystray.Icon) if mend else pystray.Icon


def _xorg(base: Any) -> Any:
    x: Any = importlib.import_module("Xlib.X")
    images: Any = importlib.import_module("PIL.Image")
    # At every change without a panel it would log a whole traceback.
    logging.getLogger("pystray").setLevel(logging.CRITICAL)

    class XorgIcon(base):  # type: ignore[misc]
        _icon_data: Any

        def _create_window(self) -> Any:
            window = super()._create_window()
            mask = x.ExposureMask | x.StructureNotifyMask | x.ButtonPressMask
            window.change_attributes(event_mask=mask)
            return window

        def _assert_icon_data(self, width: int, height: int) -> None:
            if self._icon_data and self._icon_data.size == (width, height):
                return
            side = max(1, min(width, height))
            picture = self._icon.resize((side, side), images.Resampling.LANCZOS).convert("RGB")
            data = images.new("RGB", (width, height), picture.getpixel((0, 0)))
            data.paste(picture, ((width - side) // 2, (height - side) // 2))
            data.tostring = data.tobytes  # what python-xlib asks for
            self._icon_data = data

    return XorgIcon


def has_hung_up(icon: Any) -> bool:
    """Whether an xorg icon's display has gone.

    Two threads talk to it; if the one that shows meets the end first, the other waits for ever.
    """
    try:
        connection = icon._display.display.socket
        return bool(connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b"")
    except BlockingIOError:
        return False
    except (AttributeError, OSError):
        return True


def _gtk(base: Any) -> Any:
    glib: Any = importlib.import_module("gi.repository").GLib

    class GtkIcon(base):  # type: ignore[misc]
        def _update_title(self) -> None:
            """Give it as the tooltip, too: the title alone is for screen readers."""
            super()._update_title()
            glib.idle_add(self._show_tooltip)

        def _show_tooltip(self) -> bool:
            self._status_icon.set_tooltip_text(self.title)
            return False

    return GtkIcon


def _darwin(base: Any) -> Any:
    appkit: Any = importlib.import_module("AppKit")
    foundation: Any = importlib.import_module("Foundation")
    io: Any = importlib.import_module("io")

    class DarwinIcon(base):  # type: ignore[misc]
        def _assert_image(self) -> None:
            """Give a picture with pixels to spare, of the bar's height, coloured by the system."""
            thickness = int(self._status_bar.thickness())
            side = thickness * _RETINA
            png = io.BytesIO()
            self._icon.resize((side, side)).save(png, "png")
            image = appkit.NSImage.alloc().initWithData_(foundation.NSData(png.getvalue()))
            image.setSize_((thickness, thickness))
            image.setTemplate_(True)
            self._icon_image = image
            self._status_item.button().setImage_(image)

    return DarwinIcon


def _win32(base: Any) -> Any:
    win32: Any = importlib.import_module("pystray._util.win32")

    class Win32Icon(base):  # type: ignore[misc]
        def _update_menu(self) -> None:
            """Leave the native menu alone: it may be open, and belongs to another thread."""

        def _on_notify(self, wparam: int, lparam: int) -> None:
            if lparam == win32.WM_RBUTTONUP:
                super()._update_menu()
            super()._on_notify(wparam, lparam)

    return Win32Icon


class LostDisplay:
    """Keeps GTK from ending the process when its display or its session bus is gone."""

    def __init__(self) -> None:
        """Guard nothing yet."""
        self.lost = Event()
        # Both are to live as long as the process.
        self._handler: object = None
        self._bus: object = None

    def guard(self) -> None:
        """Guard from now on. To be called after GTK's own start: it has a handler, too."""
        repository: Any = importlib.import_module("gi.repository")
        bus = repository.Gio.bus_get_sync(repository.Gio.BusType.SESSION, None)
        bus.set_exit_on_close(False)
        self._bus = bus

        def park(_display: object) -> int:
            """Never return: after that, libX11 would call exit."""
            self.lost.set()
            Event().wait()
            return 0

        self._handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(park)
        try:
            ctypes.CDLL("libX11.so.6").XSetIOErrorHandler(self._handler)
        except OSError:
            return  # no X here: GTK speaks Wayland
