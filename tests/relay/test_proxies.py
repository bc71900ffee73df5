"""Proxies: the person's own word, the environment's, the system's; none for loopback unasked."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from holdgate.core.relay.no_proxy import read_no_proxy
from holdgate.core.relay.proxies import (
    NoSuchProxy,
    Proxy,
    SystemProxies,
    choose_proxy,
    environment_proxies,
    from_machine,
    parse_proxy,
    passwords,
    shown_proxy,
    system_proxies,
)

PROXY = "http://127.0.0.1:8080"
NONE = SystemProxies({}, read_no_proxy(""))
SYSTEM = SystemProxies(
    {"https": "http://secure:1", "http": "http://plain:2"}, read_no_proxy("inside,lan.example:8443")
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
        "localhost.",
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
        ("https://lan.example:8443/v1", ""),
        ("https://lan.example/v1", "http://secure:1"),
    ],
)
def test_the_systems_is_for_the_others_but_whom_it_leaves_out(url: str, proxy: str) -> None:
    assert choose_proxy(url, "", SYSTEM) == proxy
    assert choose_proxy(url, "", NONE) == ""


def test_one_for_all_schemes_counts_where_there_is_no_other() -> None:
    system = SystemProxies({"all": "http://any:3"}, read_no_proxy(""))
    assert choose_proxy("https://api.example", "", system) == "http://any:3"


@pytest.mark.parametrize(
    ("environ", "https", "http"),
    [
        ({}, "", ""),
        ({"HTTPS_PROXY": "http://a:1"}, "http://a:1", ""),
        ({"https_proxy": "http://b:1", "HTTPS_PROXY": "http://a:1"}, "http://b:1", ""),
        ({"https_proxy": "", "HTTPS_PROXY": "http://a:1"}, "", ""),
        ({"HTTP_PROXY": "http://a:1"}, "", "http://a:1"),
        ({"HTTP_PROXY": "http://a:1", "REQUEST_METHOD": "GET"}, "", ""),
        ({"http_proxy": "http://a:1", "REQUEST_METHOD": "GET"}, "", "http://a:1"),
        ({"HTTPS_PROXY": "http://a:1", "REQUEST_METHOD": "GET"}, "http://a:1", ""),
        ({"ALL_PROXY": "socks5://a:1"}, "socks5://a:1", "socks5://a:1"),
        ({"all_proxy": "socks5://a:1", "HTTPS_PROXY": "http://b:2"}, "http://b:2", "socks5://a:1"),
        # As people write them.
        ({"HTTPS_PROXY": " proxy.example:3128 "}, "http://proxy.example:3128", ""),
        ({"HTTPS_PROXY": "HTTP://a:1/"}, "http://a:1", ""),
        ({"ALL_PROXY": "socks://127.0.0.1:7890/"}, "socks5h://127.0.0.1:7890", None),
        ({"HTTPS_PROXY": "http://a:1", "NO_PROXY": "vendor.test"}, "", ""),
        ({"HTTPS_PROXY": "http://a:1", "no_proxy": "", "NO_PROXY": "*"}, "http://a:1", ""),
    ],
)
def test_the_environment(environ: Mapping[str, str], https: str, http: str | None) -> None:
    found = environment_proxies(environ)
    assert choose_proxy("https://api.vendor.test", "", found) == https
    if http is not None:
        assert choose_proxy("http://api.vendor.test", "", found) == http


@pytest.mark.parametrize(
    ("environ", "proxy"),
    [
        ({}, "http://machine:1"),
        ({"NO_PROXY": "vendor.test"}, ""),
        ({"NO_PROXY": "other.test"}, "http://machine:1"),
        ({"HTTPS_PROXY": "http://own:2"}, "http://own:2"),
        ({"HTTP_PROXY": "http://own:2"}, ""),
    ],
)
def test_the_machine_counts_where_the_environment_names_none(
    environ: Mapping[str, str], proxy: str
) -> None:
    machine = from_machine({"https": "machine:1"}, read_no_proxy("left.test"))
    found = system_proxies(environ, lambda: machine)
    assert choose_proxy("https://api.vendor.test", "", found) == proxy
    assert choose_proxy("https://left.test", "", system_proxies({}, lambda: machine)) == ""


@pytest.mark.parametrize("told", ["http://127.0.0.1:1080", "socks://127.0.0.1:1080"])
def test_a_machines_socks_proxy(told: str) -> None:
    found = from_machine({"socks": told}, read_no_proxy(""))
    assert choose_proxy("https://api.example", "", found) == "socks5h://127.0.0.1:1080"


@pytest.mark.parametrize(
    ("text", "proxy"),
    [
        ("http://a", Proxy("http", "a", 80, None)),
        ("https://a", Proxy("https", "a", 443, None)),
        ("socks5h://a", Proxy("socks5h", "a", 1080, None)),
        ("http://me:p%40ss@a:1", Proxy("http", "a", 1, ("me", "p@ss"))),
        ("http://me@[::1]:1", Proxy("http", "::1", 1, ("me", ""))),
    ],
)
def test_addresses(text: str, proxy: Proxy) -> None:
    assert parse_proxy(text) == proxy


@pytest.mark.parametrize(
    "text",
    ["quic://me:secret@a:1", "http://me:se/cret@a:1", "http://me:se://cret@", "me:secret@a:1"],
)
def test_what_is_no_address_is_told_without_its_password(text: str) -> None:
    with pytest.raises(NoSuchProxy) as caught:
        parse_proxy(text)
    assert not {"secret", "se", "cret"} & set(str(caught.value).split())
    assert "cret" not in shown_proxy(text)


def test_passwords_are_known_so_that_the_log_masks_them() -> None:
    proxies = ["", "http://a:1", "http://me:p%40ssword@a:1", "socks5://you:other-one@b"]
    assert passwords(proxies) == {"p%40ssword", "p@ssword", "other-one"}
