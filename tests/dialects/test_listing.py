"""Where lists of models are."""

from __future__ import annotations

import pytest

from holdgate.core.dialects.listing import list_url
from holdgate.core.values.names import DialectName
from holdgate.core.values.settings import Provider


@pytest.mark.parametrize(
    ("bases", "dialect", "url"),
    [
        ({"chat": "http://x/v1", "messages": "http://x"}, "chat", "http://x/v1/models"),
        ({"messages": "http://x"}, "messages", "http://x/v1/models?limit=1000"),
        ({"gemini": "http://x"}, "gemini", "http://x/v1beta/models?pageSize=1000"),
        ({}, None, ""),
    ],
)
def test_the_whole_list_is_asked_for(
    bases: dict[str, str], dialect: DialectName | None, url: str
) -> None:
    provider = Provider(name="one", **bases)  # type: ignore[arg-type]
    assert (provider.listing(), list_url(provider)) == (dialect, url)
