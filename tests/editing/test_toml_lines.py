"""Where keys stand in a TOML text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.editing.base import KeyPath
from holdgate.core.editing.toml_lines import map_lines
from holdgate.core.editing.toml_tree import Header, read_statements

TRICKY = '''\
# a comment with [a header] and key = 1
top = "x # no comment" # [no.header]

[server]
"host" = """
[not.a.table]
port = 1
\\""" still a text """""
port = 4653

[providers.relay]
chat = 'https://a.example/#part'
headers = { "X-Team" = "a", 'Y' = "}" }
keys = [
  # [comment]
  { name = "home", value = "]" },

  { name = "work",
    value = "env:B", on = false },
]
limits.per.minute = 3

[[providers.other.keys]]
name = 'one'

[[providers.other.keys]]
name = """two"""
[providers.other.keys.deep]
x = 2030-01-01 10:00:00
[ "callers" . "a.b" ]
match = {agent="x"}
\tpriority = [ [1, 2],
 [3, [4]] ]
last = \'\'\'
it's ''x'' \'\'\'\'\'
end = 1'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("top",), 2),
        (("server",), 4),
        (("server", "host"), 5),
        (("server", "port"), 9),
        (("providers",), 11),
        (("providers", "relay"), 11),
        (("providers", "relay", "chat"), 12),
        (("providers", "relay", "headers", "Y"), 13),
        (("providers", "relay", "keys"), 14),
        (("providers", "relay", "keys", 0), 16),
        (("providers", "relay", "keys", 0, "value"), 16),
        (("providers", "relay", "keys", 1), 18),
        (("providers", "relay", "keys", 1, "on"), 19),
        (("providers", "relay", "limits", "per", "minute"), 21),
        (("providers", "relay", "limits", "per"), 21),
        (("providers", "other", "keys", 0, "name"), 24),
        (("providers", "other", "keys", 1), 26),
        (("providers", "other", "keys", 1, "name"), 27),
        (("providers", "other", "keys", 1, "deep", "x"), 29),
        (("callers", "a.b"), 30),
        (("callers", "a.b", "match", "agent"), 31),
        (("callers", "a.b", "priority", 0, 1), 32),
        (("callers", "a.b", "priority", 1, 1, 0), 33),
        (("callers", "a.b", "last"), 34),
        (("callers", "a.b", "end"), 36),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tricky_texts(path: KeyPath, line: int, end: str) -> None:
    assert map_lines(TRICKY.replace("\n", end)).line_of(path) == line


def test_the_nearest_ancestor_stands_in() -> None:
    lines = map_lines(TRICKY)
    assert lines.line_of(("server", "colour")) == 4
    assert lines.line_of(("providers", "relay", "keys", 1, "rpm")) == 18
    assert lines.line_of(("nowhere", "at", "all")) == 1
    assert lines.line_of(()) == 1


def test_a_table_that_is_stated_later_than_implied() -> None:
    lines = map_lines("[a.b.c]\nx = 1\n[a.b]\ny = 1\n")
    assert lines.line_of(("a", "b")) == 3
    assert lines.line_of(("a",)) == 1


def test_headers_are_listed_in_order() -> None:
    headers = read_statements("a = 1\n[b]\n[[c.d]]\n[[c.d]] # x\n").headers
    assert headers == (
        Header(("b",), 6, 9),
        Header(("c", "d", 0), 10, 17),
        Header(("c", "d", 1), 18, 25),
    )


@given(st.text(alphabet="ab.=[]{}\"'\\#,\n 1", max_size=40))
def test_no_text_is_too_broken(text: str) -> None:
    lines = map_lines(text)
    assert 1 <= lines.line_of(("a", "b")) <= text.count("\n") + 1


def test_depth_is_no_danger() -> None:
    assert map_lines("a = " + "[" * 100_000).line_of(("a",)) == 1
