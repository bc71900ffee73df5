"""A program's life with an icon: whose thread is whose, and that neither holds up the other."""

from __future__ import annotations

import threading

import pytest

from holdgate.cli.showing import live_with
from holdgate.tray.shell import Tray


class Icon(Tray):
    """Notes on which thread it runs, until it is stopped."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self.ran_on: list[threading.Thread] = []
        self._thread = threading.Thread(target=self.run, daemon=True)

    def run(self) -> None:
        self.ran_on.append(threading.current_thread())
        assert self.ended.wait(20)

    def stop(self, timeout: float = 3.0) -> None:
        self.ended.set()
        self._thread.join(timeout) if self._thread.ident else None


@pytest.mark.parametrize("on_main_thread", [True, False])
def test_the_icon_has_the_main_thread_on_macos_only(on_main_thread: bool) -> None:
    icon, lived = Icon(), list[threading.Thread]()

    def life() -> int:
        lived.append(threading.current_thread())
        return 7

    assert live_with(icon, life, on_main_thread=on_main_thread) == 7
    assert (icon.ran_on == [threading.main_thread()]) == on_main_thread
    assert (lived == [threading.main_thread()]) != on_main_thread


@pytest.mark.parametrize("on_main_thread", [True, False])
def test_a_life_that_fails_takes_the_icon_with_it(on_main_thread: bool) -> None:
    def life() -> int:
        raise SystemExit(3)

    icon = Icon()
    with pytest.raises(SystemExit) as raised:
        live_with(icon, life, on_main_thread=on_main_thread)
    assert raised.value.code == 3
    assert icon.ended.is_set()


def test_without_an_icon() -> None:
    assert live_with(None, lambda: 5) == 5
