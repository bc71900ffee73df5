"""Trust: whose certificates are believed, and the TLS contexts made of that.

Theory. Windows and macOS are asked themselves (truststore), at each handshake. Elsewhere the store
is files that OpenSSL reads; truststore would read them anew for each connection (15 ms for a usual
bundle of 140 authorities, in the event loop), so there a plain context reads them once. What a
person adds counts besides the system's store, never instead: on macOS as more anchors, on Windows
by a second look (both by truststore), elsewhere in the same list.

A context is made when it is first needed, in a worker thread (30 ms), and kept. `ca` is looked at
before each connection: a changed file applies to the next one.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import ssl
import sys
from collections.abc import Iterator, Mapping
from typing import Final, Literal

log = logging.getLogger(__name__)

# Files of authorities that agents' and tools' users have set already; here they count besides.
_MORE = ("NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE")
# All variables that name such a file.
VARIABLES: Final = ("SSL_CERT_FILE", *_MORE)
_ASKED_THEMSELVES = ("win32", "darwin")
# Where systems keep their bundle when the place that OpenSSL was built with is empty, as for a
# Python that was not built there (the places of truststore and of Go's crypto/x509/root_linux.go).
_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Gentoo
    "/etc/ssl/cert.pem",  # Alpine, Arch, Fedora, BSD
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  # Fedora, RHEL
    "/etc/pki/tls/cert.pem",  # older Fedora, RHEL
    "/etc/ssl/ca-bundle.pem",  # SUSE
)
_HASHED = re.compile(r"[0-9a-fA-F]{8}\.[0-9]")

_Stamp = tuple[int, int] | None

# What is wrong with a certificate.
Flaw = Literal["unknown", "expired", "early", "name", "revoked", "other"]
# By the codes of OpenSSL (x509_vfy.h), macOS (SecBase.h) and Windows (winerror.h).
_FLAWS: Final[Mapping[Flaw, tuple[int, ...]]] = {
    "unknown": (2, 18, 19, 20, 21, -67843, 0x800B0109, 0x800B010A),
    "expired": (10, -67818, 0x800B0101),
    "early": (9, -67819),
    "name": (62, 64, -67602, 0x800B010F),
    "revoked": (23, -67820, 0x80092010),
}


class CannotTrust(OSError):
    """A provider's `ca` is of no use; `str()` says why."""


class Trust:
    """The contexts of one gateway, one for each `ca` that its providers name ("": none)."""

    def __init__(self, environ: Mapping[str, str], platform: str = sys.platform) -> None:
        """Take the environment. Nothing is read yet."""
        self._environ, self._platform = environ, platform
        self._made: dict[str, tuple[_Stamp, ssl.SSLContext]] = {}
        self._making = asyncio.Lock()

    async def context(self, ca: str) -> ssl.SSLContext:
        """Give the context for providers with this `ca`. Raises CannotTrust."""
        stamp = _stamp(ca)
        async with self._making:
            made = self._made.get(ca)
            if made is None or made[0] != stamp:
                made = self._made[ca] = (stamp, await self._make(ca))
        return made[1]

    async def nameless(self, ca: str) -> ssl.SSLContext:
        """Give one that does not compare names, to read them; no request goes over it."""
        context = await self._make(ca)
        context.check_hostname = False
        return context

    async def _make(self, ca: str) -> ssl.SSLContext:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, make_context, self._environ, ca, self._platform)


def make_context(environ: Mapping[str, str], ca: str, platform: str) -> ssl.SSLContext:
    """Read everything and give a context. Blocks for tens of milliseconds. Raises CannotTrust.

    Certificates are checked as browsers and curl do, not by X509_STRICT (which Python's default
    context adds from 3.13 on): many a company's authority lacks what that demands. An authority
    between may be an anchor, too: companies hand out those.
    """
    if platform in _ASKED_THEMSELVES:
        import truststore  # its import alone takes a while there

        context: ssl.SSLContext = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        more = [*VARIABLES]
    else:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        _load_store(context, environ)
        more = [*_MORE]
    context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
    for name, place in _places(environ, more):
        _load_named(context, name, place)
    if ca:
        try:
            context.load_verify_locations(cafile=os.path.expanduser(ca))
        except OSError as error:
            raise CannotTrust(f"the file of its `ca` {why_not_loaded(ca, error)}") from error
    return context


def flaw(error: ssl.SSLCertVerificationError) -> Flaw:
    """Give what kept a certificate from being accepted."""
    code = getattr(error, "verify_code", 0)
    code = code + (1 << 32) if code < -(1 << 30) else code  # Windows's, where they came signed
    return next((found for found, codes in _FLAWS.items() if code in codes), "other")


def why_not_loaded(place: str, error: OSError) -> str:
    """Say what is wrong with a file of certificates; ssl's errors are OSErrors, too."""
    if isinstance(error, ssl.SSLError):
        return f"holds no certificate in PEM form: {place}"
    return f"cannot be read: {place}: {error.strerror or error}"


def _load_store(context: ssl.SSLContext, environ: Mapping[str, str]) -> None:
    """Load the system's files by OpenSSL's rules: SSL_CERT_FILE and SSL_CERT_DIR are instead."""
    built_in = ssl.get_default_verify_paths()
    file = environ.get("SSL_CERT_FILE") or built_in.openssl_cafile
    folders = environ.get("SSL_CERT_DIR") or built_in.openssl_capath
    if any(_has_certificates(folder) for folder in folders.split(os.pathsep)):
        context.load_verify_locations(capath=folders)
    elif not os.path.isfile(file):
        bundle = next((bundle for bundle in _BUNDLES if os.path.isfile(bundle)), None)
        if bundle:
            context.load_verify_locations(cafile=bundle)
    if environ.get("SSL_CERT_FILE") or os.path.isfile(file):
        _load_named(context, "SSL_CERT_FILE", file)


def _has_certificates(folder: str) -> bool:
    """Tell whether a folder holds certificates under the names that OpenSSL looks for."""
    try:
        return any(_HASHED.fullmatch(name) for name in os.listdir(folder))
    except OSError:
        return False


def _places(environ: Mapping[str, str], names: list[str]) -> Iterator[tuple[str, str]]:
    """Give name and value of what is set, each value once: people set them to the same file."""
    seen = set()
    for name in names:
        place = environ.get(name, "")
        if place and place not in seen:
            seen.add(place)
            yield name, place


def _load_named(context: ssl.SSLContext, name: str, place: str) -> None:
    """Load what the environment names; of no use it is told, and left out as by other programs."""
    try:
        _load(context, place)
    except OSError as error:
        log.warning("%s is left out: it %s", name, why_not_loaded(place, error))


def _load(context: ssl.SSLContext, place: str) -> None:
    if os.path.isdir(place):
        context.load_verify_locations(capath=place)
    else:
        context.load_verify_locations(cafile=place)


def _stamp(ca: str) -> _Stamp:
    if not ca:
        return None
    try:
        found = os.stat(os.path.expanduser(ca))
    except OSError as error:
        raise CannotTrust(f"the file of its `ca` {why_not_loaded(ca, error)}") from error
    return found.st_mtime_ns, found.st_size
