"""Notices are few: each cause once, never two in a row, and only for three causes."""

from __future__ import annotations

from holdgate.tray.notices import AGAIN, GAP, TEXT_MOST, TITLE_MOST, Notice, Told, next_notice
from holdgate.tray.view import View
from tests.tray.views import NOW, PAUSED, REFUSED, RESTING, lane, request, view

LATE = request(since=NOW - 61)


def told_over(*steps: tuple[float, View | None]) -> list[tuple[float, str]]:
    """Give when (seconds from now) which cause is told."""
    told, found = Told(), []
    for seconds, shown in steps:
        notice, told = next_notice(shown, told, NOW + seconds)
        if notice:
            found.append((seconds, notice.cause))
    return found


def first(shown: View | None) -> Notice | None:
    return next_notice(shown, Told(), NOW)[0]


def test_nothing_to_tell() -> None:
    for shown in (None, view(), view(request(since=NOW - 60)), view(lanes=(lane(), RESTING))):
        assert first(shown) is None


def test_a_long_wait() -> None:
    notice = first(view(LATE, request("hg-2", since=NOW - 70, position=2), request("hg-3")))
    assert notice is not None
    assert notice.text == "2 requests wait for over a minute. codex: waits for deepseek"


def test_nobody_is_told_that_a_pause_is_long() -> None:
    assert first(view(LATE, paused=PAUSED)) is None


def test_a_refused_key() -> None:
    notice = first(view(lanes=(REFUSED, lane("relay"))))
    assert notice is not None
    assert notice.title == "deepseek, key default: key refused"
    assert notice.text == "key refused (bad key)"


def test_all_rest() -> None:
    notice = first(view(lanes=(RESTING,)))
    assert notice is not None
    assert notice.text == "No provider can be asked now. The first may answer in about 2 min."


def test_a_cause_is_told_once_while_it_lasts() -> None:
    shown = view(lanes=(REFUSED, lane("relay")))
    steps = [(float(t), shown) for t in range(0, 3600, 5)]
    assert told_over(*steps) == [(0, "refused deepseek, key default")]


def test_what_comes_again_is_not_told_soon() -> None:
    on, off = view(LATE), view()
    again = told_over((0, on), (70, off), (140, on), (AGAIN - 1, off), (AGAIN + 1, on))
    assert again == [(0, "long wait"), (AGAIN + 1, "long wait")]


def test_two_causes_have_a_gap_between_them() -> None:
    both = view(LATE, lanes=(REFUSED, lane("relay")))
    told = told_over(*((float(t), both) for t in range(0, 300, 1)))
    assert told == [(0, "refused deepseek, key default"), (GAP, "long wait")]


def test_the_longest_texts_fit() -> None:
    bad = lane("p" * 100, rest={"until": NOW, "why": "key refused (" + "x" * 900 + ")"})
    notice = first(view(lanes=(bad,)))
    assert notice is not None
    assert (len(notice.title), len(notice.text)) == (TITLE_MOST, TEXT_MOST) == (63, 255)
