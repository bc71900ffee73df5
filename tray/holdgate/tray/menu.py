"""The menu: what can be chosen at the icon, as values, in the order in which it stands."""

from __future__ import annotations

from dataclasses import dataclass

from holdgate.tray.deeds import (
    Cancel,
    CopyAddress,
    Deed,
    OpenPage,
    PauseAll,
    Quit,
    ResumeAll,
    ShowNotices,
    StartAtLogin,
    ToTheFront,
)
from holdgate.tray.title import heading_of
from holdgate.tray.view import Lane, Request, View
from holdgate.tray.wording import TimeOfDay, counted, cut

LISTED_MOST = 10
LABEL_MOST = 80


@dataclass(frozen=True, slots=True)
class Item:
    """A line of a menu. One without a deed and without children only says something.

    `checked`: None where there is nothing to tick. `default`: what a click on the icon does.
    """

    text: str
    deed: Deed | None = None
    children: tuple[Item | None, ...] = ()
    checked: bool | None = None
    default: bool = False

    @property
    def enabled(self) -> bool:
        """Whether it can be chosen."""
        return self.deed is not None or bool(self.children)


# None is a line between groups.
Menu = tuple[Item | None, ...]


@dataclass(frozen=True, slots=True)
class Switches:
    """What is on and off besides the gateway itself. `login`: None where it cannot be switched."""

    login: bool | None = None
    notices: bool = True


def menu_of(view: View | None, switches: Switches, time_of_day: TimeOfDay) -> Menu:
    """Give the menu of a view; of no gateway only what can be done without one."""
    head: Menu = (Item(heading_of(view, time_of_day)), None)
    if view is None:
        return (*head, *_switches(switches), None, Item("Quit", Quit()))
    return (
        *head,
        *_pausing(view),
        None,
        _queue(view, time_of_day),
        *_troubles(view, time_of_day),
        None,
        Item("Open page", OpenPage(), default=True),
        Item("Copy address", CopyAddress(view.address)),
        None,
        *_switches(switches),
        None,
        _quit(view),
    )


def _pausing(view: View) -> Menu:
    first = Item("Resume", ResumeAll()) if view.paused else Item("Pause", PauseAll())
    terms: Menu = (
        Item("15 minutes", PauseAll(seconds=15 * 60)),
        Item("1 hour", PauseAll(seconds=60 * 60)),
        Item("until tomorrow", PauseAll(tomorrow=True)),
    )
    return (first, Item("Pause for", children=terms))


def _queue(view: View, time_of_day: TimeOfDay) -> Item:
    line = view.in_line
    if not line:
        return Item("Queue: nobody waits")
    listed: Menu = tuple(_request(each, time_of_day) for each in line[:LISTED_MOST])
    more = view.waiting + view.counts.held - len(listed)
    if more > 0:
        listed = (*listed, None, Item(f"{more} more on the page", OpenPage()))
    return Item("Queue", children=listed)


def _request(request: Request, time_of_day: TimeOfDay) -> Item:
    words = f"{request.agent}, {request.model}: {request.reason or request.state}"
    since = f", since {time_of_day(request.since)}"
    deeds: Menu = (
        Item("Show on the page", OpenPage(request.id)),
        Item("Cancel", Cancel(request.id)),
    )
    if request.state == "waiting":
        deeds = (*deeds, Item("To the front", ToTheFront(request.id)))
    return Item(cut(words, LABEL_MOST - len(since)) + since, children=deeds)


def _troubles(view: View, time_of_day: TimeOfDay) -> Menu:
    return tuple(
        Item(cut(_trouble(lane, time_of_day), LABEL_MOST), OpenPage())
        for lane in view.lanes
        if lane.rest is not None
    )


def _trouble(lane: Lane, time_of_day: TimeOfDay) -> str:
    rest = lane.rest
    assert rest is not None
    name = lane.provider if lane.key == "default" else f"{lane.provider}/{lane.key}"
    if rest.refused or rest.until is None:
        return f"{name}: {rest.why}"
    return f"{name} rests until {time_of_day(rest.until)}: {rest.why}"


def _switches(switches: Switches) -> Menu:
    notices = Item("Notifications", ShowNotices(not switches.notices), checked=switches.notices)
    if switches.login is None:
        return (notices,)
    login = Item("Start at login", StartAtLogin(not switches.login), checked=switches.login)
    return (login, notices)


def _quit(view: View) -> Item:
    if not view.open:
        return Item("Quit", Quit())
    return Item(f"Quit ({counted(view.open, 'stream is', 'streams are')} open)", Quit())
