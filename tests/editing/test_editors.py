"""What all editors say alike, and what each refuses."""

from __future__ import annotations

import pytest

from holdgate.core.editing.base import (
    MISSING,
    BrokenText,
    CannotChange,
    Item,
    Path,
    first_missing,
)
from holdgate.core.editing.plain import changed, found, same
from holdgate.core.editing.table import EDITORS
from holdgate.core.editing.undoing import undone

TEXTS = {
    "json": '{"a": {"b": [{"id": "x", "n": 1}, 2]}, "c": 1}',
    "toml": 'a.b = [{id = "x", n = 1}, 2]\nc = 1\n',
    "yaml": "a:\n  b:\n    - id: x\n      n: 1\n    - 2\nc: 1\n",
}

# Ten lines that stand for 10^10 values.
LAUGHS = "a: &a 1\n" + "".join(
    f"{one}: &{one} [{', '.join([f'*{last}'] * 10)}]\n"
    for last, one in zip("abcdefghij", "bcdefghijk", strict=True)
)


@pytest.mark.parametrize("kind", TEXTS)
def test_values(kind: str) -> None:
    editor, text = EDITORS[kind], TEXTS[kind]
    assert editor.value(text, ("a", "b", Item("id", "x"), "n")) == 1
    assert editor.value(text, ("a", "b", 1)) == 2
    for path in (
        (0,),
        ("a", 0),
        ("a", "b", 2),
        ("a", "b", -1),
        ("a", "b", Item("id", "y")),
        ("d",),
    ):
        assert editor.value(text, path) is MISSING
        assert editor.without(text, path) == text
    assert editor.value("", ("a",)) is MISSING


@pytest.mark.parametrize("kind", TEXTS)
def test_what_does_not_fit_is_refused(kind: str) -> None:
    editor, text = EDITORS[kind], TEXTS[kind]
    wrong: tuple[tuple[Path, object], ...] = (
        (("c", "d"), 1),
        (("a", "b", 3), 1),
        (("a", "b", -1), 1),
        (("a", "b", "c"), 1),
        (("a", 0), 1),
        (("a", "b", Item("id", "y")), 1),
        (("a", "b", Item("id", "y")), {"id": "z"}),
        (("a", "b", Item("id", "x"), "id"), "z"),
        (("new",), object()),
        (("new",), {"x": [{1: 2}]}),
    )
    for path, value in wrong:
        with pytest.raises(CannotChange):
            editor.with_value(text, path, value)


@pytest.mark.parametrize("kind", TEXTS)
def test_numbers_and_flags_differ(kind: str) -> None:
    editor, text = EDITORS[kind], TEXTS[kind]
    assert editor.with_value(text, ("c",), 1) == text
    for value in (True, 1.0, "1"):
        new = editor.with_value(text, ("c",), value)
        assert same(editor.value(new, ("c",)), value)


@pytest.mark.parametrize("kind", TEXTS)
def test_what_was_made_goes_unless_others_use_it(kind: str) -> None:
    editor, text = EDITORS[kind], TEXTS[kind]
    path: Path = ("x", "y", Item("id", "z"), "n")
    first = first_missing(editor, text, path)
    assert first == ("x",)
    new = editor.with_value(text, path, 1)
    assert undone(editor, new, path, first) == text
    theirs = editor.with_value(new, ("x", "y", Item("id", "z"), "m"), 2)
    left = undone(editor, theirs, path, first)
    assert editor.value(left, ("x",)) == {"y": [{"id": "z", "m": 2}]}


@pytest.mark.parametrize(
    ("kind", "text", "path", "source"),
    [
        ("json", '{"a": [1.0e3, // x\n 2]}', ("a",), "[1.0e3, // x\n 2]"),
        ("json", '\ufeff{"a": [1.0e3, // x\n 2]}', ("a", 0), "1.0e3"),
        ("toml", "\ufeff[t]\na = 'x' # y\n", ("t", "a"), "'x'"),
        ("toml", "[t]\na = { b = 0x1F }\n", ("t", "a", "b"), "0x1F"),
        ("toml", "[t]\na = 1\n", ("t",), None),
        ("yaml", "\ufeffa: 'x' # y\n", ("a",), "'x'"),
        ("yaml", "a: |\n  x\n  y\nb: 1\n", ("a",), "|\n  x\n  y"),
        ("yaml", "a: {b: ~}\n", ("a", "b"), "~"),
        ("yaml", "a:\n", ("a",), None),
        ("yaml", "a:\n  b: 1\n", ("a",), None),
        ("yaml", "a: 1\n", ("b",), None),
    ],
)
def test_how_a_value_is_written(kind: str, text: str, path: Path, source: str | None) -> None:
    editor = EDITORS[kind]
    assert editor.source(text, path) == source
    if source is None:
        with pytest.raises(CannotChange):
            editor.with_source(text, path, "1")
        return
    new = editor.with_value(text, path, "other")
    assert new != text
    assert editor.with_source(new, path, source) == text
    with pytest.raises(CannotChange):
        editor.with_source(text, path, "]")


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        ("json", '{\n"a": NaN}', "line 2: 'NaN' is no value"),
        ("json", '{\n"a": 1\n', "line 2: a comma or } is missing before the end of the file"),
        ("json", '{"a": 1}\n}', "line 2: nothing may follow the end of the value, but '}' does"),
        ("json", '{"a" 1}', "line 1: a colon is missing before '1'"),
        ("json", "{a: 1}", "line 1: a name in \"quotes\" or } is missing before 'a'"),
        ("json", '{"a": "\n"}', 'line 1: a text is not closed with " in its line'),
        ("json", '{"a": "\\x"}', "line 1: a text has a wrong \\ sequence"),
        ("json", '{"a": 01}', "line 1: '01' is no value"),
        ("json", '{"a":\n}', "line 2: a value is missing before '}'"),
        ("json", "{} /* ", "line 1: a comment is not closed"),
        ("json", "[" * 300, "line 1: values are nested too deeply"),
        ("json", '{"a": ' + "9" * 5000 + "}", "line 1: a number is too long"),
        ("toml", "a = 1\nb =\n", "line 2: Invalid value"),
        ("toml", "a = 1\na = 2", "line 2: Cannot overwrite a value"),
        ("toml", "a = " + "[" * 100_000, "line 1: values are nested too deeply"),
        ("yaml", "a: 1\nb: [\n", "line "),
        ("yaml", "a: 1\na: 2\n", "line 2: found duplicate key"),
        ("yaml", "a: 1\n---\nb: 1\n", "line 2: but found another document"),
        ("yaml", "a: 1\n\tb: 1\n", "line 2: "),
        ("yaml", "a: !mine 1\n", "line 1: could not determine a constructor"),
        ("yaml", "[" * 1000, "line 1: values are nested too deeply"),
        ("yaml", LAUGHS, "line 1: its aliases stand for too much"),
        ("yaml", "a: &a [*a]\n", "line 1: its aliases stand for too much"),
    ],
)
def test_broken_texts_are_told_with_their_line(kind: str, text: str, says: str) -> None:
    editor = EDITORS[kind]
    with pytest.raises(BrokenText) as caught:
        editor.value(text, ())
    assert str(caught.value).startswith(says)
    with pytest.raises(BrokenText):
        editor.with_value(text, ("a",), 1)
    with pytest.raises(BrokenText):
        editor.without(text, ("a",))


@pytest.mark.parametrize(
    ("kind", "text", "path"),
    [
        ("json", '{"a": 1, "b": 2, "a": 3}', ("a",)),
        ("json", '{"a": {}, "a": {"c": 1}}', ("a", "c")),
        ("yaml", "a: &x\n  c: 1\nb: *x\n", ("b", "c")),
        ("yaml", "a: &x\n  c: 1\nb:\n  <<: *x\n", ("b", "c")),
        ("yaml", "? a\n: 1\n", ("a",)),
    ],
)
def test_what_would_disturb_others_is_refused(kind: str, text: str, path: Path) -> None:
    editor = EDITORS[kind]
    assert editor.value(text, path) is not MISSING
    with pytest.raises(CannotChange):
        editor.with_value(text, path, 5)
    with pytest.raises(CannotChange):
        editor.without(text, path)


def test_the_last_of_two_members_counts() -> None:
    text = '{"a": 1, "b": 2, "a": 3}'
    assert EDITORS["json"].value(text, ("a",)) == 3
    assert EDITORS["json"].with_value(text, ("b",), 4) == '{"a": 1, "b": 4, "a": 3}'


@pytest.mark.parametrize(
    ("text", "path", "result"),
    [
        ('{\n  "a": 1, // a\n  "b": 2 // b\n}', ("b",), '{\n  "a": 1 // a\n}'),
        ('{\n  "a": 1, // a\n  "b": 2 // b\n}', ("a",), '{\n  "b": 2 // b\n}'),
        ('{\n  // a\n  "a": 1,\n}', ("a",), "{\n  // a\n}"),
        ('{"a": [1, 2, 3]}', ("a", 1), '{"a": [1, 3]}'),
        ('{"a": [1, 2, 3]}', ("a", 2), '{"a": [1, 2]}'),
        ('{\n  "a": 1, "b": 2,\n  "c": 3 }', ("a",), '{\n  "b": 2,\n  "c": 3 }'),
        ('{\n  "a": 1, // a\n  "c": 3 }', ("c",), '{\n  "a": 1 // a\n   }'),
    ],
)
def test_removals_from_json(text: str, path: Path, result: str) -> None:
    assert EDITORS["json"].without(text, path) == result


@pytest.mark.parametrize(
    ("text", "path", "result"),
    [
        ("a:\n  b: 1 # b\n  # c\n", ("a", "b"), "a: {}\n  # c\n"),
        ("a: # a\n- 1\n", ("a", 0), "a: [] # a\n"),
        ("a:\n- b: 1\n  c: 2\n", ("a", 0, "b"), "a:\n- c: 2\n"),
        ("a:\n- b: 1\n", ("a", 0, "b"), "a:\n- {}\n"),
        ("a: 1\nb: |\n  x\n  y\nc: 1\n", ("b",), "a: 1\nc: 1\n"),
        ("a: [1, 2] # c\n", ("a", 0), "a: [2] # c\n"),
    ],
)
def test_removals_from_yaml(text: str, path: Path, result: str) -> None:
    assert EDITORS["yaml"].without(text, path) == result


def test_texts_of_yaml_that_look_like_something_else_get_quotes() -> None:
    editor = EDITORS["yaml"]
    for value in ("yes", "Null", "1", "a: b", "#a", "", "ä b", "\x7f\u2028\U0001f600\n", "-", "~"):
        new = editor.with_value("a: 1\n", ("a",), value)
        assert new.startswith('a: "')
        assert editor.value(new, ("a",)) == value


def test_changes_of_plain_data_leave_the_old_one_alone() -> None:
    data = {"a": [{"id": "x"}]}
    assert changed(data, ("a", Item("id", "x"), "n"), (1,)) == {"a": [{"id": "x", "n": [1]}]}
    assert data == {"a": [{"id": "x"}]}
    assert found(data, ()) is data
