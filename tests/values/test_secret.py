"""Secrets: shown by nothing but the word that reveals them."""

from __future__ import annotations

import copy
import json
import logging
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.values.secret import MASK, SHORTEST_MASKED, Secret, mask

KEY = "sk-live-0123456789abcdef"
SECRET = Secret(KEY)


@dataclass
class Holder:
    secret: Secret


@pytest.mark.parametrize(
    "shown",
    [
        str(SECRET),
        repr(SECRET),
        f"{SECRET}",
        f"{SECRET!s} {SECRET!r} {SECRET!a}",
        "%s %r" % (SECRET, SECRET),  # noqa: UP031 (as loggers do)
        "{}".format(SECRET),  # noqa: UP032 (as people do)
        str([SECRET]),
        str({"key": SECRET}),
        repr(Holder(SECRET)),
        str(ValueError(SECRET)),
        repr(copy.copy(SECRET)),
    ],
)
def test_it_does_not_show(shown: str) -> None:
    assert KEY not in shown
    assert MASK in shown


def test_reveal_shows_it() -> None:
    assert SECRET.reveal() == KEY


def test_a_log_line_does_not_show_it(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("test").warning("key %s", SECRET)
    assert KEY not in caplog.text


def test_it_is_no_json() -> None:
    with pytest.raises(TypeError):
        json.dumps(SECRET)


def test_it_can_not_be_changed() -> None:
    with pytest.raises(AttributeError):
        SECRET._value = "x"  # type: ignore[misc]


def test_it_is_compared_by_its_text() -> None:
    assert Secret("a") == Secret("a") != Secret("b")
    assert len({Secret("a"), Secret("a")}) == 1


def test_an_empty_one_is_none() -> None:
    assert not Secret("")
    assert Secret("x")


@pytest.mark.parametrize(
    ("text", "secrets", "masked"),
    [
        (f"key {KEY} refused", [KEY], f"key {MASK} refused"),
        (f"{KEY}{KEY} {KEY}", [KEY], f"{MASK}{MASK} {MASK}"),
        (f'{{"k":"{KEY}"}}', [KEY], f'{{"k":"{MASK}"}}'),
        ("a key of another", [KEY], "a key of another"),
        ("short words stay", ["short", "words", ""], "short words stay"),
        ("abcdef", ["abcdef"], MASK),
        ("first-key second-key", ["first-key", "second-key"], f"{MASK} {MASK}"),
        ("sk-0123456789", ["sk-012345", "sk-0123456789"], MASK),
        ("sk-0123456789", ["sk-0123456789", "sk-012345"], MASK),
    ],
)
def test_masking(text: str, secrets: list[str], masked: str) -> None:
    assert mask(text, map(Secret, secrets)) == masked


@given(
    st.text(),
    st.lists(st.text("ab-9", min_size=SHORTEST_MASKED, max_size=8), max_size=3),
    st.text(),
)
def test_no_secret_comes_through(before: str, secrets: list[str], after: str) -> None:
    masked = mask(after.join([before, *secrets, after]), map(Secret, secrets))
    assert not any(secret in masked for secret in secrets)
