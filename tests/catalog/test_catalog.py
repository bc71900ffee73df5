"""The shipped vendors, and the schema that they are held to."""

from __future__ import annotations

import pytest

from holdgate.core.catalog import (
    CatalogError,
    load_preset,
    load_presets,
    parse_preset,
    preset_names,
)

GOOD = 'title = "A"\nkey_env = "A_KEY"\n[base]\nchat = "https://a.example/v1"\n'


def test_every_vendor_loads() -> None:
    presets = load_presets()
    assert set(presets) == {
        "anthropic", "deepseek", "google", "lmstudio", "moonshot", "ollama", "openai", "openrouter",
        "zai",
    }  # fmt: skip
    assert tuple(presets) == preset_names()


@pytest.mark.parametrize("name", preset_names())
def test_a_vendor_is_whole(name: str) -> None:
    preset = load_preset(name)
    assert preset is not None
    assert preset.name == name
    assert preset.title
    assert preset.key_env.isupper()
    assert bool(preset.key_page) == preset.needs_key
    assert set(preset.auth) <= set(preset.bases)
    assert set(preset.hosted) <= set(preset.bases)
    local = all("127.0.0.1" in base for base in preset.bases.values())
    assert local != preset.needs_key


@pytest.mark.parametrize("name", preset_names())
def test_a_base_is_written_without_the_endpoint(name: str) -> None:
    preset = load_preset(name)
    assert preset is not None
    for dialect, base in preset.bases.items():
        assert base.startswith(("https://", "http://127.0.0.1:"))
        assert not base.endswith(("/", "/chat/completions", "/responses", "/messages", "/models"))
        if dialect == "messages":
            assert not base.endswith("/v1")
        if dialect == "gemini":
            assert not base.endswith("/v1beta")


def test_where_a_key_goes_elsewhere_than_usual() -> None:
    presets = load_presets()
    bearer = {name for name, preset in presets.items() if preset.auth.get("messages") == "bearer"}
    assert bearer == {"openrouter", "moonshot", "zai", "ollama"}


@pytest.mark.parametrize("name", ["nobody", "", "../catalog/openai", "OpenAI", "open ai", "a/b"])
def test_no_such_vendor(name: str) -> None:
    assert load_preset(name) is None


def test_all_that_a_file_may_hold() -> None:
    preset = parse_preset(
        "a",
        'models = ["m", "n"]\nneeds_key = false\nkey_page = "https://a.example/keys"\nquirks = []\n'
        + GOOD
        + 'messages = "https://a.example"\n[auth]\nmessages = "bearer"\n'
        + '[hosted]\nmessages = ["web_search"]\n'
        + '[limits]\nrpm = 60\nconcurrency = 2\ntpm = 1000\nwindow = "5m"\n',
    )
    assert preset.models == ("m", "n")
    assert preset.limits == {"rpm": 60, "concurrency": 2, "tpm": 1000, "window": 300.0}
    assert preset.auth == {"messages": "bearer"}
    assert preset.hosted == {"messages": ("web_search",)}
    assert preset.bases["messages"] == "https://a.example"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('colour = "red"\n' + GOOD, "a.toml: colour: no such key"),
        (GOOD + 'chatt = "https://a.example"\n', "a.toml: base.chatt: no such key"),
        (GOOD + 'gemini = "a.example"\n', "a.toml: base.gemini: allowed an http"),
        ('title = 1\nkey_env = "A"\n', "a.toml: title: allowed a text"),
        ('needs_key = "no"\n' + GOOD, "a.toml: needs_key: allowed true or false"),
        ('models = "m"\n' + GOOD, "a.toml: models: allowed a list"),
        ('quirks = ["sulks"]\n' + GOOD, 'a.toml: quirks: no such quirk "sulks"'),
        (GOOD + '[auth]\nchat = "cookie"\n', 'a.toml: auth.chat: allowed one of "bearer"'),
        (GOOD + '[hosted]\nchat = ["magic"]\n', 'a.toml: hosted.chat: no such tool "magic"'),
        (GOOD + '[hosted]\nchat = "code"\n', "a.toml: hosted.chat: allowed a list"),
        (GOOD + "[hosted]\nchatt = []\n", "a.toml: hosted.chatt: no such key"),
        (GOOD + "[limits]\nrps = 1\n", "a.toml: limits.rps: no such key"),
        (GOOD + "[limits]\nrpm = -1\n", "a.toml: limits.rpm: allowed a whole number"),
        ("auth = 1\n" + GOOD, "a.toml: auth: allowed a table"),
        ('title = "A"\n[base]\nchat = "https://a.example"\n', "a.toml: key_env: missing"),
        ('title = "A"\nkey_env = "A"\n', "a.toml: base: missing"),
        ("title = \n", "a.toml: Invalid value"),
    ],
)
def test_the_schema_is_strict(text: str, says: str) -> None:
    with pytest.raises(CatalogError) as caught:
        parse_preset("a", text)
    assert str(caught.value).startswith(says)
