"""Facts of models: the shipped extract of models.dev, how it is made, and what is found in it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from holdgate.core.catalog import model_facts, preset_names
from holdgate.core.catalog.model_facts import FILE_NAME, Facts, bundled_facts, read_facts
from holdgate.core.catalog.models_dev import LICENCE, extract
from holdgate.core.catalog.vendors import BY_PRESET, GENERIC, MAKERS, is_unknowable, vendor_of

SHIPPED = Path(model_facts.__file__).with_name(FILE_NAME)
TODAY = "2026-10-01"
MANY = 100


def model(context: int = 200, output: int = 50, **more: Any) -> dict[str, Any]:
    """Give an entry of models.dev."""
    return {
        "id": "told again",
        "reasoning": True,
        "tool_call": True,
        "last_updated": "2026-09-01",
        "modalities": {"input": ["text", "image"], "output": ["text"]},
        "limit": {"context": context, "output": output},
        "cost": {"input": 3, "output": 15.5, "cache_read": 0.3, "cache_write": 4},
        **more,
    }


def catalogue(**vendors: dict[str, Any]) -> bytes:
    """Give an api.json with these models by vendor, and a hundred more of openai's."""
    found = {"openai": {f"gpt-{number}": model() for number in range(MANY)}, **vendors}
    return json.dumps(
        {name: {"id": name, "name": name, "models": models} for name, models in found.items()}
    ).encode()


def facts_of(**vendors: dict[str, Any]) -> Facts:
    return read_facts(extract(catalogue(**vendors), "a test", TODAY))


def test_the_shipped_file_says_where_it_is_from() -> None:
    text = SHIPPED.read_text(encoding="utf-8")
    found = json.loads(text)
    assert found["source"] == "https://models.dev/api.json" and found["origin"]
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", found["date"])
    assert found["licence"] == LICENCE and "Copyright (c) 2025" in LICENCE
    assert len(text) < 300_000


def test_the_shipped_file_is_sorted_one_line_a_model() -> None:
    text = SHIPPED.read_text(encoding="utf-8")
    vendors = json.loads(text)["vendors"]
    assert list(vendors) == sorted(vendors)
    assert all(list(models) == sorted(models) for models in vendors.values())
    lines = [line for line in text.splitlines() if line.rstrip(",").endswith("]")]
    assert len(lines) == sum(map(len, vendors.values())) == bundled_facts().size() > 1000


def test_each_vendor_of_a_preset_is_in_the_shipped_file() -> None:
    presets = {each for each in preset_names() if not is_unknowable(each)} - GENERIC
    wanted = {*map(vendor_of, presets), *filter(None, BY_PRESET.values()), *MAKERS.values()}
    assert wanted - set(bundled_facts().vendors()) == set()


@pytest.mark.parametrize(
    ("preset", "name"),
    [
        ("anthropic", "claude-haiku-4-5"),
        ("google", "models/gemini-flash-latest"),
        ("moonshot", "kimi-k3"),
        ("openrouter", "anthropic/claude-haiku-4.5"),
        ("bedrock", "us.anthropic.claude-haiku-4-5-20251001-v1:0"),
        ("", "claude-haiku-4-5"),
    ],
)
def test_well_known_models_are_known(preset: str, name: str) -> None:
    found = bundled_facts().of(preset, name)
    assert found is not None and found.context >= 100_000 and found.output >= 8_000
    assert (found.price_in is None) == (preset == "")


def test_an_entry() -> None:
    found = facts_of(anthropic={"claude-1": model()}).of("anthropic", "claude-1")
    assert found is not None
    assert (found.context, found.output) == (200, 50)
    assert (found.price_in, found.price_out, found.price_cached) == (3, 15.5, 0.3)


def test_what_writes_no_text_or_cannot_be_read_is_left_out() -> None:
    found = facts_of(
        anthropic={
            "painter": model(modalities={"input": ["text"], "output": ["image"]}),
            "text-embedding-3": model(),
            "whisper-large": model(),
            "no-limit": model(limit={"context": 0, "output": 0}),
            "broken": {"limit": "many"},
            "free": model(cost=None),
        }
    )
    assert found.size() == MANY + 1
    free = found.of("anthropic", "free")
    assert free is not None and free.price_in is None


def test_its_date_is_that_of_the_newest_entry_and_never_in_the_future() -> None:
    entries = {"a": model(last_updated="2026-09-30"), "b": model(last_updated="2031-01-01")}
    assert facts_of(anthropic=entries).date == "2026-09-30"


def test_it_is_the_same_for_the_same_models_in_any_order() -> None:
    one = {"a": model(), "b": model(1)}
    other = dict(reversed(one.items()))
    assert extract(catalogue(xai=one), "x", TODAY) == extract(catalogue(xai=other), "x", TODAY)


@pytest.mark.parametrize(
    "text",
    [
        b"", b"<html>", b"[]", b"7", b"{}", b"[" * 100_000, b'{"openai": 7}',
        catalogue()[:-20], json.dumps({"openai": {"models": {"a": model()}}}).encode(),
        json.dumps({"nobody": {"models": {str(n): model() for n in range(200)}}}).encode(),
    ],
)  # fmt: skip
def test_what_is_no_catalogue_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"no catalogue of models\.dev"):
        extract(text, "a test", TODAY)


@pytest.mark.parametrize(
    ("preset", "name", "context", "priced"),
    [
        # The vendor's own id, and its other spellings.
        ("anthropic", "claude-1", 11, True),
        ("anthropic", "anthropic/claude-1", 11, True),
        ("anthropic", "claude-1-latest", 11, True),
        ("google", "models/flash-latest", 12, True),
        ("google", "flash", 12, True),
        ("openrouter", "anthropic/claude-1", 13, True),
        # The same model, perhaps at another price.
        ("openrouter", "anthropic/claude-1:free", 13, False),
        ("anthropic", "claude-1-20260101", 11, False),
        ("anthropic", "claude-1@20260101", 11, False),
        ("anthropic", "claude-1-2026-01-01", 11, False),
        ("bedrock", "eu.anthropic.claude-1", 14, False),
        # Whoever made it.
        ("", "claude-1", 11, False),
        ("", "anthropic/claude-1", 11, False),
        ("nobody", "claude-1-20260101", 11, False),
        ("openrouter", "google/flash", 12, False),
        # Nothing is made up.
        ("anthropic", "claude-10", None, False),
        ("anthropic", "claude-1-0613", None, False),
        ("anthropic", "claude", None, False),
        ("", "somebody/claude-1", None, False),
        ("", "", None, False),
        ("openrouter", "claude", None, False),
        # A machine of the person's own decides that itself.
        ("ollama", "claude-1", None, False),
        ("lmstudio", "anthropic/claude-1", None, False),
    ],
)
def test_how_a_model_is_found(preset: str, name: str, context: int | None, priced: bool) -> None:
    facts = facts_of(
        **{
            "anthropic": {"claude-1": model(11)},
            "google": {"flash-latest": model(12)},
            "openrouter": {"anthropic/claude-1": model(13)},
            "amazon-bedrock": {"anthropic.claude-1": model(14)},
        }
    )
    found = facts.of(preset, name)
    assert (found and found.context) == context
    assert found is None or (found.price_in is not None) == priced


@pytest.mark.parametrize(
    "change", [{"format": 2}, {"vendors": {"openai": {"m": [1]}}}, {"date": 7}]
)
def test_an_extract_that_cannot_be_used_is_refused(change: dict[str, Any]) -> None:
    good = json.loads(extract(catalogue(), "a test", TODAY))
    with pytest.raises(ValueError):
        read_facts(json.dumps({**good, **change}).encode())
