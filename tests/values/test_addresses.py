"""How hosts and ports are written."""

from __future__ import annotations

import pytest

from holdgate.core.values.addresses import bracketed, host_and_port, shown_host


@pytest.mark.parametrize(
    ("host", "wanted"), [("a.example", "a.example"), ("::1", "[::1]"), ("[::1]", "[::1]")]
)
def test_brackets(host: str, wanted: str) -> None:
    assert bracketed(host) == wanted
    assert host_and_port(host, 80) == f"{wanted}:80"


@pytest.mark.parametrize("host", ["", "0.0.0.0", "::", "*", "localhost", "127.0.0.1"])
def test_who_listens_everywhere_is_here(host: str) -> None:
    assert shown_host(host) == "127.0.0.1"


def test_who_listens_elsewhere_is_there() -> None:
    assert (shown_host("192.168.1.20"), shown_host("::1")) == ("192.168.1.20", "[::1]")
