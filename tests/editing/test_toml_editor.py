"""Edits of TOML: layouts as people have them."""

from __future__ import annotations

import pytest

from holdgate.core.editing.base import CannotChange, Path
from holdgate.core.editing.toml_editor import TomlEditor

EDITOR = TomlEditor()


@pytest.mark.parametrize(
    ("text", "path", "value", "result"),
    [
        ("", ("server", "port"), 1, "[server]\nport = 1\n"),
        ("[server]", ("server", "port"), 1, "[server]\nport = 1"),
        ("[server]\nport = 2", ("server", "port"), 1, "[server]\nport = 1"),
        ("a.b = 1\r\n", ("c", "d"), 2, "a.b = 1\r\n\r\n[c]\r\nd = 2\r\n"),
        ("[a]\r\nx = 1\r\n[b]\r\n", ("a", "y"), 2, "[a]\r\nx = 1\r\ny = 2\r\n[b]\r\n"),
        ("a = { b = 1 }\n", ("a", "c"), 2, "a = { b = 1, c = 2 }\n"),
        ("p.a.x = 1\nq = 2\n", ("p", "n"), {"y": 1}, "p.a.x = 1\nq = 2\n\n[p.n]\ny = 1\n"),
        ("p.a.x = 1\nq = 2\n", ("p", "a", "y"), 3, "p.a.x = 1\np.a.y = 3\nq = 2\n"),
        ("p = { a = { x = 1 } }\n", ("p", "b"), {"y": 1}, "p = { a = { x = 1 }, b = {y = 1} }\n"),
        ("[p.a]\n  x = 1\n[p.a.s]\n", ("p", "a", "y"), 2, "[p.a]\n  x = 1\n  y = 2\n[p.a.s]\n"),
        ("[p.a]\nx = 1\n", ("p", "y"), 2, "p.y = 2\n\n[p.a]\nx = 1\n"),
        ("# \u2028\n[p]\nx = 1\n[q]\n", ("p", "y"), 2, "# \u2028\n[p]\nx = 1\ny = 2\n[q]\n"),
        ("[[p]]\nx = 1\n[[p]]\n", ("p", 1, "x"), 2, "[[p]]\nx = 1\n[[p]]\nx = 2\n"),
    ],
)
def test_layouts(text: str, path: Path, value: object, result: str) -> None:
    new = EDITOR.with_value(text, path, value)
    assert new == result


@pytest.mark.parametrize(
    ("text", "path", "result"),
    [
        ("[a]\nx = 1\n# of a\n\n# of b\n[b]\n", ("a",), "# of b\n[b]\n"),
        ("[a]\nx = 1\n# of b\n[b]\n", ("a",), "# of b\n[b]\n"),
        ("[b]\n\n\n[a]\nx = 1\n# of a\n", ("a",), "[b]\n\n"),
        ("[a.x]\n[b]\n[a]\ny = '''\n#'''\n", ("a",), "[b]\n"),
        ("[[a]]\nx = 1\n[[a]]\nx = 2\n", ("a", 0), "[[a]]\nx = 2\n"),
        ("a = { b = 1, c = 2 }\n", ("a", "b"), "a = { c = 2 }\n"),
        ("a.b = 1 # x\nc = 2\n", ("a",), "c = 2\n"),
    ],
)
def test_removals(text: str, path: Path, result: str) -> None:
    assert EDITOR.without(text, path) == result


def test_what_cannot_be_done_without_harm_is_refused() -> None:
    for path, value in [(("a", "b"), 2), (("b",), None), (("c",), [None])]:
        with pytest.raises(CannotChange):
            EDITOR.with_value("a = 1\n", path, value)
    assert EDITOR.without("a = 1\n", ("b",)) == "a = 1\n"
