"""The pace: how often a menu is replaced, since that closes it under the person's hand."""

from __future__ import annotations

from dataclasses import dataclass

from holdgate.tray.menu import Menu, Switches
from holdgate.tray.view import View

# Seconds that a menu stands at least, unless what a person does at it has changed.
STANDS = 5.0


@dataclass(frozen=True, slots=True)
class Standing:
    """The menu that is shown, since when (any clock), and what it must follow at once."""

    menu: Menu
    since: float
    key: tuple[object, ...]


def next_menu(
    shown: Standing | None, menu: Menu, view: View | None, switches: Switches, now: float
) -> Standing:
    """Give the menu to show at `now`: the new one, or for a while still the old one."""
    key = (view is None, view is not None and view.paused is not None, switches)
    if shown is not None:
        if menu == shown.menu:
            return shown
        if key == shown.key and now - shown.since < STANDS:
            return shown
    return Standing(menu, now, key)
