"""Why a vendor cannot be reached, by real errors of real sockets, handshakes and proxies."""

from __future__ import annotations

import errno
import os
import socket
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from holdgate.core.relay.dialing import Origin, Progress, Step
from holdgate.core.relay.reasons import unreachable
from holdgate.core.relay.tunnels import NoSuchVendor
from tests.fakes.proxies import HttpProxy, SocksProxy
from tests.relay.reaching import OK, pem_of, said, serving, tls_of

AUTHORITY = trustme.CA()
DAY = timedelta(days=1)
VENDOR = "https://api.vendor.test/v1"
LIMIT = "200ms, its connect_timeout"
HELP = (
    "; if it is a company's proxy or an own server, name its authority's PEM file as `ca`, or add "
    "it to the system's store"
)


@pytest.fixture(scope="module")
def ca(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pem_of(AUTHORITY, tmp_path_factory.mktemp("ca"))


@pytest.fixture
def nobody() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_refused_here(nobody: int, host: str) -> None:
    where = f"{host}:{nobody}"
    told = await said(f"http://{where}/v1")
    assert (
        told
        == f"cannot reach {where}: nothing listens at {where} (connection refused); is it running?"
    )


async def certificate(ca: Path | None, tls: ssl.SSLContext) -> str:
    async with serving(OK, tls) as port:
        begin = f"cannot reach 127.0.0.1:{port}: "
        told = await said(f"https://127.0.0.1:{port}/v1", ca=ca)
    assert told.startswith(begin)
    return told.removeprefix(begin)


async def test_certificates(ca: Path) -> None:
    now = datetime.now(UTC)
    issue = AUTHORITY.issue_cert
    names = ("other.test", "*.other.test", "10.1.2.3")
    expired = issue("127.0.0.1", not_before=now - 2 * DAY, not_after=now - DAY)
    early = issue("127.0.0.1", not_before=now + DAY, not_after=now + 2 * DAY)
    assert await certificate(None, tls_of(issue("127.0.0.1"))) == (
        "no authority that is trusted here vouches for its certificate "
        "(unable to get local issuer certificate)" + HELP
    )
    clock = "; is this machine's clock right?"
    assert await certificate(ca, tls_of(expired)) == f"its certificate has expired{clock}"
    assert await certificate(ca, tls_of(early)) == f"its certificate is not valid yet{clock}"
    assert await certificate(ca, tls_of(issue(*names))) == (
        "its certificate is for other.test, *.other.test, 10.1.2.3, not for 127.0.0.1; "
        "is the address right?"
    )


async def test_a_file_of_authorities_that_is_gone_or_none(tmp_path: Path) -> None:
    begin = "cannot reach api.vendor.test:443: the file of its `ca` "
    file = tmp_path / "company.pem"
    told = await said(VENDOR, ca=file)
    assert told == f"{begin}cannot be read: {file}: No such file or directory"
    file.write_text("-----BEGIN PRIVATE KEY-----\n")
    assert await said(VENDOR, ca=file) == f"{begin}holds no certificate in PEM form: {file}"


async def test_no_tls() -> None:
    async with serving(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
        told = await said(f"https://127.0.0.1:{port}/v1")
        assert told.endswith(": what answers there does not speak TLS; is it http://?")
    async with serving() as port:
        told = await said(f"https://127.0.0.1:{port}/v1")
        assert "the connection was closed during the TLS handshake" in told
    async with serving(silent=True) as port:
        told = await said(f"https://127.0.0.1:{port}/v1", patience=0.2)
        assert f"connected, but TLS was not ready within {LIMIT}" in told


def through(told: str, address: str) -> str:
    """Give what is told of a way through a proxy."""
    begin = f"cannot reach api.vendor.test:443 through the proxy {address}: "
    assert told.startswith(begin)
    return told.removeprefix(begin)


@pytest.mark.parametrize("scheme", ["http", "https", "socks5", "socks4a"])
async def test_the_proxy_itself(nobody: int, scheme: str) -> None:
    told = await said(VENDOR, proxy=f"{scheme}://me:secret@127.0.0.1:{nobody}")
    why = through(told, f"{scheme}://127.0.0.1:{nobody}")
    assert why == f"nothing listens at 127.0.0.1:{nobody} (connection refused); is it running?"


async def test_an_address_that_is_none_is_told_without_its_password() -> None:
    told = through(
        await said(VENDOR, proxy="http://me:se/cret@proxy.test:8080"), "http://proxy.test:8080"
    )
    assert told.startswith("that is no proxy's address: it is no address; signs such as /")
    told = through(await said(VENDOR, proxy="quic://me:secret@proxy.test"), "quic://proxy.test")
    assert told.startswith("that is no proxy's address: it begins with none of http://,")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"HTTP/1.1 403 Forbidden", "the proxy does not allow it (403 Forbidden)"),
        (
            b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/html",
            "the proxy does not allow it (403 Forbidden, with a web page)",
        ),
        (b"HTTP/1.1 502 Bad Gateway", "the proxy does not get there (502 Bad Gateway)"),
        (
            b"HTTP/1.1 405 Method Not Allowed",
            "the proxy refuses (405 Method Not Allowed); is it one that knows CONNECT?",
        ),
        (
            b"HTTP/1.1 302 Found\r\nContent-Type: text/html",
            "the proxy answers with a web page (302 Found): it wants a login in the browser, "
            "or it is no proxy",
        ),
        (
            b"HTTP/1.1 200 OK\r\n\r\n<html>",
            "the proxy answers with a web page (200 OK): it wants a login in the browser, "
            "or it is no proxy",
        ),
        (b"\x05\xff", "what answers there is no HTTP proxy; is it socks5h://?"),
        (b"", "the proxy closed the connection instead of an answer; is it http://?"),
    ],
)
async def test_what_a_proxy_says(answer: bytes, why: str) -> None:
    async with HttpProxy(answer=answer and answer + b"\r\n\r\n") as proxy:
        assert through(await said(VENDOR, proxy=proxy.url), proxy.url) == why


@pytest.mark.parametrize("kind", [HttpProxy, SocksProxy])
async def test_a_proxys_login(kind: type[HttpProxy | SocksProxy]) -> None:
    async with kind(login=("me", "secret")) as proxy:
        bare = proxy.url.replace("me:secret@", "")
        wrong = await said(VENDOR, proxy=proxy.url.replace("secret", "wrong-one"))
        none = await said(VENDOR, proxy=bare)
    assert through(wrong, bare).startswith(
        "the proxy does not take the user and password in its address"
    )
    wanted = bare.replace("://", "://USER:PASSWORD@")
    assert through(none, bare).startswith(f"the proxy wants a user and password: {wanted}")


async def test_a_silent_proxy() -> None:
    async with serving(silent=True) as port:
        by_http = await said(VENDOR, proxy=f"http://127.0.0.1:{port}", patience=0.2)
        by_socks = await said(VENDOR, proxy=f"socks5h://127.0.0.1:{port}", patience=0.2)
    assert by_http.endswith(f": the proxy did not answer within {LIMIT}")
    assert by_socks.endswith(f": no way through within {LIMIT}; does the proxy run, and get there?")


async def test_tls_with_a_proxy() -> None:
    async with serving(OK, tls_of(AUTHORITY.issue_cert("127.0.0.1"))) as port:
        told = await said(VENDOR, proxy=f"https://127.0.0.1:{port}")
    assert ": the proxy: no authority that is trusted here vouches for" in told


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (1, "the proxy failed (general failure)"),
        (2, "the proxy's rules do not allow it"),
        (4, "the proxy finds no such host"),
        (5, "the connection that the proxy tried was refused"),
        (9, "the proxy refuses: Invalid reply code: 0X9"),
    ],
)
async def test_what_a_socks_proxy_says(code: int, why: str) -> None:
    async with SocksProxy(code=code) as proxy:
        assert through(await said(VENDOR, proxy=proxy.url), proxy.url) == why


async def test_what_is_no_socks_proxy() -> None:
    no_socks = "what answers there is no such SOCKS proxy; is it http://, or another version?"
    async with serving(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
        for scheme in ("socks5h", "socks4a"):
            address = f"{scheme}://127.0.0.1:{port}"
            assert through(await said(VENDOR, proxy=address), address) == no_socks


async def test_what_cannot_be_said_to_a_socks_proxy() -> None:
    async with SocksProxy(login=("me", "sécret")) as proxy:
        told = await said(VENDOR, proxy=proxy.url)
    assert told.endswith("is none of a host, or a login has signs outside ASCII")
    assert "cret" not in told


def test_a_name_that_is_looked_up_here_for_socks() -> None:
    origin = Origin("https", "vendor.test", 443, "socks5://127.0.0.1:1")
    error = NoSuchVendor(socket.EAI_NONAME, "unknown")
    assert unreachable(origin, error, Progress(), 10.0) == (
        "cannot reach vendor.test:443 through the proxy socks5://127.0.0.1:1: "
        "the name vendor.test is not found (DNS); is it spelt right?"
    )


def numbered(number: int) -> OSError:
    """Give the system's own error of a number."""
    return OSError(number, os.strerror(number))


def ssl_error(reason: str) -> ssl.SSLError:
    return ssl.SSLError(1, f"[SSL: {reason}] {reason.lower()} (_ssl.c:1006)")


def certificate_error(code: int, words: str) -> ssl.SSLCertVerificationError:
    """Give an error as truststore makes it of what Windows and macOS say."""
    error = ssl.SSLCertVerificationError(words)
    error.verify_code, error.verify_message = code, words
    return error


@pytest.mark.parametrize(
    ("error", "step", "why"),
    [
        (
            socket.gaierror(socket.EAI_NONAME, "unknown"),
            "first",
            "the name vendor.test is not found (DNS); is it spelt right?",
        ),
        (
            socket.gaierror(socket.EAI_AGAIN, "failure"),
            "first",
            "no answer to the name vendor.test (DNS); is this machine online?",
        ),
        (
            numbered(errno.ECONNREFUSED),
            "first",
            "vendor.test:443 refuses the connection; is the port right?",
        ),
        (
            numbered(errno.ENETUNREACH),
            "first",
            "no network leads to vendor.test:443; is this machine online?",
        ),
        (
            OSError(f"Multiple exceptions: [Errno {errno.EHOSTUNREACH}] no, [WinError 1232] no"),
            "first",
            "no way leads to vendor.test:443; is the address right, and the VPN up?",
        ),
        (
            TimeoutError(errno.ETIMEDOUT, "timed out"),
            "first",
            "vendor.test:443 does not answer; does a firewall or VPN let it through?",
        ),
        (
            TimeoutError(),
            "first",
            "no connection to vendor.test:443 within 10s, its connect_timeout; "
            "is the address right, and does a firewall or VPN let it through?",
        ),
        (numbered(errno.EMFILE), "first", "too many files are open; see ulimit -n"),
        (numbered(errno.EIO), "first", os.strerror(errno.EIO)),
        (
            ssl_error("TLSV1_ALERT_PROTOCOL_VERSION"),
            "TLS",
            "it speaks no version of TLS that is safe, 1.2 or newer "
            "([SSL: TLSV1_ALERT_PROTOCOL_VERSION] tlsv1_alert_protocol_version (_ssl.c:1006))",
        ),
        (
            ssl_error("TLSV1_UNRECOGNIZED_NAME"),
            "TLS",
            "what answers there does not know the name vendor.test; is the address right?",
        ),
        (certificate_error(-67843, "not trusted"), "TLS", "(not trusted)" + HELP),
        (certificate_error(0x800B0109, "root"), "TLS", "(root)" + HELP),
        (certificate_error(-2146762487, "root"), "TLS", "(root)" + HELP),
        (
            certificate_error(0x800B0101, "old"),
            "TLS",
            "its certificate has expired; is this machine's clock right?",
        ),
        (
            certificate_error(-67602, "name"),
            "TLS",
            "its certificate is not for vendor.test; is the address right?",
        ),
        (certificate_error(23, "revoked"), "TLS", "its certificate was revoked"),
        (certificate_error(26, "purpose"), "TLS", "its certificate is not accepted: purpose"),
    ],
)
def test_what_cannot_be_had_here(error: Exception, step: Step, why: str) -> None:
    origin = Origin("https", "vendor.test", 443, "")
    told = unreachable(origin, error, Progress(step), 10.0)
    assert told.startswith("cannot reach vendor.test:443: ")
    assert told.endswith(why)
