"""Lines and tables fit their screen whatever is written in them, and act on no terminal."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from holdgate.cli.lanes import COLUMNS as LANES
from holdgate.cli.lines import cut, fitted, folded, hanging, plain, printable, said
from holdgate.cli.live_requests import COLUMNS, request_table
from holdgate.cli.options import json_text
from holdgate.cli.tables import Column, table

TEXTS = st.text(st.sampled_from("ab 好😀é̀\u200d\ufe0f\x1b[0m:/"), max_size=80) | st.text(
    max_size=40
)


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("plain words, 好 and 😀", "plain words, 好 and 😀"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[1;1Hgone", "gone"),
        ("\x9b2Jgone", "gone"),
        ("a\x1b]0;a title\x07b", "ab"),
        ("a\x1b]52;c;ZXZpbA==\x1b\\b", "ab"),
        ("a\x9d0;a title\x9cb", "ab"),
        ("a\x1bP$q\x1b\\b", "ab"),
        ("a\x1bcb", "ab"),
        ("a\x1b", "a "),
        ("never ended \x1b]0;words", "never ended 0;words"),
        ("one\r\ntwo\ttab\x08\x7f", "one  two tab  "),
        ("\u202eright to left\u2066", " right to left "),
        ("half \ud800", "half  "),
    ],
)
def test_nothing_acts_on_a_terminal(text: str, harmless: str) -> None:
    assert printable(text) == harmless


@given(TEXTS)
def test_what_is_shown_is_printable(text: str) -> None:
    assert printable(text).isprintable()
    assert all(piece.text.isprintable() for piece in said(text, (text, "error")))


def test_endless_sequences_take_no_time() -> None:
    for text in ("\x1b]" * 200_000, "\x1b[0" * 200_000, "\x1b[" + "0" * 400_000, "\x1b " * 200_000):
        assert printable(text).isprintable()


@given(TEXTS.map(printable), st.integers(1, 30), st.booleans())
def test_a_cut_text_fits(text: str, width: int, middle: bool) -> None:
    assert cell_len(cut(text, width, middle=middle)) <= width


def test_a_text_is_cut_where_that_hurts_least() -> None:
    name = "relay/anthropic/claude-sonnet-4.5"
    assert cut(name, 15) == "relay/anthropi…"
    assert cut(name, 15, middle=True) == "relay/a…net-4.5"
    assert cut("好好好好", 4) == "好…"
    assert cut("short", 5) == "short"


@given(TEXTS.map(printable), st.integers(2, 30), st.integers(0, 30))
def test_a_folded_text_fits_and_is_whole(text: str, width: int, first: int) -> None:
    lines = folded(text, width, min(first, width))
    assert all(cell_len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_word_that_takes_no_cells_stays() -> None:
    assert folded("0000 \ufe0f", 2, 0) == ["00", "00", "\ufe0f"]


@given(TEXTS, TEXTS, st.integers(10, 60))
def test_a_hanging_text_fits_below_itself(before: str, text: str, width: int) -> None:
    for line in hanging(said(before[:8]), text, width)[1:]:
        assert cell_len(plain(line)) <= width


@given(st.lists(TEXTS, min_size=8, max_size=8), st.sampled_from([10, 40, 60, 80, 200]))
def test_a_table_fits(row: list[str], width: int) -> None:
    for columns in (COLUMNS, LANES):
        for line in table(columns, [row[: len(columns)]] * 2, width):
            assert cell_len(plain(fitted(line, width))) <= width


def request(**more: Any) -> dict[str, Any]:
    return {
        "id": "hg-1a22d307b1c6f72cded7", "agent": "claude-code", "model": "deepseek/deepseek-chat",
        "state": "waiting", "since": 100.0, "candidate": None, "reason": "waits for deepseek",
        "position": 1, "eta": 118.0, **more,
    }  # fmt: skip


def requests_of(*requests: dict[str, Any], width: int | None, more: int = 0) -> list[str]:
    counts = {"waiting": len(requests) + more, "held": 0, "passing": 0}
    snapshot = {"counts": counts, "requests": list(requests)}
    return [plain(line) for line in request_table(snapshot, 110.0, width)]


LONG = {"model": "relay/" + "x" * 60 + "-tail", "reason": "好" * 90}


def test_a_pipe_gets_everything_in_columns() -> None:
    head, first, second = requests_of(request(), request(**LONG), width=None)
    assert LONG["model"] in second and LONG["reason"] in second
    at = head.index("STATE")
    assert first.index("waiting") == second.index("waiting") == at
    assert cell_len(first[: first.index("8s")]) == cell_len(second[: second.index("8s")])


def test_a_wide_terminal_gets_a_row_a_request() -> None:
    _, first, second = requests_of(request(), request(**LONG), width=120)
    assert request()["id"] in second and "-tail" in second and "…" in second
    assert "deepseek/deepseek-chat" in first
    assert cell_len(second) <= 120


@pytest.mark.parametrize("width", [60, 80])
def test_a_narrow_terminal_gets_two_lines_a_request(width: int) -> None:
    lines = requests_of(request(), request(**LONG), width=width)
    assert len(lines) == 6
    assert lines[2].split() == ["1", request()["id"], "waiting", "10s", "8s"]
    assert lines[3].startswith("    claude-code  ") and "waits for deepseek" in lines[3]
    assert max(map(cell_len, lines)) <= width


def test_requests_that_are_not_listed_are_counted() -> None:
    assert requests_of(request(), width=80, more=7)[-1] == "and 7 more"


def test_spare_columns_go_first() -> None:
    columns = [Column("A"), Column("B", spare=1), Column("C", spare=2)]
    rows = [["a" * 10, "b" * 10, "c" * 10]]
    assert [plain(line).split() for line in table(columns, rows, 25)] == [
        ["A", "B"], ["a" * 10, "b" * 10],
    ]  # fmt: skip
    assert plain(table(columns, rows, None)[0]).split() == ["A", "B", "C"]


def test_no_rows_are_no_table() -> None:
    assert table(COLUMNS, [], 80) == []


@given(st.text())
def test_json_acts_on_no_terminal_and_says_the_same(text: str) -> None:
    for indent in (None, 2):
        written = json_text({"a": text}, indent)
        assert written.replace("\n", "").isprintable()
        assert json.loads(written) == {"a": text}


def test_json_of_what_terminals_act_on() -> None:
    assert json_text("\x9b2J\x7f\u202e好") == '"\\u009b2J\\u007f\\u202e好"'
