"""The ways to a vendor: direct and through each kind of proxy, with TLS of an own authority."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Never

import pytest
import trustme

from holdgate.core.relay.dialing import Dialer, Progress, address_of
from holdgate.core.relay.http1 import Connection
from holdgate.core.relay.proxies import Proxy as Address
from holdgate.core.relay.reasons import unreachable
from holdgate.core.relay.trust import Trust
from holdgate.core.relay.tunnels import SocksMissing
from holdgate.core.relay.upstream import Pool
from holdgate.core.values.clock import system_clock
from holdgate.core.values.errors import Fault
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


async def test_by_truststores_context_which_windows_and_macos_get(ca: Path) -> None:
    async with serving(OK, VENDOR) as port:
        origin = address_of(f"https://127.0.0.1:{port}/", "", str(ca)).origin
        pool = Pool(system_clock(asyncio.get_running_loop().time))
        dialer = Dialer(Trust({}, "darwin"))
        made = await dialer.dial(origin, lambda: Connection(pool), Progress(), 9.0)
        assert made.alive
        made.abort()


async def test_without_the_extra_socks_it_is_told_what_to_do() -> None:
    def missing(proxy: Address) -> Never:
        raise ImportError(name="python_socks")

    origin = address_of("https://api.vendor.test/", "socks5://127.0.0.1:1").origin
    pool = Pool(system_clock(asyncio.get_running_loop().time))
    progress = Progress()
    with pytest.raises(SocksMissing) as caught:
        await Dialer(Trust({}), missing).dial(origin, lambda: Connection(pool), progress, 9.0)
    assert unreachable(origin, caught.value, progress, 10.0) == (
        "cannot reach api.vendor.test:443 through the proxy socks5://127.0.0.1:1: a proxy of the "
        "kind socks5 needs the extra socks: pipx inject holdgate 'python-socks[asyncio]'"
    )


async def test_a_request_in_plain_words_to_tls_is_told_as_such() -> None:
    async with serving(b"\x15\x03\x03\x00\x02\x02\x46") as port:
        with pytest.raises(Fault, match=r"the reply is no HTTP: it speaks TLS; is it https://\?"):
            await asked(f"http://127.0.0.1:{port}/v1")


@pytest.mark.parametrize(
    ("url", "proxy", "host", "authority", "target"),
    [
        ("http://a.test:80/v1?x=1", "", "a.test", "a.test:80", "/v1?x=1"),
        ("https://bücher.test/v1", "", "xn--bcher-kva.test", "xn--bcher-kva.test", "/v1"),
        (
            *("http://公司.test:8080/模型?q=é%20", "http://p:1", "xn--55qx5d.test"),
            *("xn--55qx5d.test:8080", "http://xn--55qx5d.test:8080/%E6%A8%A1%E5%9E%8B?q=%C3%A9%20"),
        ),
        ("http://[::1]:9/v1", "", "::1", "[::1]:9", "/v1"),
        (f"http://{'ü' * 99}.test/v1", "", f"{'ü' * 99}.test", f"{'ü' * 99}.test", "/v1"),
    ],
)
def test_addresses_as_requests_have_them(
    url: str, proxy: str, host: str, authority: str, target: str
) -> None:
    found = address_of(url, proxy)
    assert (found.origin.host, found.authority, found.target) == (host, authority, target)
