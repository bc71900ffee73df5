"""Kept lists: a vendor's own list of models as it was told, and when."""

from __future__ import annotations

from dataclasses import dataclass

from holdgate.core.values.settings import Model


@dataclass(frozen=True, slots=True)
class KeptList:
    """What `provider` listed at the address `url`, at `at` (Unix seconds).

    The address belongs to it: a provider that was pointed elsewhere is not answered from it.
    """

    provider: str
    url: str
    at: float
    models: tuple[Model, ...]
