"""What is chosen at the icon is done through the control API, and what fails is told."""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from holdgate.core.client import ControlClient, NotRunning, Refused
from holdgate.core.store.instance import Runtime
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
from holdgate.tray.doing import Doer, Hands, do, until_tomorrow
from holdgate.tray.menu import Switches
from holdgate.tray.switches import Board
from tests.tray.views import NOW

RUNTIME = Runtime("http://127.0.0.1:4653", 1, "secret", "1")


class Asked(ControlClient):
    """Notes what is posted."""

    def __init__(self, notes: list[object], fault: Exception | None = None) -> None:
        super().__init__(RUNTIME)
        self.notes, self.fault = notes, fault

    def post(
        self, path: str, body: Mapping[str, Any] | None = None, *, patience: float = 1.0
    ) -> Any:
        if self.fault:
            raise self.fault
        self.notes.append((path, dict(body or {})))


def hands(
    notes: list[object], fault: Exception | None = None, works: bool = True, why: str = ""
) -> Hands:
    def note(name: str, answer: Any = None) -> Callable[..., Any]:
        def call(*args: object) -> Any:
            notes.append((name, *args))
            return answer

        return call

    return Hands(
        connect=lambda: Asked(notes, fault),
        browse=note("browse", works),
        copy=note("copy", works),
        turn_login=note("login", why),
        turn_notices=note("notices"),
        quit=note("quit"),
        now=lambda: NOW,
        tell=note("tell"),
    )


@pytest.mark.parametrize(
    ("deed", "done"),
    [
        (PauseAll(), ("/api/pause", {"provider": None, "for": None})),
        (PauseAll(seconds=900), ("/api/pause", {"provider": None, "for": 900})),
        (
            PauseAll(tomorrow=True),
            ("/api/pause", {"provider": None, "for": until_tomorrow(NOW)}),
        ),
        (ResumeAll(), ("/api/resume", {"provider": None})),
        (Cancel("hg/1"), ("/api/requests/hg%2F1/cancel", {})),
        (ToTheFront("hg-1"), ("/api/requests/hg-1/first", {})),
        (OpenPage(), ("browse", "http://127.0.0.1:4653/#token=secret")),
        (OpenPage("hg-1"), ("browse", "http://127.0.0.1:4653/#token=secret&request=hg-1")),
        (CopyAddress("http://x"), ("copy", "http://x")),
        (StartAtLogin(True), ("login", True)),
        (ShowNotices(False), ("notices", False)),
        (Quit(), ("quit",)),
    ],
)
def test_each_deed(deed: Deed, done: tuple[object, ...]) -> None:
    notes: list[object] = []
    do(deed, hands(notes))
    assert notes == [done]


@pytest.mark.parametrize("fault", [NotRunning("no gateway"), Refused("no gateway")])
def test_what_the_gateway_refuses_is_told(fault: Exception) -> None:
    notes: list[object] = []
    do(Cancel("hg-1"), hands(notes, fault))
    assert notes == [("tell", "no gateway")]


@pytest.mark.parametrize("deed", [OpenPage(), CopyAddress("http://x")])
def test_what_the_desktop_cannot_do_is_told(deed: Deed) -> None:
    notes: list[Any] = []
    do(deed, hands(notes, works=False))
    assert notes[-1][0] == "tell" and " here" in notes[-1][1]


def test_a_refused_switch_is_told() -> None:
    notes: list[object] = []
    do(StartAtLogin(True), hands(notes, why="a temporary folder"))
    assert notes == [("login", True), ("tell", "a temporary folder")]


def test_until_tomorrow_morning() -> None:
    morning = datetime.fromtimestamp(NOW + until_tomorrow(NOW))
    assert (morning.hour, morning.minute) == (8, 0)
    assert (morning.date() - datetime.fromtimestamp(NOW).date()).days == 1


def test_after_a_deed_that_raises_the_next_one_is_done() -> None:
    told: queue.Queue[str] = queue.Queue()
    base = hands([], RuntimeError("browser on fire"))
    doer = Doer(
        Hands(**{**{name: getattr(base, name) for name in Hands.__slots__}, "tell": told.put})
    )
    doer.start()
    doer.choose(ResumeAll())
    doer.choose(ResumeAll())
    assert [told.get(timeout=20), told.get(timeout=20)] == ["browser on fire"] * 2


# The switches.


class Login:
    def __init__(self) -> None:
        self.on, self.why = False, ""

    def is_on(self) -> bool:
        return self.on

    def turn(self, on: bool) -> str:
        if not self.why:
            self.on = on
        return self.why


def test_the_switch_of_notices_outlives_the_icon(tmp_path: Path) -> None:
    board = Board(tmp_path, None)
    assert board.now == Switches(login=None, notices=True)
    board.turn_notices(False)
    assert board.now.notices is Board(tmp_path, None).now.notices is False
    (tmp_path / "tray.json").write_text("[]")
    assert Board(tmp_path, None).now.notices is True


def test_start_at_login_shows_what_came_of_it(tmp_path: Path) -> None:
    login = Login()
    board = Board(tmp_path, login)
    assert board.turn_login(True) == "" and board.now.login is True
    login.why = "refused"
    assert board.turn_login(False) == "refused" and board.now.login is True
