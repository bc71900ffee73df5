"""The menu is a plain function of the snapshot: its items, their order, and what each one does."""

from __future__ import annotations

import pytest

from holdgate.tray.deeds import (
    Cancel,
    CopyAddress,
    OpenPage,
    PauseAll,
    Quit,
    ResumeAll,
    ShowNotices,
    StartAtLogin,
    ToTheFront,
)
from holdgate.tray.menu import LABEL_MOST, Item, Menu, Switches, menu_of
from holdgate.tray.pace import STANDS, next_menu
from holdgate.tray.view import View
from tests.tray.views import BUSY, FULL, PAUSED, REFUSED, RESTING, request, time_of_day, view

ON = Switches(login=True, notices=True)


def made(shown: View | None, switches: Switches = ON) -> Menu:
    return menu_of(shown, switches, time_of_day)


def labels(menu: Menu) -> list[str]:
    return ["-" if item is None else item.text for item in menu]


def named(menu: Menu, text: str) -> Item:
    (found,) = [item for item in menu if item and item.text == text]
    return found


def test_the_order_with_everything() -> None:
    menu = made(view(request(), request("hg-2", "passing"), lanes=(BUSY, RESTING, REFUSED)))
    assert labels(menu) == [
        "1 waiting for deepseek (4 at once or rests: key refused), 1 running",
        "-",
        "Pause",
        "Pause for",
        "-",
        "Queue",
        "relay rests until +90: overloaded (try later)",
        "deepseek: key refused (bad key)",
        "-",
        "Open page",
        "Copy address",
        "-",
        "Start at login",
        "Notifications",
        "-",
        "Quit (2 streams are open)",
    ]


def test_what_each_item_does() -> None:
    menu = made(view(lanes=(RESTING,)), Switches(login=False, notices=True))
    assert not named(menu, "Holdgate: all providers rest").enabled
    assert named(menu, "Pause").deed == PauseAll()
    assert [item and item.deed for item in named(menu, "Pause for").children] == [
        PauseAll(seconds=900),
        PauseAll(seconds=3600),
        PauseAll(tomorrow=True),
    ]
    assert named(menu, "relay rests until +90: overloaded (try later)").deed == OpenPage()
    assert named(menu, "Open page").deed == OpenPage()
    assert named(menu, "Copy address").deed == CopyAddress("http://127.0.0.1:4653")
    assert named(menu, "Start at login") == Item(
        "Start at login", StartAtLogin(True), checked=False
    )
    assert named(menu, "Notifications") == Item("Notifications", ShowNotices(False), checked=True)
    assert named(menu, "Quit").deed == Quit()
    assert [item.text for item in menu if item and item.default] == ["Open page"]


def test_paused() -> None:
    menu = made(view(paused=PAUSED))
    assert "Pause" not in labels(menu)
    assert named(menu, "Resume").deed == ResumeAll()
    assert named(menu, "Pause for").children


def test_of_no_gateway_only_what_needs_none() -> None:
    assert labels(made(None)) == [
        *("Holdgate: no gateway answers", "-", "Start at login", "Notifications", "-", "Quit")
    ]


def test_start_at_login_is_left_out_where_it_cannot_be_had() -> None:
    assert "Start at login" not in labels(made(view(), Switches(login=None)))


def test_the_queue_lists_the_first_ten_by_their_place() -> None:
    waiting = [request(f"hg-{n}", position=n, eta=None) for n in range(12, 0, -1)]
    held = request("hg-h", "held", reason="retries soon", position=None)
    queue = named(made(view(held, *waiting)), "Queue").children
    assert [item and item.text for item in queue] == [
        *(["codex, coder: waits for deepseek, since -5"] * 10),
        None,
        "3 more on the page",
    ]
    first = queue[0]
    assert first is not None
    assert first.children == (
        Item("Show on the page", OpenPage("hg-1")),
        Item("Cancel", Cancel("hg-1")),
        Item("To the front", ToTheFront("hg-1")),
    )


def test_who_is_held_stands_in_no_line() -> None:
    held = request("hg-h", "held", reason="retries soon", position=None)
    (item,) = named(made(view(held)), "Queue").children
    assert item is not None and item.text == "codex, coder: retries soon, since -5"
    assert [child and child.deed for child in item.children] == [OpenPage("hg-h"), Cancel("hg-h")]


def test_an_empty_queue_says_so() -> None:
    assert not named(made(view()), "Queue: nobody waits").enabled


def test_long_labels_are_cut_before_since() -> None:
    (item,) = named(made(view(request(model="m" * 200))), "Queue").children
    assert item is not None
    assert len(item.text) == LABEL_MOST and item.text.endswith("…, since -5")


# Its pace.


def test_a_menu_stands_for_a_while_under_the_hand() -> None:
    one, two = view(), view(request(), lanes=(FULL,))
    first = next_menu(None, made(one), one, ON, 100.0)
    assert next_menu(first, made(one), one, ON, 200.0) is first
    assert next_menu(first, made(two), two, ON, 100.0 + STANDS - 0.1) is first
    late = next_menu(first, made(two), two, ON, 100.0 + STANDS)
    assert (late.menu, late.since) == (made(two), 100.0 + STANDS)


@pytest.mark.parametrize(
    ("shown", "switches"),
    [(view(paused=PAUSED), ON), (None, ON), (view(), Switches(login=False)),
     (view(), Switches(login=True, notices=False))],
)  # fmt: skip
def test_what_a_person_did_is_seen_at_once(shown: View | None, switches: Switches) -> None:
    first = next_menu(None, made(view()), view(), ON, 100.0)
    soon = next_menu(first, made(shown, switches), shown, switches, 100.1)
    assert soon.menu == made(shown, switches)
