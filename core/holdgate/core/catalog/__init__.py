"""Vendors as data: one TOML file each, and the loader that reads them."""

from __future__ import annotations

from holdgate.core.catalog.loader import (
    CatalogError,
    Preset,
    load_preset,
    load_presets,
    parse_preset,
    preset_names,
)

__all__ = [
    "CatalogError",
    "Preset",
    "load_preset",
    "load_presets",
    "parse_preset",
    "preset_names",
]
