"""The shipped vendors, and the schema that they are held to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

import pytest

from holdgate.core.catalog import (
    CatalogError,
    Preset,
    load_preset,
    load_presets,
    parse_preset,
    preset_names,
)
from holdgate.core.catalog.preset import PLACEHOLDER
from holdgate.core.catalog.words import RATE_HEADERS
from holdgate.core.config.providers import base_of
from holdgate.core.traffic.rate_headers import exhausted

GOOD = 'title = "A"\nkey_env = "A_KEY"\n[base]\nchat = "https://a.example/v1"\n'
ASKING = GOOD.replace("//a.", "//{place}.") + '[asks.place]\ntext = "place"\n'
GENERIC = 'title = "A"\ngeneric = true\n[example]\nchat = "https://a.example/v1"\n'

PRESETS = load_presets()
every = pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)

# Vendors with several addresses for the same kind of key: regions and plans.
SHARED_KEYS = {
    "ARK_API_KEY": {"volcengine", "volcengine-coding"},
    "ALIBABA_CODING_PLAN_API_KEY": {"dashscope-coding", "dashscope-coding-cn"},
    "DASHSCOPE_API_KEY": {"dashscope", "dashscope-cn"},
    "MINIMAX_API_KEY": {"minimax", "minimax-cn"},
    "MOONSHOT_API_KEY": {"moonshot", "moonshot-cn"},
    "STEP_API_KEY": {"stepfun", "stepfun-plan"},
    "ZAI_API_KEY": {"zai", "zai-coding"},
    "ZHIPU_API_KEY": {"zhipu", "zhipu-coding"},
}


def addresses(preset: Preset) -> Iterable[str]:
    return (*preset.bases.values(), *preset.example.values(), *filter(None, preset.lists.values()))


def test_every_vendor_loads() -> None:
    assert tuple(PRESETS) == preset_names()
    assert set(PRESETS) >= {
        "anthropic", "anthropic-compatible", "azure", "bedrock", "cerebras", "dashscope",
        "deepseek", "fireworks", "google", "groq", "kimi-code", "llama-cpp", "lmstudio",
        "minimax", "mistral", "modelscope", "moonshot", "nvidia", "ollama", "openai",
        "openai-compatible", "openrouter", "siliconflow", "stepfun", "together", "vercel", "vllm",
        "volcengine", "xai", "zai", "zhipu",
    }  # fmt: skip


def test_one_vendor_is_read_alone() -> None:
    assert load_preset("zai") == PRESETS["zai"]


@every
def test_a_vendor_is_whole(preset: Preset) -> None:
    assert preset.title
    assert bool(preset.key_page) == preset.needs_key
    assert preset.needs_key != (preset.is_local or preset.generic)
    if preset.key_env:
        assert re.fullmatch(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", preset.key_env)
    else:
        assert preset.generic  # somebody's key must not go to a server that anybody may run
    assert preset.notes == preset.notes.strip()


@every
def test_addresses_are_safe(preset: Preset) -> None:
    for url in addresses(preset):
        parts = urlsplit(PLACEHOLDER.sub("x", url))
        host = parts.hostname or ""
        if preset.is_local:
            assert parts.scheme == "http" and ip_address(host).is_loopback
        else:
            assert parts.scheme == "https" and "." in host
        assert (parts.username, parts.fragment) == (None, "")
    if preset.key_page:
        assert preset.key_page.startswith("https://")


@every
def test_a_base_is_written_without_the_endpoint(preset: Preset) -> None:
    for dialect, base in (*preset.bases.items(), *preset.example.items()):
        assert base_of(dialect, base) == base
        assert not base.endswith(("/", "/chat/completions", "/responses", "/messages", "/models"))


@every
def test_a_list_is_where_the_key_goes_anyway(preset: Preset) -> None:
    for dialect, url in preset.lists.items():
        if url:
            assert urlsplit(url).netloc == urlsplit(preset.bases[dialect]).netloc
            assert not PLACEHOLDER.search(url)


def test_whose_key_is_whose() -> None:
    names = {preset.key_env for preset in PRESETS.values()} - {""}
    by_env = {
        env: {name for name, preset in PRESETS.items() if preset.key_env == env} for env in names
    }
    assert {env: who for env, who in by_env.items() if len(who) > 1} == SHARED_KEYS


def test_plans_and_regions_have_addresses_of_their_own() -> None:
    for names in SHARED_KEYS.values():
        first, *others = (dict(PRESETS[name].bases) for name in sorted(names))
        assert all(other != first for other in others)


def test_where_a_key_goes_elsewhere_than_usual() -> None:
    bearer = {name for name, preset in PRESETS.items() if preset.auth.get("messages") == "bearer"}
    assert bearer == {
        "bedrock", "fireworks", "llama-cpp", "moonshot", "moonshot-cn", "ollama", "openrouter",
        "siliconflow", "siliconflow-cn", "vllm", "volcengine-coding", "zai", "zai-coding", "zhipu",
        "zhipu-coding",
    }  # fmt: skip


def test_only_published_limits_are_set() -> None:
    limited = {name: dict(preset.limits) for name, preset in PRESETS.items() if preset.limits}
    assert limited == {"kimi-code": {"concurrency": 30}}


@pytest.mark.parametrize(
    ("form", "headers"),
    [
        (
            "openai",
            [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "6m0s")],
        ),
        (
            "anthropic",
            [
                ("anthropic-ratelimit-tokens-remaining", "0"),
                ("anthropic-ratelimit-tokens-reset", "2026-11-30T10:06:00Z"),
            ],
        ),
    ],
)
def test_every_form_of_rate_headers_is_read(form: str, headers: list[tuple[str, str]]) -> None:
    now = 1796032800.0  # 2026-11-30T10:00:00Z
    assert exhausted(tuple(headers), now) == 360.0
    assert form in RATE_HEADERS and len(RATE_HEADERS) == 2


@pytest.mark.parametrize(
    "name", ["nobody", "", "../catalog/openai", "OpenAI", "open ai", "a/b", "a" * 300]
)
def test_no_such_vendor(name: str) -> None:
    assert load_preset(name) is None


def test_all_that_a_file_may_hold() -> None:
    preset = parse_preset(
        "a",
        'models = ["m", "n"]\nneeds_key = false\nkey_page = "https://a.example/keys?to=%2F#k"\n'
        + 'quirks = []\nunverified = ["messages"]\nnotes = """\nFirst,\nthen."""\n'
        + 'rate_headers = "openai"\nlimits_source = "a.example, 2026-11-30"\n'
        + ASKING.partition("[asks")[0]
        + 'messages = "https://a.example"\n[auth]\nmessages = "bearer"\n'
        + '[hosted]\nmessages = ["web_search"]\n'
        + '[lists]\nchat = "https://a.example/models?kind=chat"\nmessages = ""\n'
        + '[limits]\nrpm = 60\nconcurrency = 2\ntpm = 1000\nwindow = "5m"\n'
        + '[asks.place]\ntext = "place"\ndefault = "here"\n',
    )
    assert preset.models == ("m", "n")
    assert preset.limits == {"rpm": 60, "concurrency": 2, "tpm": 1000, "window": 300.0}
    assert preset.auth == {"messages": "bearer"}
    assert preset.hosted == {"messages": ("web_search",)}
    assert preset.bases["messages"] == "https://a.example"
    assert preset.ready == {"messages": "https://a.example"}
    assert preset.lists == {"chat": "https://a.example/models?kind=chat", "messages": ""}
    assert (preset.unverified, preset.notes) == (("messages",), "First, then.")
    assert (preset.asks["place"].text, preset.asks["place"].default) == ("place", "here")
    assert (preset.rate_headers, preset.limits_source) == ("openai", "a.example, 2026-11-30")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('colour = "red"\n' + GOOD, "a.toml: colour: no such key"),
        (GOOD + 'chatt = "https://a.example"\n', "a.toml: base.chatt: no such key"),
        (GOOD + 'gemini = "a.example"\n', "a.toml: base.gemini: allowed an http"),
        (GOOD + 'gemini = "https://a.example?x=1"\n', "a.toml: base.gemini: allowed an http"),
        ('title = 1\nkey_env = "A"\n', "a.toml: title: allowed a text"),
        ('key_page = "a.example"\n' + GOOD, "a.toml: key_page: allowed an http"),
        ('needs_key = "no"\n' + GOOD, "a.toml: needs_key: allowed true or false"),
        ('models = "m"\n' + GOOD, "a.toml: models: allowed a list"),
        ('quirks = ["sulks"]\n' + GOOD, 'a.toml: quirks: no such quirk "sulks"'),
        ('rate_headers = "smoke"\n' + GOOD, 'a.toml: rate_headers: allowed one of "openai"'),
        ('notes = " "\n' + GOOD, "a.toml: notes: allowed a text"),
        ('unverified = ["chatt"]\n' + GOOD, "a.toml: unverified: allowed a list of dialects"),
        ('unverified = ["gemini"]\n' + GOOD, "a.toml: unverified: a dialect without a base"),
        (GOOD + '[auth]\nchat = "cookie"\n', 'a.toml: auth.chat: allowed one of "bearer"'),
        (GOOD + '[auth]\ngemini = "bearer"\n', "a.toml: auth: a dialect without a base"),
        (GOOD + '[hosted]\nchat = ["magic"]\n', 'a.toml: hosted.chat: no such tool "magic"'),
        (GOOD + '[hosted]\nchat = "code"\n', "a.toml: hosted.chat: allowed a list"),
        (GOOD + "[hosted]\nchatt = []\n", "a.toml: hosted.chatt: no such key"),
        (GOOD + "[hosted]\ngemini = []\n", "a.toml: hosted: a dialect without a base"),
        (GOOD + '[lists]\nchat = "models"\n', "a.toml: lists.chat: allowed an http"),
        (GOOD + "[lists]\nchat = false\n", "a.toml: lists.chat: allowed a text"),
        (GOOD + '[lists]\nmessages = ""\n', "a.toml: lists: a dialect without a base"),
        (GOOD + "[limits]\nrps = 1\n", "a.toml: limits.rps: no such key"),
        (GOOD + "[limits]\nrpm = -1\n", "a.toml: limits.rpm: allowed a whole number"),
        (GOOD + "[limits]\nrpm = 1\n", "a.toml: limits_source: goes with limits"),
        ('limits_source = "x"\n' + GOOD, "a.toml: limits_source: goes with limits"),
        ("auth = 1\n" + GOOD, "a.toml: auth: allowed a table"),
        ("asks = 1\n" + GOOD, "a.toml: asks: allowed a table"),
        (GOOD + '[asks.place]\ntext = "place"\n', "a.toml: asks: not what the placeholders"),
        (ASKING.partition("[asks")[0], "a.toml: asks: not what the placeholders of base are"),
        (ASKING + 'colour = "red"\n', "a.toml: asks.place.colour: no such key"),
        (ASKING.replace('text = "place"', ""), "a.toml: asks.place.text: missing"),
        (ASKING + "[asks.more]\ntext = 1\n", "a.toml: asks.more.text: allowed a text"),
        ('title = "A"\n[base]\nchat = "https://a.example"\n', "a.toml: key_env: missing"),
        ('title = "A"\nkey_env = "A"\n', "a.toml: base: missing"),
        ('generic = true\n[example]\nchat = "https://a.example"\n', "a.toml: title: missing"),
        ("generic = true\n" + GOOD, "a.toml: base: a generic preset has none"),
        (GENERIC.partition("[")[0], "a.toml: example: of generic presets, and of all of them"),
        (GOOD + '[example]\nchat = "https://a.example"\n', "a.toml: example: of generic presets"),
        (GENERIC + '[lists]\nmessages = ""\n', "a.toml: lists: a dialect without a base"),
        ("title = \n", "a.toml: Invalid value"),
    ],
)
def test_the_schema_is_strict(text: str, says: str) -> None:
    with pytest.raises(CatalogError) as caught:
        parse_preset("a", text)
    assert str(caught.value).startswith(says)


def test_the_good_ones_of_these_are_good() -> None:
    for text in (GOOD, ASKING, GENERIC):
        assert parse_preset("a", text).dialects == ("chat",)
