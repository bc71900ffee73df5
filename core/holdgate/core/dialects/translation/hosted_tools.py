"""Tools that a vendor runs itself: how they are chosen, and where a search may look."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from holdgate.core.dialects.reading import Json, member, texts
from holdgate.core.dialects.translation.json_texts import loads
from holdgate.core.values.neutral import Choice, Custom, Function, Hosted, Namespace, Tool

_PLACE = ("city", "region", "country", "timezone")


class Search(msgspec.Struct, frozen=True):
    """What an agent said about its search: the sites it may use or not, and where the user is.

    `most`: how often it may search, 0: not said.
    """

    allowed: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    place: Json = {}
    most: int = 0

    @property
    def location(self) -> Json:
        """The place as messages and responses tell it; empty where none is known."""
        return {"user_location": {"type": "approximate"} | self.place} if self.place else {}


def search_of(tool: Hosted) -> Search:
    """Give what is said about a search in any of the dialects."""
    raw = _loosely(tool.raw)
    at = member(raw, "user_location")
    at = member(at, "approximate") or at
    most = member(raw, "max_uses")
    return Search(
        _domains(raw, "allowed_domains"),
        _domains(raw, "blocked_domains"),
        {name: said for name in _PLACE if (said := texts(member(at, name)))},
        most if type(most) is int and most > 0 else 0,
    )


def chosen(choice: Choice, tools: Iterable[Tool]) -> Hosted | None:
    """Give the hosted tool that must be called, None if it is one of the agent's own."""
    if choice.mode != "one" or not choice.allowed:
        return None
    name = choice.allowed[0]
    found: Hosted | None = None
    for tool in tools:
        match tool:
            case Hosted(kind):
                if name in (kind, member(_loosely(tool.raw), "name")):
                    found = tool
            case Namespace(tools=inner):
                if any(each.name == name for each in inner):
                    return None
            case Function() | Custom():
                if tool.name == name:
                    return None
    return found


def _domains(raw: object, name: str) -> tuple[str, ...]:
    """Give a list of sites: beside the type (messages), or in `filters` (responses)."""
    listed = member(raw, name) or member(raw, "filters", name)
    return tuple(filter(None, map(texts, listed))) if isinstance(listed, list) else ()


def _loosely(raw: bytes) -> object:
    try:
        return loads(raw)
    except (ValueError, RecursionError):
        return None
