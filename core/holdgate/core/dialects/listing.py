"""Where a provider's list of models is."""

from __future__ import annotations

from holdgate.core.dialects.table import DIALECTS
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.settings import Provider


def list_dialect(provider: Provider) -> DialectName:
    """Give the dialect in which a provider is asked for its list."""
    return next(name for name in DIALECT_NAMES if provider.base(name))


def list_url(provider: Provider) -> str:
    """Give the address of a provider's list of models."""
    dialect = list_dialect(provider)
    return DIALECTS[dialect].models_url(provider.base(dialect))
