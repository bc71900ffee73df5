"""Addresses with something of the person's in them."""

from __future__ import annotations

from string import ascii_letters, digits
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.catalog import Preset, WrongAnswer, examples, filled, load_presets
from holdgate.core.values.kinds import URL

PRESETS = load_presets()
ASKING = [preset for preset in PRESETS.values() if preset.asks]
AZURE, BEDROCK = PRESETS["azure"], PRESETS["bedrock"]

labels = st.text(ascii_letters + digits + "-", min_size=1, max_size=63).filter(
    lambda text: text[0] != "-" != text[-1]
)


def test_an_answer_is_put_in() -> None:
    assert filled(AZURE, {"resource": " mine-1 "}) == {
        "chat": "https://mine-1.openai.azure.com/openai/v1",
        "responses": "https://mine-1.openai.azure.com/openai/v1",
        "messages": "https://mine-1.services.ai.azure.com/anthropic",
    }


def test_nothing_said_is_the_default() -> None:
    usual = filled(BEDROCK, {})
    assert usual == filled(BEDROCK, {"region": ""}) == filled(BEDROCK, {"region": "us-east-1"})
    assert filled(BEDROCK, {"region": "eu-north-1"}) != usual


def test_who_asks_nothing_is_as_it_is() -> None:
    assert filled(PRESETS["openai"], {"region": "x"}) == PRESETS["openai"].bases


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("", "resource: the name of the Azure resource is needed"),
        ("https://mine.openai.azure.com", "resource: the name of the Azure resource is a name of"),
        ("mine.evil.example/", "is a name of letters, digits and -, no address"),
        ("a b", "no address"),
        ("-a", "no address"),
        ("{resource}", "no address"),
        ("a" * 64, "no address"),
    ],
)
def test_what_fits_nowhere_is_refused(answer: str, says: str) -> None:
    with pytest.raises(WrongAnswer) as caught:
        filled(AZURE, {"resource": answer})
    assert says in str(caught.value)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(ASKING), labels | st.text(max_size=20))
def test_a_filled_address_is_the_vendors(preset: Preset, answer: str) -> None:
    """Whatever is answered: it is refused, or the host still ends as the vendor's."""
    try:
        found = filled(preset, dict.fromkeys(preset.asks, answer))
    except WrongAnswer:
        return
    for dialect, url in found.items():
        assert URL.parse(url) == url and "{" not in url
        end = urlsplit(preset.bases[dialect]).netloc.rpartition("}")[2]
        assert end.startswith(".") and urlsplit(url).netloc.endswith(end)
        assert urlsplit(url).path == urlsplit(preset.bases[dialect]).path


@pytest.mark.parametrize("name", PRESETS)
def test_an_example_is_a_whole_address(name: str) -> None:
    found = examples(PRESETS[name])
    assert tuple(found) == PRESETS[name].dialects
    assert all(URL.parse(url) == url and "{" not in url for url in found.values())
