"""Proxies of the environment do not stand between agents and the gateway."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from holdgate.core.agents.base import Machine
from holdgate.core.agents.proxies import past_proxies

URL = "http://127.0.0.1:4653"
PROXY = {"http_proxy": "http://p:1"}
BOTH = "127.0.0.1,localhost"


@pytest.mark.parametrize(
    ("environ", "url", "told"),
    [
        ({}, URL, {}),
        ({"http_proxy": ""}, URL, {}),
        (PROXY, URL, {"NO_PROXY": BOTH, "no_proxy": BOTH}),
        ({"ALL_PROXY": "socks5://p"}, URL, {"NO_PROXY": BOTH, "no_proxy": BOTH}),
        (PROXY | {"NO_PROXY": "*"}, URL, {"no_proxy": "*"}),
        (PROXY | {"NO_PROXY": f"{BOTH}, a", "no_proxy": "127.0.0.1"}, URL, {}),
        (PROXY | {"no_proxy": "a b"}, URL, {"NO_PROXY": f"a,b,{BOTH}", "no_proxy": f"a,b,{BOTH}"}),
        (
            PROXY | {"NO_PROXY": "127.0.0.0/8", "no_proxy": "x"}, URL,
            {"NO_PROXY": f"127.0.0.0/8,{BOTH}", "no_proxy": f"x,{BOTH}"},
        ),
        (PROXY, "https://192.168.1.20:1", {"NO_PROXY": "192.168.1.20", "no_proxy": "192.168.1.20"}),
        (PROXY, "http://[::1]:1", {"NO_PROXY": f"::1,{BOTH}", "no_proxy": f"::1,{BOTH}"}),
        (PROXY, "https://gateway.example", {}),
        (PROXY, "https://8.8.8.8", {}),
    ],
)  # fmt: skip
def test_what_keeps_a_proxy_out(
    environ: Mapping[str, str], url: str, told: Mapping[str, str]
) -> None:
    assert past_proxies(url, Machine("linux", Path("/home"), environ)) == told


def test_windows_has_one_name_for_both() -> None:
    machine = Machine("win32", Path("/home"), {"HTTP_PROXY": "p"})
    assert past_proxies(URL, machine) == {"NO_PROXY": BOTH}
