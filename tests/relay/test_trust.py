"""Trust: one context for each `ca`, made once, of the system's store and what is named besides."""

from __future__ import annotations

import logging
import os
import shutil
import ssl
from pathlib import Path

import pytest
import trustme
import truststore

from holdgate.core.relay.trust import CannotTrust, Trust, make_context
from tests.relay.reaching import pem_of

ONE, TWO = trustme.CA(organization_name="One"), trustme.CA(organization_name="Two")


def names(context: ssl.SSLContext) -> set[str]:
    """Give whom a context trusts, of the made-up authorities."""
    found = {str(each["subject"][0][0][1]) for each in ssl.SSLContext.get_ca_certs(inner(context))}
    return found & {"One", "Two"}


def inner(context: ssl.SSLContext) -> ssl.SSLContext:
    return context._ctx if isinstance(context, truststore.SSLContext) else context


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    made = []
    for name, authority in (("one", ONE), ("two", TWO)):
        (tmp_path / name).mkdir()
        made.append(str(pem_of(authority, tmp_path / name)))
    return made


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_what_is_named_counts_besides(files: list[str], platform: str) -> None:
    one, two = files
    assert names(make_context({}, "", platform)) == set()
    assert names(make_context({"NODE_EXTRA_CA_CERTS": one}, two, platform)) == {"One", "Two"}
    assert names(make_context({"SSL_CERT_FILE": one}, "", platform)) == {"One"}
    context = make_context({"REQUESTS_CA_BUNDLE": two, "NODE_EXTRA_CA_CERTS": two}, "", platform)
    assert names(context) == {"Two"}
    assert context.verify_mode is ssl.CERT_REQUIRED and context.check_hostname
    assert isinstance(context, truststore.SSLContext) == (platform != "linux")


def test_openssls_file_is_instead_of_the_systems(files: list[str], tmp_path: Path) -> None:
    environ = {"SSL_CERT_FILE": files[0], "SSL_CERT_DIR": str(tmp_path)}
    assert make_context(environ, "", "linux").cert_store_stats()["x509_ca"] == 1


def test_what_the_environment_names_in_vain_is_told_and_left_out(
    files: list[str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    none = tmp_path / "none.pem"
    none.write_text("hello\n")
    gone = str(tmp_path / "gone.pem")
    environ = {"NODE_EXTRA_CA_CERTS": str(none), "SSL_CERT_FILE": gone}
    with caplog.at_level(logging.WARNING):
        assert names(make_context(environ, files[0], "linux")) == {"One"}
    assert [record.getMessage() for record in caplog.records] == [
        f"SSL_CERT_FILE is left out: it cannot be read: {gone}: No such file or directory",
        f"NODE_EXTRA_CA_CERTS is left out: it holds no certificate in PEM form: {none}",
    ]


async def test_a_context_is_made_once_and_anew_when_its_file_changed(files: list[str]) -> None:
    trust = Trust({}, "linux")
    first = await trust.context(files[0])
    assert await trust.context(files[0]) is first
    assert await trust.context("") is not first
    shutil.copyfile(files[1], files[0])
    os.utime(files[0], (1, 1))
    assert names(await trust.context(files[0])) == {"Two"}
    os.unlink(files[0])
    with pytest.raises(CannotTrust, match="cannot be read"):
        await trust.context(files[0])
