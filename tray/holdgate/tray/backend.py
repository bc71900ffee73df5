"""The backend: the port behind which lies whatever draws icons on this system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from holdgate.icons.look import Look
from holdgate.tray.menu import Menu
from holdgate.tray.notices import Notice


class TrayUnavailable(Exception):
    """There can be no icon here; `str()` says why."""


@dataclass(frozen=True, slots=True)
class Shown:
    """All that an icon shows."""

    look: Look
    title: str
    menu: Menu


class TrayBackend(Protocol):
    """An icon. Only `run` belongs to the tray's thread; the others may be called from one more."""

    @property
    def has_menu(self) -> bool:
        """Whether a menu can be opened; if not, a click does the default item."""
        ...

    @property
    def lost(self) -> bool:
        """Whether the icon is gone for good; `run` may not return then."""
        ...

    @property
    def returns(self) -> bool:
        """Whether `run` may be called again after it came to an end by itself."""
        ...

    def find_host(self) -> str:
        """Say why no icon would be seen now; empty if one would."""
        ...

    def run(self, ready: Callable[[], None]) -> None:
        """Serve an icon until `stop`; `ready` is called in another thread once it can be drawn.

        Raises TrayUnavailable, also if the icon is lost later.
        """
        ...

    def apply(self, shown: Shown) -> None:
        """Show that. Called from the thread of `ready` only."""
        ...

    def notify(self, notice: Notice) -> None:
        """Show a notice, where the system can."""
        ...

    def copy(self, text: str) -> bool:
        """Put a text into the clipboard; False if that is not possible here."""
        ...

    def stop(self) -> None:
        """End `run`. Called from the thread of `ready` only."""
        ...
