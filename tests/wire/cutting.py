"""Cutting bytes into pieces, as networks do."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from hypothesis import strategies as st


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    for at in range(0, len(data), size):
        yield data[at : at + size]


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


PLACES = st.lists(st.integers(min_value=0, max_value=10_000), max_size=12)
