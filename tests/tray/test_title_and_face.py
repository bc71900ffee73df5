"""The title and the icon are plain functions of the snapshot and the time."""

from __future__ import annotations

import pytest

from holdgate.icons.look import Look, State
from holdgate.tray.face import look_of
from holdgate.tray.title import GONE, IDLE, MOST, heading_of, title_of
from holdgate.tray.view import View
from holdgate.tray.wording import about, cut
from tests.tray.views import (
    BUSY,
    FULL,
    NOW,
    PAUSED,
    REFUSED,
    RESTING,
    lane,
    request,
    time_of_day,
    view,
)

PASSING = request("hg-9", "passing", reason="", position=None)
TRYING = request("hg-8", "trying", reason="", position=None)
HELD = request("hg-7", "held", reason="retries soon", position=None)
SOON = request(eta=NOW + 17.2)
LATER = request("hg-2", eta=NOW + 40, position=2)
ROUTE = request("hg-3", reason="waits for deepseek or relay")
FOREVER = {"until": None, "why": "paused by the person"}

TABLE = [
    (None, GONE, Look(State.GONE)),
    (view(), IDLE, Look(State.IDLE)),
    (view(lanes=(lane(),)), IDLE, Look(State.IDLE)),
    (view(PASSING, lanes=(lane(),)), "1 running", Look(State.WORKING)),
    (view(TRYING, lanes=(lane(),)), "1 running", Look(State.WORKING)),
    (
        view(SOON, LATER, PASSING, lanes=(FULL,)),
        "2 waiting for deepseek (minute full, about 18 s), 1 running",
        Look(State.WAITING, 2),
    ),
    (
        view(request(), lanes=(BUSY,)),
        "1 waiting for deepseek (4 at once)",
        Look(State.WAITING, 1),
    ),
    (view(request(), lanes=(lane(),)), "1 waiting for deepseek", Look(State.WAITING, 1)),
    (
        view(ROUTE, lanes=(BUSY, RESTING)),
        "1 waiting for deepseek or relay (4 at once or rests: overloaded)",
        Look(State.WAITING, 1),
    ),
    (
        view(request(), lanes=(lane(paused=True),)),
        "1 waiting for deepseek (paused)",
        Look(State.WAITING, 1),
    ),
    (view(HELD, PASSING), "1 held, 1 running", Look(State.HELD)),
    (view(HELD, request(reason="")), "1 waiting, 1 held", Look(State.WAITING, 1)),
    (view(paused=FOREVER), "paused", Look(State.PAUSED)),
    (
        view(SOON, lanes=(FULL,), paused=PAUSED),
        "paused until +900, 1 waiting for deepseek (minute full)",
        Look(State.PAUSED),
    ),
    (view(lanes=(REFUSED, RESTING)), "Holdgate: all providers rest", Look(State.ERROR)),
    (view(lanes=(REFUSED, lane("relay"))), IDLE, Look(State.ERROR)),
    (view(PASSING, lanes=(RESTING, lane())), "1 running", Look(State.WORKING)),
]


@pytest.mark.parametrize(("shown", "title", "look"), TABLE)
def test_title_and_icon(shown: View | None, title: str, look: Look) -> None:
    assert title_of(shown, NOW, time_of_day) == title
    assert look_of(shown) == look


def test_every_state_has_its_snapshot() -> None:
    assert {look.state for _, _, look in TABLE} == set(State)


def test_the_heading_of_the_menu_has_no_seconds() -> None:
    shown = view(SOON, LATER, PASSING, lanes=(FULL,))
    assert heading_of(shown, time_of_day) == "2 waiting for deepseek (minute full), 1 running"


def test_a_long_title_is_cut_for_windows() -> None:
    shown = view(request(reason="waits for " + " or ".join(f"provider-{n}" for n in range(40))))
    title = title_of(shown, NOW, time_of_day)
    assert len(title) == MOST < 128
    assert title.startswith("1 waiting for provider-0") and title.endswith("…")


def test_more_than_are_listed() -> None:
    many = view(*(request(f"hg-{n}") for n in range(3)))
    assert look_of(many).number == "3"
    assert [Look(State.WAITING, n).number for n in (0, 1, 99, 100, 7000)] == [
        *("1", "1", "99", "99+", "99+")
    ]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-3, "1 s"), (0.2, "1 s"), (17.2, "18 s"), (89, "89 s"), (90, "2 min"), (3600, "60 min"),
     (5400, "2 h"), (86400, "24 h")],
)  # fmt: skip
def test_durations(seconds: float, said: str) -> None:
    assert about(seconds) == said


def test_cut_keeps_short_ones_and_makes_one_line() -> None:
    assert cut("a\n b", 5) == "a b"
    assert cut("abcdef", 5) == "abcd…"
