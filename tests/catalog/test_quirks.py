"""The names of quirks, and the values that they may have."""

from __future__ import annotations

import pytest

from holdgate.core.catalog import CatalogError, load_presets, parse_preset
from holdgate.core.catalog.quirks import KNOWN_QUIRKS, is_known
from holdgate.core.catalog.words import QUIRK_WORDS, quirk_in_words

GOOD = 'title = "A"\nkey_env = "A_KEY"\n[base]\nchat = "https://a.example/v1"\n'


@pytest.mark.parametrize(
    "quirk",
    ["openai", "thinking=zai", "max_temperature=1", "max_temperature=1.5", "needs_max_tokens=8192"],
)
def test_known_ones(quirk: str) -> None:
    assert is_known(quirk)
    assert parse_preset("a", f'quirks = ["{quirk}"]\n{GOOD}').quirks == (quirk,)


@pytest.mark.parametrize(
    "quirk",
    [
        "",
        "sulks",
        "openai=",
        "openai=yes",
        "thinking",
        "thinking=",
        "thinking=hard",
        "max_stops=0",
        "max_stops=four",
        "max_temperature=hot",
        "OpenAI",
    ],
)
def test_slips(quirk: str) -> None:
    assert not is_known(quirk)
    with pytest.raises(CatalogError):
        parse_preset("a", f'quirks = ["{quirk}"]\n{GOOD}')


def test_a_vendor_has_each_quirk_once() -> None:
    for preset in load_presets().values():
        names = [quirk.partition("=")[0] for quirk in preset.quirks]
        assert len(set(names)) == len(names)
        assert set(names) <= KNOWN_QUIRKS.keys()


def test_every_quirk_has_its_words() -> None:
    assert QUIRK_WORDS.keys() == KNOWN_QUIRKS.keys()
    for name, words in QUIRK_WORDS.items():
        assert words.count("{}") == (KNOWN_QUIRKS[name] is not None)
    assert quirk_in_words("max_temperature=1.5") == "takes a temperature of 1.5 at most"
    assert quirk_in_words("top_k") == "takes top_k"
