from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.dialects.translation.json_texts import dumps, escaped, loads, mended, opaque
from tests.dialects.translation.any_text import ANY_TEXT

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | ANY_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner),
)
FAST = st.text(st.characters(codec="utf-8"))


@pytest.mark.parametrize("text", ["{", "", "NaN", '{"a":-Infinity}', "1e999", "1 2", "{'a':1}"])
def test_what_is_no_json_is_refused(text: str) -> None:
    for data in (text, text.encode()):
        with pytest.raises(ValueError):
            loads(data)


def test_depth_is_refused() -> None:
    for data in ("[" * 100_000, '{"a":' * 100_000, '["\ud800",' + "[" * 100_000):
        with pytest.raises(ValueError, match="deep"):
            loads(data)
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="deep"):
        dumps(deep)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'"\\ud83d"', "\ud83d"),
        (b'"\\ud83d\\ude00"', "😀"),
        ('"\ud83d"', "\ud83d"),
        (b'\xef\xbb\xbf{"a":1}', {"a": 1}),
        ('\ufeff{"a":1}', {"a": 1}),
        (b'"\xff"', "\ufffd"),
        (b'"a\nb"', "a\nb"),
        (b"12345678901234567890123", 12345678901234567890123),
        (b'["\\ud83d",1.5,12345678901234567890123]', ["\ud83d", 1.5, 12345678901234567890123]),
    ],
)
def test_what_vendors_write_is_read(data: bytes | str, value: object) -> None:
    assert loads(data) == value


@given(VALUES)
def test_any_json_is_read(value: object) -> None:
    assert loads(json.dumps(value)) == json.loads(json.dumps(value))


@given(VALUES)
def test_what_is_written_is_json_of_whole_characters(value: object) -> None:
    written = dumps(value)
    text = written.decode()
    assert text == mended(text)
    assert not {"\x85", "\u2028", "\u2029"} & set(text)
    if is_whole(value):
        assert json.loads(text) == value


@given(ANY_TEXT)
def test_a_text_is_escaped_as_in_a_value(text: str) -> None:
    assert escaped(text) == dumps(text)
    assert json.loads(escaped(text)) == mended(text)


@given(FAST)
def test_whole_texts_are_left_alone(text: str) -> None:
    assert mended(text) == text


def test_halves_side_by_side_are_one_character() -> None:
    assert mended("a\ud83d\ude00\ud83d") == "a😀\ufffd"
    assert escaped("\u2028\ud83d") == '"\\u2028\ufffd"'.encode()
    assert dumps({"\ud83d\ude00": ("\ude00",)}) == '{"😀":["\ufffd"]}'.encode()


def test_structs_and_raw_json_are_written_too() -> None:
    class Told(msgspec.Struct, tag="told"):
        raw: msgspec.Raw
        text: str

    told = Told(msgspec.Raw(b'{"a":1.50e2}'), "\ud800\u2028")
    expected = '{"type":"told","raw":{"a":1.50e2},"text":"\ufffd\\u2028"}'
    assert dumps(told) == expected.encode()


def is_whole(value: object) -> bool:
    match value:
        case str():
            return mended(value) == value
        case dict():
            return all(is_whole(name) and is_whole(inner) for name, inner in value.items())
        case list():
            return all(map(is_whole, value))
        case _:
            return True


def test_an_opaque_text_comes_whole_or_not_at_all() -> None:
    assert [opaque(each) for each in ("Ab+/==", "é😀", "", "a\ud83d", 7, None)] == [
        "Ab+/==", "é😀", "", "", "", "",
    ]  # fmt: skip
