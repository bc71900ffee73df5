"""Doing: what was chosen at the icon is carried out by a thread of its own, one after the other."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import assert_never
from urllib.parse import quote

from holdgate.core.client import ControlClient, NotRunning, Refused
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

# When tomorrow begins for those who pause until then.
MORNING = 8


@dataclass(frozen=True, slots=True)
class Hands:
    """What deeds are done with. Those that give a text say why it could not be done, or nothing.

    `tell` shows a person why a deed was not done.
    """

    connect: Callable[[], ControlClient]
    browse: Callable[[str], bool]
    copy: Callable[[str], bool]
    turn_login: Callable[[bool], str]
    turn_notices: Callable[[bool], None]
    quit: Callable[[], None]
    now: Callable[[], float]
    tell: Callable[[str], None]


class Doer:
    """Takes deeds from any thread at once, and does them in its own."""

    def __init__(self, hands: Hands) -> None:
        """Take what deeds are done with."""
        self._hands = hands
        self._deeds: queue.SimpleQueue[Deed] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="tray-deeds", daemon=True)

    def start(self) -> None:
        """Begin to do."""
        self._thread.start()

    def choose(self, deed: Deed) -> None:
        """Have a deed done."""
        self._deeds.put(deed)

    def _run(self) -> None:
        while True:
            deed = self._deeds.get()
            try:
                do(deed, self._hands)
            except (
                Exception
            ) as error:  # whatever a browser or a desktop raises, the next deed is done
                self._hands.tell(" ".join(str(error).split()) or type(error).__name__)


def do(deed: Deed, hands: Hands) -> None:
    """Do a deed; why it cannot be done is told. Raises what the desktop raises."""
    try:
        why = _do(deed, hands)
    except (NotRunning, Refused) as error:
        why = str(error)
    if why:
        hands.tell(why)


def _do(deed: Deed, hands: Hands) -> str:
    match deed:
        case OpenPage(id):
            return _open(hands, id)
        case CopyAddress(address):
            return "" if hands.copy(address) else f"there is no clipboard here; it is {address}"
        case StartAtLogin(on):
            return hands.turn_login(on)
        case ShowNotices(on):
            hands.turn_notices(on)
        case Quit():
            hands.quit()
        case _:
            _steer(deed, hands)
    return ""


def _open(hands: Hands, id: str) -> str:
    url = hands.connect().page_url(id)
    return "" if hands.browse(url) else "no browser can be opened here: gateway open --print"


def _steer(deed: PauseAll | ResumeAll | Cancel | ToTheFront, hands: Hands) -> None:
    client = hands.connect()
    match deed:
        case PauseAll(seconds, tomorrow):
            length = until_tomorrow(hands.now()) if tomorrow else seconds
            client.post("/api/pause", {"provider": None, "for": length})
        case ResumeAll():
            client.post("/api/resume", {"provider": None})
        case Cancel(id):
            client.post(f"/api/requests/{quote(id, safe='')}/cancel")
        case ToTheFront(id):
            client.post(f"/api/requests/{quote(id, safe='')}/first")
        case _:
            assert_never(deed)


def until_tomorrow(now: float) -> float:
    """Give the seconds until tomorrow morning of this place's own time."""
    today = datetime.fromtimestamp(now)
    morning = (today + timedelta(days=1)).replace(hour=MORNING, minute=0, second=0, microsecond=0)
    return morning.timestamp() - now
