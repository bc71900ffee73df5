from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.dialects.translation.call_ids import digest_of, fit_id
from tests.dialects.translation.any_text import ANY_TEXT

LETTERS = re.compile(r"[^A-Za-z0-9_-]")
STRICT = re.compile(r"[^A-Za-z0-9]")
IDS = ANY_TEXT | st.text("ab_-.:", max_size=70)


def test_what_fits_is_kept() -> None:
    assert fit_id("call_1", LETTERS, 40) == "call_1"
    assert fit_id("a" * 40, LETTERS, 40) == "a" * 40


def test_what_does_not_fit_is_made_to() -> None:
    assert fit_id("fc.1/é", LETTERS, 64).startswith("fc1")
    assert fit_id("call_" + "a" * 400, LETTERS, 40).startswith("call_aaa")
    assert len(fit_id("call_1", STRICT, 9)) == 9
    assert fit_id("", LETTERS, 40)


@given(IDS, st.integers(9, 64))
def test_an_id_always_fits(id: str, longest: int) -> None:
    for forbidden in (LETTERS, STRICT):
        fitted = fit_id(id, forbidden, longest)
        assert 1 <= len(fitted) <= longest
        assert forbidden.search(fitted) is None
        assert fit_id(id, forbidden, longest) == fitted
        assert fit_id(fitted, forbidden, longest) == fitted


@given(IDS, IDS)
def test_two_ids_stay_two(one: str, other: str) -> None:
    if one != other:
        assert fit_id(one, LETTERS, 40) != fit_id(other, LETTERS, 40)
        assert fit_id(one, STRICT, 9) != fit_id(other, STRICT, 9)


def test_a_digest_never_changes() -> None:
    # Vendors cache prompts by their prefix, also over a restart and an update.
    assert digest_of("call", 8) == digest_of("call", 16)[:8] == "lea5pq8t"
