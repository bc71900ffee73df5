"""Near names: what a name means, or what was probably meant by it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from holdgate.cli.options import WRONG_CONFIGURATION, fail

if TYPE_CHECKING:
    from holdgate.core.values.settings import Provider, Route, Settings


def known_provider(name: str, settings: Settings) -> Provider:
    """Give a provider; an unknown one ends the program."""
    if name not in settings.providers:
        fail(unknown("provider", name, settings.providers), WRONG_CONFIGURATION)
    return settings.providers[name]


def known_route(name: str, settings: Settings) -> Route:
    """Give a route; an unknown one ends the program."""
    if name not in settings.routes:
        fail(unknown("route", name, settings.routes), WRONG_CONFIGURATION)
    return settings.routes[name]


def unknown(what: str, name: str, names: Iterable[str]) -> str:
    """Say that there is no such thing, and which one is near."""
    from holdgate.core.config.problems import nearest_name

    near = nearest_name(name, names)
    hint = f"did you mean {near}?" if near else f"gateway {what} list shows them"
    return f"{name}: no such {what}; {hint}"
