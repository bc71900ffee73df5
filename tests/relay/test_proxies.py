"""Proxies: the person's own word, and never one for loopback that nobody asked for."""

from __future__ import annotations

import pytest

from holdgate.core.relay.proxies import SystemProxies, choose_proxy

PROXY = "http://127.0.0.1:8080"
NONE = SystemProxies({}, lambda host: False)
SYSTEM = SystemProxies(
    {"https": "http://secure:1", "http": "http://plain:2"}, lambda host: host.endswith(".inside")
)


@pytest.mark.parametrize(
    "url", ["https://api.example/v1", "http://api.example", "http://127.0.0.1:1234/v1"]
)
def test_the_persons_own_word_counts(url: str) -> None:
    assert choose_proxy(url, PROXY, SYSTEM) == PROXY
    assert choose_proxy(url, "direct", SYSTEM) == ""


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST",
        "llm.localhost",
        "127.0.0.1",
        "127.8.8.8",
        "[::1]",
        "localhost:11434",
    ],
)
def test_the_systems_is_not_for_loopback(host: str) -> None:
    assert choose_proxy(f"http://{host}/v1", "", SYSTEM) == ""


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("https://api.example/v1", "http://secure:1"),
        ("http://api.example/v1", "http://plain:2"),
        ("https://llm.inside/v1", ""),
    ],
)
def test_the_systems_is_for_the_others_but_whom_it_leaves_out(url: str, proxy: str) -> None:
    assert choose_proxy(url, "", SYSTEM) == proxy
    assert choose_proxy(url, "", NONE) == ""


def test_one_for_all_schemes_counts_where_there_is_no_other() -> None:
    system = SystemProxies({"all": "http://any:3"}, lambda host: False)
    assert choose_proxy("https://api.example", "", system) == "http://any:3"
