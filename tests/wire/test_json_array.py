"""A JSON array in pieces: each object comes whole, with its last byte, in any cut."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.wire.json_array import ArraySplitter
from tests.wire.cutting import PLACES, cut, pieces

TEXTS = st.text(st.sampled_from('ab"\\{}[],:é\u2028\n'), max_size=10)
OBJECTS = st.dictionaries(
    TEXTS,
    st.recursive(
        st.one_of(TEXTS, st.integers(), st.none()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)
        ),
        max_leaves=6,
    ),
    max_size=4,
)


def split(chunks: list[bytes]) -> list[bytes]:
    splitter = ArraySplitter()
    return [whole for chunk in chunks for whole in splitter.feed(chunk)]


@settings(deadline=None, max_examples=300)
@given(st.lists(OBJECTS, max_size=5), st.sampled_from([None, 2]), st.booleans(), PLACES)
def test_any_cut_gives_the_same_objects(
    objects: list[dict[str, Any]], indent: int | None, ascii: bool, places: list[int]
) -> None:
    array = json.dumps(objects, indent=indent, ensure_ascii=ascii).encode()
    assert [json.loads(raw) for raw in split(cut(array, places))] == objects
    assert [json.loads(raw) for raw in split(list(pieces(array, 1)))] == objects


def test_an_object_comes_with_its_last_byte() -> None:
    splitter = ArraySplitter()
    assert splitter.feed(b'[{"a": {"b": "}') == []
    assert splitter.feed(b'"}') == []
    assert splitter.feed(b"}") == [b'{"a": {"b": "}"}}']
    assert splitter.feed(b'\n,\r\n{"c": 1}, {}') == [b'{"c": 1}', b"{}"]
    assert splitter.feed(b"]") == []
    assert splitter.close() == b"]"


@pytest.mark.parametrize("half", [b'{"a": 1', b'{"a": "}', b'{"a": "\\', b'{"a": {"b": {}}'])
def test_half_an_object_is_what_is_left(half: bytes) -> None:
    splitter = ArraySplitter()
    assert splitter.feed(b"[" + half) == []
    assert splitter.close() == half


@pytest.mark.parametrize("array", [b"", b"[]", b"[\n]\n", b"null", b'["text"]', b"[1, 2]"])
def test_no_objects(array: bytes) -> None:
    assert split([array]) == split(list(pieces(array, 1))) == []


def test_a_text_of_megabytes_costs_no_more_than_its_bytes() -> None:
    array = json.dumps([{"data": "x" * (1 << 20)}]).encode()
    before = time.process_time()
    assert split(list(pieces(array, 4096))) == [array[1:-1]]
    assert time.process_time() - before < 0.5


def test_a_text_of_many_quotes_costs_no_more_than_its_bytes() -> None:
    array = json.dumps([{"code": 'print("{x}")\n' * 2500}]).encode()
    before = time.process_time()
    assert split(list(pieces(array, 4096))) == [array[1:-1]]
    assert time.process_time() - before < 1
