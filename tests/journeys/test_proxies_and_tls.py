"""Vendors behind TLS of a made-up authority, reached directly and through proxies."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
import trustme

from tests.fakes.agents import RawReply, post
from tests.fakes.proxies import HttpProxy, Proxy, SocksProxy
from tests.fakes.vendor import FakeVendor
from tests.journeys.gateway import Running, asking, done, provider, running
from tests.relay.reaching import pem_of, tls_of

AUTHORITY = trustme.CA()
TLS = tls_of(AUTHORITY.issue_cert("localhost", "127.0.0.1", "api.vendor.test"))
PASSWORD = "proxy-password-51d0"
LOGIN = ("me", PASSWORD)
VENDOR = "https://api.vendor.test"


@pytest.fixture
def ca(tmp_path: Path) -> Path:
    return pem_of(AUTHORITY, tmp_path)


async def ask(gateway: Running) -> RawReply:
    path, upload = asking("chat")
    return await post(gateway.url + path, upload=upload)


async def test_a_vendor_of_an_own_authority(tmp_path: Path, ca: Path) -> None:
    async with FakeVendor(tls=TLS) as vendor:
        config = provider(vendor.url, f"ca = '{ca}'", dialects=("chat",))
        async with running(tmp_path, config) as gateway:
            assert (await ask(gateway)).status == 200
            assert (await ask(gateway)).status == 200
            assert len(vendor.requests) == 2


async def test_an_unknown_authority_is_told_to_agent_page_and_test(tmp_path: Path) -> None:
    async with FakeVendor(tls=TLS) as vendor:
        config = provider(vendor.url, dialects=("chat",))
        async with running(tmp_path, config) as gateway:
            why = f"cannot reach {urlsplit(vendor.url).netloc}: no authority that is trusted here"
            refused = await ask(gateway)
            assert refused.status == 502 and why in refused.json["error"]["message"]
            assert why in (await gateway.control("/api/status"))["last_error"]
            tested = (await done(gateway, "/api/providers/fake/test"))["tests"]
            assert [why in each["reason"] for each in tested] == [True]


@pytest.mark.parametrize("kind", [HttpProxy, SocksProxy])
async def test_through_a_proxy_with_a_password(
    tmp_path: Path, ca: Path, kind: type[HttpProxy | SocksProxy]
) -> None:
    async with FakeVendor(tls=TLS) as vendor, kind(vendor.port, LOGIN) as proxy:
        lines = f"ca = '{ca}'", f"proxy = '{proxy.url}'"
        config = provider(VENDOR, *lines, dialects=("chat",))
        async with running(tmp_path, config) as gateway:
            assert (await ask(gateway)).status == 200
            assert proxy.asked == ["api.vendor.test:443"]
            proxy.login = ("me", "another")
            await silent_about_it(gateway, proxy)


async def silent_about_it(gateway: Running, proxy: Proxy) -> None:
    """Have the proxy refuse: its password is told nowhere."""
    tested = await done(gateway, "/api/providers/fake/test")
    reason = tested["tests"][0]["reason"]
    assert f"through the proxy {proxy.scheme}://127.0.0.1:{proxy.port}: " in reason
    assert "the proxy does not take the user and password in its address" in reason
    shown = str(tested), str(await gateway.control("/api/status")), gateway.log_text()
    assert not [text for text in shown if PASSWORD in text]


async def test_the_environments_proxy_and_whom_it_leaves_out(tmp_path: Path, ca: Path) -> None:
    async with (
        FakeVendor(tls=TLS) as vendor,
        FakeVendor() as inside,
        HttpProxy(vendor.port, LOGIN) as proxy,
    ):
        # 0.0.0.0 is this machine, but no loopback address.
        own = f"http://0.0.0.0:{inside.port}"
        config = provider(VENDOR, dialects=("chat",)) + provider(
            own, name="own", dialects=("chat",), models='["own-model"]'
        )
        environ = {
            "HTTPS_PROXY": proxy.url,
            "http_proxy": proxy.url,
            "NO_PROXY": "10.0.0.0/8, 0.0.0.0/32",
            "NODE_EXTRA_CA_CERTS": str(ca),
        }
        async with running(tmp_path, config, environ=environ) as gateway:
            assert (await ask(gateway)).status == 200
            path, upload = asking("chat", "own/own-model")
            assert (await post(gateway.url + path, upload=upload)).status == 200
    assert proxy.asked == ["api.vendor.test:443"]
    assert [seen.path for seen in inside.requests] == ["/v1/chat/completions"]
