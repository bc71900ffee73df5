from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.dialects.translation.custom_tools import (
    FreeText,
    as_arguments,
    as_function,
    as_text,
)
from holdgate.core.dialects.translation.json_texts import mended
from holdgate.core.values.neutral import Custom
from tests.dialects.translation.any_text import ANY_TEXT
from tests.dialects.translation.conversations import NOTE, PATCH, STRANGE


def test_a_custom_tool_is_a_function_of_one_text() -> None:
    function = as_function(NOTE)
    assert (function.name, function.description) == ("note", "Takes any text.")
    schema = json.loads(function.parameters)
    assert schema["required"] == ["input"]
    assert schema["properties"]["input"]["type"] == "string"
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize(
    "format",
    [
        PATCH.format,
        b'{"type":"grammar","grammar":{"syntax":"lark",'
        b'"definition":"start: \\"*** Begin Patch\\" LF"}}',
    ],
)
def test_its_grammar_is_told_in_words(format: bytes) -> None:
    description = as_function(Custom("apply_patch", "Edits files.", format)).description
    assert description == (
        'Edits files.\n\nThe input must follow this lark grammar:\nstart: "*** Begin Patch" LF'
    )


@pytest.mark.parametrize("format", [b"", b'{"type":"text"}', b"no JSON", b"[]"])
def test_no_grammar_needs_no_words(format: bytes) -> None:
    assert as_function(Custom("note", "", format)).description == ""


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ('{"input":"a\\nb"}', "a\nb"),
        (' { "input" : "a" } ', "a"),
        ('{"input":"a","more":1}', "a"),
        ('{"more":1,"input":"a"}', "a"),
        ('{"patch":"a"}', "a"),
        ('{"patch":"\\ud83d"}', "\ufffd"),
        ('{"input":"\\n\\x\\u12"', "\n\\x\\u12"),
        ('{"input":"\\ud83d\\ude00\\u00e9"}', "😀é"),
        ('{"input":"\\ud83d"}', "\ufffd"),
        ('{"input":"cut', "cut"),
        ('{"input":"cut \\u00', "cut "),
        ('{"input":"bad \\x \\u00zz escape"}', "bad \\x \\u00zz escape"),
        ('{"input":"a\nb"}', "a\nb"),
        ('{"input":7}', '{"input":7}'),
        ('{"one":"a","two":"b"}', '{"one":"a","two":"b"}'),
        ('"a text"', "a text"),
        ("[1]", "[1]"),
        ("*** Begin Patch", "*** Begin Patch"),
        ("{}", ""),
        ("", ""),
    ],
)
def test_the_text_is_found_in_the_arguments(arguments: str, text: str) -> None:
    assert as_text(arguments) == text
    assert fed(list(arguments)) == text


@given(ANY_TEXT)
def test_a_text_survives(text: str) -> None:
    assert as_text(as_arguments(text)) == mended(text)
    assert as_text(json.dumps({"input": text})) == mended(text)
    assert json.loads(as_arguments(text)) == {"input": mended(text)}


PIECES = st.sampled_from(
    ["\\", "\\n", "u", "\\ud83d", "\\ude00", "d8", "x", '"', "}", "\n", "\ud83d"]
)
BODIES = st.lists(PIECES).map("".join)
ARGUMENTS = (
    BODIES
    | BODIES.map('{"input":"'.__add__)
    | BODIES.map('{"a":1,"input":"'.__add__)
    | ANY_TEXT.map(as_arguments)
)


@given(ARGUMENTS, st.data())
def test_any_chunking_gives_the_same_text_of_a_tool(arguments: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(arguments)), max_size=9)))
    ends = [*cuts, len(arguments)]
    pieces = [arguments[start:end] for start, end in zip([0, *cuts], ends, strict=True)]
    assert fed(pieces) == as_text(arguments)
    assert mended(fed(pieces)) == fed(pieces)


def test_the_text_is_told_as_it_comes() -> None:
    text = FreeText()
    assert text.feed('{"inp') == ""
    assert text.feed('ut": "Hel') == "Hel"
    assert text.feed("lo\\") == "lo"
    assert text.feed('n"') == "\n"
    assert text.feed("} and what is no JSON") == ""
    assert text.close() == ""


def test_a_million_pieces_take_no_time() -> None:
    for arguments in (as_arguments(STRANGE * 2000), " " * 100_000, "no JSON" * 10_000, "\\" * 9999):
        fed(list(arguments))
        as_text(arguments * 10)


def fed(pieces: list[str]) -> str:
    text = FreeText()
    return "".join([*map(text.feed, pieces), text.close()])
