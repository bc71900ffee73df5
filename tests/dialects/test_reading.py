"""Reading: what counts as nothing in a member that was not decoded."""

from __future__ import annotations

import msgspec
import pytest

from holdgate.core.dialects.reading import is_nothing


@pytest.mark.parametrize("value", [b"", b"null", b"[]", b"{}", b'""', b" [ ]\n", b'\t""'])
def test_nothing(value: bytes) -> None:
    assert is_nothing(msgspec.Raw(value))


@pytest.mark.parametrize("value", [b'" "', b'"\\n"', b'" \t"', b"0", b"false", b"[0]", b'{"a": 1}'])
def test_something(value: bytes) -> None:
    assert not is_nothing(msgspec.Raw(value))
