"""The ways to a vendor: direct and through each kind of proxy, with TLS of an authority of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from tests.fakes.proxies import HttpProxy, Proxy, SocksProxy
from tests.relay.reaching import OK, asked, pem_of, serving, tls_of

LOGIN = ("me", "p:w")
AUTHORITY = trustme.CA()
VENDOR = tls_of(AUTHORITY.issue_cert("api.vendor.test", "127.0.0.1"))


@pytest.fixture(scope="module")
def ca(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield pem_of(AUTHORITY, tmp_path_factory.mktemp("ca"))


async def test_a_vendor_of_an_own_authority_is_reached(ca: Path) -> None:
    async with serving(OK, VENDOR) as port:
        assert await asked(f"https://127.0.0.1:{port}/v1", ca=ca) == 200


@pytest.mark.parametrize("name", ["NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"])
async def test_the_environment_names_authorities(ca: Path, name: str) -> None:
    async with serving(OK, VENDOR) as port:
        assert await asked(f"https://127.0.0.1:{port}/v1", environ={name: str(ca)}) == 200


def ways(to: int) -> list[Proxy]:
    own = tls_of(AUTHORITY.issue_cert("127.0.0.1"))
    return [
        HttpProxy(to),
        HttpProxy(to, LOGIN),
        HttpProxy(to, LOGIN, own),
        SocksProxy(to),
        SocksProxy(to, LOGIN),
    ]


@pytest.mark.parametrize("way", range(5))
@pytest.mark.parametrize("secure", [True, False], ids=["https", "http"])
async def test_through_each_kind_of_proxy(ca: Path, way: int, secure: bool) -> None:
    async with serving(OK, VENDOR if secure else None) as port, ways(port)[way] as proxy:
        url = "https://api.vendor.test/v1" if secure else "http://api.vendor.test/v1"
        assert await asked(url, proxy=proxy.url, ca=ca) == 200
        if secure or isinstance(proxy, SocksProxy):
            assert proxy.asked == [f"api.vendor.test:{443 if secure else 80}"]
        else:
            assert proxy.asked == [url]


async def test_who_looks_up_a_name_for_socks(ca: Path) -> None:
    async with serving(OK) as port, SocksProxy(port) as proxy:
        there, here = proxy.url, proxy.url.replace("socks5h", "socks5")
        assert await asked("http://localhost:81/v1", proxy=there) == 200
        assert await asked("http://localhost:81/v1", proxy=here) == 200
        assert proxy.asked == ["localhost:81", "127.0.0.1:81"]
