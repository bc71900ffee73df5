"""Hosts: whether any panel of this desktop shows icons just now."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

NOBODY = (
    "no panel of this desktop shows tray icons (GNOME needs the extension AppIndicator); "
    "the icon comes when one does"
)


def why_no_host(backend: str) -> str:
    """Say why nobody would show an icon of pystray's `backend`; empty if somebody does."""
    asked: list[Callable[[], bool]] = []
    if backend in ("xorg", "gtk", "appindicator"):
        asked.append(_embeds)
    if backend == "appindicator":
        asked.append(_shows_notifiers)
    return NOBODY if asked and not any(_answers(ask) for ask in asked) else ""


def _answers(ask: Callable[[], bool]) -> bool:
    try:
        return ask()
    except Exception:  # X and D-Bus raise what they like
        return False


def _embeds() -> bool:
    """Ask X for the owner of the tray's selection."""
    xlib: Any = importlib.import_module("Xlib.display")
    display = xlib.Display()
    try:
        atom = display.intern_atom(f"_NET_SYSTEM_TRAY_S{display.get_default_screen()}")
        return bool(display.get_selection_owner(atom))
    finally:
        display.close()


def _shows_notifiers() -> bool:
    """Ask the session bus for a host of StatusNotifierItems."""
    repository: Any = importlib.import_module("gi.repository")
    gio, glib = repository.Gio, repository.GLib
    bus = gio.bus_get_sync(gio.BusType.SESSION, None)
    name = "org.kde.StatusNotifierWatcher"
    answer = bus.call_sync(
        name,
        "/StatusNotifierWatcher",
        "org.freedesktop.DBus.Properties",
        "Get",
        glib.Variant("(ss)", (name, "IsStatusNotifierHostRegistered")),
        None,
        gio.DBusCallFlags.NO_AUTO_START,
        1000,
        None,
    )
    return bool(answer.unpack()[0])
