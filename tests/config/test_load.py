"""Right configurations, and what they mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdgate.core.catalog import Preset
from holdgate.core.config.load import load, load_file
from holdgate.core.config.problems import ConfigError
from holdgate.core.config.providers import base_of
from holdgate.core.values.names import DialectName
from holdgate.core.values.settings import Key, Model, Provider, Settings

RELAY = '[providers.relay]\nchat = "https://relay.example/v1"\n'


def provider(text: str, name: str = "relay") -> Provider:
    return load(text, "config.toml").providers[name]


def test_nothing_is_an_empty_configuration(tmp_path: Path) -> None:
    assert load("", "config.toml") == Settings()
    assert load_file(tmp_path / "none.toml") == Settings()


def test_sections() -> None:
    settings = load(
        "[server]\nport = 0\nmax_body = 10\n"
        "[hold]\nafter = 2\nform = 'off'\n[queue]\nwait = '1h'\n",
        "config.toml",
    )
    assert (settings.server.port, settings.server.max_body) == (0, 10)
    assert (settings.hold.after, settings.hold.form, settings.hold.every) == (2.0, "off", 15.0)
    assert (settings.queue.wait, settings.queue.wait_whole) == (3600.0, 285.0)


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("", "127.0.0.1"),
        ("[server]\nlan = true\n", "0.0.0.0"),
        ("[server]\nlan = true\nhost = '192.168.1.2'\n", "192.168.1.2"),
        ("[server]\nlan = true\nhost = '127.0.0.1'\n", "127.0.0.1"),
        ("[server]\nhost = '127.0.0.9'\n", "127.0.0.9"),
        ("[server]\nhost = '::1'\n", "::1"),
        ("[server]\nhost = '[::1]'\n", "[::1]"),
        ("[server]\nhost = 'localhost'\n", "localhost"),
    ],
)
def test_the_host(text: str, host: str) -> None:
    assert load(text, "config.toml").server.host == host


def test_a_preset_fills_what_is_not_set() -> None:
    openrouter = provider("[providers.o]\npreset = 'openrouter'\n", "o")
    assert openrouter.chat == "https://openrouter.ai/api/v1"
    assert openrouter.messages == "https://openrouter.ai/api"
    assert openrouter.gemini == ""
    assert openrouter.auth == {"messages": "bearer"}
    assert openrouter.keys == (Key(value="env:OPENROUTER_API_KEY"),)
    assert openrouter.models is None
    openai = provider("[providers.o]\npreset = 'openai'\n", "o")
    assert openai.quirks == ("openai",)
    assert openai.hosted == {"responses": ("web_search", "code")}


def test_the_table_goes_before_the_preset() -> None:
    mine = provider(
        "[providers.relay]\npreset = 'openai'\nchat = 'http://127.0.0.1:9/v1'\nkey = 'file:~/key'\n"
    )
    assert mine.chat == "http://127.0.0.1:9/v1"
    assert mine.responses == "https://api.openai.com/v1"
    assert mine.keys == (Key(value="file:~/key"),)


def test_a_preset_may_bring_limits_and_models() -> None:
    preset = Preset(
        name="p",
        title="P",
        bases={"chat": "https://p.example/v1"},
        key_env="P_KEY",
        limits={"rpm": 20, "concurrency": 2, "window": 300.0},
        models=("m",),
    )
    text = "[providers.a]\npreset = 'p'\nrpm = 5\n[providers.b]\npreset = 'p'\nmodels = ['n']\n"
    providers = load(text, "config.toml", {"p": preset}.get).providers
    assert (providers["a"].rpm, providers["a"].concurrency, providers["a"].window) == (5, 2, 300.0)
    assert providers["a"].models == (Model(id="m"),)
    assert providers["b"].models == (Model(id="n"),)


@pytest.mark.parametrize("text", [RELAY, "[providers.relay]\npreset = 'ollama'\n"])
def test_where_no_key_is_needed_there_is_still_a_lane(text: str) -> None:
    assert provider(text).keys == (Key(name="default", value=""),)


def test_several_keys() -> None:
    relay = provider(
        RELAY
        + "concurrency = 3\nkeys = [\n"
        + "  { name = 'home', value = 'env:A', concurrency = 2 },\n"
        + "  { name = 'work', value = 'keyring:b', rpm = 20, on = false },\n]\n"
    )
    home, work = relay.keys
    assert (home.name, home.value, home.on) == ("home", "env:A", True)
    assert (work.name, work.value, work.on) == ("work", "keyring:b", False)
    assert relay.limits_of(home) == (2, 0, 0)
    assert relay.limits_of(work) == (3, 20, 0)


def test_keys_as_an_array_of_tables() -> None:
    relay = provider(RELAY + "[[providers.relay.keys]]\nname = 'a'\nvalue = 'sk-1'\n")
    assert relay.keys == (Key(name="a", value="sk-1"),)


def test_models() -> None:
    relay = provider(
        RELAY
        + "messages = 'https://relay.example'\n"
        + "models = ['a/b:c', "
        + "{ id = 's', vendor_id = 'v', context = 9, dialects = ['messages'] }]\n"
    )
    assert relay.models == (
        Model(id="a/b:c"),
        Model(id="s", vendor_id="v", context=9, dialects=("messages",)),
    )


def test_routes_and_callers() -> None:
    settings = load(
        RELAY
        + "[routes.'sonnet[1m]']\ncandidates = ['relay/a/b', 'relay/c']\norder = 'rotate'\n"
        + "[callers.background]\nmatch = { agent = 'claude-code', model = '*haiku*' }\n"
        + "priority = 'background'\nhold = { open_after = '4m' }\nqueue = { length = 3 }\n",
        "config.toml",
    )
    route = settings.routes["sonnet[1m]"]
    assert (route.candidates, route.order) == (("relay/a/b", "relay/c"), "rotate")
    caller = settings.callers["background"]
    assert (caller.match.agent, caller.match.key, caller.match.model) == (
        "claude-code", "*", "*haiku*",
    )  # fmt: skip
    assert caller.priority == "background"
    assert caller.hold == {"open_after": 240.0}
    assert caller.queue == {"length": 3}


@pytest.mark.parametrize(
    ("dialect", "written", "base"),
    [
        ("chat", "https://a.example/v1/chat/completions", "https://a.example/v1"),
        ("chat", "https://a.example/v1", "https://a.example/v1"),
        ("responses", "https://a.example/v1/responses", "https://a.example/v1"),
        ("responses", "https://a.example/v1/chat/completions", "https://a.example/v1"),
        ("messages", "https://a.example/x/v1/messages", "https://a.example/x"),
        ("messages", "https://a.example/x/v1", "https://a.example/x"),
        ("messages", "https://a.example/x", "https://a.example/x"),
        ("gemini", "https://a.example/v1beta/models", "https://a.example"),
        ("gemini", "https://a.example/v1beta", "https://a.example"),
    ],
)
def test_base_urls_as_people_paste_them(dialect: DialectName, written: str, base: str) -> None:
    assert base_of(dialect, written) == base
    pasted = provider(f"[providers.relay]\n{dialect} = '{written}/'\n")
    assert pasted.base(dialect) == base


def test_a_bom_is_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(b"\xef\xbb\xbf[server]\r\nport = 5\r\n")
    assert load_file(file).server.port == 5


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_file(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}: cannot be read: ")


def test_what_is_not_utf_8(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(b"[server]\n# caf\xe9\n")
    with pytest.raises(ConfigError) as caught:
        load_file(file)
    assert str(caught.value) == f"{file}:2: not UTF-8; save the file in that encoding"


def test_a_nul_and_other_oddities_are_told(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(b"[server]\nport = \x00\n")
    with pytest.raises(ConfigError) as caught:
        load_file(file)
    assert caught.value.problems[0].line == 2
