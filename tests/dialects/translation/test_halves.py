from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.dialects.translation.halves import Halves
from holdgate.core.dialects.translation.json_texts import mended
from tests.dialects.translation.any_text import ANY_TEXT


def joined(pieces: list[str]) -> list[str]:
    halves = Halves()
    return [*map(halves.join, pieces), halves.close()]


def test_a_half_waits_for_the_other() -> None:
    assert joined(["a\ud83d", "", "\ude00b"]) == ["a", "", "😀b", ""]


def test_a_half_alone_is_told_as_lost() -> None:
    assert joined(["\ud83d", "a\ude00"]) == ["", "\ufffda\ufffd", ""]
    assert joined(["a\ud83d"]) == ["a", "\ufffd"]


def test_whole_text_is_told_at_once() -> None:
    assert joined(["a", "é😀"]) == ["a", "é😀", ""]


@given(st.lists(ANY_TEXT))
def test_any_chunking_gives_the_same_text(pieces: list[str]) -> None:
    told = joined(pieces)
    assert "".join(told) == mended("".join(pieces))
    assert all(mended(piece) == piece for piece in told)
