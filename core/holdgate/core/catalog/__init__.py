"""Vendors as data: one TOML file each, and the loader that reads them."""

from __future__ import annotations

from holdgate.core.catalog.loader import (
    CatalogError,
    load_preset,
    load_presets,
    parse_preset,
    preset_names,
)
from holdgate.core.catalog.preset import Ask, Preset, WrongAnswer, examples, filled

__all__ = [
    "Ask",
    "CatalogError",
    "Preset",
    "WrongAnswer",
    "examples",
    "filled",
    "load_preset",
    "load_presets",
    "parse_preset",
    "preset_names",
]
