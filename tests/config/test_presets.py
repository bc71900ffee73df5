"""Presets that do not know all by themselves: what the person must say, and what follows."""

from __future__ import annotations

import pytest

from holdgate.core.config.load import load
from holdgate.core.config.problems import ConfigError
from holdgate.core.values.settings import Key, Provider


def provider(preset: str, *lines: str) -> Provider:
    text = "\n".join(["[providers.p]", f'preset = "{preset}"', *lines])
    return load(text, "config.toml").providers["p"]


def problems(preset: str, *lines: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        provider(preset, *lines)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("preset", "example"),
    [
        ("azure", 'chat = "https://my-resource.openai.azure.com/openai/v1"'),
        ("bedrock", 'chat = "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1"'),
        ("openai-compatible", 'chat = "https://relay.example/v1"'),
        ("anthropic-compatible", 'messages = "https://relay.example"'),
    ],
)
def test_an_address_is_needed(preset: str, example: str) -> None:
    assert problems(preset) == [
        f'config.toml:1: providers.p: the preset "{preset}" needs an address of yours, such as '
        f"{example}; all that it takes: gateway presets {preset}"
    ]


def test_an_address_of_a_dialect_that_it_is_not_about_is_not_enough() -> None:
    assert "needs an address" in problems("anthropic-compatible", 'chat = "https://a.example"')[0]


def test_a_wrong_address_is_told_once() -> None:
    (problem,) = problems("azure", 'chat = "mine"')
    assert "providers.p.chat" in problem


def test_with_an_address_it_speaks_that_dialect_only() -> None:
    mine = provider("azure", 'chat = "https://mine.openai.azure.com/openai/v1"')
    assert (mine.chat, mine.responses, mine.messages) == (
        "https://mine.openai.azure.com/openai/v1", "", "",
    )  # fmt: skip
    assert mine.quirks == ("openai",)
    assert mine.keys == (Key(value="env:AZURE_OPENAI_API_KEY"),)


def test_a_generic_one_brings_no_key() -> None:
    mine = provider("openai-compatible", 'chat = "https://relay.example/v1/chat/completions"')
    assert (mine.chat, mine.keys, mine.quirks) == ("https://relay.example/v1", (Key(),), ())


def test_what_is_written_goes_before_the_presets_limits() -> None:
    assert provider("kimi-code").concurrency == 30
    assert provider("kimi-code", "concurrency = 2").concurrency == 2


def test_who_has_a_list_and_where() -> None:
    usual = provider("deepseek")
    assert (usual.listing(), dict(usual.lists)) == ("chat", {})
    elsewhere = provider("siliconflow-cn")
    assert elsewhere.listing() == "chat"
    assert elsewhere.lists == {"chat": "https://api.siliconflow.cn/v1/models?sub_type=chat"}
    none = provider("azure", 'chat = "https://mine.openai.azure.com/openai/v1"')
    assert none.listing() is None


def test_a_list_of_the_presets_does_not_go_with_another_address() -> None:
    """Or the key of a relay would go to the vendor."""
    mine = provider("siliconflow", 'chat = "https://relay.example/v1"')
    assert (mine.listing(), dict(mine.lists)) == ("chat", {})


def test_models_that_a_preset_brings() -> None:
    mine = provider("volcengine-coding")
    assert mine.models is not None and mine.models[0].id == "ark-code-latest"
    named = provider("volcengine-coding", 'models = ["m"]')
    assert named.models is not None and [model.id for model in named.models] == ["m"]
