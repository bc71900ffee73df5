"""The clipboard: a text is put into it by the system's own means."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
from typing import Any

# By the first that is there; each takes the text on its stdin.
_PROGRAMS = (("wl-copy",), ("xclip", "-selection", "clipboard"), ("xsel", "-ib"))
_PATIENCE = 5.0


def copy(text: str, backend: str) -> bool:
    """Put a text into the clipboard beside an icon of pystray's `backend`; False if it cannot be.

    On Wayland GTK has no say without a window of its own, so wl-copy goes first there.
    """
    match backend:
        case "darwin":
            return _told(("pbcopy",), text)
        case "win32":
            return _told(("clip",), text)
    wayland = bool(os.environ.get("WAYLAND_DISPLAY"))
    if backend in ("gtk", "appindicator") and not (wayland and shutil.which("wl-copy")):
        return _by_gtk(text)
    return any(_told(program, text) for program in _PROGRAMS)


def _told(program: tuple[str, ...], text: str) -> bool:
    if shutil.which(program[0]) is None:
        return False
    try:
        done = subprocess.run(
            program, input=text.encode(), stdout=subprocess.DEVNULL, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _by_gtk(text: str) -> bool:
    """Have GTK's own thread do it; a clipboard is served by whoever filled it."""
    repository: Any = importlib.import_module("gi.repository")
    gtk, gdk, glib = repository.Gtk, repository.Gdk, repository.GLib

    def fill() -> bool:
        clipboard = gtk.Clipboard.get(gdk.SELECTION_CLIPBOARD)
        clipboard.set_text(text, -1)
        clipboard.store()
        return False

    glib.idle_add(fill)
    return True
