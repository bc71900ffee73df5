"""docs/providers.md has a row for each vendor, and the row is right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from holdgate.core.catalog import Preset, load_presets

PAGE = (Path(__file__).parents[2] / "docs/providers.md").read_text(encoding="utf-8")
PRESETS = load_presets()


def section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def row(preset: Preset) -> str:
    """Give the row that a preset has in the table of vendors."""
    key = f"`{preset.key_env}`" if preset.needs_key else "none" if preset.is_local else "yours"
    dialects = ", ".join(preset.dialects)
    return f"| `{preset.name}` | {preset.title} | {dialects} | {key} |"


@pytest.mark.parametrize("name", PRESETS)
def test_a_vendor_has_its_row(name: str) -> None:
    assert row(PRESETS[name]) in section("Vendors").splitlines()


def test_nobody_else_has_one() -> None:
    rows = re.findall(r"^\| `([^`]+)` \|", section("Vendors"), re.MULTILINE)
    assert rows == list(PRESETS)


def test_what_was_not_verified_is_told() -> None:
    told = re.findall(r"^- `([^`]+)`: ([a-z, ]+)$", section("What is not verified"), re.MULTILINE)
    doubtful = {n: ", ".join(each.unverified) for n, each in PRESETS.items() if each.unverified}
    assert dict(told) == doubtful


def test_what_is_asked_is_told() -> None:
    for preset in PRESETS.values():
        for name, ask in preset.asks.items():
            assert f"`{preset.name}`" in section("Addresses of your own")
            assert f"`{{{name}}}`, the {ask.text}" in section("Addresses of your own")
