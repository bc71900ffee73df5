"""Edits of .env files: read as the dotenv library does, every other byte kept."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.editing.base import MISSING, CannotChange
from holdgate.core.editing.dotenv_editor import DotenvEditor

EDITOR = DotenvEditor()
BLOCKS = st.sampled_from(
    ["# note", "", "A=1", "export B = 'x # y' # why", 'C="a\nA=no\nb"', "D=", "  E : 1", "no line"]
)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("A=1", "A", "1"), ("A = 1 # x", "A", "1"), ("export A='1 # x'", "A", "1 # x"),
        ('A="a\\nb"', "A", "a\nb"), ("A=1\nA=2\n", "A", "2"), ("A=", "A", ""),
        ("B=1", "A", MISSING),
        ("\ufeffA=`x`\r\n", "A", "x"), ("# A=1", "A", MISSING), ('B="\nA=1\n"', "A", MISSING),
    ],
)  # fmt: skip
def test_values(text: str, name: str, value: object) -> None:
    assert EDITOR.value(text, (name,)) == value
    assert EDITOR.value(text, (name, "x")) is MISSING


@given(
    blocks=st.lists(BLOCKS, max_size=5),
    newline=st.sampled_from(["\n", "\r\n"]),
    end=st.booleans(),
    value=st.sampled_from(["x", "", "http://h:1/v1", "a b#c", "it's", 'say "it"', "$x"]),
)
@settings(max_examples=60, deadline=None)
def test_what_is_set_is_there_and_its_undo_is_exact(
    blocks: list[str], newline: str, end: bool, value: str
) -> None:
    text = newline.join("\n".join(blocks).split("\n")) + (newline if end and blocks else "")
    new = EDITOR.with_value(text, ("NEW",), value)
    assert EDITOR.value(new, ("NEW",)) == value
    assert EDITOR.without(new, ("NEW",)) == text
    old = EDITOR.value(text, ("A",))
    changed = EDITOR.with_value(text, ("A",), value)
    assert EDITOR.value(changed, ("A",)) == value
    source = EDITOR.source(text, ("A",))
    assert (source is None) == (old is MISSING)
    if source is not None:
        assert EDITOR.with_source(changed, ("A",), source) == text


def test_other_bytes_stay() -> None:
    text = "# mine\r\nexport  A = 'old' # why\r\nB=2"
    assert EDITOR.with_value(text, ("A",), "new") == "# mine\r\nexport  A = new # why\r\nB=2"
    assert EDITOR.with_value(text, ("A",), "old") == text
    assert EDITOR.without(text, ("B",)) == "# mine\r\nexport  A = 'old' # why"
    assert EDITOR.without(text, ("C",)) == text


@pytest.mark.parametrize("value", [1, None, {"a": "b"}, "a\nb", "'\"`"])
def test_what_it_has_no_words_for(value: object) -> None:
    with pytest.raises(CannotChange):
        EDITOR.with_value("A=1", ("A",), value)
    with pytest.raises(CannotChange):
        EDITOR.with_value("A=1", ("A", "b"), "x")
