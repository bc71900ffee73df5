"""Where a provider's list of models is."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from holdgate.core.dialects.table import DIALECTS
from holdgate.core.values.names import DialectName
from holdgate.core.values.settings import Provider

# Without it Anthropic gives 20 models, and Gemini 50; both allow 1000.
_WHOLE: Mapping[DialectName, str] = MappingProxyType(
    {"messages": "?limit=1000", "gemini": "?pageSize=1000"}
)


def list_url(provider: Provider) -> str:
    """Give the address of a provider's list of models, "" if it has none."""
    dialect = provider.listing()
    if dialect is None:
        return ""
    return provider.lists.get(dialect) or whole_list_url(dialect, provider.base(dialect))


def whole_list_url(dialect: DialectName, base: str) -> str:
    """Give the address of the whole list of models at a base URL, where it usually is."""
    return DIALECTS[dialect].models_url(base) + _WHOLE.get(dialect, "")
