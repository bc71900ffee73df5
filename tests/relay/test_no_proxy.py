"""NO_PROXY, by what people know of curl and Go."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.relay.no_proxy import read_no_proxy


@pytest.mark.parametrize(
    ("entries", "inside", "outside"),
    [
        ("", "", "example.com 10.0.0.1 ::1"),
        ("*", "example.com 10.0.0.1 ::1", ""),
        ("a.test, *", "example.com 10.0.0.1", ""),
        # A name, with a leading dot or star or without, is itself and what is below.
        (
            "example.com",
            "example.com www.example.com a.b.example.com EXAMPLE.com example.com.",
            "nonexample.com example.com.evil.test com example.org",
        ),
        (".example.com", "example.com www.example.com", "nonexample.com"),
        ("*.example.com", "example.com www.example.com", "nonexample.com"),
        ("Example.COM.", "example.com www.example.com", "example.org"),
        ("localhost", "localhost llm.localhost", "localhost.test"),
        # Between entries: commas, blanks, both, none.
        (" a.test ,b.test  c.test,,\td.test ", "a.test b.test c.test d.test", "e.test"),
        # Addresses and networks.
        ("10.0.0.1", "10.0.0.1", "10.0.0.10 10.0.0.2 x.10.0.0.1"),
        ("10.0.0.0/8", "10.0.0.1 10.255.1.2", "11.0.0.1 ten.test"),
        ("10.1.2.3/8", "10.9.9.9", "11.0.0.1"),
        ("192.168.1.0/24,172.16.0.0/12", "192.168.1.77 172.31.0.1", "192.168.2.1 172.32.0.1"),
        ("::1", "::1 [::1] 0:0:0:0:0:0:0:1", "::2"),
        ("[::1]", "::1", "::2"),
        ("fd00::/8", "fd12::1", "fe80::1 10.0.0.1"),
        ("10.0.0.0/99, 10.0.0.300, a/b", "", "10.0.0.1 10.0.0.30"),
        # What looks like the end of an address is none.
        ("0.0.1, .1", "", "10.0.0.1"),
        # A port.
        ("example.com:8443", "example.com:8443 a.example.com:8443", "example.com a.example.com"),
        ("example.com:443", "example.com", "example.com:8443"),
        ("10.0.0.1:8080", "10.0.0.1:8080", "10.0.0.1"),
        ("[fd00::1]:8080", "fd00::1@8080", "fd00::1"),
        ("*:8080", "any.test:8080", "any.test"),
    ],
)  # fmt: skip
def test_who_is_left_out(entries: str, inside: str, outside: str) -> None:
    bypasses = read_no_proxy(entries)
    assert [place for place in inside.split() if not bypasses(*cut(place))] == []
    assert [place for place in outside.split() if bypasses(*cut(place))] == []


def cut(place: str) -> tuple[str, int]:
    """Give host and port; an IPv6 address has its port behind an @."""
    if "@" in place or place.count(":") == 1:
        host, _, port = place.replace("@", ":").rpartition(":")
        return host, int(port)
    return place, 443


@settings(max_examples=60)
@given(text=st.text("aA1.:/*[], %\t", max_size=30), host=st.sampled_from(["a.a", "1.1.1.1", "::1"]))
def test_nothing_in_it_breaks(text: str, host: str) -> None:
    assert read_no_proxy(text)(host, 443) in (True, False)
    assert read_no_proxy(f"{text},{host}")(host, 443)
